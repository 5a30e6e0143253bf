import { useState } from "preact/hooks"
import type { Policy, PublishableKey } from "../../client/api/index.ts"
import { State } from "../ground/design/Badge.tsx"
import { Id } from "../ground/design/Copy.tsx"
import { Empty } from "../ground/design/Feedback.tsx"
import { Choice, TextField } from "../ground/design/Field.tsx"
import { Panel } from "../ground/design/Panel.tsx"
import { Table } from "../ground/design/Table.tsx"
import { Day } from "../ground/design/Time.tsx"
import { More } from "../ground/lists/More.tsx"
import { usePages } from "../ground/lists/Pages.ts"
import { Rows } from "../ground/lists/Rows.tsx"
import { Action } from "../ground/session/Action.tsx"
import { useDraft } from "../ground/session/Draft.tsx"
import { firstOf, useLoad } from "../ground/session/Load.ts"
import { may } from "../ground/session/Session.ts"
import type { OfProduct } from "./OfProduct.ts"

/** The most policies that are offered. */
const most = 1000

interface NewKeyProps extends OfProduct {
  readonly policies: ReadonlyArray<Policy>
  readonly onChange: () => void
}

const NewTrialKey = ({ onChange, policies, product }: NewKeyProps) => {
  const draft = useDraft("trial key", { name: "", policy: "" })
  const { name, policy: chosen } = draft.values
  const policy = chosen === "" ? policies[0]?.id ?? "" : chosen
  return (
    <Action
      label="New trial key"
      weight="main"
      scope="product:write"
      says="Your app opens trials with this key, one on each device. It is no secret: it may be in the app."
      fields={
        <>
          <TextField
            label="Name"
            path="name"
            value={name}
            onChange={(name) => draft.set({ name })}
            placeholder="Trial in the app"
            maxLength={255}
            autocomplete="off"
            required
            isFirst
          />
          <Choice
            label="Policy of the trial"
            path="policy_id"
            value={policy}
            options={policies.map(({ id, name }) => [id, name] as const)}
            onChange={(policy) => draft.set({ policy })}
            {...(policies.length === 0 ? { hint: "Create a policy of the type Trial first." } : {})}
          />
        </>
      }
      draft={draft}
      isReady={name.trim() !== "" && policy !== ""}
      perform={(client, options) =>
        client.publishableKeys.create(product.id, { name: name.trim(), policy_id: policy }, options)}
      done={({ name }) => (
        <span>
          Trial key <bdi class="strong">{name}</bdi> created.
        </span>
      )}
      onDone={onChange}
    />
  )
}

const Revoke = ({ of, onChange }: { readonly of: PublishableKey; readonly onChange: () => void }) => (
  <span class="row ends">
    <Action
      label="Revoke"
      about={of.id}
      small
      weight="danger"
      scope="product:write"
      asksWhy
      isOffered={of.revoked_at === undefined}
      says={
        <>
          <bdi class="strong">{of.name}</bdi>: this key no longer opens trials. Trials that run continue.
        </>
      }
      perform={(client, options) => client.publishableKeys.revoke(of.id, options)}
      done={() => "Trial key revoked."}
      onDone={onChange}
    />
  </span>
)

/** The keys by which an app opens trials of a product. */
export const TrialKeysTab = ({ product }: OfProduct) => {
  const [turn, setTurn] = useState(0)
  const onChange = () => setTurn((before) => before + 1)
  const pages = usePages<PublishableKey>(
    "trial keys",
    (client, page, signal) => client.publishableKeys.list(product.id, { limit: 50, ...page }, { signal }),
    [product.id],
    { turn }
  )
  const policies = useLoad(
    (client, signal) => firstOf(client.policies.list(product.id, { limit: 200 }, { signal }), most),
    [product.id]
  )
  const all = policies.data ?? []
  return (
    <>
      {may("product:write")
        ? (
          <span class="row ends">
            <NewTrialKey
              product={product}
              policies={all.filter(({ license_type }) => license_type === "trial")}
              onChange={onChange}
            />
          </span>
        )
        : null}
      <Panel flush footer={<More of={pages} />}>
        <Rows
          of={pages}
          empty={<Empty title="No trial keys yet">With one, your app opens a trial on each device by itself.</Empty>}
        >
          {(rows) => (
            <Table
              label="Trial keys"
              rows={rows}
              keyOf={({ id }) => id}
              columns={[
                { name: "Name", cell: ({ name }) => <bdi class="strong clip">{name}</bdi> },
                { name: "Key", cell: ({ key }) => <Id of={key} /> },
                {
                  name: "Policy",
                  cell: ({ policy_id }) => <bdi class="clip">{all.find(({ id }) => id === policy_id)?.name}</bdi>
                },
                {
                  name: "Status",
                  cell: ({ revoked_at }) => <State of={revoked_at === undefined ? "active" : "revoked"} />
                },
                { name: "Since", isMinor: true, cell: ({ created_at }) => <Day at={created_at} isQuiet /> },
                { name: "", cell: (of) => <Revoke of={of} onChange={onChange} /> }
              ]}
            />
          )}
        </Rows>
      </Panel>
    </>
  )
}

import type { BillingConnection, BillingProvider } from "../../../client/api/index.ts"
import { Badge } from "../../ground/design/Badge.tsx"
import { Choice, TextField } from "../../ground/design/Field.tsx"
import { Panel } from "../../ground/design/Panel.tsx"
import { Table, TwoLines } from "../../ground/design/Table.tsx"
import { Time } from "../../ground/design/Time.tsx"
import { Action } from "../../ground/session/Action.tsx"
import { useDraft } from "../../ground/session/Draft.tsx"
import { may } from "../../ground/session/Session.ts"
import { providerName, providers } from "./Providers.ts"

/** The state of a connection in a word. */
export const ConnectionState = ({ of }: { readonly of: BillingConnection }) =>
  !of.has_secret
    ? <Badge tone="warn">secret missing</Badge>
    : of.last_event_at === undefined
    ? <Badge tone="accent">no event yet</Badge>
    : <Badge tone="good">connected</Badge>

/** The connections to payment providers. */
export const Connections = ({ of }: { readonly of: ReadonlyArray<BillingConnection> }) => (
  <Panel title="Connections" flush>
    <Table
      label="Connections"
      rows={of}
      keyOf={({ id }) =>
        id}
      hrefOf={({ id }) =>
        `/console/purchases/connections/${id}`}
      columns={[
        { name: "Name", cell: ({ name, provider }) => <TwoLines first={name} second={providerName(provider)} /> },
        { name: "Status", cell: (connection) => <ConnectionState of={connection} /> },
        {
          name: "Last event",
          cell: ({ last_event_at }) =>
            last_event_at === undefined ? <span class="quiet">–</span> : <Time at={last_event_at} isQuiet />
        },
        {
          name: "Mapped prices",
          isNumber: true,
          isMinor: true,
          cell: ({ mapping }) => mapping.prices.length
        }
      ]}
    />
  </Panel>
)

const options = Object.entries(providers).map(([code, { name }]) => [code, name] as const)

interface Entered {
  readonly provider: BillingProvider
  readonly name: string
}

const blank: Entered = { provider: "stripe", name: "" }

/** The first step of connecting a payment provider: it makes the connection, whose page has the next ones. */
export const Connect = ({ onChange }: { readonly onChange: () => void }) => {
  const draft = useDraft("connection", blank)
  const { name, provider } = draft.values
  const known = providers[provider]
  return (
    <Action
      label="Connect a provider"
      weight="main"
      isOffered={may("license:write")}
      scope="product:write"
      says="Step 1 of 3. From then on, its purchases become licenses with an owner, and follow the payments."
      fields={
        <>
          <Choice
            label="Payment provider"
            value={provider}
            options={options}
            onChange={(code) => draft.set({ provider: code as BillingProvider })}
          />
          <TextField
            label="Name"
            value={name}
            onChange={(name) => draft.set({ name })}
            placeholder={known.name}
            hint="For you, where you have several accounts"
            maxLength={255}
          />
        </>
      }
      draft={draft}
      perform={(client, options) =>
        client.billingConnections.create({ provider, name: name.trim() === "" ? known.name : name.trim() }, options)}
      done={({ id, name }) => (
        <span>
          <bdi class="strong">{name}</bdi> created. Next:{" "}
          <a href={`/console/purchases/connections/${id}`}>the webhook URL and its secret</a>
        </span>
      )}
      onDone={onChange}
    />
  )
}

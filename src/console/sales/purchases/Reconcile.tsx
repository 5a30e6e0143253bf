import { consequenceOf } from "../../../client/api/Consequence.ts"
import type { BillingConnection, Countersign, ReconciliationWithFindings } from "../../../client/api/index.ts"
import { labelOf } from "../../../client/api/Labels.ts"
import { Badge } from "../../ground/design/Badge.tsx"
import { Id } from "../../ground/design/Copy.tsx"
import { Empty, Note } from "../../ground/design/Feedback.tsx"
import { Choice } from "../../ground/design/Field.tsx"
import { count } from "../../ground/design/Numbers.ts"
import { Facts, Panel } from "../../ground/design/Panel.tsx"
import { Table } from "../../ground/design/Table.tsx"
import { Time } from "../../ground/design/Time.tsx"
import { Action } from "../../ground/session/Action.tsx"
import { useDraft } from "../../ground/session/Draft.tsx"
import { useLoad } from "../../ground/session/Load.ts"
import { Loading } from "../../ground/session/Loading.tsx"
import { may } from "../../ground/session/Session.ts"
import { providers } from "./Providers.ts"

/** How often the panel loads again, in milliseconds: a reconciliation takes a minute. */
const again = 5000

type Finding = ReconciliationWithFindings["findings"][number]

const modes = [["fix", "Report and fix"], ["report", "Report only"]] as const

const usualMode = { mode: "fix" }

/** The last reconciliation of a connection, with what it found. */
const findLast = async (client: Countersign, id: string, signal: AbortSignal) => {
  const [newest] = await client.billingConnections.listReconciliations(id, { signal })
  return {
    last: newest === undefined
      ? undefined
      : await client.billingConnections.getReconciliation(newest.id, { signal })
  }
}

/** Asks for a reconciliation. */
const Ask = ({ of, onChange }: { readonly of: BillingConnection; readonly onChange: () => void }) => {
  const draft = useDraft("reconciliation", usualMode)
  const { mode } = draft.values
  const { name } = providers[of.provider]
  return (
    <Action
      label="Reconcile"
      small
      isOffered={may("license:write")}
      scope="product:write"
      says={`Reads all purchases from ${name} and compares them with those here. ${
        mode === "fix"
          ? consequenceOf("reconcileBillingConnection")
          : "Differences are reported, and nothing is changed."
      }`}
      fields={<Choice label="Differences" value={mode} options={modes} onChange={(mode) => draft.set({ mode })} />}
      draft={draft}
      perform={(client, options) => client.billingConnections.reconcile(of.id, { dry_run: mode === "report" }, options)}
      done={() => <span>Started. The result appears here.</span>}
      onDone={onChange}
    />
  )
}

const ReconciliationStatus = ({ of }: { readonly of: ReconciliationWithFindings }) => {
  switch (of.status) {
    case "done":
      return <Badge tone="good">done</Badge>
    case "failed":
      return <Badge tone="bad">failed</Badge>
    default:
      return <Badge tone="accent">{`running, ${count(of.pages)} pages read`}</Badge>
  }
}

const Findings = ({ of }: { readonly of: ReconciliationWithFindings }) => (
  <Table<Finding>
    label="Differences"
    rows={of.findings}
    keyOf={({ external_id, kind }) => `${kind} ${external_id}`}
    columns={[
      {
        name: "Purchase",
        cell: ({ external_id, purchase_id }) =>
          purchase_id === undefined
            ? <Id of={external_id} />
            : <a href={`/console/purchases/${purchase_id}`}>{external_id}</a>
      },
      { name: "Finding", cell: ({ finding }) => labelOf("finding", finding) },
      ...(of.foreseen === undefined ? [] : [{
        name: "Becomes",
        cell: ({ foreseen }: Finding) => foreseen === undefined ? "" : labelOf("foreseen", foreseen.outcome)
      }]),
      { name: "In", cell: ({ fields }) => fields.join(", ").replaceAll("_", " ") }
    ]}
  />
)

const Last = ({ of }: { readonly of: ReconciliationWithFindings }) => (
  <>
    <Facts
      of={[
        ["Last run", <Time at={of.created_at} />],
        ["Status", <ReconciliationStatus of={of} />],
        ["Differences", of.dry_run ? "reported only" : "fixed"],
        ["Same", count(of.same)],
        ["Missing here", count(of.missing)],
        ["Different", count(of.differs)],
        ["Unknown to the provider", count(of.unknown)]
      ]}
    />
    {of.failure === undefined ? null : (
      <Note tone={of.status === "failed" ? "bad" : "warn"} title={of.failure.message}>
        <span class="small">
          <code>{of.failure.code}</code>
          {of.next_attempt_at === undefined ? null : (
            <>
              ; next attempt <Time at={of.next_attempt_at} />
            </>
          )}
        </span>
      </Note>
    )}
    {of.findings.length === 0 ? null : <Findings of={of} />}
  </>
)

/** The reconciliation of a connection: asked for, and what the last one found. */
export const Reconcile = ({ of }: { readonly of: BillingConnection }) => {
  const last = useLoad((client, signal) => findLast(client, of.id, signal), [of.id], { every: again })
  const isMoving = last.data?.last?.status === "queued" || last.data?.last?.status === "running"
  return (
    <Panel
      title="Reconciliation"
      aside={of.has_api_key && !isMoving ? <Ask of={of} onChange={last.reload} /> : null}
    >
      <Loading of={last} lines={2}>
        {({ last: found }) =>
          found !== undefined
            ? <Last of={found} />
            : of.has_api_key
            ? <Empty title="Not reconciled yet">A reconciliation finds purchases whose events were lost.</Empty>
            : (
              <Empty title="No API key">
                With an API key of{" "}
                {providers[of.provider].name}, purchases can be compared with those there. Enter it under Details.
              </Empty>
            )}
      </Loading>
    </Panel>
  )
}

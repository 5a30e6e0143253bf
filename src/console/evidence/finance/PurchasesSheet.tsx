import type { PurchasesReport, PurchaseState } from "../../../client/api/index.ts"
import { titleOf } from "../../../client/api/Labels.ts"
import { State } from "../../ground/design/Badge.tsx"
import { Named } from "../../ground/design/Copy.tsx"
import { Empty } from "../../ground/design/Feedback.tsx"
import { Choice } from "../../ground/design/Field.tsx"
import { count } from "../../ground/design/Numbers.ts"
import { Figure, Panel } from "../../ground/design/Panel.tsx"
import { dayIn } from "../../ground/design/Time.tsx"
import { oneOf } from "../../ground/lists/Filters.ts"
import { dayInWords, windowOf } from "../../ground/period/Period.ts"
import type { Selection } from "../../ground/period/Period.ts"
import { firstOf, useLoad } from "../../ground/session/Load.ts"
import { Loading } from "../../ground/session/Loading.tsx"
import { may } from "../../ground/session/Session.ts"
import { Sheet } from "../exports/Sheet.tsx"
import { amountText, statesText } from "../figures/PurchasesView.ts"
import { rowsText } from "../figures/Totals.ts"
import { FigureTable } from "./FigureTable.tsx"
import type { FigureColumn } from "./FigureTable.tsx"

type Row = PurchasesReport["rows"][number]

const states: ReadonlyArray<readonly [PurchaseState | "", string]> = [
  ["", "Any"],
  ...([
    "active",
    "trialing",
    "past_due",
    "unpaid",
    "paused",
    "canceled",
    "paid",
    "pending",
    "failed",
    "future",
    "incomplete",
    "incomplete_expired"
  ] as const).map((state) => [state, titleOf("state", state)] as const)
]

/** How many connections can be chosen from; a vendor has a handful. */
const most = 200

const columnsOf = (zone: string): ReadonlyArray<FigureColumn<Row>> => {
  const day = (at: string | undefined) => at === undefined ? "" : dayInWords(dayIn(Date.parse(at), zone))
  return [
    {
      name: "Purchase",
      cell: ({ external_id, id }) => (
        <Named
          id={id}
          name={external_id}
          href={may("product:read") ? `/console/purchases/${id}` : undefined}
        />
      )
    },
    { name: "Connection", cell: ({ connection_name }) => <bdi class="clip">{connection_name}</bdi> },
    {
      name: "Gives",
      cell: ({ policy_name, product_name }) => (
        <bdi class="clip">{[product_name, policy_name].filter((name) => name !== undefined).join(", ")}</bdi>
      )
    },
    { name: "Quantity", isNumber: true, cell: ({ quantity }) => count(quantity) },
    { name: "Licenses", isNumber: true, cell: ({ licenses }) => count(licenses) },
    { name: "State", cell: ({ state, status }) => <State of={state ?? status} /> },
    { name: "Last payment", isNumber: true, cell: (row) => amountText(row.paid, row) },
    { name: "Refunded", isNumber: true, cell: (row) => amountText(row.refunded, row) },
    { name: "Since", cell: ({ began_at }) => day(began_at) },
    { name: "Paid through", cell: ({ paid_through }) => day(paid_through) },
    { name: "Ends", cell: ({ ends_at }) => day(ends_at) }
  ]
}

const Filters = ({ selection: { query, set }, state }: {
  readonly selection: Selection
  readonly state: PurchaseState | undefined
}) => {
  const connections = useLoad(
    (client, signal) => firstOf(client.billingConnections.list({ limit: most }, { signal }), most),
    [],
    { when: may("product:read") }
  )
  const chosen = query["connection_id"] ?? ""
  const known = (connections.data ?? []).map(({ id, name }) => [id, name] as const)
  const options = chosen === "" || known.some(([id]) => id === chosen) ? known : [...known, [chosen, chosen] as const]
  return (
    <>
      <Choice label="State" value={state ?? ""} options={states} onChange={(value) => set({ state: value })} />
      {!may("product:read") && options.length === 0 ? null : (
        <Choice
          label="Connection"
          value={chosen}
          options={[["", "Any"], ...options]}
          onChange={(connection_id) => set({ connection_id })}
        />
      )}
    </>
  )
}

/** The purchases that were in effect in a period: whether they are paid, and what they give. */
export const PurchasesSheet = ({ selection }: { readonly selection: Selection }) => {
  const { period, query, zone } = selection
  const state = oneOf(query["state"], states)
  const connection_id = query["connection_id"] ?? ""
  const filters = {
    ...(state === undefined ? {} : { state }),
    ...(connection_id === "" ? {} : { connection_id })
  }
  const report = useLoad(
    (client, signal) => client.reports.purchases({ ...filters, ...windowOf(period), limit: 200 }, { signal }),
    [JSON.stringify(filters), period.from, period.to],
    { when: period.wrong === undefined }
  )
  return (
    <Sheet
      kind="purchases"
      selection={selection}
      filters={filters}
      fields={<Filters selection={selection} state={state} />}
    >
      <Loading of={report} lines={10}>
        {(of) => (
          <>
            <Panel>
              <div class="figures">
                <Figure label="Purchases" value={count(of.summary.purchases)} more={statesText(of.summary)} />
                <Figure label="Licenses" value={count(of.summary.licenses)} />
              </div>
            </Panel>
            <Panel title="Purchases" aside={<span class="small quiet">{rowsText(of)}</span>} flush>
              {of.rows.length === 0
                ? <Empty title="No purchases in this period">Select another period or remove a filter.</Empty>
                : (
                  <FigureTable<Row>
                    label="Purchases"
                    rows={of.rows}
                    keyOf={({ id }) => id}
                    columns={columnsOf(zone)}
                  />
                )}
            </Panel>
            <p class="small quiet">
              A purchase is listed if it was in effect at some time of the period. States and amounts are current, and
              as the provider states them.
            </p>
          </>
        )}
      </Loading>
    </Sheet>
  )
}

import type { Countersign, Purchase, PurchaseStatus } from "../../../client/api/index.ts"
import { titleOf } from "../../../client/api/Labels.ts"
import { State } from "../../ground/design/Badge.tsx"
import { Empty } from "../../ground/design/Feedback.tsx"
import { Choice } from "../../ground/design/Field.tsx"
import { Panel } from "../../ground/design/Panel.tsx"
import { Table, TwoLines } from "../../ground/design/Table.tsx"
import type { Column } from "../../ground/design/Table.tsx"
import { Day } from "../../ground/design/Time.tsx"
import { oneOf, useFilters } from "../../ground/lists/Filters.ts"
import { More } from "../../ground/lists/More.tsx"
import { usePages } from "../../ground/lists/Pages.ts"
import { Rows } from "../../ground/lists/Rows.tsx"
import { SearchField } from "../../ground/lists/SearchField.tsx"
import { firstOf, useLoad } from "../../ground/session/Load.ts"
import { Loading, Placed } from "../../ground/session/Loading.tsx"
import { useTitle } from "../../ground/session/Title.ts"
import { Connect, Connections } from "./Connections.tsx"
import { providerName } from "./Providers.ts"
import "./purchases.css"
import { itemsOf, itemText, payerOf, paymentOf } from "./Waiting.ts"
import { WaitingNote } from "./WaitingNote.tsx"

const statuses: ReadonlyArray<readonly [PurchaseStatus | "", string]> = [
  ["", "Any"],
  ...(["waiting", "failed", "done", "new"] as const).map((status) => [status, titleOf("state", status)] as const)
]

/** How many connections are shown; a vendor has a handful. */
const most = 200

/** The data above the list: the connections, and what waits. */
const findOverview = async (client: Countersign, signal: AbortSignal) => {
  const [connections, prices, failed] = await Promise.all([
    firstOf(client.billingConnections.list({ limit: most }, { signal }), most),
    client.purchases.listUnmappedPrices({ signal }),
    client.purchases.list({ status: "failed", limit: 50 }, { signal })
  ])
  return { connections, prices, failed }
}

const columns: ReadonlyArray<Column<Purchase>> = [
  {
    name: "Payer",
    cell: (purchase) => (
      <TwoLines
        first={payerOf(purchase)}
        second={purchase.payer.email === payerOf(purchase) ? undefined : purchase.payer.email}
      />
    )
  },
  { name: "Licenses", cell: ({ status }) => <State of={status} /> },
  { name: "Bought", cell: (purchase) => <bdi class="clip">{itemsOf(purchase).map(itemText).join(", ")}</bdi> },
  {
    name: "Payment",
    cell: (purchase) => {
      const state = paymentOf(purchase)
      return state === undefined ? <span class="quiet">–</span> : <State of={state} />
    }
  },
  {
    name: "ID at the provider",
    isMinor: true,
    cell: ({ external_id, provider }) => (
      <span class="two">
        <code class="quiet clip">{external_id}</code>
        <span class="tiny quiet">{providerName(provider)}</span>
      </span>
    )
  },
  {
    name: "Paid until",
    isMinor: true,
    cell: ({ paid_through }) => paid_through === undefined ? null : <Day at={paid_through} isQuiet />
  },
  { name: "Since", isMinor: true, cell: ({ created_at }) => <Day at={created_at} isQuiet /> }
]

const None = ({ isConnected, isFiltered }: { readonly isFiltered: boolean; readonly isConnected: boolean }) =>
  isFiltered
    ? (
      <Empty title="No matching purchases">
        Search takes the complete ID of a subscription or order, or the start of an email.
      </Empty>
    )
    : isConnected
    ? <Empty title="No purchases yet">The first purchase appears here within a second of its event.</Empty>
    : (
      <Empty title="No purchases yet">
        <p>
          Connect Stripe, Paddle, Lemon Squeezy, FastSpring or Chargebee, and each purchase becomes a license. The guide
          {" "}
          <a href="/docs/guides/sell-with-stripe">Sell with Stripe</a> takes ten minutes.
        </p>
      </Empty>
    )

/** The purchases at payment providers, what waits, and the connections that they come by. */
export const PurchasesPage = () => {
  const { query, set, setTyped } = useFilters()
  useTitle("Purchases")
  const q = query["q"] ?? ""
  const status = oneOf(query["status"], statuses)
  const filters = {
    ...(q === "" ? {} : { q }),
    ...(status === undefined ? {} : { status }),
    ...(query["connection_id"] === undefined ? {} : { connection_id: query["connection_id"] })
  }
  const overview = useLoad(findOverview, [])
  const pages = usePages<Purchase>(
    "purchases",
    (client, page, signal) => client.purchases.list({ ...filters, limit: 50, ...page }, { signal }),
    [filters]
  )
  const onChange = () => {
    overview.reload()
    pages.reload()
  }
  const connections = overview.data?.connections ?? []
  return (
    <main class="page" id="main">
      <header>
        <h1>Purchases</h1>
        <Connect onChange={onChange} />
      </header>
      <Placed after={[overview, pages]} lines={10}>
        <Loading of={overview}>
          {({ failed, prices }) => <WaitingNote prices={prices} failed={failed} onChange={onChange} />}
        </Loading>
        <div class="filters" role="search" aria-label="Filters">
          <SearchField label="Email or ID" value={q} takesIds onSettled={(q) => setTyped({ q })} />
          <Choice label="Licenses" value={status ?? ""} options={statuses} onChange={(status) => set({ status })} />
        </div>
        <Panel flush footer={<More of={pages} />}>
          <Rows
            of={pages}
            lines={10}
            empty={<None isFiltered={Object.keys(filters).length > 0} isConnected={connections.length > 0} />}
          >
            {(rows) => (
              <Table
                label="Purchases"
                rows={rows}
                keyOf={({ id }) => id}
                hrefOf={({ id }) => `/console/purchases/${id}`}
                columns={columns}
              />
            )}
          </Rows>
        </Panel>
        {connections.length === 0 ? null : <Connections of={connections} />}
      </Placed>
    </main>
  )
}

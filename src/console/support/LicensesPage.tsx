import { useEffect } from "preact/hooks"
import type { License, LicenseStatus } from "../../client/api/index.ts"
import { State, stateTitle } from "../design/Badge.tsx"
import { Id } from "../design/Copy.tsx"
import { Empty } from "../design/Feedback.tsx"
import { Choice, TextField } from "../design/Field.tsx"
import { count } from "../design/Numbers.ts"
import { Panel } from "../design/Panel.tsx"
import { Table } from "../design/Table.tsx"
import { Day } from "../design/Time.tsx"
import { useFilters } from "../lists/Filters.ts"
import { More } from "../lists/More.tsx"
import { usePages } from "../lists/Pages.ts"
import { Rows } from "../lists/Rows.tsx"
import { SearchField } from "../lists/SearchField.tsx"
import { nameProducts, products } from "../session/Names.ts"
import { useTitle } from "../session/Title.ts"
import { keyOf, Owner, productOf } from "./Owner.tsx"

const statuses: ReadonlyArray<readonly [LicenseStatus | "", string]> = [
  ["", "Any"],
  ...(["active", "grace_period", "expired", "suspended", "revoked"] as const).map((status) =>
    [status, stateTitle(status)] as const
  )
]

type Order = "asc" | "desc" | "updated_desc"

const orders: ReadonlyArray<readonly [Order | "", string]> = [
  ["", "Newest first"],
  ["asc", "Oldest first"],
  ["updated_desc", "Recently updated first"]
]

/** The filters that the list of licenses knows. */
const known = new Set([
  "q",
  "status",
  "product_id",
  "policy_id",
  "customer_id",
  "order_id",
  "subscription_id",
  "expires_before",
  "expires_after",
  "order"
])

/** The licenses, as a table that can be narrowed; what is chosen stands in the address. */
export const LicensesPage = () => {
  const { query, set, setTyped } = useFilters()
  useTitle("Licenses")
  useEffect(() => void nameProducts(), [])
  const filters = Object.fromEntries(
    Object.entries(query).filter(([name, value]) => known.has(name) && value !== "")
  )
  const pages = usePages<License>(
    "licenses",
    (client, page, signal) => client.licenses.list({ ...filters, include_names: true, limit: 50, ...page }, { signal }),
    [filters]
  )
  const isNarrowed = Object.keys(filters).some((name) => name !== "order")
  const others = (["policy", "customer", "order", "subscription"] as const).flatMap((noun) => {
    const id = filters[`${noun}_id`]
    // All of them have the same one.
    return id === undefined ? [] : [{ noun, id, name: pages.rows?.[0]?.names?.[noun] }]
  })
  return (
    <main class="page" id="main">
      <header>
        <h1>Licenses</h1>
      </header>
      <div class="filters" role="search" aria-label="Filters">
        <SearchField
          label="Owner, ID or key ending"
          value={query["q"] ?? ""}
          onSettled={(q) => setTyped({ q })}
        />
        <Choice
          label="Status"
          value={query["status"] ?? ""}
          options={statuses}
          onChange={(status) => set({ status })}
        />
        <Choice
          label="Product"
          value={query["product_id"] ?? ""}
          options={[["", "Any"], ...[...products.value?.values() ?? []].map(({ id, name }) => [id, name] as const)]}
          onChange={(product_id) => set({ product_id })}
        />
        <TextField
          label="Expires before"
          type="date"
          value={(query["expires_before"] ?? "").slice(0, 10)}
          onChange={(day) => setTyped({ expires_before: day === "" ? "" : `${day}T00:00:00Z` })}
        />
        <Choice label="Order" value={query["order"] ?? ""} options={orders} onChange={(order) => set({ order })} />
      </div>
      {others.length === 0 ? null : (
        <div class="small quiet row wraps chosen">
          {others.map(({ id, name, noun }) => (
            <span key={noun} class="row wraps">
              Filtered by {noun} {name === undefined ? null : <bdi class="strong">{name}</bdi>}
              <Id of={id} />
            </span>
          ))}
          <a href="/console/licenses">Show all licenses</a>
        </div>
      )}
      <Panel flush footer={<More of={pages} />}>
        <Rows
          of={pages}
          lines={12}
          empty={isNarrowed
            ? <Empty title="No matching licenses">Remove a filter or change the search.</Empty>
            : (
              <Empty title="No licenses yet">
                <p>
                  Create a product and a policy, then issue the first license: the{" "}
                  <a href="/docs/guides/quick-start">quick start</a> shows how in five requests.{" "}
                  <code>countersign import</code> imports the licenses that you already have.
                </p>
              </Empty>
            )}
        >
          {(rows) => (
            <Table
              label="Licenses"
              rows={rows}
              keyOf={({ id }) => id}
              hrefOf={({ id }) => `/console/licenses/${id}`}
              columns={[
                { name: "Owner", cell: (license) => <Owner of={license} /> },
                { name: "Status", cell: ({ status }) => <State of={status} /> },
                { name: "Product", cell: (license) => <bdi class="clip">{productOf(license)}</bdi> },
                { name: "Key", cell: (license) => <code class="quiet">{keyOf(license)}</code> },
                {
                  name: "Expires",
                  cell: ({ awaits_activation, expires_at }) =>
                    expires_at === undefined
                      ? <span class="quiet">{awaits_activation === true ? "after first use" : "never"}</span>
                      : <Day at={expires_at} />
                },
                {
                  name: "Devices",
                  isNumber: true,
                  isMinor: true,
                  cell: ({ active_device_count }) => count(active_device_count)
                },
                {
                  name: "Issued",
                  isMinor: true,
                  cell: ({ created_at }) => (
                    <span class="quiet">
                      <Day at={created_at} />
                    </span>
                  )
                }
              ]}
            />
          )}
        </Rows>
      </Panel>
    </main>
  )
}

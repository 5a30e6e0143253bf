import { useEffect, useState } from "preact/hooks"
import type { License, LicenseStatus } from "../../../client/api/index.ts"
import { titleOf } from "../../../client/api/Labels.ts"
import { Button } from "../../ground/design/Button.tsx"
import { Id } from "../../ground/design/Copy.tsx"
import { Empty } from "../../ground/design/Feedback.tsx"
import { Check, Choice, TextField } from "../../ground/design/Field.tsx"
import { Panel } from "../../ground/design/Panel.tsx"
import { Table } from "../../ground/design/Table.tsx"
import type { Ticks } from "../../ground/design/Table.tsx"
import { currentTime } from "../../ground/design/Time.tsx"
import { oneOf, sortedBy, useFilters } from "../../ground/lists/Filters.ts"
import { ListHead } from "../../ground/lists/ListHead.tsx"
import { More } from "../../ground/lists/More.tsx"
import { ownerOf } from "../../ground/lists/NamesOf.ts"
import { usePages } from "../../ground/lists/Pages.ts"
import { Rows } from "../../ground/lists/Rows.tsx"
import { SearchField } from "../../ground/lists/SearchField.tsx"
import { nameProducts, products } from "../../ground/session/Names.ts"
import { may } from "../../ground/session/Session.ts"
import { useTitle } from "../../ground/session/Title.ts"
import { LicensesCsv } from "../bulk/LicensesCsv.tsx"
import { SelectionBar, useSelection } from "../bulk/SelectionBar.tsx"
import { filtersOf } from "../views/ViewAddress.ts"
import { ColumnsButton, useColumns, ViewTabs } from "../views/ViewTabs.tsx"
import { licenseColumns } from "./LicenseColumns.tsx"

const statuses: ReadonlyArray<readonly [LicenseStatus | "", string]> = [
  ["", "Any"],
  ...(["active", "grace_period", "expired", "suspended", "revoked"] as const).map((status) =>
    [status, titleOf("state", status)] as const
  )
]

/** The orders, which on a phone have no headings. */
const orders = [
  ["", "Newest first"],
  ["asc", "Oldest first"],
  ["updated_desc", "Recently updated first"],
  ["expires_asc", "Expiring first"],
  ["expires_desc", "Expiring last"],
  ["owner_asc", "Owner, A to Z"],
  ["owner_desc", "Owner, Z to A"],
  ["product_asc", "Product, A to Z"],
  ["product_desc", "Product, Z to A"]
] as const

/** The columns that can be chosen, and those that are shown unless others are. */
const columns = Object.entries(licenseColumns).map(([key, column]) => Object.assign({ key }, column))
const choosing = {
  list: "licenses",
  of: columns,
  usual: ["owner", "status", "product", "key", "expires", "tags", "devices", "issued"]
}

type Filtering = ReturnType<typeof useFilters>

/** The filters that have a field. */
const Fields = ({ query, set, setTyped }: Filtering) => (
  <div class="filters" role="search" aria-label="Filters">
    <SearchField label="Owner, ID or key ending" value={query["q"] ?? ""} onSettled={(q) => setTyped({ q })} />
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
    <TextField label="Tag" value={query["tag"] ?? ""} maxLength={50} onChange={(tag) => setTyped({ tag })} />
    <TextField
      label="App version"
      placeholder="1.x"
      value={query["app_version"] ?? ""}
      maxLength={64}
      onChange={(app_version) => setTyped({ app_version })}
    />
    <TextField label="System" value={query["os"] ?? ""} maxLength={128} onChange={(os) => setTyped({ os })} />
    <Choice label="Order" value={query["order"] ?? ""} options={orders} onChange={(order) => set({ order })} />
  </div>
)

/** The filters that only links set, with the names of what they stand for. */
const Linked = (
  { filters, names }: { readonly filters: Filtering["query"]; readonly names: License["names"] }
) => {
  const linked = (["policy", "customer", "order", "subscription"] as const).flatMap((noun) => {
    const id = filters[`${noun}_id`]
    return id === undefined ? [] : [{ noun, id, name: names?.[noun] }]
  })
  return linked.length === 0 ? null : (
    <div class="small quiet row wraps chosen">
      {linked.map(({ id, name, noun }) => (
        <span key={noun} class="row wraps">
          Filtered by {noun} {name === undefined ? null : <bdi class="strong">{name}</bdi>}
          <Id of={id} />
        </span>
      ))}
      <a href="/console/licenses">Show all licenses</a>
    </div>
  )
}

const None = ({ isFiltered }: { readonly isFiltered: boolean }) =>
  isFiltered
    ? <Empty title="No matching licenses">Remove a filter or change the search.</Empty>
    : (
      <Empty title="No licenses yet">
        <p>
          Create a product and a policy, then issue the first license: the{" "}
          <a href="/docs/guides/quick-start">quick start</a> shows how in five requests. <code>countersign import</code>
          {" "}
          imports the licenses that you already have.
        </p>
      </Empty>
    )

/** The title, and what is begun here. On a phone, rows are ticked after "Select". */
const Heading = ({ isSelecting, onSelect }: { readonly isSelecting: boolean; readonly onSelect: () => void }) => (
  <header>
    <h1>Licenses</h1>
    {may("license:write")
      ? (
        <span class="row wraps">
          <span class="to-select">
            <Button onClick={onSelect}>{isSelecting ? "Cancel selection" : "Select"}</Button>
          </span>
          <a class="button main" href="/console/licenses/new">Issue license</a>
        </span>
      )
      : null}
  </header>
)

/** The box for all rows on a phone, where the head of the table is only heard. */
const AllShown = ({ rows, ticks }: { readonly rows: ReadonlyArray<License>; readonly ticks: Ticks<License> }) => (
  <div class="selection to-select">
    <Check isOn={rows.every(ticks.has)} onChange={ticks.toggleAll}>Select all that are shown</Check>
  </div>
)

/** The licenses, as a table with filters, which stand in the address. */
export const LicensesPage = () => {
  const filtering = useFilters()
  useTitle("Licenses")
  useEffect(() => void nameProducts(), [])
  const filter = filtersOf(filtering.query, currentTime())
  const order = oneOf(filtering.query["order"], orders)
  const filters = { ...filter, ...(order === undefined ? {} : { order }) }
  const pages = usePages<License>(
    "licenses",
    (client, page, signal) =>
      client.licenses.list({
        ...filters,
        include_names: true,
        include_total: page.cursor === undefined,
        limit: 50,
        ...page
      }, { signal }),
    [filters]
  )
  const isFiltered = Object.keys(filter).length > 0
  const rows = pages.rows ?? []
  const selection = useSelection(rows, ownerOf, filter)
  const [isSelecting, setSelecting] = useState(false)
  const { choose, chosen } = useColumns(choosing, filtering)
  return (
    <main class={`page ${isSelecting ? "selecting" : ""}`} id="main">
      <Heading isSelecting={isSelecting} onSelect={() => setSelecting(!isSelecting)} />
      <ViewTabs query={filtering.query} columns={chosen} />
      <Fields {...filtering} />
      {/** All rows have the same product. */}
      <Linked filters={filters} names={pages.rows?.[0]?.names} />
      <Panel flush footer={<More of={pages} />}>
        <ListHead of={pages} noun="license" isFiltered={isFiltered}>
          <ColumnsButton of={columns} chosen={chosen} choose={choose} />
          <LicensesCsv filters={filters} total={pages.total} />
        </ListHead>
        {isSelecting && rows.length > 0 ? <AllShown rows={rows} ticks={selection.ticks} /> : null}
        <SelectionBar of={selection} filter={filter} loaded={rows.length} hasMore={pages.hasMore} />
        <Rows
          of={pages}
          lines={12}
          empty={<None isFiltered={isFiltered} />}
        >
          {(rows) => (
            <Table
              label="Licenses"
              rows={rows}
              keyOf={({ id }) => id}
              hrefOf={({ id }) => `/console/licenses/${id}`}
              columns={columns.filter(({ key }) => chosen.includes(key))}
              sorted={sortedBy(filtering)}
              ticks={may("license:write") ? selection.ticks : undefined}
            />
          )}
        </Rows>
      </Panel>
    </main>
  )
}

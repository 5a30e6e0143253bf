import { useEffect } from "preact/hooks"
import type { Customer } from "../../../client/api/index.ts"
import { NewCustomer } from "../../customers/CustomerForms.tsx"
import { Empty } from "../../ground/design/Feedback.tsx"
import { Choice, TextField } from "../../ground/design/Field.tsx"
import { Panel } from "../../ground/design/Panel.tsx"
import { Table } from "../../ground/design/Table.tsx"
import type { Column } from "../../ground/design/Table.tsx"
import { Day } from "../../ground/design/Time.tsx"
import { oneOf, sortedBy, useFilters } from "../../ground/lists/Filters.ts"
import { ListHead } from "../../ground/lists/ListHead.tsx"
import { More } from "../../ground/lists/More.tsx"
import { usePages } from "../../ground/lists/Pages.ts"
import { Rows } from "../../ground/lists/Rows.tsx"
import { SearchField } from "../../ground/lists/SearchField.tsx"
import { nameProducts, products } from "../../ground/session/Names.ts"
import { may } from "../../ground/session/Session.ts"
import { useTitle } from "../../ground/session/Title.ts"

/** The orders, which on a phone have no headings. */
const orders = [
  ["", "Newest first"],
  ["asc", "Oldest first"],
  ["updated_desc", "Recently updated first"],
  ["name_asc", "Name, A to Z"],
  ["name_desc", "Name, Z to A"]
] as const

const columns: ReadonlyArray<Column<Customer>> = [
  {
    name: "Name",
    orders: { up: "name_asc", down: "name_desc", first: "up" },
    cell: ({ name }) => <bdi class="strong clip">{name}</bdi>
  },
  { name: "Code", cell: ({ code }) => <code class="quiet">{code}</code> },
  { name: "Email", cell: ({ email }) => <bdi class="clip">{email}</bdi> },
  {
    name: "Since",
    orders: { up: "asc", down: "desc", first: "down" },
    cell: ({ created_at }) => <Day at={created_at} isQuiet />
  }
]

/** The filters of the list, by their names in the address and in the service. */
const filterNames = ["q", "product_id", "app_version", "os"] as const

type Filtering = ReturnType<typeof useFilters>

/** The filters that tell of licenses. */
const OfLicenses = ({ query, set, setTyped }: Filtering) => (
  <>
    <Choice
      label="Product"
      value={query["product_id"] ?? ""}
      options={[["", "Any"], ...[...products.value?.values() ?? []].map(({ id, name }) => [id, name] as const)]}
      onChange={(product_id) => set({ product_id })}
    />
    <TextField
      label="App version"
      placeholder="1.x"
      value={query["app_version"] ?? ""}
      maxLength={64}
      onChange={(app_version) => setTyped({ app_version })}
    />
    <TextField label="System" value={query["os"] ?? ""} maxLength={128} onChange={(os) => setTyped({ os })} />
  </>
)

const None = ({ isFiltered }: { readonly isFiltered: boolean }) =>
  isFiltered
    ? (
      <Empty title="No matching customers">
        Search matches words of a name or email, a domain, a code and IDs of billing systems.
      </Empty>
    )
    : (
      <Empty title="No customers yet">
        A license does not need a customer. Customers group licenses of the same owner.
      </Empty>
    )

/** The customers, as a table with filters, which stand in the address. */
export const CustomersPage = () => {
  const filtering = useFilters()
  const { query, setTyped } = filtering
  const filter = Object.fromEntries(
    filterNames.flatMap((name) => query[name] === undefined ? [] : [[name, query[name]]])
  )
  const order = oneOf(query["order"], orders)
  useTitle("Customers")
  useEffect(() => void nameProducts(), [])
  const pages = usePages<Customer>(
    "customers",
    (client, page, signal) =>
      client.customers.list({
        limit: 50,
        include_total: page.cursor === undefined,
        ...filter,
        ...(order === undefined ? {} : { order }),
        ...page
      }, { signal }),
    [filter, order]
  )
  const isFiltered = Object.keys(filter).length > 0
  return (
    <main class="page" id="main">
      <header>
        <h1>Customers</h1>
        <NewCustomer />
      </header>
      <div class="filters" role="search" aria-label="Filters">
        <SearchField label="Name, domain, code or ID" value={query["q"] ?? ""} onSettled={(q) => setTyped({ q })} />
        {may("license:read") ? <OfLicenses {...filtering} /> : null}
        <Choice label="Order" value={order ?? ""} options={orders} onChange={(order) => filtering.set({ order })} />
      </div>
      <Panel flush footer={<More of={pages} />}>
        <ListHead of={pages} noun="customer" isFiltered={isFiltered} />
        <Rows of={pages} lines={12} empty={<None isFiltered={isFiltered} />}>
          {(rows) => (
            <Table
              label="Customers"
              rows={rows}
              keyOf={({ id }) => id}
              hrefOf={({ id }) => `/console/customers/${id}`}
              sorted={sortedBy(filtering)}
              columns={columns}
            />
          )}
        </Rows>
      </Panel>
    </main>
  )
}

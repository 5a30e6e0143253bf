import type { Customer } from "../../client/api/index.ts"
import { NewCustomer } from "../customers/CustomerForms.tsx"
import { Empty } from "../design/Feedback.tsx"
import { Panel } from "../design/Panel.tsx"
import { Table } from "../design/Table.tsx"
import { Day } from "../design/Time.tsx"
import { useFilters } from "../lists/Filters.ts"
import { More } from "../lists/More.tsx"
import { usePages } from "../lists/Pages.ts"
import { Rows } from "../lists/Rows.tsx"
import { SearchField } from "../lists/SearchField.tsx"
import { useTitle } from "../session/Title.ts"

/** The customers, as a table with a search. */
export const CustomersPage = () => {
  const { query, setTyped } = useFilters()
  const q = query["q"] ?? ""
  useTitle("Customers")
  const pages = usePages<Customer>(
    "customers",
    (client, page, signal) =>
      client.customers.list({
        limit: 50,
        ...(q === "" ? {} : { q }),
        ...page
      }, { signal }),
    [q]
  )
  return (
    <main class="page" id="main">
      <header>
        <h1>Customers</h1>
        <NewCustomer />
      </header>
      <div class="filters" role="search" aria-label="Filters">
        <SearchField label="Name, domain, code or ID" value={q} onSettled={(q) => setTyped({ q })} />
      </div>
      <Panel flush footer={<More of={pages} />}>
        <Rows
          of={pages}
          lines={12}
          empty={q === ""
            ? (
              <Empty title="No customers yet">
                A license does not need a customer. Customers group licenses of the same owner.
              </Empty>
            )
            : (
              <Empty title="No matching customers">
                Search matches words of a name or email, a domain, a code and IDs of billing systems.
              </Empty>
            )}
        >
          {(rows) => (
            <Table
              label="Customers"
              rows={rows}
              keyOf={({ id }) => id}
              hrefOf={({ id }) => `/console/customers/${id}`}
              columns={[
                { name: "Name", cell: ({ name }) => <bdi class="strong clip">{name}</bdi> },
                { name: "Code", cell: ({ code }) => <code class="quiet">{code}</code> },
                { name: "Email", cell: ({ email }) => <bdi class="clip">{email}</bdi> },
                {
                  name: "Since",
                  cell: ({ created_at }) => <Day at={created_at} isQuiet />
                }
              ]}
            />
          )}
        </Rows>
      </Panel>
    </main>
  )
}

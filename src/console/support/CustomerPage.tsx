import { useRoute } from "preact-iso"
import type { Customer, License } from "../../client/api/index.ts"
import { Id } from "../design/Copy.tsx"
import { Empty } from "../design/Feedback.tsx"
import { Facts, Panel } from "../design/Panel.tsx"
import { Table } from "../design/Table.tsx"
import { Day } from "../design/Time.tsx"
import { More } from "../lists/More.tsx"
import { usePages } from "../lists/Pages.ts"
import { Rows } from "../lists/Rows.tsx"
import { useLoad } from "../session/Load.ts"
import { Loading } from "../session/Loading.tsx"
import { may } from "../session/Session.ts"
import { useTitle } from "../session/Title.ts"
import { licenseColumns } from "./LicenseColumns.tsx"
import { metadataFacts } from "./Metadata.tsx"
import { productOf } from "./Owner.tsx"
import { Story } from "./Story.tsx"

const About = ({ of }: { readonly of: Customer }) => (
  <Panel title="Details">
    <Facts
      of={[
        ["Code", <Id of={of.code} />],
        ["Email", of.email && <bdi>{of.email}</bdi>],
        ["ID", <Id of={of.id} />],
        ["Since", <Day at={of.created_at} />],
        ...metadataFacts(of.metadata)
      ]}
    />
  </Panel>
)

const CustomerOf = ({ id }: { readonly id: string }) => {
  const customer = useLoad((client, signal) => client.customers.get(id, { signal }), [id])
  useTitle(customer.data?.name ?? "Customer")
  const licenses = usePages<License>(
    "licenses",
    (client, page, signal) =>
      client.licenses.list({ customer_id: id, include_names: true, limit: 50, ...page }, { signal }),
    [id]
  )
  return (
    <main class="page" id="main">
      <header>
        <div class="stack" style={{ gap: "var(--s1)" }}>
          <a class="small" href="/console/customers">Customers</a>
          <h1 class="wrap">
            <bdi>{customer.data?.name ?? "Customer"}</bdi>
          </h1>
        </div>
      </header>
      <div class="record">
        <div>
          <Panel title="Licenses" flush footer={<More of={licenses} />}>
            <Rows of={licenses} lines={6} empty={<Empty title="No licenses" />}>
              {(rows) => (
                <Table
                  label="Licenses"
                  rows={rows}
                  keyOf={(license) => license.id}
                  hrefOf={(license) => `/console/licenses/${license.id}`}
                  columns={[
                    { name: "Product", cell: (license) => <bdi class="strong clip">{productOf(license)}</bdi> },
                    licenseColumns.status,
                    licenseColumns.key,
                    licenseColumns.expires,
                    licenseColumns.devices
                  ]}
                />
              )}
            </Rows>
          </Panel>
          {may("report:read") ? <Story customerId={id} turn={0} onChange={() => {}} /> : null}
        </div>
        <aside aria-label="Customer details">
          <Loading of={customer}>{(found) => <About of={found} />}</Loading>
        </aside>
      </div>
    </main>
  )
}

/** The page of one customer. */
export const CustomerPage = () => {
  const { params } = useRoute()
  const id = params["id"] ?? ""
  return <CustomerOf key={id} id={id} />
}

import { useRoute } from "preact-iso"
import { useState } from "preact/hooks"
import type { Customer, License } from "../../../client/api/index.ts"
import { titleOf } from "../../../client/api/Labels.ts"
import { EditCustomer } from "../../customers/CustomerForms.tsx"
import { Tabs } from "../../customers/CustomerTabs.tsx"
import type { Tab } from "../../customers/CustomerTabs.tsx"
import {
  CustomerDevices,
  CustomerPurchases,
  CustomersBelow,
  EraseCustomer,
  ParentLink,
  SendPortalLink
} from "../../customers/CustomerThings.tsx"
import { Id, Named } from "../../ground/design/Copy.tsx"
import { Empty } from "../../ground/design/Feedback.tsx"
import { Facts, Panel } from "../../ground/design/Panel.tsx"
import { Table } from "../../ground/design/Table.tsx"
import { Day } from "../../ground/design/Time.tsx"
import { More } from "../../ground/lists/More.tsx"
import { usePages } from "../../ground/lists/Pages.ts"
import { Rows } from "../../ground/lists/Rows.tsx"
import { useLoad } from "../../ground/session/Load.ts"
import { Loading, Placed } from "../../ground/session/Loading.tsx"
import { WaitingApprovals } from "../../ground/session/SecondLook.tsx"
import { may, mayOfAll } from "../../ground/session/Session.ts"
import { useTitle } from "../../ground/session/Title.ts"
import { NotesPanel } from "../../people/notes/NotesPanel.tsx"
import { PoolsPanel } from "../grants/PoolsPanel.tsx"
import { licenseColumns, Story } from "./LicenseColumns.tsx"
import { metadataFacts } from "./Metadata.tsx"
import { productOf } from "./Owner.tsx"

const About = ({ of }: { readonly of: Customer }) => (
  <Panel title="Details">
    <Facts
      of={[
        ["Code", <Id of={of.code} />],
        ["Email", of.email && <bdi>{of.email}</bdi>],
        ["Language", of.language && titleOf("mailLanguage", of.language)],
        ["ID", <Id of={of.id} />],
        ["Belongs to", of.parent_id && <ParentLink id={of.parent_id} />],
        [
          "ID in the billing system",
          of.external_id && <Named id={of.external_id} name={of.external_system ?? of.external_id} />
        ],
        ["Since", <Day at={of.created_at} />],
        ...metadataFacts(of.metadata)
      ]}
    />
  </Panel>
)

/** The licenses of a customer. */
const CustomerLicenses = ({ id }: { readonly id: string }) => {
  const licenses = usePages<License>(
    "licenses",
    (client, page, signal) =>
      client.licenses.list({ customer_id: id, include_names: true, limit: 50, ...page }, { signal }),
    [id]
  )
  return (
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
  )
}

/** The tabs of a customer that the person may see. */
const tabsOf = (id: string, turn: number, onChange: () => void): ReadonlyArray<Tab> => [
  { name: "", title: "Licenses", shown: () => <CustomerLicenses id={id} /> },
  ...(mayOfAll("product:read")
    ? [{ name: "purchases", title: "Purchases", shown: () => <CustomerPurchases id={id} /> }]
    : []),
  { name: "pools", title: "Pools", shown: () => <PoolsPanel customerId={id} turn={turn} onChange={onChange} /> },
  { name: "below", title: "Companies", shown: () => <CustomersBelow id={id} /> },
  { name: "devices", title: "Devices", shown: () => <CustomerDevices id={id} /> },
  ...(may("report:read")
    ? [{ name: "activity", title: "Activity", shown: () => <Story customerId={id} turn={turn} onChange={() => {}} /> }]
    : [])
]

const CustomerOf = ({ id }: { readonly id: string }) => {
  const [turn, setTurn] = useState(0)
  const customer = useLoad((client, signal) => client.customers.get(id, { signal }), [id, turn])
  const onChange = () => setTurn((before) => before + 1)
  useTitle(customer.data?.name ?? "Customer")
  return (
    <main class="page" id="main">
      <header>
        <div class="stack" style={{ gap: "var(--s1)" }}>
          <a class="small" href="/console/customers">Customers</a>
          <h1 class="wrap">
            <bdi>{customer.data?.name ?? "Customer"}</bdi>
          </h1>
        </div>
        {customer.data === undefined ? null : (
          <div class="row wraps">
            <EditCustomer customer={customer.data} onChange={onChange} />
            <SendPortalLink customer={customer.data} onChange={onChange} />
            <EraseCustomer customer={customer.data} onChange={onChange} />
          </div>
        )}
      </header>
      <Placed after={[customer]}>
        <div class="record">
          <div>
            <WaitingApprovals about={id} turn={turn} />
            <Tabs label="Customer" path={`/console/customers/${id}`} of={tabsOf(id, turn, onChange)} />
            <NotesPanel about="customer" id={id} />
          </div>
          <aside aria-label="Customer details">
            <Loading of={customer}>{(found) => <About of={found} />}</Loading>
          </aside>
        </div>
      </Placed>
    </main>
  )
}

/** The page of one customer. */
export const CustomerPage = () => {
  const { params } = useRoute()
  const id = params["id"] ?? ""
  return <CustomerOf key={id} id={id} />
}

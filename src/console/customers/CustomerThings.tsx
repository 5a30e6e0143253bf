import type { Customer, Device, License, Purchase } from "../../client/api/index.ts"
import { State } from "../ground/design/Badge.tsx"
import { Empty } from "../ground/design/Feedback.tsx"
import { Panel } from "../ground/design/Panel.tsx"
import { Table, TwoLines } from "../ground/design/Table.tsx"
import { Day, Time } from "../ground/design/Time.tsx"
import { deviceNameOf } from "../ground/lists/DeviceName.ts"
import { More } from "../ground/lists/More.tsx"
import { usePages } from "../ground/lists/Pages.ts"
import { Rows } from "../ground/lists/Rows.tsx"
import { useLoad } from "../ground/session/Load.ts"
import { Loading } from "../ground/session/Loading.tsx"

interface OfCustomer {
  readonly id: string
}

/** The customers that belong to a customer, such as the companies of a group. */
export const CustomersBelow = ({ id }: OfCustomer) => {
  const below = usePages<Customer>(
    "customers",
    (client, page, signal) => client.customers.list({ parent_id: id, limit: 50, ...page }, { signal }),
    [id]
  )
  return (
    <Panel title="Customers of this one" flush footer={<More of={below} />}>
      <Rows
        of={below}
        empty={<Empty title="No customers">Customers that belong to this one share its pools.</Empty>}
      >
        {(rows) => (
          <Table
            label="Customers of this one"
            rows={rows}
            keyOf={(customer) => customer.id}
            hrefOf={(customer) => `/console/customers/${customer.id}`}
            columns={[
              { name: "Name", cell: ({ code, name }) => <TwoLines first={name} second={code} /> },
              { name: "Email", isMinor: true, cell: ({ email }) => <bdi class="clip">{email}</bdi> },
              { name: "Since", isMinor: true, cell: ({ created_at }) => <Day at={created_at} isQuiet /> }
            ]}
          />
        )}
      </Rows>
    </Panel>
  )
}

/** The name of the customer that another one belongs to, as a link to its page. */
export const ParentLink = ({ id }: OfCustomer) => {
  const { data } = useLoad((client, signal) => client.customers.get(id, { signal }), [id])
  return (
    <a href={`/console/customers/${id}`}>
      <bdi>{data?.name ?? id}</bdi>
    </a>
  )
}

/** The purchases of a customer. */
export const CustomerPurchases = ({ id }: OfCustomer) => {
  const purchases = usePages<Purchase>(
    "purchases",
    (client, page, signal) => client.purchases.list({ customer_id: id, limit: 50, ...page }, { signal }),
    [id]
  )
  return (
    <Panel title="Purchases" flush footer={<More of={purchases} />}>
      <Rows of={purchases} empty={<Empty title="No purchases">Purchases come from payment providers.</Empty>}>
        {(rows) => (
          <Table
            label="Purchases"
            rows={rows}
            keyOf={(purchase) => purchase.id}
            hrefOf={(purchase) => `/console/purchases/${purchase.id}`}
            columns={[
              {
                name: "ID at the provider",
                cell: ({ external_id, provider }) => <TwoLines first={external_id} second={provider} />
              },
              { name: "Licenses", cell: ({ status }) => <State of={status} /> },
              { name: "Paid until", cell: ({ paid_through }) => <Day at={paid_through} isQuiet /> },
              { name: "Since", isMinor: true, cell: ({ created_at }) => <Day at={created_at} isQuiet /> }
            ]}
          />
        )}
      </Rows>
    </Panel>
  )
}

/** The most licenses whose devices are shown together, and devices of each; more are on the pages of the licenses. */
const most = { licenses: 20, devices: 50 }

interface Held {
  readonly license: License
  readonly device: Device
}

/** The devices with a seat of the newest licenses of a customer. */
export const CustomerDevices = ({ id }: OfCustomer) => {
  const found = useLoad(async (client, signal) => {
    const { data, page_info } = await client.licenses
      .list({ customer_id: id, include_names: true, limit: most.licenses }, { signal }).withResponse()
    const using = data.filter(({ active_device_count }) => active_device_count > 0)
    const pages = await Promise.all(using.map(async (license) => {
      const devices = await client.licenses
        .listDevices(license.id, { status: "active", limit: most.devices }, { signal }).withResponse()
      return {
        held: devices.data.map((device): Held => ({ license, device })),
        hasMore: devices.page_info.has_more
      }
    }))
    return {
      held: pages.flatMap(({ held }) => held),
      isCut: page_info.has_more || pages.some(({ hasMore }) => hasMore)
    }
  }, [id])
  return (
    <Panel title="Devices" flush>
      <Loading of={found}>
        {({ held, isCut }) => (
          <>
            {held.length === 0 ? <Empty title="No devices yet">Devices appear here after they activate.</Empty> : (
              <Table
                label="Devices"
                rows={held}
                keyOf={({ device }) => device.id}
                hrefOf={({ license }) => `/console/licenses/${license.id}`}
                columns={[
                  {
                    name: "Device",
                    cell: ({ device }) => (
                      <TwoLines first={deviceNameOf(device)} second={device.os ?? device.ip_address} />
                    )
                  },
                  { name: "Product", cell: ({ license }) => <bdi class="clip">{license.names?.product}</bdi> },
                  { name: "Last seen", cell: ({ device }) => <Time at={device.last_seen_at} isQuiet /> }
                ]}
              />
            )}
            {isCut
              ? (
                <p class="above quiet small" style={{ paddingBottom: "var(--s3)" }}>
                  Only {most.devices} devices of each of the newest {most.licenses}{" "}
                  licenses. The page of a license has all.
                </p>
              )
              : null}
          </>
        )}
      </Loading>
    </Panel>
  )
}

import { useEffect, useState } from "preact/hooks"
import type { Customer, CustomerErasure, Device, License, Purchase } from "../../client/api/index.ts"
import { State } from "../ground/design/Badge.tsx"
import { Empty, Skeleton } from "../ground/design/Feedback.tsx"
import { some } from "../ground/design/Numbers.ts"
import { Panel } from "../ground/design/Panel.tsx"
import { Table, TwoLines } from "../ground/design/Table.tsx"
import { Day, Time } from "../ground/design/Time.tsx"
import { deviceNameOf } from "../ground/lists/DeviceName.ts"
import { More } from "../ground/lists/More.tsx"
import { usePages } from "../ground/lists/Pages.ts"
import { Rows } from "../ground/lists/Rows.tsx"
import { Action } from "../ground/session/Action.tsx"
import { unkept } from "../ground/session/Draft.tsx"
import { Failure } from "../ground/session/Failure.tsx"
import { useLoad } from "../ground/session/Load.ts"
import { Loading } from "../ground/session/Loading.tsx"
import { mayOfAll } from "../ground/session/Session.ts"
import { erasureText } from "./ErasureText.ts"

/** How far licenses are counted. */
const counted = 200

interface DryRunProps {
  readonly id: string
  readonly onKnown: (found: CustomerErasure | undefined) => void
}

/** The effect of an erasure, as the service says it before. */
const DryRun = ({ id, onKnown }: DryRunProps) => {
  const run = useLoad(async (client, signal) => {
    const [erasure, licenses] = await Promise.all([
      client.customers.erase(id, { dry_run: true, signal }),
      client.licenses.list({ customer_id: id, limit: counted }, { signal }).withResponse()
    ])
    return { erasure, licenses: licenses.data.length, hasMore: licenses.page_info.has_more }
  }, [id])
  useEffect(() => {
    onKnown(run.data?.erasure)
    return () => onKnown(undefined)
  }, [run.data])
  return (
    <>
      {run.error === undefined ? null : <Failure error={run.error} onRetry={run.reload} />}
      {run.data === undefined
        ? run.error === undefined ? <Skeleton lines={2} /> : null
        : <p>{erasureText(run.data.erasure, run.data.licenses, run.data.hasMore)}</p>}
    </>
  )
}

/** Erases the personal data of a customer. A dry run says before how much that is. */
export const EraseCustomer = ({ customer, onChange }: {
  readonly customer: Pick<Customer, "code" | "id" | "name">
  readonly onChange: () => void
}) => {
  const [known, setKnown] = useState<CustomerErasure>()
  return (
    <Action
      label="Erase…"
      sendLabel="Erase"
      weight="danger"
      scope="admin"
      asksWhy="customer.erased"
      typed={customer.code}
      says={
        <>
          The personal data of <bdi class="strong">{customer.name}</bdi>{" "}
          is removed permanently, and the notes about it and its licenses are deleted. The code, the metadata and all
          IDs stay.
        </>
      }
      fields={<DryRun id={customer.id} onKnown={setKnown} />}
      draft={unkept("The dialog has nothing to enter.", false)}
      isReady={known !== undefined}
      secondLook="erase_customer"
      perform={(client, options) => client.customers.erase(customer.id, options)}
      done={({ events, exports }) => `Erased from ${some(events, "event")} and ${some(exports, "export")}.`}
      onDone={onChange}
    />
  )
}

/** Says that no link can be sent, to those who may know the settings; others are told by the service when they try. */
const LinksOff = () => {
  const { data } = useLoad((client, signal) => client.settings.getMail({ signal }), [], { when: mayOfAll("admin") })
  if (data === undefined || (data.is_configured && data.is_portal_on)) return null
  return (
    <span class="strong">
      {data.is_portal_on
        ? " Mails are off: none is sent until a mail server is set."
        : " The portal is off: COUNTERSIGN_PORTAL=on switches it on, in the live environment."}
    </span>
  )
}

/** Mails a customer a link into the portal. The service refuses it with the reason where the portal or mails are off. */
export const SendPortalLink = ({ customer, onChange }: {
  readonly customer: Pick<Customer, "email" | "id" | "name">
  readonly onChange: () => void
}) =>
  customer.email === undefined ? null : (
    <Action
      label="Send portal link…"
      sendLabel="Send"
      scope="customer:write"
      says={
        <>
          A mail to <bdi class="strong">{customer.email}</bdi>{" "}
          has a link by which the customer signs in to the portal, once, within 15 minutes. A link before it ends.
          <LinksOff />
        </>
      }
      perform={(client, { idempotencyKey }) => client.customers.createPortalLink(customer.id, {}, { idempotencyKey })}
      done={({ expires_at, recipient }) => (
        <>
          A link is on its way to <bdi class="strong">{recipient}</bdi>. It works until{" "}
          <Time at={expires_at} exactly />.
        </>
      )}
      onDone={onChange}
    />
  )

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

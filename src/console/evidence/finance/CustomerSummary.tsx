import type { CustomerSummaryReport } from "../../../client/api/index.ts"
import { State } from "../../ground/design/Badge.tsx"
import { Id, Named } from "../../ground/design/Copy.tsx"
import { Empty } from "../../ground/design/Feedback.tsx"
import { count } from "../../ground/design/Numbers.ts"
import { Figure, Panel } from "../../ground/design/Panel.tsx"
import { dayIn } from "../../ground/design/Time.tsx"
import { mayBeKey } from "../../ground/lists/KeyLike.ts"
import { pathOf } from "../../ground/period/Kinds.ts"
import type { Selection } from "../../ground/period/Period.ts"
import { timeQuery, windowOf } from "../../ground/period/Period.ts"
import { dayInWords, minuteIn } from "../../ground/period/Zone.ts"
import { useLoad } from "../../ground/session/Load.ts"
import { Loading, Placed } from "../../ground/session/Loading.tsx"
import { Sheet } from "../exports/Sheet.tsx"
import { customerView } from "../figures/CustomerView.ts"
import { rowsText } from "../figures/Totals.ts"
import { About } from "./About.tsx"
import { FigureTable } from "./FigureTable.tsx"
import { Pick } from "./Pick.tsx"
import { useFeatures, useUse } from "./Use.ts"
import { UseCharts } from "./UseCharts.tsx"
import { useColumns } from "./UseTable.tsx"

type Row = CustomerSummaryReport["rows"][number]

const Licenses = ({ selection, of }: { readonly of: CustomerSummaryReport; readonly selection: Selection }) => {
  const { devices, totals } = customerView(of)
  return (
    <FigureTable<Row>
      label="Licenses"
      rows={of.rows}
      keyOf={({ license_id }) => license_id}
      columns={[
        {
          name: "License",
          cell: ({ key, license_id }) => (
            <Named id={license_id} name={key} href={pathOf("license-audit", timeQuery(selection, { license_id }))} />
          ),
          totals: totals.map(({ name }) => name)
        },
        { name: "Product", cell: ({ product_name }) => <bdi class="clip">{product_name}</bdi> },
        {
          name: "Status",
          cell: ({ ownership, status }) =>
            ownership === "former" ? <span class="quiet">transferred</span> : <State of={status} />
        },
        {
          name: "Expires",
          cell: ({ expires_at }) =>
            expires_at === undefined
              ? <span class="quiet">never</span>
              : dayInWords(dayIn(Date.parse(expires_at), selection.zone))
        },
        {
          name: "Devices",
          isNumber: true,
          cell: ({ active_device_count }) => count(active_device_count),
          totals: devices === undefined ? [] : [count(devices)]
        },
        ...useColumns<Row>({
          hasAmounts: false,
          hasFirst: false,
          hasOverage: false,
          totals,
          zone: selection.zone
        })
      ]}
    />
  )
}

const Customer = ({ selection, id }: { readonly selection: Selection; readonly id: string }) => {
  const { period, zone } = selection
  const report = useLoad(
    (client, signal) =>
      client.reports.customerSummary({ customer_id: id, ...windowOf(period), limit: 200 }, { signal }),
    [id, period.from, period.to],
    { when: period.wrong === undefined }
  )
  const use = useUse(period, { customer_id: id })
  const features = useFeatures()
  return (
    <Sheet kind="customer-summary" selection={selection} filters={{ customer_id: id }}>
      <Placed after={[report, use]} lines={10}>
        <Loading of={report}>
          {(of) => {
            const { active_devices, customer, licenses, orders, subscriptions, uses } = of.summary
            return (
              <>
                <About
                  name={customer.name}
                  back={pathOf("customer-summary", timeQuery(selection))}
                  backName="Another customer"
                  facts={[
                    ["Code", <code>{customer.code}</code>],
                    ["Email", customer.email === undefined ? undefined : <bdi>{customer.email}</bdi>],
                    ["Customer since", minuteIn(customer.created_at, zone)],
                    ["ID", <Id of={customer.id} />]
                  ]}
                />
                <Panel>
                  <div class="figures">
                    <Figure label="Licenses" value={count(licenses)} more={customerView(of).statuses} />
                    <Figure label="Current devices" value={count(active_devices)} />
                    <Figure label="Orders" value={count(orders)} />
                    <Figure label="Subscriptions" value={count(subscriptions)} />
                    <Figure label="Usage events" value={count(uses)} more={period.name} />
                  </div>
                </Panel>
                {uses === 0 ? null : <UseCharts of={use} features={features} />}
                <Panel title="Licenses" aside={<span class="small quiet">{rowsText(of)}</span>} flush>
                  {of.rows.length === 0
                    ? <Empty title="No licenses">The customer has no licenses and no usage in this period.</Empty>
                    : <Licenses of={of} selection={selection} />}
                </Panel>
                <p class="small quiet">
                  Status, expiration and devices are current; usage is for the period. A license transferred during the
                  period is listed with the customer's own usage.
                </p>
              </>
            )
          }}
        </Loading>
      </Placed>
    </Sheet>
  )
}

/** A customer's licenses and usage. */
export const CustomerSummary = ({ selection }: { readonly selection: Selection }) => {
  const id = selection.query["customer_id"] ?? ""
  return id !== "" ?
    <Customer key={id} selection={selection} id={id} /> :
    (
      <Sheet kind="customer-summary" selection={selection} filters={undefined}>
        <Pick
          kind="customer-summary"
          selection={selection}
          group="customer_id"
          noun="Customer"
          idPattern={/^cus_[0-9a-z]{26}$/}
          search={{
            scope: "customer:read",
            ask: async (client, q, signal) => mayBeKey(q) ? [] : client.customers.list({ q, limit: 10 }, { signal })
          }}
        />
      </Sheet>
    )
}

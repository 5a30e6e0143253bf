import type { FunctionComponent } from "preact"
import { useRoute } from "preact-iso"
import { useEffect } from "preact/hooks"
import type { CustomerSummaryReport, UsageLedgerAction, UsageLedgerEntry } from "../../../client/api/index.ts"
import { labels } from "../../../client/api/Labels.ts"
import { State } from "../../ground/design/Badge.tsx"
import { Id, Named } from "../../ground/design/Copy.tsx"
import { Empty } from "../../ground/design/Feedback.tsx"
import { Choice } from "../../ground/design/Field.tsx"
import { count } from "../../ground/design/Numbers.ts"
import { Figure, Panel } from "../../ground/design/Panel.tsx"
import { dayIn } from "../../ground/design/Time.tsx"
import { oneOf } from "../../ground/lists/Filters.ts"
import { mayBeKey } from "../../ground/lists/KeyLike.ts"
import { More } from "../../ground/lists/More.tsx"
import { usePages } from "../../ground/lists/Pages.ts"
import { Rows } from "../../ground/lists/Rows.tsx"
import { isKind, pathOf } from "../../ground/period/Kinds.ts"
import type { SheetKind } from "../../ground/period/Kinds.ts"
import { dayInWords, minuteIn, secondIn, timeQuery, useSelection, windowOf } from "../../ground/period/Period.ts"
import type { Selection } from "../../ground/period/Period.ts"
import { useLoad } from "../../ground/session/Load.ts"
import { Loading, Placed } from "../../ground/session/Loading.tsx"
import { nameProducts } from "../../ground/session/Names.ts"
import { may } from "../../ground/session/Session.ts"
import { useTitle } from "../../ground/session/Title.ts"
import { FrozenPage } from "../exports/FrozenPage.tsx"
import { Sheet } from "../exports/Sheet.tsx"
import { featureAmount, featureName } from "../figures/NamedFeatures.ts"
import type { NamedFeatures } from "../figures/NamedFeatures.ts"
import { customerView, dimensionsText, ledgerView, rowsText } from "../figures/Totals.ts"
import { About, Settlement } from "./About.tsx"
import { FigureTable, useColumns } from "./FigureTable.tsx"
import type { FigureColumn } from "./FigureTable.tsx"
import { LicenseAudit } from "./LicenseAudit.tsx"
import { Pick } from "./Pick.tsx"
import { PurchasesSheet } from "./PurchasesSheet.tsx"
import { StatementSheet } from "./StatementSheet.tsx"
import { FeatureField, NarrowedBy, UsageSummary, UseCharts } from "./UsageSummary.tsx"
import { narrowedBy, useFeatures, useLabels, useUse } from "./Use.ts"

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
const CustomerSummary = ({ selection }: { readonly selection: Selection }) => {
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

/** The actions that a ledger has entries of. */
const entries: ReadonlyArray<UsageLedgerAction> = [
  "license.usage_recorded",
  "license.usage_reset",
  "license.feature_removed"
]

const actions: ReadonlyArray<readonly [UsageLedgerAction | "", string]> = [
  ["", "All"],
  ...entries.map((action) => [action, labels.action[action]] as const)
]

interface EntriesProps {
  readonly selection: Selection
  readonly rows: ReadonlyArray<UsageLedgerEntry>
  readonly features: NamedFeatures
  /** Names by ids, as far as they are known. */
  readonly customers: ReadonlyMap<string, string>
  readonly licenses: ReadonlyMap<string, string>
}

const columnsOf = (
  { selection, customers, features, licenses, rows }: EntriesProps
): ReadonlyArray<FigureColumn<UsageLedgerEntry>> => {
  const { hasDimensions, hasEvent, hasMeasured, hasOverage } = ledgerView(rows)
  return [
    { name: "Time", cell: ({ occurred_at }) => secondIn(occurred_at, selection.zone) },
    { name: "Entry", cell: ({ action }) => labels.action[action] },
    { name: "Feature", cell: ({ feature_code }) => <bdi>{featureName(features, feature_code)}</bdi> },
    {
      name: "Amount",
      isNumber: true,
      cell: ({ amount, feature_code }) => featureAmount(features, feature_code, amount)
    },
    ...(hasMeasured
      ? [{
        name: "Measured",
        isNumber: true,
        cell: ({ feature_code, measured }: UsageLedgerEntry) =>
          measured === undefined ? "" : featureAmount(features, feature_code, measured)
      }]
      : []),
    ...(hasOverage
      ? [{
        name: "Overage",
        isNumber: true,
        cell: ({ feature_code, overage }: UsageLedgerEntry) =>
          overage === undefined ? "" : featureAmount(features, feature_code, overage)
      }]
      : []),
    {
      name: "Total after",
      isNumber: true,
      cell: ({ feature_code, total_consumptions }) => featureAmount(features, feature_code, total_consumptions)
    },
    {
      name: "Customer",
      cell: ({ customer_id }) =>
        customer_id === undefined ? "" : (
          <Named
            id={customer_id}
            name={customers.get(customer_id) ?? customer_id}
            href={pathOf("customer-summary", timeQuery(selection, { customer_id }))}
          />
        )
    },
    {
      name: "License",
      cell: ({ license_id }) => (
        <Named
          id={license_id}
          name={licenses.get(license_id) ?? license_id}
          href={pathOf("license-audit", timeQuery(selection, { license_id }))}
        />
      )
    },
    ...(hasDimensions
      ? [{
        name: "Dimensions",
        cell: ({ dimensions }: UsageLedgerEntry) => <bdi class="small clip">{dimensionsText(dimensions)}</bdi>
      }]
      : []),
    ...(hasEvent
      ? [{
        name: "Caller's event",
        cell: ({ event_id }: UsageLedgerEntry) => <code class="small clip">{event_id}</code>
      }]
      : [])
  ]
}

/** Each usage event and each correction, as they were recorded. */
const UsageLedger = ({ selection }: { readonly selection: Selection }) => {
  const { period, query, set } = selection
  const narrowed = narrowedBy(query)
  const action = oneOf(query["action"], actions)
  const filters = { ...narrowed, ...(action === undefined ? {} : { action }) }
  const features = useFeatures()
  const use = useUse(period, narrowed)
  useEffect(() => void nameProducts(), [])
  const pages = usePages<UsageLedgerEntry>(
    "entries",
    (client, page, signal) =>
      client.reports.usageLedger({ ...filters, ...windowOf(period), limit: 50, ...page }, { signal }),
    [period.from, period.to, filters]
  )
  const { window } = ledgerView(pages.rows ?? [])
  const customers = useLabels(window, narrowed, "customer_id")
  const licenses = useLabels(window, narrowed, "license_id")
  const isUse = action === undefined || action === "license.usage_recorded"
  return (
    <Sheet
      kind="usage-ledger"
      selection={selection}
      filters={filters}
      fields={
        <>
          <Choice
            label="Entries"
            value={action ?? ""}
            options={actions}
            onChange={(action) => set({ action })}
          />
          <FeatureField selection={selection} narrowed={narrowed} features={features} />
        </>
      }
    >
      <NarrowedBy selection={selection} narrowed={narrowed} />
      <Placed after={isUse ? [pages, use] : [pages]} lines={10}>
        {isUse && (pages.rows?.length ?? 0) > 0 ? <UseCharts of={use} features={features} /> : null}
        <Panel title="Entries" aside={<span class="small quiet">newest first</span>} flush footer={<More of={pages} />}>
          <Rows
            of={pages}
            lines={10}
            empty={<Empty title="No entries in this period">Select another period or remove a filter.</Empty>}
          >
            {(rows) => (
              <FigureTable
                label="Entries"
                isWhole
                rows={rows}
                keyOf={({ id }) => id}
                columns={columnsOf({ selection, rows, features, customers, licenses })}
              />
            )}
          </Rows>
        </Panel>
        <p class="small quiet">
          Totals are per feature and license. Corrections change the total but do not count as usage.
        </p>
      </Placed>
    </Sheet>
  )
}

const reports: Readonly<Record<SheetKind, FunctionComponent<{ readonly selection: Selection }>>> = {
  "usage-summary": UsageSummary,
  "usage-ledger": UsageLedger,
  "license-audit": LicenseAudit,
  "customer-summary": CustomerSummary,
  "subscription-settlement": Settlement,
  statement: StatementSheet,
  purchases: PurchasesSheet
}

const NoReport = () => {
  useTitle("Report not found")
  return (
    <main class="page" id="main">
      <header>
        <h1>Report not found</h1>
      </header>
      <p>
        See <a href="/console/reports">the reports</a> or <a href="/console/licenses">the licenses</a>.
      </p>
    </main>
  )
}

/** The reports of a period and their exports. Without a kind it shows last month's usage. */
export const ReportsPage = () => {
  const { params } = useRoute()
  const selection = useSelection()
  const kind = params["kind"] ?? "usage-summary"
  if (kind === "frozen" && may("report:export")) return <FrozenPage selection={selection} />
  if (isKind(kind)) {
    const Report = reports[kind]
    return <Report key={kind} selection={selection} />
  }
  return <NoReport />
}

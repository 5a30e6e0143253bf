import type { ComponentChildren } from "preact"
import type { SubscriptionSettlementReport } from "../../../client/api/index.ts"
import { labels, titleOf } from "../../../client/api/Labels.ts"
import { State } from "../../ground/design/Badge.tsx"
import { Id } from "../../ground/design/Copy.tsx"
import { Empty } from "../../ground/design/Feedback.tsx"
import { Choice } from "../../ground/design/Field.tsx"
import { count } from "../../ground/design/Numbers.ts"
import { Figure, Panel } from "../../ground/design/Panel.tsx"
import { useNamesOf } from "../../ground/lists/NamesOf.ts"
import { pathOf } from "../../ground/period/Kinds.ts"
import { itsOwn, periodOf, timeQuery, windowOf } from "../../ground/period/Period.ts"
import type { Selection } from "../../ground/period/Period.ts"
import { useKept } from "../../ground/session/Kept.ts"
import { useLoad } from "../../ground/session/Load.ts"
import { Loading } from "../../ground/session/Loading.tsx"
import { productName } from "../../ground/session/Names.ts"
import { Sheet } from "../exports/Sheet.tsx"
import { billingDays, correctionText, settlementView } from "../figures/AuditView.ts"
import type { SettlementGroup } from "../figures/AuditView.ts"
import type { NamedFeatures } from "../figures/NamedFeatures.ts"
import { rowsText } from "../figures/Totals.ts"
import { FigureTable, groupCell, useColumns } from "./FigureTable.tsx"
import { Pick } from "./Pick.tsx"
import { UseCharts } from "./UsageSummary.tsx"
import { useFeatures, useUse } from "./Use.ts"

interface AboutProps {
  readonly name: string
  readonly state?: string
  /** The page where another subject is picked. */
  readonly back: string
  readonly backName: string
  readonly facts: ReadonlyArray<readonly [string, ComponentChildren]>
}

/** The customer of a subject, with a link to the customer's summary; undefined where it has none. */
export const customerFact = (
  selection: Selection,
  id: string | undefined,
  name: string | undefined
): readonly [string, ComponentChildren] => [
  "Customer",
  id && (
    <a href={pathOf("customer-summary", timeQuery(selection, { customer_id: id }))}>
      <bdi>{name ?? id}</bdi>
    </a>
  )
]

/** The subject of a report, above its figures. */
export const About = ({ back, backName, facts, name, state }: AboutProps) => (
  <Panel>
    <div class="row apart wraps">
      <span class="row wraps">
        <bdi class="subject">{name}</bdi>
        {state === undefined ? null : <State of={state} />}
      </span>
      <a class="small" href={back}>{backName}</a>
    </div>
    <dl class="about">
      {facts.filter(([, value]) => value !== undefined && value !== "").map(([label, value]) => (
        <div key={label}>
          <dt>{label}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  </Panel>
)

type Row = SubscriptionSettlementReport["rows"][number]

const Rows = (
  { selection, features, of }: {
    readonly of: SubscriptionSettlementReport
    readonly selection: Selection
    readonly features: NamedFeatures
  }
) => {
  const { correction, decimalsOf, groupBy, hasOverage, isByFeature, rows, totals } = settlementView(of, features)
  return (
    <FigureTable<Row>
      label="Settlement"
      rows={rows}
      keyOf={({ group }) => group}
      columns={[
        {
          name: isByFeature ? "Feature" : "License",
          cell: groupCell(groupBy, features, (kind, filter) => pathOf(kind, timeQuery(selection, filter))),
          totals: totals.map(({ name }) => name)
        },
        ...useColumns<Row>({
          decimalsOf,
          hasAmounts: isByFeature,
          hasOverage,
          totals,
          zone: selection.zone,
          more: isByFeature
            ? [{
              name: "Correction",
              isNumber: true,
              cell: (row) => correctionText(row.adjusted, decimalsOf(row)),
              totals: correction === undefined ? [] : [correctionText(correction, totals[0]?.decimals)]
            }]
            : []
        })
      ]}
    />
  )
}

const Subject = (
  { selection, of: filter }: { readonly selection: Selection; readonly of: Readonly<Record<string, string>> }
) => {
  const { period, query, set, zone } = selection
  const group_by: SettlementGroup = query["group_by"] === "license_id" ? "license_id" : "feature_code"
  const features = useFeatures()
  const report = useLoad(
    (client, signal) =>
      client.reports.subscriptionSettlement({ ...filter, group_by, ...windowOf(period), limit: 200 }, { signal }),
    [JSON.stringify(filter), group_by, period.from, period.to],
    { when: period.wrong === undefined }
  )
  const window = report.data?.filters
  const use = useUse(window ?? {}, filter)
  const names = useNamesOf(filter)
  return (
    <Sheet
      kind="subscription-settlement"
      selection={selection}
      filters={{ ...filter, group_by }}
      limits={period.from === undefined ? window : undefined}
      hasOwn
      fields={
        <Choice
          label="Group by"
          value={group_by}
          options={(["feature_code", "license_id"] as const).map((group) => [group, titleOf("group", group)])}
          onChange={(value) => set({ group_by: value })}
        />
      }
    >
      <Loading of={report} lines={10}>
        {(of) => {
          const { licenses, renewals, subject, uses } = of.summary
          return (
            <>
              <About
                name={subject.external_id}
                state={subject.status}
                back={pathOf("subscription-settlement", timeQuery(selection))}
                backName="Another subscription or order"
                facts={[
                  ["Type", `${subject.type}, from ${subject.external_system}`],
                  ["Product", <bdi>{names.product ?? productName(subject.product_id)}</bdi>],
                  ["Billing period", billingDays(subject, zone)],
                  customerFact(selection, subject.customer_id, names.customer),
                  ["ID", <Id of={subject.id} />]
                ]}
              />
              <Panel>
                <div class="figures">
                  <Figure label="Licenses" value={count(licenses)} />
                  <Figure label="Renewals" value={count(renewals)} more="in the period" />
                  <Figure label="Usage events" value={count(uses)} more="in the period" />
                </div>
              </Panel>
              {uses === 0 ? null : <UseCharts of={use} features={features} />}
              <Panel
                title={`Usage by ${labels.group[group_by]}`}
                aside={<span class="small quiet">{rowsText(of)}</span>}
                flush
              >
                {of.rows.length === 0
                  ? (
                    <Empty title="No metered usage">
                      No feature was used in this period.
                    </Empty>
                  )
                  : <Rows of={of} selection={selection} features={features} />}
              </Panel>
              <p class="small quiet">
                {group_by === "feature_code"
                  ? "Each feature has its own unit. Corrections are listed separately and not subtracted from usage."
                  : "Amounts of different features cannot be added. Group by feature to see them."}
              </p>
            </>
          )
        }}
      </Loading>
    </Sheet>
  )
}

const subjects = [["subscription_id", /^sub_[0-9a-z]{26}$/], ["order_id", /^ord_[0-9a-z]{26}$/]] as const

/** Without a month in the address, a settlement is of the period that its subject is billed for. */
const ofItsOwn = (selection: Selection): Selection =>
  selection.query["month"] !== undefined
    ? selection
    : { ...selection, period: periodOf({ ...selection.query, month: itsOwn }, selection.zone) }

/** The usage on the licenses of a subscription or an order. */
export const Settlement = ({ selection }: { readonly selection: Selection }) => {
  const [at, setAt] = useKept<string>("of a", "subscription_id")
  const chosen = subjects.find(([name]) => (selection.query[name] ?? "") !== "")
  if (chosen !== undefined) {
    const [name] = chosen
    const id = selection.query[name]!
    return <Subject key={id} selection={ofItsOwn(selection)} of={{ [name]: id }} />
  }
  const [group, idPattern] = subjects.find(([name]) => name === at) ?? subjects[0]
  return (
    <Sheet
      kind="subscription-settlement"
      selection={selection}
      filters={undefined}
      fields={
        <Choice
          label="Settle by"
          value={at}
          options={subjects.map(([name]) => [name, labels.group[name]])}
          onChange={setAt}
        />
      }
    >
      <Pick
        key={group}
        kind="subscription-settlement"
        selection={selection}
        group={group}
        noun={titleOf("group", group)}
        idPattern={idPattern}
      />
    </Sheet>
  )
}

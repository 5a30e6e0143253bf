import type { ReportBucket, UsageGroup, UsageSummaryReport } from "../../client/api/index.ts"
import { labels, titleOf } from "../../client/api/Labels.ts"
import { Empty } from "../design/Feedback.tsx"
import { Choice } from "../design/Field.tsx"
import { count } from "../design/Numbers.ts"
import { Figure, Panel } from "../design/Panel.tsx"
import { bucketText, summaryView } from "../figures/SummaryView.ts"
import { rowsText } from "../figures/Totals.ts"
import { usageOverTime } from "../figures/UsageOverTime.ts"
import type { UsageOverTime } from "../figures/UsageOverTime.ts"
import { oneOf } from "../lists/Filters.ts"
import { pathOf } from "../period/Kinds.ts"
import type { Selection } from "../period/Period.ts"
import { timeQuery, windowOf } from "../period/Period.ts"
import { minuteIn } from "../period/Zone.ts"
import { useLoad } from "../session/Load.ts"
import { Loading } from "../session/Loading.tsx"
import { products } from "../session/Names.ts"
import { FigureTable } from "./FigureTable.tsx"
import { FeatureField, NarrowedBy } from "./NarrowedBy.tsx"
import { Sheet } from "./Sheet.tsx"
import { narrowedBy, useFeatureNames, useUse } from "./Use.ts"
import type { Narrowed } from "./Use.ts"
import { UseCharts } from "./UseCharts.tsx"
import { groupCell, useColumns } from "./UseTable.tsx"

const buckets: ReadonlyArray<readonly [ReportBucket | "", string]> = [
  ["", "None"],
  ...(["1d", "1w", "1mo"] as const).map((bucket) => [bucket, titleOf("bucket", bucket)] as const)
]

const groups = Object.keys(labels.group).map((group) => [group as UsageGroup, titleOf("group", group)] as const)

interface PartProps {
  readonly selection: Selection
  /** The names of features by their codes. */
  readonly features: ReadonlyMap<string, string>
}

const Rows = ({ selection, features, of }: PartProps & { readonly of: UsageSummaryReport }) => {
  const { bucket, groupBy, rows, totals, ...has } = summaryView(of, (code) => features.get(code) ?? code)
  const names = totals.map(({ name }) => name)
  const cell = groupCell(groupBy, features, (kind, filter) => pathOf(kind, timeQuery(selection, filter)))
  return (
    <FigureTable<typeof rows[number]>
      label="Use"
      rows={rows}
      keyOf={({ bucket = "", group = "" }) => `${bucket} ${group}`}
      columns={[
        ...(bucket === undefined
          ? []
          : [{
            name: `${titleOf("bucket", bucket)} (UTC)`,
            cell: (row: typeof rows[number]) => bucketText(row.bucket ?? "", bucket),
            totals: names
          }]),
        { name: titleOf("group", groupBy), cell, ...(bucket === undefined ? { totals: names } : {}) },
        ...useColumns<typeof rows[number]>({ ...has, totals, zone: selection.zone })
      ]}
    />
  )
}

/** The features with usage in the period. */
type Used = UsageOverTime["features"]

const Figures = (
  { selection: { zone }, features, of: { summary: { amount, last_at, overage, uses } }, used }: PartProps & {
    readonly of: UsageSummaryReport
    readonly used: Used
  }
) => {
  // Amounts have a unit where they are of one feature.
  const single = used.length === 1 ? used[0] : undefined
  return (
    <div class="figures">
      <Figure label="Usage events" value={count(uses)} />
      {single === undefined
        ? <Figure label="Features used" value={count(used.length)} />
        : (
          <Figure
            label={<bdi>{features.get(single.code) ?? single.code}</bdi>}
            value={count(amount)}
            more="total amount"
          />
        )}
      {single === undefined || overage === undefined
        ? null
        : <Figure label="Overage" value={count(overage)} tone="warn" />}
      {last_at === undefined ? null : (
        <div class="figure">
          <span>Last used</span>
          <span class="moment">{minuteIn(last_at, zone)}</span>
        </div>
      )}
    </div>
  )
}

const Fields = (
  { selection, bucket, features, groupBy, narrowed, used }: PartProps & {
    readonly groupBy: UsageGroup
    readonly bucket: ReportBucket | undefined
    readonly narrowed: Narrowed
    readonly used: Used
  }
) => (
  <>
    <Choice
      label="Group by"
      value={groupBy}
      options={groups}
      onChange={(group_by) => selection.set({ group_by })}
    />
    <Choice label="Interval" value={bucket ?? ""} options={buckets} onChange={(bucket) => selection.set({ bucket })} />
    <FeatureField selection={selection} narrowed={narrowed} features={features} codes={used.map(({ code }) => code)} />
    {products.value === undefined ? null : (
      <Choice
        label="Product"
        value={narrowed.product_id ?? ""}
        options={[["", "All"], ...[...products.value.values()].map(({ id, name }) => [id, name] as const)]}
        onChange={(product_id) => selection.set({ product_id })}
      />
    )}
  </>
)

/** Metered usage added up: by feature, or by whose it was; the amounts of one feature at a time. */
export const UsageSummary = ({ selection }: { readonly selection: Selection }) => {
  const { period, query } = selection
  const groupBy = oneOf(query["group_by"], groups) ?? "feature_code"
  const bucket = oneOf(query["bucket"], buckets)
  const narrowed = narrowedBy(query)
  const features = useFeatureNames()
  const filters = { ...narrowed, group_by: groupBy, ...(bucket === undefined ? {} : { bucket }) }
  const report = useLoad(
    (client, signal) => client.reports.usageSummary({ ...filters, ...windowOf(period) }, { signal }),
    [period.from, period.to, JSON.stringify(filters)],
    { when: period.wrong === undefined }
  )
  const use = useUse(period, narrowed)
  const used = use.data === undefined ? [] : usageOverTime(use.data).features
  const part = { selection, features }
  return (
    <Sheet
      kind="usage-summary"
      selection={selection}
      filters={filters}
      fields={<Fields {...part} groupBy={groupBy} bucket={bucket} narrowed={narrowed} used={used} />}
    >
      <NarrowedBy selection={selection} narrowed={narrowed} />
      <Loading of={report} lines={8}>
        {(of) => (
          <>
            <Panel>
              <Figures {...part} of={of} used={used} />
            </Panel>
            {use.isLoading || used.length > 0 ? <UseCharts of={use} names={features} /> : null}
            <Panel
              title={`Usage by ${labels.group[groupBy]}`}
              aside={<span class="small quiet">{rowsText(of)}</span>}
              flush
            >
              {of.rows.length === 0
                ? (
                  <Empty title="No usage in this period">
                    <p>
                      Apps record metered usage with <code>consume</code>. Select another period or remove a filter.
                    </p>
                  </Empty>
                )
                : <Rows {...part} of={of} />}
            </Panel>
            {groupBy === "feature_code" || narrowed.feature_code !== undefined || of.rows.length === 0
              ? null
              : <p class="small quiet">Amounts of different features cannot be added. Select a feature to see them.</p>}
          </>
        )}
      </Loading>
    </Sheet>
  )
}

import type { ReportBucket, UsageGroup, UsageSummaryReport } from "../../client/api/index.ts"
import { Empty } from "../design/Feedback.tsx"
import { Choice } from "../design/Field.tsx"
import { count } from "../design/Numbers.ts"
import { Figure, Panel } from "../design/Panel.tsx"
import { pathOf } from "../period/Kinds.ts"
import type { Asked } from "../period/Period.ts"
import { timeQuery, windowOf } from "../period/Period.ts"
import { dayInWords, minuteIn, monthInWords } from "../period/Zone.ts"
import { useLoad } from "../session/Load.ts"
import { Loading } from "../session/Loading.tsx"
import { products } from "../session/Names.ts"
import { FigureTable } from "./FigureTable.tsx"
import type { FigureColumn } from "./FigureTable.tsx"
import { NarrowedBy } from "./NarrowedBy.tsx"
import { Sheet } from "./Sheet.tsx"
import { narrowedBy, useFeatureNames, useUse } from "./Use.ts"
import { featureUses, UseCharts } from "./UseCharts.tsx"
import { groupCell, groupNames, rowsSaid, totalsOf, useColumns } from "./UseTable.tsx"

const buckets: ReadonlyArray<readonly [ReportBucket | "", string]> = [
  ["", "None"],
  ["1d", "Days"],
  ["1w", "Weeks"],
  ["1mo", "Months"]
]

const isGroup = (text: string): text is UsageGroup => Object.hasOwn(groupNames, text)
const isBucket = (text: string): text is ReportBucket => buckets.some(([bucket]) => bucket !== "" && bucket === text)

const bucketNames: Readonly<Record<ReportBucket, string>> = {
  "1h": "Hour (UTC)",
  "1d": "Day (UTC)",
  "1w": "Week from (UTC)",
  "1mo": "Month (UTC)",
  "1y": "Year (UTC)"
}

type Row = UsageSummaryReport["rows"][number]

const bucketText = (bucket: string, of: ReportBucket): string =>
  of === "1mo" ? monthInWords(bucket.slice(0, 7)) : dayInWords(bucket.slice(0, 10))

/** The most used first, within each step of time. */
const sorted = (rows: ReadonlyArray<Row>): ReadonlyArray<Row> =>
  rows.toSorted((one, other) =>
    (one.bucket ?? "") === (other.bucket ?? "")
      ? other.uses - one.uses
      : (one.bucket ?? "") < (other.bucket ?? "")
      ? -1
      : 1
  )

const Rows = (
  { asked, features, of }: {
    readonly of: UsageSummaryReport
    readonly asked: Asked
    readonly features: ReadonlyMap<string, string>
  }
) => {
  const { bucket, feature_code, group_by = "feature_code" } = of.filters
  const nameOf = (code: string) => features.get(code) ?? code
  const hasAmounts = group_by === "feature_code" || feature_code !== undefined
  const totals = totalsOf(of.rows, ({ group }) =>
    feature_code !== undefined
      ? nameOf(feature_code)
      : group_by === "feature_code" && group !== undefined
      ? nameOf(group)
      : undefined)
  const names = totals.map(({ name }) => name)
  const cell = groupCell(group_by, features, (kind, filter) => pathOf(kind, timeQuery(asked, filter)))
  const columns: ReadonlyArray<FigureColumn<Row>> = [
    ...(bucket === undefined
      ? []
      : [{ name: bucketNames[bucket], cell: (row: Row) => bucketText(row.bucket ?? "", bucket), totals: names }]),
    { name: groupNames[group_by], cell, ...(bucket === undefined ? { totals: names } : {}) },
    ...useColumns<Row>({ hasAmounts, hasOverage: of.summary.overage !== undefined, totals, zone: asked.zone })
  ]
  return (
    <FigureTable
      label="Use"
      rows={sorted(of.rows)}
      keyOf={({ bucket = "", group = "" }) => `${bucket} ${group}`}
      columns={columns}
    />
  )
}

/** Metered use added up: by feature, or by whom it was; the amounts of one feature at a time. */
export const UsageSummary = ({ asked }: { readonly asked: Asked }) => {
  const { period, query, set, zone } = asked
  const group_by = isGroup(query["group_by"] ?? "") ? query["group_by"] as UsageGroup : "feature_code"
  const bucket = isBucket(query["bucket"] ?? "") ? query["bucket"] as ReportBucket : undefined
  const narrowed = narrowedBy(query)
  const features = useFeatureNames()
  const filters = { ...narrowed, group_by, ...(bucket === undefined ? {} : { bucket }) }
  const report = useLoad(
    (client, signal) => client.reports.usageSummary({ ...filters, ...windowOf(period) }, { signal }),
    [period.from, period.to, JSON.stringify(filters)],
    { when: period.wrong === undefined }
  )
  const use = useUse(period, narrowed)
  const known = use.data === undefined ? [] : featureUses(use.data)
  const codes = [
    ...new Set([
      ...known.map(({ code }) => code),
      ...features.keys(),
      ...(narrowed.feature_code === undefined ? [] : [narrowed.feature_code])
    ])
  ]
  const single = known.length === 1 ? known[0] : undefined
  return (
    <Sheet
      kind="usage-summary"
      asked={asked}
      filters={filters}
      fields={
        <>
          <Choice
            label="Group by"
            value={group_by}
            options={Object.entries(groupNames)}
            onChange={(group_by) => set({ group_by })}
          />
          <Choice label="Interval" value={bucket ?? ""} options={buckets} onChange={(bucket) => set({ bucket })} />
          <Choice
            label="Feature"
            value={narrowed.feature_code ?? ""}
            options={[["", "All"], ...codes.map((code) => [code, features.get(code) ?? code] as const)]}
            onChange={(feature_code) => set({ feature_code })}
          />
          {products.value === undefined ? null : (
            <Choice
              label="Product"
              value={narrowed.product_id ?? ""}
              options={[["", "All"], ...[...products.value.values()].map(({ id, name }) => [id, name] as const)]}
              onChange={(product_id) => set({ product_id })}
            />
          )}
        </>
      }
    >
      <NarrowedBy asked={asked} narrowed={narrowed} />
      <Loading of={report} lines={8}>
        {(of) => (
          <>
            <Panel>
              <div class="figures">
                <Figure label="Usage events" value={count(of.summary.uses)} />
                {single === undefined
                  ? <Figure label="Features used" value={count(known.length)} />
                  : (
                    <Figure
                      label={<bdi>{features.get(single.code) ?? single.code}</bdi>}
                      value={count(of.summary.amount)}
                      more="total amount"
                    />
                  )}
                {single === undefined || of.summary.overage === undefined
                  ? null
                  : <Figure label="Overage" value={count(of.summary.overage)} tone="warn" />}
                {of.summary.last_at === undefined ? null : (
                  <div class="figure">
                    <span>Last used</span>
                    <span class="moment">{minuteIn(of.summary.last_at, zone)}</span>
                  </div>
                )}
              </div>
            </Panel>
            {use.isLoading || known.length > 0 ? <UseCharts of={use} names={features} /> : null}
            <Panel
              title={`Usage by ${groupNames[group_by].toLowerCase()}`}
              aside={<span class="small quiet">{rowsSaid(of)}</span>}
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
                : <Rows of={of} asked={asked} features={features} />}
            </Panel>
            {group_by === "feature_code" || narrowed.feature_code !== undefined || of.rows.length === 0
              ? null
              : <p class="small quiet">Amounts of different features cannot be added. Select a feature to see them.</p>}
          </>
        )}
      </Loading>
    </Sheet>
  )
}

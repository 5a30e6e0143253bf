import { useLocation } from "preact-iso"
import { useEffect, useState } from "preact/hooks"
import type { ReportBucket, UsageGroup, UsageSummaryReport } from "../../../client/api/index.ts"
import { labels, titleOf } from "../../../client/api/Labels.ts"
import { Chart } from "../../ground/charts/Chart.tsx"
import { Id } from "../../ground/design/Copy.tsx"
import { Empty } from "../../ground/design/Feedback.tsx"
import { Choice, TextField } from "../../ground/design/Field.tsx"
import { count, some } from "../../ground/design/Numbers.ts"
import { Figure, Panel } from "../../ground/design/Panel.tsx"
import { oneOf } from "../../ground/lists/Filters.ts"
import { useNamesOf } from "../../ground/lists/NamesOf.ts"
import { dimensionIn, groupOf, isDimension, isDimensionGroup, pathOf } from "../../ground/period/Kinds.ts"
import type { DimensionGroup } from "../../ground/period/Kinds.ts"
import { minuteIn, timeQuery, windowOf } from "../../ground/period/Period.ts"
import type { Selection } from "../../ground/period/Period.ts"
import { useLoad } from "../../ground/session/Load.ts"
import type { Loaded } from "../../ground/session/Load.ts"
import { Loading, Placed } from "../../ground/session/Loading.tsx"
import { products } from "../../ground/session/Names.ts"
import { may } from "../../ground/session/Session.ts"
import { Sheet } from "../exports/Sheet.tsx"
import { featureAmount, featureName } from "../figures/NamedFeatures.ts"
import type { NamedFeatures } from "../figures/NamedFeatures.ts"
import { bucketText, summaryView, usageOverTime } from "../figures/SummaryView.ts"
import type { UsageOverTime } from "../figures/SummaryView.ts"
import { rowsText } from "../figures/Totals.ts"
import { FigureTable, groupCell, useColumns } from "./FigureTable.tsx"
import { narrowedBy, useFeatures, useUse } from "./Use.ts"
import type { Narrowed } from "./Use.ts"

/** The filters that only links set. */
const linked = ["customer_id", "license_id", "order_id", "subscription_id"] as const
const isLinked = (name: string): name is typeof linked[number] => (linked as ReadonlyArray<string>).includes(name)

/** The noun of a filter: `customer` of `customer_id`. */
const nounOf = (name: typeof linked[number]) => name.slice(0, -"_id".length) as keyof ReturnType<typeof useNamesOf>

const NameOf = ({ id, name }: { readonly id: string; readonly name: string | undefined }) => (
  <>
    {name === undefined ? null : <bdi class="strong">{name}</bdi>}
    <Id of={id} />
  </>
)

/** The filters of the address that no field shows, and a link that removes them. */
export const NarrowedBy = (
  { selection: { query, set }, narrowed }: { readonly selection: Selection; readonly narrowed: Narrowed }
) => {
  const { path } = useLocation()
  const others = Object.entries(narrowed).flatMap(([name, value]) => isLinked(name) ? [[name, value] as const] : [])
  const known = useNamesOf(Object.fromEntries(others))
  if (others.length === 0) return null
  const rest = Object.entries(query).filter(([name]) => !isLinked(name))
  return (
    <div class="small quiet chosen">
      {others.map(([name, value]) => (
        <span key={name} class="row wraps">
          Filtered by {labels.group[name]} <NameOf id={value} name={known[nounOf(name)]} />
        </span>
      ))}
      <a
        href={`${path}?${new URLSearchParams(rest)}`}
        onClick={(event) => {
          event.preventDefault()
          set(Object.fromEntries(others.map(([name]) => [name, ""])))
        }}
      >
        Show all
      </a>
    </div>
  )
}

/** The filter by feature: the known features, those of `codes`, and the selected one. */
export const FeatureField = (
  { selection: { set }, codes = [], features, narrowed }: {
    readonly selection: Selection
    readonly narrowed: Narrowed
    readonly features: NamedFeatures
    readonly codes?: ReadonlyArray<string>
  }
) => {
  const chosen = narrowed.feature_code
  const all = new Set([...codes, ...features.names.keys(), ...(chosen === undefined ? [] : [chosen])])
  return (
    <Choice
      label="Feature"
      value={chosen ?? ""}
      options={[["", "All"], ...[...all].map((code) => [code, featureName(features, code)] as const)]}
      onChange={(feature_code) => set({ feature_code })}
    />
  )
}

/** Usage over time, each feature on its own scale: minutes do not compare with tokens. */
export const UseCharts = (
  { features, of }: { readonly of: Loaded<UsageSummaryReport>; readonly features: NamedFeatures }
) => (
  <Loading of={of} lines={6}>
    {(report) => {
      const { drawn, instants, note, step } = usageOverTime(report)
      if (drawn.length === 0) {
        return (
          <Panel>
            <Empty title="No usage in this period">Select another period or remove a filter.</Empty>
          </Panel>
        )
      }
      return (
        <>
          <div class="board uses">
            {drawn.map(({ amount, code, overage, uses, values }) => {
              const name = featureName(features, code)
              return (
                <Panel key={code}>
                  <Figure
                    label={<bdi>{name}</bdi>}
                    value={featureAmount(features, code, amount)}
                    more={`${some(uses, "usage event")}${
                      overage === 0 ? "" : `; overage ${featureAmount(features, code, overage)}`
                    }`}
                  />
                  <Chart
                    kind="bars"
                    decimals={features.decimals.get(code)}
                    height={120}
                    label={`${name} ${step}`}
                    instants={instants}
                    series={[{ name: step, values }]}
                  />
                </Panel>
              )
            })}
          </div>
          <p class="small quiet">{note}</p>
        </>
      )
    }}
  </Loading>
)

const buckets: ReadonlyArray<readonly [ReportBucket | "", string]> = [
  ["", "None"],
  ...(["1d", "1w", "1mo"] as const).map((bucket) => [bucket, titleOf("bucket", bucket)] as const)
]

const groups = Object.keys(labels.group).map((group) => [group as UsageGroup, titleOf("group", group)] as const)

/** The name of a group; a dimension has the name that usage events give it. */
const groupName = (group: UsageGroup | DimensionGroup): string =>
  isDimensionGroup(group) ? dimensionIn(group) ?? "" : labels.group[group]

/** The group that an address names. One whose dimension has no name yet is there while that is typed. */
const groupIn = (text = ""): UsageGroup | DimensionGroup =>
  isDimensionGroup(text) ? text : oneOf(text, groups) ?? "feature_code"

interface PartProps {
  readonly selection: Selection
  readonly features: NamedFeatures
}

const Rows = ({ selection, features, of }: PartProps & { readonly of: UsageSummaryReport }) => {
  const { bucket, groupBy, rows, totals, ...has } = summaryView(of, features)
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
        {
          name: isDimensionGroup(groupBy) ? "Value" : titleOf("group", groupBy),
          cell,
          ...(bucket === undefined ? { totals: names } : {})
        },
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
            label={<bdi>{featureName(features, single.code)}</bdi>}
            value={featureAmount(features, single.code, amount)}
            more="total amount"
          />
        )}
      {single === undefined || overage === undefined
        ? null
        : <Figure label="Overage" value={featureAmount(features, single.code, overage)} tone="warn" />}
      {last_at === undefined ? null : (
        <div class="figure">
          <span>Last used</span>
          <span class="moment">{minuteIn(last_at, zone)}</span>
        </div>
      )}
    </div>
  )
}

/** The dimension that usage is grouped by, taken when the field is left, so that no report is asked for by half a name. */
const DimensionField = ({ name, selection }: { readonly selection: Selection; readonly name: string }) => {
  const [typed, setTyped] = useState(name)
  useEffect(() => setTyped(name), [name])
  const isWrong = typed !== "" && !isDimension(typed)
  return (
    <TextField
      label="Dimension"
      placeholder="model"
      maxLength={32}
      value={typed}
      wrong={isWrong ? "Lower-case letters, digits, _ and -." : undefined}
      onChange={setTyped}
      own={{ onChange: () => isWrong ? undefined : selection.set({ group_by: groupOf(typed) }) }}
    />
  )
}

const Fields = (
  { selection, bucket, features, groupBy, narrowed, used }: PartProps & {
    readonly groupBy: UsageGroup | DimensionGroup
    readonly bucket: ReportBucket | undefined
    readonly narrowed: Narrowed
    readonly used: Used
  }
) => (
  <>
    <Choice
      label="Group by"
      value={isDimensionGroup(groupBy) ? groupOf("") : groupBy}
      options={[...groups, [groupOf(""), "Dimension"]]}
      onChange={(group_by) => selection.set({ group_by })}
    />
    {isDimensionGroup(groupBy) ? <DimensionField selection={selection} name={groupName(groupBy)} /> : null}
    <Choice label="Interval" value={bucket ?? ""} options={buckets} onChange={(bucket) => selection.set({ bucket })} />
    <FeatureField selection={selection} narrowed={narrowed} features={features} codes={used.map(({ code }) => code)} />
    {may("product:read") ?
      (
        <Choice
          label="Product"
          value={narrowed.product_id ?? ""}
          options={[["", "All"], ...[...products.value?.values() ?? []].map(({ id, name }) => [id, name] as const)]}
          onChange={(product_id) => selection.set({ product_id })}
        />
      ) :
      null}
  </>
)

/** Metered usage added up: by feature, or by whose it was; the amounts of one feature at a time. */
export const UsageSummary = ({ selection }: { readonly selection: Selection }) => {
  const { period, query } = selection
  const groupBy = groupIn(query["group_by"])
  const isNamed = !isDimensionGroup(groupBy) || isDimension(groupName(groupBy))
  const bucket = oneOf(query["bucket"], buckets)
  const narrowed = narrowedBy(query)
  const features = useFeatures()
  const filters = { ...narrowed, group_by: groupBy, ...(bucket === undefined ? {} : { bucket }) }
  const report = useLoad(
    (client, signal) => client.reports.usageSummary({ ...filters, ...windowOf(period) }, { signal }),
    [period.from, period.to, JSON.stringify(filters)],
    { when: period.wrong === undefined && isNamed }
  )
  const use = useUse(period, narrowed)
  const used = use.data === undefined ? [] : usageOverTime(use.data).features
  const part = { selection, features }
  return (
    <Sheet
      kind="usage-summary"
      selection={selection}
      filters={isNamed ? filters : undefined}
      fields={<Fields {...part} groupBy={groupBy} bucket={bucket} narrowed={narrowed} used={used} />}
    >
      <NarrowedBy selection={selection} narrowed={narrowed} />
      <Placed after={[report, use]}>
        {!isNamed
          ? (
            <Panel>
              <Empty title="Which dimension?">
                Enter its name as usage events have it, such as <code>model</code>.
              </Empty>
            </Panel>
          )
          : (
            <Loading of={report}>
              {(of) => (
                <>
                  <Panel>
                    <Figures {...part} of={of} used={used} />
                  </Panel>
                  {use.isLoading || used.length > 0 ? <UseCharts of={use} features={features} /> : null}
                  <Panel
                    title={`Usage by ${groupName(groupBy)}`}
                    aside={<span class="small quiet">{rowsText(of)}</span>}
                    flush
                  >
                    {of.rows.length === 0
                      ? (
                        <Empty title="No usage in this period">
                          <p>
                            Apps record metered usage with{" "}
                            <code>consume</code>. Select another period or remove a filter.
                          </p>
                        </Empty>
                      )
                      : <Rows {...part} of={of} />}
                  </Panel>
                  {groupBy === "feature_code" || narrowed.feature_code !== undefined || of.rows.length === 0
                    ? null
                    : (
                      <p class="small quiet">
                        Amounts of different features cannot be added. Select a feature to see them.
                      </p>
                    )}
                </>
              )}
            </Loading>
          )}
      </Placed>
    </Sheet>
  )
}

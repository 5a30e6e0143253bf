import type { UsageSummaryReport } from "../../client/api/index.ts"
import { Chart } from "../design/Chart.tsx"
import { Empty } from "../design/Feedback.tsx"
import { count, some } from "../design/Numbers.ts"
import { Figure, Panel } from "../design/Panel.tsx"
import type { Loaded } from "../session/Load.ts"
import { Loading } from "../session/Loading.tsx"

/** How many features are drawn: those used most often. */
const drawn = 6

/** What was used of one feature, in all and in each step of time. */
export interface FeatureUse {
  readonly code: string
  readonly uses: number
  readonly amount: number
  readonly overage: number
  readonly values: ReadonlyArray<number>
}

/** The steps of time that have begun, as instants of the reader's clock: a day of UTC is drawn as that day of the calendar. */
const stepsOf = ({ series = [] }: UsageSummaryReport): ReadonlyArray<string> =>
  series.map(({ bucket }) => bucket).filter((bucket) => Date.parse(bucket) <= Date.now())

/** A report of use by feature and step, as one row for each feature, the most often used first. */
export const featureUses = (report: UsageSummaryReport): ReadonlyArray<FeatureUse> => {
  const steps = stepsOf(report)
  const places = new Map(steps.map((bucket, index) => [bucket, index]))
  const found = new Map<string, FeatureUse & { readonly values: Array<number> }>()
  for (const { amount, bucket = "", group = "", overage = 0, uses } of report.rows) {
    const before = found.get(group) ?? { code: group, uses: 0, amount: 0, overage: 0, values: steps.map(() => 0) }
    const place = places.get(bucket)
    if (place !== undefined) before.values[place] = amount
    found.set(group, {
      ...before,
      uses: before.uses + uses,
      amount: before.amount + amount,
      overage: before.overage + overage
    })
  }
  return [...found.values()].toSorted((one, other) => other.uses - one.uses)
}

/** Use over time, each feature on a scale of its own: minutes do not compare with tokens. */
export const UseCharts = (
  { names, of }: { readonly of: Loaded<UsageSummaryReport>; readonly names: ReadonlyMap<string, string> }
) => (
  <Loading of={of} lines={6}>
    {(report) => {
      const uses = featureUses(report)
      const steps = stepsOf(report)
      const each = report.filters.bucket === "1d" ? "per day" : "per week"
      if (uses.length === 0) {
        return (
          <Panel>
            <Empty title="No usage in this period">Select another period or remove a filter.</Empty>
          </Panel>
        )
      }
      return (
        <>
          <div class="board uses">
            {uses.slice(0, drawn).map(({ amount, code, overage, uses, values }) => {
              const name = names.get(code) ?? code
              return (
                <Panel key={code}>
                  <Figure
                    label={<bdi>{name}</bdi>}
                    value={count(amount)}
                    more={`${some(uses, "usage event")}${overage === 0 ? "" : `; overage ${count(overage)}`}`}
                  />
                  <Chart
                    kind="bars"
                    height={120}
                    label={`${name} ${each}`}
                    instants={steps.map((step) => step.slice(0, 19))}
                    series={[{ name: each, values }]}
                  />
                </Panel>
              )
            })}
          </div>
          <p class="small quiet">
            {uses.length > drawn ? `The ${drawn} most used features. ` : ""}
            Each feature has its own unit and each chart its own scale. Days are in UTC.{report.truncated
              ? " Some rows are not shown."
              : ""}
          </p>
        </>
      )
    }}
  </Loading>
)

import type { UsageSummaryReport } from "../../client/api/index.ts"
import { Chart } from "../charts/Chart.tsx"
import { Empty } from "../design/Feedback.tsx"
import { count, some } from "../design/Numbers.ts"
import { Figure, Panel } from "../design/Panel.tsx"
import { usageOverTime } from "../figures/UsageOverTime.ts"
import type { Loaded } from "../session/Load.ts"
import { Loading } from "../session/Loading.tsx"

/** Usage over time, each feature on its own scale: minutes do not compare with tokens. */
export const UseCharts = (
  { names, of }: { readonly of: Loaded<UsageSummaryReport>; readonly names: ReadonlyMap<string, string> }
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

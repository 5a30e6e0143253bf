import type { UsageSummaryReport } from "../../../client/api/index.ts"
import { Chart } from "../../ground/charts/Chart.tsx"
import { Empty } from "../../ground/design/Feedback.tsx"
import { some } from "../../ground/design/Numbers.ts"
import { Figure, Panel } from "../../ground/design/Panel.tsx"
import type { Loaded } from "../../ground/session/Load.ts"
import { Loading } from "../../ground/session/Loading.tsx"
import { featureAmount, featureName } from "../figures/NamedFeatures.ts"
import type { NamedFeatures } from "../figures/NamedFeatures.ts"
import { usageOverTime } from "../figures/UsageOverTime.ts"

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

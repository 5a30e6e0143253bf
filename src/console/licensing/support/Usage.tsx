import type { ComponentChildren } from "preact"
import { useState } from "preact/hooks"
import type { LicenseFeature } from "../../../client/api/index.ts"
import { labelOf } from "../../../client/api/Labels.ts"
import { valueText } from "../../catalog/features/FeatureKinds.ts"
import { Chart } from "../../ground/charts/Chart.tsx"
import { Badge } from "../../ground/design/Badge.tsx"
import { Empty } from "../../ground/design/Feedback.tsx"
import { Choice } from "../../ground/design/Field.tsx"
import { amount } from "../../ground/design/Numbers.ts"
import { Meter, Panel } from "../../ground/design/Panel.tsx"
import { currentTime, Day } from "../../ground/design/Time.tsx"
import { useLoad } from "../../ground/session/Load.ts"
import type { Loaded } from "../../ground/session/Load.ts"
import { Loading } from "../../ground/session/Loading.tsx"
import { may } from "../../ground/session/Session.ts"
import { usageByDay, usedOf } from "./LicenseUsage.ts"

const day = 86_400_000

/** The begin of the UTC day so many days before now. */
const daysAgo = (days: number): string => new Date(Math.floor(currentTime() / day - days) * day).toISOString()

const Feature = ({ actions, of }: { readonly of: LicenseFeature; readonly actions: ComponentChildren }) => {
  const used = usedOf(of)
  return (
    <li class="stack" style={{ gap: "var(--s1)" }}>
      <span class="row apart wraps">
        <span class="row wraps">
          <bdi class="strong">{of.feature_name}</bdi>
          {of.value === undefined ? null : <bdi class="wrap">{valueText(of.value)}</bdi>}
          {of.value_from === "license" ? <Badge tone="accent">{labelOf("termSource", "license")}</Badge> : null}
          {of.enabled ? null : <Badge>disabled</Badge>}
          {actions}
        </span>
        <span class="small quiet">
          {of.max_consumptions === undefined
            ? used > 0 ? `${amount(used, of.decimals)} used` : "granted"
            : `${amount(used, of.decimals)} of ${amount(of.max_consumptions, of.decimals)} used${
              of.credits === undefined ? "" : ` (${amount(of.credits, of.decimals)} added)`
            }${
              of.granted_remaining === undefined ? "" : ` (${amount(of.granted_remaining, of.decimals)} left of grants)`
            }${
              of.pool_remaining === undefined
                ? ""
                : ` (${amount(of.pool_remaining, of.decimals)} left of the customer's pools)`
            }${of.period === undefined ? "" : ` this ${labelOf("period", of.period)}`}`}
          {of.period_ends_at === undefined ? null : (
            <>
              {" · resets "}
              <Day at={of.period_ends_at} />
            </>
          )}
          {of.expires_at === undefined ? null : (
            <>
              {" · until "}
              <Day at={of.expires_at} />
            </>
          )}
        </span>
      </span>
      {of.max_consumptions === undefined
        ? null
        : <Meter label={of.feature_name} value={used} of={of.max_consumptions} />}
    </li>
  )
}

const windows = [["30", "30 days"], ["90", "90 days"], ["365", "1 year"]] as const

/** The features of the license, and their usage against the quota. */
export const Usage = (
  { action, actionsOf, features, licenseId }: {
    readonly licenseId: string
    readonly features: Loaded<ReadonlyArray<LicenseFeature>>
    /** The buttons that give a feature and change the quotas. */
    readonly action: ComponentChildren
    /** The buttons that change one feature. */
    readonly actionsOf: (feature: LicenseFeature) => ComponentChildren
  }
) => {
  const [code, setCode] = useState("")
  const [days, setDays] = useState("90")
  const metered = (features.data ?? []).filter((feature) =>
    usedOf(feature) > 0 || feature.max_consumptions !== undefined
  )
  const chosen = metered.find(({ feature_code }) => feature_code === code) ?? metered[0]
  const usage = useLoad(
    (client, signal) =>
      client.reports.usageSummary({
        license_id: licenseId,
        feature_code: chosen?.feature_code ?? "",
        bucket: "1d",
        from: daysAgo(Number(days) - 1)
      }, { signal }),
    [licenseId, chosen?.feature_code, days],
    { when: chosen !== undefined && may("report:read") }
  )
  return (
    <Panel title="Features and usage" aside={action}>
      <Loading of={features}>
        {(all) =>
          all.length === 0
            ? <Empty title="No features">The license allows the app to run but grants no named features.</Empty>
            : (
              <ul class="stack wide">
                {all.map((feature) => <Feature key={feature.feature_id} of={feature} actions={actionsOf(feature)} />)}
              </ul>
            )}
      </Loading>
      {chosen === undefined || !may("report:read") ? null : (
        <>
          <div class="filters">
            <Choice
              label="Feature"
              value={chosen.feature_code}
              options={metered.map(({ feature_code, feature_name }) => [feature_code, feature_name])}
              onChange={setCode}
            />
            <Choice label="Period" value={days} options={windows} onChange={setDays} />
          </div>
          <Loading of={usage} lines={6}>
            {(report) => {
              const { instants, values } = usageByDay(report)
              return report.summary.uses === 0
                ? <Empty title="No usage in this period" />
                : (
                  <Chart
                    kind="bars"
                    label={`${chosen.feature_name} per day (UTC)`}
                    instants={instants}
                    series={[{ name: chosen.feature_name, values }]}
                    decimals={chosen.decimals}
                    limit={chosen.period === "day" ? chosen.max_consumptions : undefined}
                  />
                )
            }}
          </Loading>
        </>
      )}
    </Panel>
  )
}

import type { LicenseFeature, UsageSummaryReport } from "../../../client/api/index.ts"

const day = 86_400_000

/** The usage on each UTC day of a report's window, also on days without any. */
export const usageByDay = ({ filters: { from, to }, series = [] }: UsageSummaryReport) => {
  const used = new Map(series.map(({ bucket, value }) => [Date.parse(bucket), value]))
  const first = Math.floor(Date.parse(from) / day) * day
  const days = Math.max(1, Math.ceil((Date.parse(to) - first) / day))
  const instants = Array.from({ length: days }, (_, index) => first + index * day)
  return {
    instants: instants.map((instant) => new Date(instant).toISOString()),
    values: instants.map((instant) => used.get(instant) ?? 0)
  }
}

/** The usage in the quota's period, or of all time. */
export const usedOf = ({ period, period_consumptions, total_consumptions }: LicenseFeature): number =>
  period === undefined ? total_consumptions : period_consumptions ?? 0

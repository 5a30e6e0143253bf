import type { EffectiveFeature } from "../../catalog/terms/EffectiveFeatures.ts"
import { defaultPriority } from "../../catalog/terms/GrantBalance.ts"
import type { PeriodSpan } from "../../catalog/terms/Period.ts"
import type { SnapshotRow } from "../entitlements/Snapshot.ts"
import { instant, replaced } from "./ReportedCount.ts"

/** Units that a period has carried into the next ones, as a grant. */
export interface CarriedOut {
  readonly id: string
  readonly amount: number
}

/**
 * The license as it stands for a late use in a period that has carried units since: those count as used of its quota, and the
 * use takes of them, after the quota, what is still left. So it comes to what it would have come to in time, with the overage
 * of the whole quota, and no unit is used twice.
 */
export const withCarriedOut = (
  row: SnapshotRow,
  id: string,
  span: PeriodSpan,
  carried: ReadonlyArray<CarriedOut>
): SnapshotRow =>
  replaced(row, id, (stored) => {
    if (stored.more?.granted == null) return stored
    const expires_at = instant(span.end)
    const out = new Set(carried.map((grant) => grant.id))
    const { granted, period_consumed, period_start } = stored.more
    const isCounted = period_start !== null && Date.parse(period_start) === span.start
    const grants = (granted!.grants ?? []).map((grant) =>
      // It is as old as the quota, and ends with it.
      out.has(grant.id)
        ? { id: grant.id, left: grant.left, starts_at: instant(0), expires_at, priority: defaultPriority }
        : grant
    )
    return {
      ...stored,
      more: {
        ...stored.more,
        period_start: instant(span.start),
        period_consumed: (isCounted ? period_consumed ?? 0 : 0) + carriedUnits(carried),
        granted: { ...granted!, period_drawn: isCounted ? granted!.period_drawn : null, grants }
      }
    }
  })

/** The units that a period has carried, all together. */
export const carriedUnits = (carried: ReadonlyArray<CarriedOut>): number =>
  carried.reduce((sum, { amount }) => sum + amount, 0)

/** A feature that {@link withCarriedOut} has counted carried units of, without those: neither used, nor of its quota. */
export const withoutCarriedOut = (feature: EffectiveFeature, units: number): EffectiveFeature => {
  const { ceiling, consumed, granted, quota } = feature
  return units === 0 ? feature : {
    ...feature,
    consumed: consumed - units,
    quota: quota === null ? null : quota - units,
    ceiling: ceiling - units,
    granted: granted === undefined
      ? undefined
      : { ...granted, own: granted.own === null ? null : Math.max(0, granted.own - units) }
  }
}

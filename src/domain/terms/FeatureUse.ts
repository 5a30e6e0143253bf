import type { EffectiveFeature } from "./EffectiveFeatures.ts"
import { leftOfQuota } from "./EffectiveFeatures.ts"
import { afterDraw, drawn } from "./GrantBalance.ts"
import type { TakenUnits } from "./GrantBalance.ts"
import { stillAnnounced, thresholdsReached } from "./QuotaThresholds.ts"

/** A feature after a use, and what the use took. */
export interface FeatureUse {
  readonly after: EffectiveFeature
  /** Of each grant; none where the quota served it all. */
  readonly taken: ReadonlyArray<TakenUnits>
  /** The percentages of the quota that it reached, and that are to be announced. */
  readonly crossed: ReadonlyArray<number>
  /** How much of the use lies over the quota and its grants. */
  readonly over: number
}

/** Counts a use of a feature. */
export const featureUse = (feature: EffectiveFeature, amount: number): FeatureUse => {
  const { granted } = feature
  const consumed = feature.consumed + amount
  const announced = stillAnnounced(feature.thresholds, feature)
  const crossed = thresholdsReached(feature.thresholds, { quota: feature.quota, consumed, announced })
  const after = {
    ...feature,
    consumed,
    total: feature.total + amount,
    announced: crossed.at(-1) ?? announced
  }
  if (feature.quota === null) return { after, taken: [], crossed, over: 0 }
  const left = leftOfQuota(feature)
  if (granted === undefined) return { after, taken: [], crossed, over: Math.max(0, amount - left) }
  const draw = drawn(granted, { amount, left, periodEnd: feature.periodEnd })
  return { after: { ...after, granted: afterDraw(granted, draw.taken) }, taken: draw.taken, crossed, over: draw.over }
}

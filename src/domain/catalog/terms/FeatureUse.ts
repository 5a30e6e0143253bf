import type { EffectiveFeature } from "./EffectiveFeatures.ts"
import { leftOfQuota, remainingOf } from "./EffectiveFeatures.ts"
import { afterDraw, drawn } from "./GrantBalance.ts"
import type { TakenUnits } from "./GrantBalance.ts"
import { restsReached, stillAnnounced, stillAnnouncedRest, thresholdsReached } from "./QuotaThresholds.ts"
import type { ReachedThreshold } from "./QuotaThresholds.ts"
import { carriedId } from "./Rollover.ts"

/** What a use takes of a feature. */
interface Taking {
  readonly after: EffectiveFeature
  /** Of each grant; none where the quota served it all. */
  readonly taken: ReadonlyArray<TakenUnits>
  /** How much of the use lies over the quota and its grants. */
  readonly over: number
}

/** A feature after a use, and what the use took. */
export interface FeatureUse extends Taking {
  /** The thresholds of the quota that it reached, and that are to be announced. */
  readonly crossed: ReadonlyArray<ReachedThreshold>
}

const taking = (feature: EffectiveFeature, amount: number): Taking => {
  const { granted } = feature
  const after = { ...feature, consumed: feature.consumed + amount, total: feature.total + amount }
  if (feature.quota === null) return { after, taken: [], over: 0 }
  const left = leftOfQuota(feature)
  if (granted === undefined) return { after, taken: [], over: Math.max(0, amount - left) }
  const draw = drawn(granted, { amount, left, periodEnd: feature.periodEnd })
  return { after: { ...after, granted: afterDraw(granted, draw.taken) }, taken: draw.taken, over: draw.over }
}

/** A feature whose carried units are grants from now on, under IDs in their order. */
export const booked = (feature: EffectiveFeature, ids: ReadonlyArray<string>): EffectiveFeature => {
  const { carried, granted } = feature
  if (granted === undefined || carried.length === 0) return feature
  const named = new Map(carried.map((units, index) => [carriedId(units), ids[index]!]))
  const grants = granted.grants.map(({ expires_at, id, left, priority, starts_at }) => ({
    id: named.get(id) ?? id,
    expires_at,
    left,
    priority,
    starts_at
  }))
  // The grants begin the counter.
  return { ...feature, isCounted: true, carried: [], granted: { ...granted, grants } }
}

/** What was announced of the thresholds of a feature and still holds, and which it has reached since. */
export interface ThresholdNews extends Pick<EffectiveFeature, "announced" | "announcedRemaining"> {
  readonly crossed: ReadonlyArray<ReachedThreshold>
}

/** The thresholds that are to be announced of a feature, which was as `before` says when what was announced of it was written. */
const thresholdNews = (before: EffectiveFeature, after: EffectiveFeature = before): ThresholdNews => {
  const { quota, remainingThresholds, thresholds } = before
  const announced = stillAnnounced(thresholds, before)
  const percentages = thresholdsReached(thresholds, { quota, consumed: after.consumed, announced })
  const rest = stillAnnouncedRest(remainingThresholds, {
    quota,
    remaining: remainingOf(before),
    announced: before.announcedRemaining
  })
  const rests = restsReached(remainingThresholds, { quota, remaining: remainingOf(after), announced: rest })
  return {
    announced: percentages.at(-1) ?? announced,
    announcedRemaining: rests.at(-1) ?? rest,
    crossed: [
      ...percentages.map((percentage) => ({ percentage })),
      ...rests.map((remaining_threshold) => ({ remaining_threshold }))
    ]
  }
}

/**
 * The same of a feature as it is found, without a use. What was announced and does not hold any more is forgotten, so that it is announced
 * again; only where less may be left than before is anything new.
 */
export const foundNews = (feature: EffectiveFeature, fell: boolean): ThresholdNews => {
  const { quota, remainingThresholds, thresholds } = feature
  if (fell) return thresholdNews(feature)
  return {
    announced: stillAnnounced(thresholds, feature),
    announcedRemaining: stillAnnouncedRest(remainingThresholds, {
      quota,
      remaining: remainingOf(feature),
      announced: feature.announcedRemaining
    }),
    crossed: []
  }
}

/** Counts the units of a use of a feature; less than none where what is measured falls. */
export const featureUse = (feature: EffectiveFeature, units: number): FeatureUse => {
  const { after, ...took } = taking(feature, units)
  const { crossed, ...announced } = thresholdNews(feature, after)
  return { ...took, after: { ...after, ...announced }, crossed }
}

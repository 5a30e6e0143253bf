import type { EffectiveFeature } from "./EffectiveFeatures.ts"
import { afterOthers, nextToEnd, pooledLeft } from "./GrantBalance.ts"
import type { TakenUnits } from "./GrantBalance.ts"

/**
 * What is left of grants, when the next of them ends, and how much of the customer's pools is left for the license; nothing where
 * there are none.
 */
export const grantStanding = (
  { granted, quota }: Pick<EffectiveFeature, "granted" | "quota">
): {
  readonly granted_remaining?: number
  readonly next_grant_expires_at?: string
  readonly pool_remaining?: number
} => {
  if (granted === undefined || quota === null) return {}
  const end = nextToEnd(granted)
  const pooled = pooledLeft(granted)
  return {
    ...(granted.grants.length === 0 ? {} : { granted_remaining: granted.left - pooled }),
    ...(granted.pools.length === 0 ? {} : { pool_remaining: pooled }),
    ...(end === undefined ? {} : { next_grant_expires_at: new Date(end).toISOString() })
  }
}

/** Features after other licenses of the customer have taken units of its pools. */
export const featuresAfterOthers = (
  features: ReadonlyArray<EffectiveFeature>,
  taken: ReadonlyArray<TakenUnits>
): ReadonlyArray<EffectiveFeature> =>
  taken.length === 0 ? features : features.map((feature) => {
    if (feature.granted === undefined || feature.quota === null) return feature
    const granted = afterOthers(feature.granted, taken)
    const gone = feature.granted.left - granted.left
    return { ...feature, granted, quota: feature.quota - gone, ceiling: feature.ceiling - gone }
  })

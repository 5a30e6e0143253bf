import type { EffectiveFeature } from "../../catalog/terms/EffectiveFeatures.ts"
import { notEntitled } from "./DecidedCalls.ts"

/** The use of a feature as it was decided: how much was asked for, and left; undefined where no quota limits it. */
export interface DecidedUse {
  readonly feature_code: string
  readonly amount: number
  readonly remaining: number | undefined
}

/** What decides a use of a feature. */
interface DecidingFeature extends Pick<EffectiveFeature, "enabled" | "meter" | "quota"> {
  readonly granted: { readonly pools: ReadonlyArray<unknown> } | undefined
}

/** A use with what decided it; undefined where that is more than its quota: how it is measured, or what other licenses leave of a pool. */
export const decidedUse = (asked: DecidedUse, feature: DecidingFeature | undefined): DecidedUse | undefined => {
  if (feature?.enabled !== true) return { ...asked, remaining: notEntitled }
  if (feature.meter !== null || (feature.granted?.pools.length ?? 0) > 0) return undefined
  return feature.quota === null ? { ...asked, remaining: undefined } : asked
}

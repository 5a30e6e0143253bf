import type { EffectiveFeature } from "../../catalog/terms/EffectiveFeatures.ts"
import { decimalsMember } from "../../catalog/terms/Measure.ts"
import { carriedPriority } from "../../catalog/terms/Rollover.ts"
import type { Grant } from "./Grant.ts"

/** The carried units of a feature as grants, each with an ID. */
export const carriedGrants = (
  licenseId: string,
  { carried, code, decimals, id }: EffectiveFeature,
  { at, nextId }: { readonly at: Date; readonly nextId: () => string }
): ReadonlyArray<Grant> =>
  carried.map(({ amount, expires_at, starts_at }) => ({
    id: nextId(),
    license_id: licenseId,
    feature_id: id,
    feature_code: code,
    ...decimalsMember(decimals),
    amount,
    used: 0,
    remaining: amount,
    starts_at: new Date(starts_at).toISOString(),
    expires_at: new Date(expires_at).toISOString(),
    priority: carriedPriority,
    source: "rollover",
    created_at: at.toISOString()
  }))

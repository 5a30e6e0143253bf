import type { Warning } from "../../ground/wire/Errors.ts"
import type { Period } from "./Period.ts"

/** A feature as a policy grants it, or as a license has it. */
export interface GrantedQuota {
  readonly code: string
  readonly enabled: boolean
  readonly quota: number | null
  readonly period: Period | null
  /** When the running period began; none without a subscription, and none of what a policy grants. */
  readonly periodStart?: number | string | undefined
}

/** Who lacks the subscription: the license that is written, or licenses that are under the policy. */
type Lacking = "license" | "policy"

/** The most features that are named. */
const named = 10

const cures: Readonly<Record<Lacking, { readonly who: string; readonly cure: string }>> = {
  license: {
    who: "the license has no subscription",
    cure: "Give the license a subscription_id, or the feature another period."
  },
  policy: {
    who: "licenses under the policy have no subscription",
    cure: "Give those licenses a subscription_id, or the feature another period."
  }
}

/**
 * The warning about quotas that count by the periods of a subscription where there is none: they serve what they hold
 * once, and never start again. `field` is the member of the request that it is about.
 */
export const warningsAboutQuotas = (
  granted: ReadonlyArray<GrantedQuota>,
  field: "subscription_id" | "period",
  lacking: Lacking = "license"
): ReadonlyArray<Warning> => {
  const without = granted
    .filter(({ enabled, period, periodStart, quota }) =>
      enabled && quota !== null && period === "subscription" && periodStart === undefined
    )
    .map(({ code }) => code)
  const codes = [...new Set(without)]
  if (codes.length === 0) return []
  const { cure, who } = cures[lacking]
  const more = codes.length > named ? ` and of ${codes.length - named} more` : ""
  return [{
    code: "QUOTA_WITHOUT_SUBSCRIPTION",
    message:
      `The quota of ${codes.slice(0, named).join(", ")}${more} starts again with each period of a subscription, ` +
      `and ${who}: it never starts again. ${cure}`,
    field
  }]
}

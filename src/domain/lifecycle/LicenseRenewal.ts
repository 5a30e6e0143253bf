import { Schema } from "effect"
import { lastInstant } from "../terms/Duration.ts"
import { count, text, TimestampInput } from "../wire/Fields.ts"

/** How long a license is extended: to an instant, by days, or without either by the duration of its terms. */
export const LicenseRenew = Schema.Struct({
  expires_at: Schema.optionalKey(TimestampInput),
  extend_by_days: Schema.optionalKey(count(1)),
  order_id: Schema.optionalKey(text(1, 64)),
  subscription_id: Schema.optionalKey(text(1, 64))
}).annotate({
  // Behind the check the example would not reach the contract.
  examples: [{ extend_by_days: 365 }]
}).check(
  Schema.makeFilter((request: { readonly expires_at?: string; readonly extend_by_days?: number }) =>
    request.expires_at !== undefined && request.extend_by_days !== undefined
      ? { path: ["expires_at"], issue: "is excluded with extend_by_days" }
      : undefined
  )
).annotate({ identifier: "LicenseRenewRequest" })
export type LicenseRenew = typeof LicenseRenew.Type

/**
 * The expiry after an extension by whole days, in Unix milliseconds; undefined when it lies beyond the year 9999. The
 * days are counted from the stored expiry while that still lies ahead, otherwise from now: an extension by n days
 * always leaves at least n days. Days are those of the UTC calendar, which has no daylight saving, so the time of day
 * never drifts and, while the license is in force, extending by a and then by b is extending by a + b.
 */
export const extendedExpiry = (
  { days, expiresAt, now }: { readonly days: number; readonly expiresAt: number | undefined; readonly now: number }
): number | undefined => {
  const end = new Date(Math.max(expiresAt ?? now, now))
  const extended = end.setUTCDate(end.getUTCDate() + days)
  return extended <= lastInstant ? extended : undefined
}

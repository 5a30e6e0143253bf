import { Result, Schema } from "effect"
import { addSpan, lastInstant, nextTerm } from "../../catalog/terms/Duration.ts"
import type { TermEnd } from "../../catalog/terms/Duration.ts"
import type { LicenseType, Rules } from "../../catalog/terms/Rules.ts"
import { reasoned } from "../../ground/wire/Action.ts"
import type { ValidationError } from "../../ground/wire/Errors.ts"
import { failing, StateConflict } from "../../ground/wire/Errors.ts"
import { invalidField } from "../../ground/wire/FieldFindings.ts"
import { count, optional, text, TimestampInput } from "../../ground/wire/Fields.ts"
import type { License } from "../licenses/License.ts"
import { endingAt } from "./LicenseChange.ts"
import type { LicenseChange } from "./LicenseChange.ts"

/** How long a license is extended: to an instant, by days, or without either by the duration of its terms. */
export const LicenseRenew = Schema.Struct({
  expires_at: optional(TimestampInput, "The new expiration time. Send either this or `extend_by_days`."),
  extend_by_days: optional(
    count(1),
    "Days of the UTC calendar. They count from the expiration time if that is in the future, otherwise from " +
      "now. Send either this or `expires_at`."
  ),
  order_id: optional(text(1, 64), "The order that paid for the renewal; recorded only in the event."),
  subscription_id: optional(text(1, 64), "The subscription that was renewed; recorded only in the event."),
  renew_from: optional(
    Schema.Literals(["expiry", "now"]),
    "Where the extension starts: at the `expiry` of the license, even if it is in the past, or `now`. " +
      "Default: the expiry if it is in the future, otherwise now."
  ),
  ...reasoned
}).annotate({
  // Behind the check the example would not reach the contract.
  description: "How far to extend the license: either `expires_at` or `extend_by_days`.",
  examples: [{ extend_by_days: 365 }]
}).check(
  Schema.makeFilter((request: { readonly expires_at?: string; readonly extend_by_days?: number }) =>
    request.expires_at !== undefined && request.extend_by_days !== undefined
      ? { path: ["expires_at"], issue: "is excluded with extend_by_days" }
      : undefined
  ),
  Schema.makeFilter((request: { readonly expires_at?: string; readonly renew_from?: "expiry" | "now" }) =>
    request.expires_at !== undefined && request.renew_from !== undefined
      ? { path: ["renew_from"], issue: "is excluded with expires_at, which counts from nothing" }
      : undefined
  )
).annotate({ identifier: "LicenseRenewRequest" })
export type LicenseRenew = typeof LicenseRenew.Type

/** What a renewal does to the expiration, by the fields of the request. */
export const renewalEffects = {
  expires_at: "The new expiration is {expires_at}.",
  extend_by_days: "Days added: {extend_by_days}.",
  "renew_from=expiry": "The time is counted from the expiration, even in the past.",
  "renew_from=now": "The time is counted from now; the remaining time is lost."
}

/**
 * The expiry after an extension by whole days, in Unix milliseconds; undefined when it lies beyond the year 9999. The
 * days are counted from the stored expiry while that still lies ahead, otherwise from now: an extension by n days
 * always leaves at least n days. Days are those of the UTC calendar, which has no daylight saving, so the time of day
 * never drifts and, while the license is in force, extending by a and then by b is extending by a + b.
 */
export const extendedExpiry = (
  { days, expiresAt, now }: { readonly days: number; readonly expiresAt: number | undefined; readonly now: number }
): number | undefined => {
  const extended = addSpan(Math.max(expiresAt ?? now, now), { days })
  return extended <= lastInstant ? extended : undefined
}

/**
 * The instant that an extension counts from, in Unix milliseconds: as the caller says, or else the expiry while that lies
 * ahead and otherwise now. Undefined stands for the expiry of a license that has none: it counts from now.
 */
export const extensionStart = (
  { expiresAt, now, renewFrom }: {
    readonly expiresAt: number | undefined
    readonly now: number
    readonly renewFrom: LicenseRenew["renew_from"]
  }
): number =>
  expiresAt !== undefined && renewFrom !== "now" && (renewFrom === "expiry" || expiresAt > now) ? expiresAt : now

const renewable: ReadonlySet<LicenseType> = new Set(["time_limited", "subscription", "trial"])

/** A license that is renewed, and the rules that are in force for it. */
export interface RenewedLicense {
  readonly license: License
  readonly license_type: LicenseType
  readonly rules: Rules
  readonly now: Date
}

const conflictOf = ({ license, license_type }: RenewedLicense): StateConflict | undefined => {
  if (license.status === "revoked") {
    return failing(StateConflict, "A revoked license cannot be renewed.", { detail: "revoked" })
  }
  if (!renewable.has(license_type)) {
    return failing(StateConflict, "A license of this type is not renewable.", { detail: license_type })
  }
  if (license.awaits_activation === true) {
    return failing(StateConflict, "The license has not started: its first activation gives it its end.", {
      detail: "awaits_activation"
    })
  }
  return license.follows_subscription === true
    ? failing(StateConflict, "The license follows its subscription, whose period ends it.", {
      detail: "follows_subscription"
    })
    : undefined
}

/** The instant that the terms of a license count from, where no edit or renewal has set another. */
export const termAnchor = (license: License): string => license.term_anchor ?? license.starts_at ?? license.created_at

/** The end that a renewal without expires_at leads to, and what it is counted from; undefined beyond the year 9999. */
const renewedEnd = (
  { license, now, rules }: RenewedLicense,
  { extend_by_days, renew_from }: LicenseRenew
): TermEnd | undefined => {
  const expiry = license.expires_at === undefined ? undefined : Date.parse(license.expires_at)
  const clock = now.getTime()
  const from = extensionStart({ expiresAt: expiry, now: clock, renewFrom: renew_from })
  if (extend_by_days !== undefined) {
    const end = extendedExpiry({ days: extend_by_days, expiresAt: from, now: from })
    return end === undefined ? undefined : { anchor: end, end }
  }
  // From now on, it is a new series; from the expiry the series goes on.
  return nextTerm({ anchor: from === expiry ? Date.parse(termAnchor(license)) : from, end: from }, rules.duration!)
}

const iso = (millis: number): string => new Date(millis).toISOString()

/** What a renewal changes of a license, or why it cannot be renewed. */
export const licenseRenewal = (
  held: RenewedLicense,
  input: LicenseRenew
): Result.Result<LicenseChange, StateConflict | ValidationError> => {
  const conflict = conflictOf(held)
  if (conflict !== undefined) return Result.fail(conflict)
  const { license, rules } = held
  const now = held.now.getTime()
  const member = input.extend_by_days === undefined ? "expires_at" : "extend_by_days"
  const wrong = (code: string, message: string) => Result.fail(invalidField(member, code, message))
  if (input.expires_at === undefined && input.extend_by_days === undefined && rules.duration === undefined) {
    return wrong("required", "is required without extend_by_days, because the license has no duration")
  }
  const given = input.expires_at === undefined ? undefined : Date.parse(input.expires_at)
  const left = given === undefined ? renewedEnd(held, input) : { anchor: given, end: given }
  if (left === undefined) return wrong("out_of_range", "ends after the year 9999")
  if (left.end <= now) return wrong("in_the_past", "must be in the future")
  if (license.starts_at !== undefined && left.end <= Date.parse(license.starts_at)) {
    return wrong("before_start", "must end after starts_at")
  }
  return Result.succeed(endingAt(iso(left.end), iso(left.anchor)))
}

import { Schema } from "effect"
import { rehearsable } from "../../ground/wire/Action.ts"
import { field, optional, text, Timestamp } from "../../ground/wire/Fields.ts"
import { longestPaste } from "../../keys/security/Credential.ts"
import { License } from "./License.ts"
import type { LicenseState, LicenseStatus } from "./License.ts"

/** How long the replaced key goes on working unless the caller says otherwise, in minutes: a day. */
export const defaultOverlapMinutes = 24 * 60

const longestOverlapMinutes = 90 * 24 * 60

export const LicenseKeyRotate = Schema.Struct({
  overlap_minutes: optional(
    Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: longestOverlapMinutes })),
    "How long the previous key continues to work. Default: 1440, a day; 0 disables every older key at once."
  ),
  ...rehearsable
}).annotate({
  identifier: "LicenseKeyRotateRequest",
  description: "How long the previous key continues to work.",
  examples: [{ overlap_minutes: 1440 }]
})
export type LicenseKeyRotate = typeof LicenseKeyRotate.Type

/** What a rotation does to the previous key, by the fields of the request. */
export const rotateEffects = {
  "overlap_minutes=undefined": "The previous key expires in 1440 minutes.",
  overlap_minutes: "The previous key expires in {overlap_minutes} minutes.",
  "overlap_minutes=0": "The previous key expires immediately, also in running apps."
}

const shownOnce = Schema.String.annotate({
  description: "Shown this once; only a keyed hash is stored.",
  examples: ["CS-7K3Q9-W4TBN-2HX8M-RD5VE-0PM2X"]
})

export const LicenseKeyRotated = Schema.Struct({
  license: License,
  license_key: field(
    shownOnce,
    "Shown this once; only a keyed hash is stored. Empty in a dry run, which makes no key."
  ),
  previous_key_expires_at: Timestamp.annotate({
    description: "Time until which the previous key works.",
    examples: ["2026-11-22T10:30:00.000Z"]
  })
}).annotate({
  identifier: "LicenseKeyRotateResponse",
  description: "The license with its new key, which is shown only this once."
})
export type LicenseKeyRotated = typeof LicenseKeyRotated.Type

/** A license key as people type and paste it. */
export const licenseKeyText = text(1, longestPaste)

export const LicenseLookup = Schema.Struct({
  license_key: field(
    licenseKeyText,
    "As people type and paste it. In a key that this service made, case, spaces and dashes are forgiven, and " +
      "the sentence or the mail around it."
  )
}).annotate({
  identifier: "LicenseLookupRequest",
  description: "The key of the license to find.",
  examples: [{ license_key: "CS-7K3Q9-W4TBN-2HX8M-RD5VE-0PM2X" }]
})
export type LicenseLookup = typeof LicenseLookup.Type

/** What a license's standing depends on; instants are Unix milliseconds on the database's clock. */
export interface StandingInput {
  readonly state: LicenseState
  readonly starts_at: number | undefined
  readonly expires_at: number | undefined
  readonly grace_period_days: number
  readonly now: number
}

const day = 86_400_000

/** The state that people gave a license, from its status. Expiry is left out, because the clock decides it. */
export const stateOf = ({ status }: { readonly status: LicenseStatus }): LicenseState =>
  status === "suspended" || status === "revoked" ? status : "active"

/**
 * Why a license has no grace, whatever the rules say: its canceled subscription ends it, or it was not started before
 * the time for that was over.
 */
export const withoutGrace = (
  license: { readonly awaits_activation?: boolean; readonly ends_without_grace?: boolean }
): "license" | "subscription" | undefined =>
  license.awaits_activation === true ? "license" : license.ends_without_grace === true ? "subscription" : undefined

/** The instant at which a license stops serving: its expiry plus the policy's grace period. */
export const servesUntil = (
  input: Pick<StandingInput, "expires_at" | "grace_period_days">
): number | undefined => input.expires_at === undefined ? undefined : input.expires_at + input.grace_period_days * day

/**
 * The status that everyone sees, computed from what people decided and from the clock: revoked outranks suspended,
 * suspended outranks the clock. At the very instant of `expires_at` the license has expired.
 */
export const statusOf = (input: StandingInput): LicenseStatus => {
  if (input.state !== "active") return input.state
  if (input.expires_at === undefined || input.now < input.expires_at) return "active"
  return input.now < servesUntil(input)! ? "grace_period" : "expired"
}

/** Whether `starts_at` still lies ahead. */
export const hasNotStarted = (input: Pick<StandingInput, "starts_at" | "now">): boolean =>
  input.starts_at !== undefined && input.now < input.starts_at

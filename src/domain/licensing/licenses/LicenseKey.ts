import { Schema } from "effect"
import { rehearsable } from "../../ground/wire/Action.ts"
import { field, optional, text, Timestamp } from "../../ground/wire/Fields.ts"
import { longestPaste } from "../../keys/security/Credential.ts"
import { License } from "./License.ts"

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

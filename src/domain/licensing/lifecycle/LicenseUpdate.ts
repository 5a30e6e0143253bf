import { Result, Schema } from "effect"
import { effectiveRules } from "../../catalog/terms/EffectiveTerms.ts"
import { contradictions, LicenseOverridesInput, nullable, withOverrides } from "../../catalog/terms/Rules.ts"
import type { LicenseType, Rules } from "../../catalog/terms/Rules.ts"
import { dryRun } from "../../ground/wire/Action.ts"
import type { FieldFinding, ValidationError } from "../../ground/wire/Errors.ts"
import { failing, StateConflict } from "../../ground/wire/Errors.ts"
import { invalidRequest } from "../../ground/wire/FieldFindings.ts"
import { EmailOrClear, field, Metadata, NameOrClear, optional, text, TimestampInput } from "../../ground/wire/Fields.ts"
import { furtherProducts, storedTags, Tags } from "../licenses/License.ts"
import type { License } from "../licenses/License.ts"
import { withoutGrace } from "../licenses/LicenseStatus.ts"
import { followFindings } from "../licenses/SubscriptionStanding.ts"
import { storedIssuer, TrustedIssuerInput } from "../users/LicenseUser.ts"
import { CarryUsers, carryUsersText } from "../users/UserRules.ts"
import { endingAt } from "./LicenseChange.ts"
import type { LicenseChange } from "./LicenseChange.ts"
import { termAnchor } from "./LicenseRenewal.ts"

/** Where a license comes from, as it may become known later or change: a resubscriber has another subscription. */
export const licenseLinks = {
  order_id: optional(
    text(1, 64),
    "The order that the license comes from. If it has a subscription, the license takes that over."
  ),
  subscription_id: optional(
    text(1, 64),
    "The subscription that pays for the license. A license that follows its subscription follows this one at once."
  )
}

/** The links that a license is to have, checked and completed: an order brings its subscription. */
export interface LicenseLinks {
  readonly order_id?: string
  readonly subscription_id?: string
}

const instant = Schema.optionalKey(Schema.NullOr(TimestampInput))

/** What may be edited. The empty string clears a text, null clears an instant; what is left out stays as it is. */
export const LicenseUpdate = Schema.Struct({
  customer_id: optional(
    text(1, 64),
    "The first customer of a license that has none, which is no transfer. A license of another customer is handed " +
      "over by `POST /api/v1/licenses/{id}/transfer`."
  ),
  ...licenseLinks,
  customer_email: optional(EmailOrClear, "The email address of the owner. The empty string clears it."),
  customer_name: optional(NameOrClear, "The name of the owner. The empty string clears it."),
  starts_at: field(instant, "The new start time. `null` removes it."),
  expires_at: field(instant, "The new expiration time. `null` removes it."),
  maintenance_expires_at: field(instant, "The new end of maintenance. `null` removes it."),
  product_ids: Schema.optionalKey(nullable(furtherProducts)),
  follows_subscription: optional(
    Schema.Boolean,
    "Whether the license follows its subscription. With `true`, it takes over the state of the subscription " +
      "at once."
  ),
  overrides: optional(
    Schema.NullOr(LicenseOverridesInput),
    "Changes of the overrides of the license. `null` removes all of them."
  ),
  trusted_issuer: Schema.optionalKey(nullable(TrustedIssuerInput)),
  carry_users: optional(CarryUsers, carryUsersText),
  tags: optional(Schema.NullOr(Tags), "The tags from now on, all of them. `null` or an empty list removes them."),
  metadata: Schema.optionalKey(Metadata),
  dry_run: dryRun
}).annotate({
  identifier: "LicenseUpdateRequest",
  description: "Changes of a license. Omitted fields stay as they are.",
  examples: [{ expires_at: "2028-11-21T10:30:00Z", metadata: { seats: "studio" } }]
})
export type LicenseUpdate = typeof LicenseUpdate.Type

/** What is known of a license that is edited. */
export interface EditedLicense {
  readonly license: License
  readonly license_type: LicenseType
  /** The rules of its policy. */
  readonly policy: Rules
}

const isDated = ({ expires_at, starts_at }: LicenseUpdate) => (starts_at ?? expires_at ?? undefined) !== undefined

/**
 * An edit with what it says of following, where only the policy says it: a license that was issued before its
 * subscription was known begins to follow it when it is named, as if it were issued then.
 */
export const withFollowing = (
  { license, license_type, policy }: EditedLicense,
  links: LicenseLinks,
  changes: LicenseUpdate
): LicenseUpdate =>
  changes.follows_subscription === undefined && changes.expires_at === undefined && license_type === "subscription" &&
    policy.follows_subscription === true && license.subscription_id === undefined && license.status !== "revoked" &&
    license.overrides?.duration === undefined && links.subscription_id !== undefined
    ? { ...changes, follows_subscription: true }
    : changes

/** Whether the edit lets the license begin or end to follow its subscription. */
const turnsToFollow = (license: License, { follows_subscription: follows }: LicenseUpdate): boolean =>
  follows !== undefined && follows !== (license.follows_subscription === true)

/** What refuses an edit as a whole, whatever its members say. */
const conflictOf = (license: License, changes: LicenseUpdate): StateConflict | undefined => {
  const changesTimes = (["starts_at", "expires_at", "maintenance_expires_at"] as const)
    .some((member) => changes[member] !== undefined)
  if (license.status === "revoked" && (changesTimes || turnsToFollow(license, changes))) {
    return failing(StateConflict, "The times of a revoked license cannot be changed.", { detail: "revoked" })
  }
  const owner = license.customer_id ?? changes.customer_id
  if (changes.customer_id !== undefined && changes.customer_id !== owner) {
    return failing(
      StateConflict,
      "The license belongs to another customer: POST /api/v1/licenses/{id}/transfer hands it over.",
      { detail: "other_customer" }
    )
  }
  if (license.follows_subscription !== true || changes.follows_subscription === false) return undefined
  const set = (["starts_at", "expires_at"] as const).find((member) => changes[member] !== undefined)
  return set && failing(
    StateConflict,
    `The license follows its subscription: ${set} cannot be changed, unless follows_subscription is false.`,
    { detail: "follows_subscription" }
  )
}

/** The finding about a start and an end that leave no time between them. */
const orderOfTimes = (license: License, changes: LicenseUpdate): ReadonlyArray<FieldFinding> => {
  if (changes.starts_at === undefined && changes.expires_at === undefined) return []
  const starts = changes.starts_at === undefined ? license.starts_at : changes.starts_at
  const ends = changes.expires_at === undefined ? license.expires_at : changes.expires_at
  if (typeof starts !== "string" || typeof ends !== "string" || Date.parse(ends) > Date.parse(starts)) return []
  return [
    changes.expires_at === undefined
      ? { path: "starts_at", code: "before_start", message: "must be before expires_at" }
      : { path: "expires_at", code: "before_start", message: "must be after starts_at" }
  ]
}

const findingsAbout = (
  { license, license_type, policy }: EditedLicense,
  links: LicenseLinks,
  changes: LicenseUpdate
): ReadonlyArray<FieldFinding> => {
  const follows = license.follows_subscription === true
  const overrides = changes.overrides === undefined
    ? license.overrides
    : withOverrides(license.overrides, changes.overrides)
  return [
    ...(changes.follows_subscription ?? follows
      ? followFindings({
        licenseType: license_type,
        hasSubscription: (links.subscription_id ?? license.subscription_id) !== undefined,
        isRequested: changes.follows_subscription === true && !follows,
        expires_at: changes.expires_at,
        overrides
      })
      : []),
    ...(typeof changes.maintenance_expires_at === "string" && license_type !== "perpetual"
      ? [{ path: "maintenance_expires_at", code: "perpetual_only", message: "is for perpetual licenses only" }]
      : []),
    ...orderOfTimes(license, changes),
    ...(changes.overrides === undefined ? [] : contradictions(
      {
        ...effectiveRules({ policy, overrides, withoutGrace: withoutGrace(license) }),
        follows_subscription: false
      },
      license_type,
      "overrides."
    ))
  ]
}

/**
 * What an edit changes of a license, or why it cannot be: what refuses it as a whole, else every finding against its
 * members. `products` are the findings about the further products that it names, `links` those that it sets.
 */
export const licenseUpdate = (
  held: EditedLicense,
  products: ReadonlyArray<FieldFinding>,
  links: LicenseLinks,
  changes: LicenseUpdate
): Result.Result<LicenseChange, StateConflict | ValidationError> => {
  const { license } = held
  const conflict = conflictOf(license, changes)
  if (conflict !== undefined) return Result.fail(conflict)
  const found = [...findingsAbout(held, links, changes), ...products]
  if (found.length > 0) return Result.fail(invalidRequest(found))
  const turns = turnsToFollow(license, changes)
  // What a person or the subscription says of its times, the first activation does not say again.
  const startsNoMore = license.awaits_activation === true &&
    (isDated(changes) || (turns && changes.follows_subscription === true))
  return Result.succeed({
    ...(changes.customer_id === undefined ? {} : { customer_id: changes.customer_id }),
    ...links,
    ...(changes.product_ids === undefined
      ? {}
      : { product_ids: (changes.product_ids?.length ?? 0) === 0 ? null : changes.product_ids }),
    ...(changes.overrides === undefined
      ? {}
      : { overrides: withOverrides(license.overrides, changes.overrides) ?? null }),
    ...(changes.customer_email === undefined ? {} : { customer_email: changes.customer_email || null }),
    ...(changes.customer_name === undefined ? {} : { customer_name: changes.customer_name || null }),
    ...(changes.trusted_issuer === undefined
      ? {}
      : { trusted_issuer: changes.trusted_issuer === null ? null : storedIssuer(changes.trusted_issuer) }),
    ...(changes.tags === undefined ? {} : { tags: storedTags(changes.tags ?? []) }),
    ...(changes.metadata === undefined ? {} : { metadata: changes.metadata }),
    ...(changes.starts_at === undefined ? {} : { starts_at: changes.starts_at }),
    ...(changes.expires_at === undefined ? {} : endingAt(changes.expires_at)),
    // Another start does not move the days on which the license is renewed.
    ...(changes.starts_at === undefined || typeof changes.expires_at === "string"
      ? {}
      : { term_anchor: termAnchor(license) }),
    ...(changes.maintenance_expires_at === undefined
      ? {}
      : { maintenance_expires_at: changes.maintenance_expires_at }),
    ...(startsNoMore ? { awaits_activation: null } : {}),
    ...(turns ? { follows_subscription: changes.follows_subscription === true ? true as const : null } : {})
  })
}

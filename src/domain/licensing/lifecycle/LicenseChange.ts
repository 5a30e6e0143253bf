import { Result, Schema } from "effect"
import { effectiveRules } from "../../catalog/terms/EffectiveTerms.ts"
import type { LicenseOverrides, Rules } from "../../catalog/terms/Rules.ts"
import { reasoned } from "../../ground/wire/Action.ts"
import { canonicalJson } from "../../ground/wire/CanonicalJson.ts"
import type { JsonObject } from "../../ground/wire/CanonicalJson.ts"
import { failing, StateConflict } from "../../ground/wire/Errors.ts"
import { EmailOrClear, NameOrClear, optional, text } from "../../ground/wire/Fields.ts"
import type { License, LicenseState } from "../licenses/License.ts"
import { servesUntil, withoutGrace } from "../licenses/LicenseStatus.ts"
import { leavesOwner } from "../owners/Owner.ts"
import type { TrustedIssuer } from "../users/LicenseUser.ts"
import { announcedAfter } from "./LicenseExpiry.ts"
import type { Announced } from "./LicenseExpiry.ts"

/** The columns of a license that management writes; null where nothing is said. Instants are RFC 3339. */
export interface LicenseColumns {
  readonly policy_id: string
  readonly product_ids: ReadonlyArray<string> | null
  readonly customer_id: string | null
  readonly order_id: string | null
  readonly subscription_id: string | null
  readonly customer_email: string | null
  readonly customer_name: string | null
  readonly state: LicenseState
  readonly suspended_by: "subscription" | null
  readonly license_key_prefix: string
  readonly license_key_last4: string
  readonly active_device_count: number
  readonly times_transferred: number
  readonly starts_at: string | null
  readonly expires_at: string | null
  /** What the terms of the license count from; null where they count from its start. */
  readonly term_anchor: string | null
  readonly maintenance_expires_at: string | null
  readonly awaits_activation: true | null
  readonly follows_subscription: true | null
  readonly ends_without_grace: true | null
  readonly overrides: LicenseOverrides | null
  readonly trusted_issuer: TrustedIssuer | null
  readonly tags: ReadonlyArray<string> | null
  readonly metadata: JsonObject
}

/** A change of a license: each member is there once, with its value afterwards. What is left out stays as it is. */
export type LicenseChange = Partial<LicenseColumns>

/** A change with what follows from it. */
export interface DerivedChange extends LicenseChange {
  readonly announced: Announced
  readonly entitlement_version: number
}

/** A license before it changes, as far as what follows from a change depends on it. */
export interface BeforeChange {
  readonly license: License
  readonly announced: Announced
  /** The rules of its policy, after the change. */
  readonly policy: Rules
  /** The database's clock. */
  readonly now: Date
}

/** How two values of a column are compared, and whether another value changes what the license grants. */
interface ColumnKind {
  readonly compared: "value" | "instant" | "json"
  readonly grants: boolean
}

const plain: ColumnKind = { compared: "value", grants: false }
const granting: ColumnKind = { compared: "value", grants: true }
const instant: ColumnKind = { compared: "instant", grants: true }

const kinds: Readonly<Record<keyof LicenseColumns, ColumnKind>> = {
  policy_id: granting,
  product_ids: { compared: "json", grants: true },
  customer_id: granting,
  order_id: plain,
  // Periods of quotas may be those of the subscription.
  subscription_id: granting,
  customer_email: plain,
  customer_name: plain,
  state: granting,
  suspended_by: granting,
  license_key_prefix: plain,
  license_key_last4: plain,
  active_device_count: plain,
  times_transferred: granting,
  starts_at: instant,
  expires_at: instant,
  term_anchor: { compared: "instant", grants: false },
  maintenance_expires_at: instant,
  awaits_activation: granting,
  follows_subscription: granting,
  ends_without_grace: granting,
  overrides: { compared: "json", grants: true },
  trusted_issuer: { compared: "json", grants: false },
  tags: { compared: "json", grants: false },
  metadata: { compared: "json", grants: false }
}

const flag = (value: boolean | undefined): true | null => value === true ? true : null

/** The columns of a license as it is. */
export const columnsOf = (license: License): LicenseColumns => ({
  policy_id: license.policy_id,
  product_ids: license.product_ids ?? null,
  customer_id: license.customer_id ?? null,
  order_id: license.order_id ?? null,
  subscription_id: license.subscription_id ?? null,
  customer_email: license.customer_email ?? null,
  customer_name: license.customer_name ?? null,
  state: license.status === "suspended" || license.status === "revoked" ? license.status : "active",
  suspended_by: license.suspended_by ?? null,
  license_key_prefix: license.license_key_prefix,
  license_key_last4: license.license_key_last4,
  active_device_count: license.active_device_count,
  times_transferred: license.times_transferred,
  starts_at: license.starts_at ?? null,
  expires_at: license.expires_at ?? null,
  term_anchor: license.term_anchor ?? null,
  maintenance_expires_at: license.maintenance_expires_at ?? null,
  awaits_activation: flag(license.awaits_activation),
  follows_subscription: flag(license.follows_subscription),
  ends_without_grace: flag(license.ends_without_grace),
  overrides: license.overrides ?? null,
  trusted_issuer: license.trusted_issuer ?? null,
  tags: license.tags ?? null,
  metadata: license.metadata
})

/** A value of a column in a form in which equal values are the same text. */
const comparable = (column: keyof LicenseColumns, value: unknown): unknown => {
  if (value === null || value === undefined) return null
  const { compared } = kinds[column]
  if (compared === "instant") return Date.parse(value as string)
  return compared === "json" ? canonicalJson(value as JsonObject) : value
}

const millis = (instant: string | null): number | undefined => instant === null ? undefined : Date.parse(instant)

/**
 * A change with what follows from it: which crossing of the expiry counts as announced, and the version of what the
 * license grants. Both depend on several columns at once, so they are derived once, from all of them as they were and as
 * they are left, and no member of a change sets them.
 */
export const derivedChange = (held: BeforeChange, change: LicenseChange): DerivedChange => {
  const before = columnsOf(held.license)
  const after: LicenseColumns = { ...before, ...change }
  const differs = (column: keyof LicenseColumns) =>
    comparable(column, before[column]) !== comparable(column, after[column])
  const { grace_period_days } = effectiveRules({
    policy: held.policy,
    overrides: after.overrides ?? undefined,
    withoutGrace: withoutGrace({
      awaits_activation: after.awaits_activation === true,
      ends_without_grace: after.ends_without_grace === true
    })
  })
  const grants = (Object.keys(kinds) as ReadonlyArray<keyof LicenseColumns>).some((column) =>
    kinds[column].grants && differs(column)
  )
  return {
    ...change,
    announced: announcedAfter(held.announced, {
      isOtherEnd: differs("expires_at"),
      serves_until: servesUntil({ expires_at: millis(after.expires_at), grace_period_days }),
      now: held.now.getTime()
    }),
    entitlement_version: held.license.entitlement_version + (grants ? 1 : 0)
  }
}

/**
 * What a person says of the end: what a subscription or the first activation said of it is over. Further terms count
 * from `anchor`, an end that was named from itself.
 */
export const endingAt = (expires_at: string | null, anchor = expires_at): LicenseChange => ({
  expires_at,
  ends_without_grace: null,
  ...(anchor === null ? {} : { term_anchor: anchor })
})

/** What a person decides about the state, a subscription does not undo. */
export const decided = (state: LicenseState): LicenseChange => ({ state, suspended_by: null })

/** The key that a license has from now on. */
export const keyReplaced = (license_key_prefix: string, license_key_last4: string): LicenseChange => ({
  license_key_prefix,
  license_key_last4
})

/**
 * Who owns the license from now on. The empty string clears a member; one that is left out stays as it is, except that
 * the name and address of a former owner go with the owner.
 */
export const LicenseTransfer = Schema.Struct({
  customer_id: optional(
    text(0, 64),
    "The ID of the new owner. The empty string removes the customer from the license."
  ),
  customer_email: optional(EmailOrClear, "The email address of the new owner. The empty string clears it."),
  customer_name: optional(NameOrClear, "The name of the new owner. The empty string clears it."),
  reset_devices: optional(Schema.Boolean, "`true` frees every seat. Default: `false`."),
  ...reasoned
}).annotate({
  // Behind the check the example would not reach the contract.
  description: "The new owner of the license: at least one field. Omitted fields stay as they are.",
  examples: [{ customer_id: "cus_06eqpx1trxz3h94vqjm3a6kz7c", reset_devices: true }]
}).check(
  Schema.makeFilter((request: {
    readonly customer_id?: string
    readonly customer_email?: string
    readonly customer_name?: string
    readonly reset_devices?: boolean
  }) =>
    request.customer_id === undefined && request.customer_email === undefined && request.customer_name === undefined &&
      request.reset_devices !== true
      ? {
        path: ["customer_id"],
        issue: "is required without customer_email, customer_name and reset_devices: true"
      }
      : undefined
  )
).annotate({ identifier: "LicenseTransferRequest" })
export type LicenseTransfer = typeof LicenseTransfer.Type

/** A license that is transferred, and the transfers that the rules in force allow. */
export interface TransferredLicense {
  readonly license: License
  readonly rules: { readonly max_transfers: number }
  /** The address of the customer whom the request names; undefined where the customer has none, or none is named. */
  readonly address?: string | undefined
}

/** What a transfer does to a license. */
export interface Transferred {
  readonly change: LicenseChange
  /** Whether another owner takes the place of one, which counts; naming the first or the same owner is no transfer. */
  readonly counts: boolean
  /** Whether a former owner is gone: what belongs to that owner (`owners/Belongings.ts`) ends with the transfer. */
  readonly leaves: boolean
}

const members = ["customer_id", "customer_email", "customer_name"] as const

/**
 * Whether a request that leaves the license with its owner counts as a transfer nevertheless: it puts another address or name in the place of
 * one, or frees the seats without naming anybody, for somebody else.
 */
const isForOthers = (license: License, input: LicenseTransfer): boolean => {
  const named = members.filter((member) => input[member] !== undefined)
  if (named.length === 0) return true
  if (license.customer_id !== undefined && input.customer_id !== undefined) return false
  return named.some((member) => license[member] !== undefined && input[member] !== license[member])
}

/** The text that a member is left with: as given, none where it is cleared, and otherwise what it was. */
const given = (input: string | undefined, before: string | undefined): string | null => (input ?? before ?? "") || null

/** What a transfer does, or why the license cannot be transferred. */
export const licenseTransfer = (
  { address, license, rules: { max_transfers } }: TransferredLicense,
  input: LicenseTransfer
): Result.Result<Transferred, StateConflict> => {
  const { times_transferred } = license
  if (license.status === "revoked") {
    return Result.fail(failing(StateConflict, "A revoked license cannot be transferred.", { detail: "revoked" }))
  }
  const customer_id = given(input.customer_id, license.customer_id)
  const isNamed = customer_id !== null && customer_id !== (license.customer_id ?? null)
  const leaves = leavesOwner(license, {
    customer_id,
    customer_email: given(input.customer_email, (isNamed ? address : undefined) ?? license.customer_email)
  })
  const counts = leaves || isForOthers(license, input)
  if (counts && times_transferred >= max_transfers) {
    return Result.fail(failing(StateConflict, "The policy allows no further transfer of this license.", {
      detail: `${times_transferred} of ${max_transfers} transfers made`
    }))
  }
  return Result.succeed({
    counts,
    leaves,
    change: {
      times_transferred: times_transferred + (counts ? 1 : 0),
      customer_id,
      ...(leaves ? { trusted_issuer: null } : {}),
      // Who is not named any more is gone with the transfer: name and address are the former owner's, unless given anew.
      customer_email: given(input.customer_email, leaves ? undefined : license.customer_email),
      customer_name: given(input.customer_name, leaves ? undefined : license.customer_name)
    }
  })
}

import { Schema, Struct } from "effect"
import { LicenseTerms } from "../terms/EffectiveTerms.ts"
import { LicenseOverrides, LicenseOverridesInput } from "../terms/Rules.ts"
import type { Warning } from "../wire/Errors.ts"
import { bigCount, count, Email, Metadata, Name, text, Timestamp, TimestampInput } from "../wire/Fields.ts"
import { LicenseKeyInput } from "./LicenseKeyInput.ts"

export const LicenseStatus = Schema.Literals(["active", "suspended", "expired", "revoked", "grace_period"])
  .annotate({ identifier: "LicenseStatus" })
export type LicenseStatus = typeof LicenseStatus.Type

/** What the ids in a license stand for, in words, so that nobody has to ask for each of them. */
const LicenseNames = Schema.Struct({
  product: Schema.String.annotate({ description: "The name of its product." }),
  policy: Schema.String.annotate({ description: "The name of its policy." }),
  customer: Schema.optionalKey(Schema.String.annotate({
    description: "The name of its customer, which may differ from the license's own `customer_name`."
  })),
  order: Schema.optionalKey(Schema.String.annotate({ description: "The id of its order in the system it came from." })),
  subscription: Schema.optionalKey(
    Schema.String.annotate({ description: "The id of its subscription in the system it came from." })
  )
}).annotate({
  identifier: "LicenseNames",
  description: "What the ids in a license stand for.",
  examples: [{ product: "Acme Draft", policy: "Team, yearly", customer: "Ada Lovelace", order: "in_1QX3" }]
})

/** A right to run a product, as management sees it. The key itself is shown once, at creation. */
export const License = Schema.Struct({
  id: Schema.String,
  product_id: Schema.String,
  product_ids: Schema.optionalKey(
    Schema.Array(Schema.String).annotate({
      description: "Further products that the license carries under its key, beside `product_id`."
    })
  ),
  policy_id: Schema.String,
  customer_id: Schema.optionalKey(Schema.String),
  order_id: Schema.optionalKey(Schema.String),
  subscription_id: Schema.optionalKey(Schema.String),
  status: LicenseStatus,
  license_key_prefix: Schema.String,
  license_key_last4: Schema.String,
  customer_email: Schema.optionalKey(Schema.String),
  customer_name: Schema.optionalKey(Schema.String),
  active_device_count: count(0),
  times_activated: count(0),
  times_transferred: count(0),
  total_consumptions: bigCount(0),
  entitlement_version: bigCount(1),
  starts_at: Schema.optionalKey(Timestamp),
  expires_at: Schema.optionalKey(Timestamp),
  term_anchor: Schema.optionalKey(Timestamp.annotate({
    description:
      "What the terms of the license count from, so that a short month shortens no later one; absent while " +
      "they count from its start.",
    examples: ["2026-01-31T10:30:00.000Z"]
  })),
  maintenance_expires_at: Schema.optionalKey(Timestamp),
  awaits_activation: Schema.optionalKey(
    Schema.Boolean.annotate({ description: "There while the license waits for its first activation, which starts it." })
  ),
  activate_before: Schema.optionalKey(Timestamp.annotate({
    description: "Until when a license that waits for its first activation can be started; absent when at any time.",
    examples: ["2027-11-21T10:30:00.000Z"]
  })),
  follows_subscription: Schema.optionalKey(
    Schema.Boolean.annotate({ description: "There while the license follows its subscription." })
  ),
  suspended_by: Schema.optionalKey(
    Schema.Literal("subscription").annotate({
      description: "There while the license is suspended because its subscription is paused, by no person."
    })
  ),
  ends_without_grace: Schema.optionalKey(
    Schema.Boolean.annotate({
      description: "There while the license has no grace, because its subscription was canceled."
    })
  ),
  overrides: Schema.optionalKey(LicenseOverrides),
  terms: Schema.optionalKey(LicenseTerms),
  names: Schema.optionalKey(LicenseNames),
  metadata: Metadata,
  created_at: Timestamp,
  updated_at: Timestamp
}).annotate({
  identifier: "License",
  examples: [{
    id: "lic_06eqpx1trxz3h94vqjm3a6kz7c",
    product_id: "prod_06eqpx1trxz3h94vqjm3a6kz7c",
    policy_id: "pol_06eqpx1trxz3h94vqjm3a6kz7c",
    customer_id: "cus_06eqpx1trxz3h94vqjm3a6kz7c",
    status: "active",
    license_key_prefix: "CS-7K3Q9",
    license_key_last4: "M2XC",
    active_device_count: 0,
    times_activated: 0,
    times_transferred: 0,
    total_consumptions: 0,
    entitlement_version: 1,
    expires_at: "2027-11-21T10:30:00.000Z",
    metadata: {},
    created_at: "2026-11-21T10:30:00.000Z",
    updated_at: "2026-11-21T10:30:00.000Z"
  }]
})
export type License = typeof License.Type

/** Fields that change as apps use the license and time passes. Their changes do not make an edit stale. */
const moving = [
  "active_device_count",
  "times_activated",
  "total_consumptions",
  "entitlement_version",
  "status",
  "terms",
  "names",
  "updated_at"
] as const

/** A license as management sets it: what the tag of its state stands for. Of its status only what was decided counts. */
export const managedOf = (
  license: License
): Omit<License, (typeof moving)[number]> & { readonly state: LicenseState } => ({
  ...Struct.omit(license, moving),
  state: license.status === "suspended" || license.status === "revoked" ? license.status : "active"
})

/** Warnings about a license that was issued as asked, and is over already. */
export const warningsAboutNew = (
  { created_at, expires_at, follows_subscription }: License
): ReadonlyArray<Warning> =>
  expires_at === undefined || Date.parse(expires_at) > Date.parse(created_at)
    ? []
    : [{
      code: "EXPIRES_IN_THE_PAST",
      message: follows_subscription === true
        ? `The license ended on ${expires_at}, as its subscription says. Check its status and current_period_end.`
        : `The license expired on ${expires_at}, before it was issued. Renew it with a later expires_at.`,
      field: "expires_at"
    }]

const reference = text(1, 64)

/** The most products that a license carries beside its first. */
const bundleLimit = 20

/** Further products of a license. */
export const furtherProducts = Schema.Array(reference).check(Schema.isMaxLength(bundleLimit), Schema.isUnique())
  .annotate({
    description: "Further products that the license carries under its key: an app that says which it is with " +
      "`product_code` is answered for that product."
  })

export const LicenseCreate = Schema.Struct({
  product_id: reference,
  product_ids: Schema.optionalKey(furtherProducts),
  policy_id: reference,
  customer_id: Schema.optionalKey(reference),
  order_id: Schema.optionalKey(reference),
  subscription_id: Schema.optionalKey(reference),
  customer_email: Schema.optionalKey(Email),
  customer_name: Schema.optionalKey(Name),
  starts_at: Schema.optionalKey(TimestampInput),
  expires_at: Schema.optionalKey(TimestampInput),
  maintenance_expires_at: Schema.optionalKey(TimestampInput),
  activate_before: Schema.optionalKey(TimestampInput),
  follows_subscription: Schema.optionalKey(Schema.Boolean.annotate({
    description: "Whether the license follows its subscription; as the policy says when left out."
  })),
  overrides: Schema.optionalKey(LicenseOverridesInput),
  status: Schema.optionalKey(
    Schema.Literals(["active", "suspended", "revoked"]).annotate({
      description:
        "`suspended` or `revoked` for a license that another system had taken out of force: it is so from its " +
        "first instant on, and the event of that follows the one of its creation. `active` when left out."
    })
  ),
  metadata: Schema.optionalKey(Metadata),
  license_key: Schema.optionalKey(LicenseKeyInput)
}).annotate({
  identifier: "LicenseCreateRequest",
  examples: [{
    product_id: "prod_06eqpx1trxz3h94vqjm3a6kz7c",
    policy_id: "pol_06eqpx1trxz3h94vqjm3a6kz7c",
    customer_id: "cus_06eqpx1trxz3h94vqjm3a6kz7c",
    expires_at: "2027-11-21T10:30:00Z"
  }]
})
export type LicenseCreate = typeof LicenseCreate.Type

export const LicenseCreated = Schema.Struct({
  license: License,
  license_key: Schema.String.annotate({
    description: "Shown this once; only a keyed hash is stored.",
    examples: ["CS-7K3Q9-W4TBN-2HX8M-RD5VE-0PM2X"]
  })
}).annotate({ identifier: "LicenseCreateResponse" })
export type LicenseCreated = typeof LicenseCreated.Type

/** What people decided about a license; expiry comes from the clock. */
export type LicenseState = "active" | "suspended" | "revoked"

import { Schema, SchemaGetter, Struct } from "effect"
import { LicenseTerms } from "../../catalog/terms/EffectiveTerms.ts"
import { LicenseOverrides, LicenseOverridesInput } from "../../catalog/terms/Rules.ts"
import { NewCustomer } from "../../customers/Customer.ts"
import { environmentOfKey } from "../../ground/environments/Environment.ts"
import type { EnvironmentName } from "../../ground/environments/EnvironmentName.ts"
import { storedTag, Tag } from "../../ground/wire/Action.ts"
import type { FieldFinding, Warning } from "../../ground/wire/Errors.ts"
import {
  bigCount,
  count,
  CreatedAt,
  Email,
  field,
  Metadata,
  Name,
  optional,
  text,
  Timestamp,
  TimestampInput,
  UpdatedAt
} from "../../ground/wire/Fields.ts"
import * as Id from "../../ground/wire/Id.ts"
import { ListOrder } from "../../ground/wire/Page.ts"
import {
  importedKeyShape,
  isMeantAsOurs,
  isMeantAsToken,
  isPublishableKey,
  longestPaste,
  parseLicenseKey
} from "../../keys/security/Credential.ts"
import { TrustedIssuer, TrustedIssuerInput } from "../users/LicenseUser.ts"

const reasonAgainst = (text: string): string | undefined => {
  if (!importedKeyShape.test(text)) return "must be 8 to 1,000 visible ASCII characters, without spaces"
  if (isMeantAsToken(text)) return "must be a license key, not a management token"
  if (isPublishableKey(text)) return "must be a license key, not a publishable key"
  return isMeantAsOurs(text) && parseLicenseKey(text) === undefined
    ? "looks like a key of this service and is mistyped: its length, a character or its check character is wrong"
    : undefined
}

/** A license key that a license is created with, read as {@link parseLicenseKey} does. The reason never repeats it. */
export const LicenseKeyInput = Schema.String.annotate({
  description: "The license key, for customers who keep a key from another system: 8 to 1,000 visible ASCII " +
    "characters, case-sensitive. No license may have or have had it. A key that looks like one of this " +
    "service, such as one that starts with `CS-`, must be valid. Default: a new key."
}).check(
  Schema.makeFilter(reasonAgainst, { toJsonSchema: () => ({ pattern: importedKeyShape.source }) })
).pipe(
  Schema.decodeTo(Schema.String, {
    decode: SchemaGetter.transform((value: string) => parseLicenseKey(value)!),
    encode: SchemaGetter.transform((value: string) => value)
  })
)

/** The findings about a license key that is not for this license alone. */
export const keyTaken = { path: "license_key", code: "taken", message: "a license has this key, or had it before" }
export const keyDuplicate = {
  path: "license_key",
  code: "duplicate",
  message: "an earlier row of this request has this key"
}

/**
 * The findings about the license key that a license is to be created with in an environment: a key of another one leads every
 * request there.
 */
export const keyElsewhere = (key: string | undefined, own: EnvironmentName): ReadonlyArray<FieldFinding> => {
  const name = key === undefined ? undefined : environmentOfKey(key)
  return name === undefined || name === own ? [] : [{
    path: "license_key",
    code: "other_environment",
    message:
      `must not be a key of the ${name} environment, where every request with it would go: this is the ${own} environment`
  }]
}

/** The most tags of a license. */
const mostTags = 20

/** The tags of a license in a request. */
export const Tags = Schema.Array(Tag).check(Schema.isMaxLength(mostTags)).annotate({
  description: `At most ${mostTags} tags. One that comes twice counts once.`
})

/** Tags as they are stored: each once, in the order given; null where there are none. */
export const storedTags = (tags: ReadonlyArray<string>): ReadonlyArray<string> | null => {
  const stored = [...new Set(tags.map(storedTag))]
  return stored.length === 0 ? null : stored
}

/** The tags of a license with others added and taken away, as they are stored; undefined where that is too many. */
export const retagged = (
  tags: ReadonlyArray<string>,
  { add = [], remove = [] }: { readonly add?: ReadonlyArray<string>; readonly remove?: ReadonlyArray<string> }
): ReadonlyArray<string> | null | undefined => {
  const gone = new Set(remove.map(storedTag))
  const left = storedTags([...tags.filter((tag) => !gone.has(tag)), ...add])
  return left !== null && left.length > mostTags ? undefined : left
}

export const LicenseStatus = Schema.Literals(["active", "suspended", "expired", "revoked", "grace_period"])
  .annotate({
    identifier: "LicenseStatus",
    description:
      "`grace_period` is after the expiration and still works; `expired` no longer works. `suspended` can be " +
      "reinstated; `revoked` is permanent."
  })
export type LicenseStatus = typeof LicenseStatus.Type

/** What the ids in a license stand for, in words, so that nobody has to ask for each of them. */
const LicenseNames = Schema.Struct({
  product: field(Schema.String, "The name of the product."),
  policy: field(Schema.String, "The name of the policy."),
  customer: optional(
    Schema.String,
    "The name of the customer, which may differ from the `customer_name` of the license."
  ),
  order: optional(Schema.String, "The ID of the order in the external system."),
  subscription: optional(Schema.String, "The ID of the subscription in the external system."),
  purchase: optional(Schema.String, "The ID of the purchase that the license was issued for, or taken over by.")
}).annotate({
  identifier: "LicenseNames",
  description: "The names behind the IDs in a license.",
  examples: [{ product: "Acme Draft", policy: "Team, yearly", customer: "Ada Lovelace", order: "in_1QX3" }]
})

/** A right to run a product, as management sees it. The key itself is shown once, at creation. */
export const License = Schema.Struct({
  id: Id.text("lic"),
  product_id: Id.text("prod"),
  product_ids: optional(
    Schema.Array(Schema.String),
    "Further products that the license covers under its key, in addition to `product_id`."
  ),
  policy_id: Id.text("pol"),
  customer_id: Schema.optionalKey(Id.text("cus")),
  order_id: Schema.optionalKey(Id.text("ord")),
  subscription_id: Schema.optionalKey(Id.text("sub")),
  status: field(LicenseStatus, "The current status, on the service's clock."),
  license_key_prefix: field(
    Schema.String,
    "The beginning of the license key, at most eight characters; empty for a key of 12 characters or fewer."
  ),
  license_key_last4: field(Schema.String, "The last four characters of the license key."),
  customer_email: optional(Schema.String, "The email address of the owner, at most 320 characters."),
  customer_name: optional(Schema.String, "The name of the owner, at most 255 characters."),
  active_device_count: field(count(0), "Number of devices that have a seat now."),
  times_activated: field(count(0), "How often a device took a seat, in total."),
  times_transferred: field(count(0), "How often the license was transferred to another owner."),
  total_consumptions: field(bigCount(0), "Total usage."),
  entitlement_version: field(bigCount(1), "Increases with every change of what the license grants."),
  starts_at: optional(Timestamp, "Time from which the license works; absent if it works at once."),
  expires_at: optional(Timestamp, "Time when the license expires; absent if it never expires."),
  term_anchor: Schema.optionalKey(Timestamp.annotate({
    description:
      "The date from which the terms of the license count, so that a short month does not shorten later ones; " +
      "absent while they count from the start of the license.",
    examples: ["2026-01-31T10:30:00.000Z"]
  })),
  maintenance_expires_at: optional(
    Timestamp,
    "Versions released until this time are covered; absent if all versions are. Only for perpetual licenses."
  ),
  awaits_activation: optional(
    Schema.Boolean,
    "There while the license waits for its first activation, which starts it."
  ),
  activate_before: Schema.optionalKey(Timestamp.annotate({
    description:
      "Time until which a license that waits for its first activation can be started; absent if there is no " +
      "limit.",
    examples: ["2027-11-21T10:30:00.000Z"]
  })),
  follows_subscription: optional(Schema.Boolean, "There while the license follows its subscription."),
  suspended_by: optional(
    Schema.Literal("subscription"),
    "There while the license is suspended because its subscription is paused, by no person."
  ),
  ends_without_grace: optional(
    Schema.Boolean,
    "There while the license has no grace, because its subscription was canceled."
  ),
  overrides: Schema.optionalKey(LicenseOverrides),
  trusted_issuer: Schema.optionalKey(TrustedIssuer),
  terms: Schema.optionalKey(LicenseTerms),
  names: Schema.optionalKey(LicenseNames),
  tags: optional(Schema.Array(Schema.String), "The tags of the license; absent if it has none."),
  metadata: Metadata,
  created_at: CreatedAt,
  updated_at: UpdatedAt
}).annotate({
  identifier: "License",
  description: "The right of a customer to use a product under a policy.",
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

/** The most products that a license carries beside its first. */
const bundleLimit = 20

/** Further products of a license. */
export const furtherProducts = Schema.Array(text(1, 64)).check(Schema.isMaxLength(bundleLimit), Schema.isUnique())
  .annotate({
    description:
      "Further products that the license covers under its key. An app that sends the `product_code` of one is " +
      "accepted for that product."
  })

/** A license to issue. */
export const LicenseCreate = Schema.Struct({
  product_id: Id.reference("prod"),
  product_ids: Schema.optionalKey(furtherProducts),
  policy_id: Id.reference("pol"),
  customer_id: Schema.optionalKey(Id.reference("cus")),
  customer: optional(
    NewCustomer,
    "Finds or creates the customer in the same write, instead of `customer_id`. Also needs the scope `customer:write`."
  ),
  order_id: Schema.optionalKey(Id.reference("ord")),
  subscription_id: Schema.optionalKey(Id.reference("sub")),
  customer_email: optional(Email, "The email address of the owner, at most 320 characters."),
  customer_name: optional(Name, "The name of the owner, at most 255 characters."),
  starts_at: optional(TimestampInput, "Time from which the license works. Default: at once."),
  expires_at: optional(
    TimestampInput,
    "Time when the license expires, after `starts_at`. Omit for a license that never expires."
  ),
  maintenance_expires_at: optional(
    TimestampInput,
    "Versions released until this time are covered; absent if all versions are. Only for perpetual licenses."
  ),
  activate_before: optional(
    TimestampInput,
    "Time until which a license that starts with its first activation can be started. Default: any time."
  ),
  follows_subscription: optional(
    Schema.Boolean,
    "Whether the license follows its subscription. Default: the rule of the policy."
  ),
  overrides: Schema.optionalKey(LicenseOverridesInput),
  trusted_issuer: Schema.optionalKey(TrustedIssuerInput),
  status: optional(
    Schema.Literals(["active", "suspended", "revoked"]),
    "`suspended` or `revoked` for a license that another system had disabled. Its event follows the one of " +
      "the creation. Default: `active`."
  ),
  tags: Schema.optionalKey(Tags),
  metadata: Schema.optionalKey(Metadata),
  license_key: Schema.optionalKey(LicenseKeyInput)
}).annotate({
  identifier: "LicenseCreateRequest",
  description: "A license to issue.",
  examples: [{
    product_id: "prod_06eqpx1trxz3h94vqjm3a6kz7c",
    policy_id: "pol_06eqpx1trxz3h94vqjm3a6kz7c",
    customer: { name: "Ada Lovelace", email: "ada@example.com" },
    expires_at: "2027-11-21T10:30:00Z"
  }]
})
export type LicenseCreate = typeof LicenseCreate.Type

/** A license to issue whose customer, if it has one, is known by an id. */
export type LicenseOfKnown = Omit<LicenseCreate, "customer">

export const LicenseCreated = Schema.Struct({
  license: License,
  license_key: Schema.String.annotate({
    description: "Shown this once; only a keyed hash is stored.",
    examples: ["CS-7K3Q9-W4TBN-2HX8M-RD5VE-0PM2X"]
  })
}).annotate({
  identifier: "LicenseCreateResponse",
  description: "A new license with its key, which is shown only this once."
})
export type LicenseCreated = typeof LicenseCreated.Type

/** What people decided about a license; expiry comes from the clock. */
export type LicenseState = "active" | "suspended" | "revoked"

/** The orders of the list of licenses. Each is one that an index has. */
export const LicenseOrder = Schema.Literals([
  ...ListOrder.literals,
  "expires_asc",
  "expires_desc",
  "owner_asc",
  "owner_desc",
  "product_asc",
  "product_desc"
])
export type LicenseOrder = typeof LicenseOrder.Type

/** The longest text that a list is searched by. Only a license key may stand in a longer one. */
export const longestSearch = 320

/** How many licenses are found at a time, unless the caller says otherwise, and at most. */
export const foundLimit = { default: 10, maximum: 50 } as const

export const LicenseSearch = Schema.Struct({
  text: text(1, longestPaste).annotate({
    description: "The whole license key, as typed or pasted, or a text for `q` of the list.",
    examples: ["CS-7K3Q9-W4TBN-2HX8M-RD5VE-0PM2X"]
  }),
  limit: Schema.optionalKey(
    Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: foundLimit.maximum })).annotate({
      description: `Maximum number of licenses in the response. Default: ${foundLimit.default}.`,
      examples: [10]
    })
  )
}).annotate({
  identifier: "LicenseSearchRequest",
  description: "The text to search for, and the maximum number of results.",
  examples: [{ text: "CS-7K3Q9-W4TBN-2HX8M-RD5VE-0PM2X" }]
})
export type LicenseSearch = typeof LicenseSearch.Type

export const LicensesFound = Schema.Struct({
  licenses: field(
    Schema.Array(License),
    "The licenses, each with `names`. For a license key, the license that has it or had it."
  ),
  has_more: field(Schema.Boolean, "Whether more licenses match than the response includes.")
}).annotate({ identifier: "LicenseSearchResponse", description: "The licenses that match the text." })
export type LicensesFound = typeof LicensesFound.Type

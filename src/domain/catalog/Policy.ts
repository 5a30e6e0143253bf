import { Schema } from "effect"
import type { FieldFinding } from "../ground/wire/Errors.ts"
import {
  Code,
  count,
  CreatedAt,
  field,
  Metadata,
  Name,
  optional,
  ShownCode,
  ShownName,
  UpdatedAt
} from "../ground/wire/Fields.ts"
import * as Id from "../ground/wire/Id.ts"
import { CountedUpTo } from "../ground/wire/Page.ts"
import { PolicyMails, PolicyMailsInput } from "../mail/Mail.ts"
import { PolicyQuotaChange } from "./PolicyFeature.ts"
import { contradictions, LicenseType, ruleFields, ruleInputs } from "./terms/Rules.ts"

/** The most days before its expiry that a license is announced as expiring. */
const longestWarning = 365

const expiringText =
  "How many days before its expiry a license is announced as expiring, by the event `license.expiring` and by the mail " +
  "`license_expiring`. Absent: the event 7 days before, and the mail 30, 7 and 1 days before."

/** The days of a policy, as it shows them. */
const ExpiringDays = Schema.Array(count(1)).annotate({ description: expiringText })

/** The same as they are given. */
const ExpiringDaysInput = Schema.NullOr(
  Schema.Array(Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: longestWarning }))).check(
    Schema.isBetweenLength(1, 10),
    Schema.isUnique()
  )
).annotate({ description: `${expiringText} Up to 10 days. \`null\` clears it.` })

/** A policy as it is stored. */
export const PolicyRecord = Schema.Struct({
  id: Id.text("pol"),
  product_id: Id.text("prod"),
  name: ShownName,
  code: ShownCode,
  license_type: LicenseType,
  ...ruleFields,
  mails: Schema.optionalKey(PolicyMails),
  expiring_days: Schema.optionalKey(ExpiringDays),
  metadata: Metadata,
  created_at: CreatedAt,
  updated_at: UpdatedAt
})

/** The counts of a policy, which are made when they are asked for. */
const PolicyCounts = Schema.Struct({
  licenses: field(CountedUpTo, "Licenses under the policy, counted to 1,000.")
}).annotate({
  identifier: "PolicyCounts",
  description: "The counts of a policy.",
  examples: [{ licenses: { count: 1000, has_more: true } }]
})

/** The rules that a license is issued under. */
export const Policy = Schema.Struct({
  ...PolicyRecord.fields,
  counts: Schema.optionalKey(PolicyCounts)
}).annotate({
  identifier: "Policy",
  description: "The rules that licenses are issued under.",
  examples: [{
    id: "pol_06eqpx1trxz3h94vqjm3a6kz7c",
    product_id: "prod_06eqpx1trxz3h94vqjm3a6kz7c",
    name: "Annual, 3 devices",
    code: "annual-3",
    license_type: "subscription",
    max_activations: 3,
    floating_timeout_minutes: 10,
    grace_period_days: 7,
    validation_interval_minutes: 1440,
    require_heartbeat: false,
    allow_offline_activation: true,
    offline_grace_days: 30,
    allow_vm: true,
    allow_container: true,
    max_transfers: 3,
    metadata: {},
    created_at: "2026-11-21T10:30:00.000Z",
    updated_at: "2026-11-21T10:30:00.000Z"
  }]
})
export type Policy = typeof Policy.Type

const dryRun = {
  dry_run: optional(
    Schema.Boolean,
    "`true` responds with the policy as it would be, and what the request would do in `dry_run`; nothing is written. " +
      "Default: `false`."
  )
}

export const PolicyCreate = Schema.Struct({
  name: Name,
  code: Code,
  license_type: LicenseType,
  ...ruleInputs,
  mails: Schema.optionalKey(PolicyMailsInput),
  expiring_days: Schema.optionalKey(ExpiringDaysInput),
  metadata: Schema.optionalKey(Metadata),
  ...dryRun
}).annotate({
  identifier: "PolicyCreateRequest",
  description: "A policy to create. Omitted fields have their defaults.",
  examples: [{
    name: "Annual, 3 devices",
    code: "annual-3",
    license_type: "subscription",
    max_activations: 3,
    grace_period_days: 7
  }]
})
export type PolicyCreate = Omit<typeof PolicyCreate.Type, "dry_run">

const changed = {
  name: Schema.optionalKey(Name),
  code: Schema.optionalKey(Code),
  license_type: Schema.optionalKey(LicenseType),
  ...ruleInputs,
  mails: Schema.optionalKey(PolicyMailsInput),
  expiring_days: Schema.optionalKey(ExpiringDaysInput),
  metadata: Schema.optionalKey(Metadata)
}

/** A change of a policy to try, with that of quotas of its features. */
export const PolicyChange = Schema.Struct({
  ...changed,
  features: optional(
    Schema.Array(PolicyQuotaChange).check(Schema.isMaxLength(20)),
    "Other quotas of features that the policy grants, each once."
  )
}).annotate({
  identifier: "PolicyChangeRequest",
  description:
    "Changes of a policy, as `PATCH` takes them, and of quotas of its features. Omitted fields stay as they are.",
  examples: [{ max_activations: 2, allow_vm: false }]
})
export type PolicyChange = typeof PolicyChange.Type

export const PolicyUpdate = Schema.Struct({ ...changed, ...dryRun }).annotate({
  identifier: "PolicyUpdateRequest",
  description: "Changes of a policy. Omitted fields stay as they are.",
  examples: [{ max_activations: 5 }]
})
export type PolicyUpdate = Omit<typeof PolicyUpdate.Type, "dry_run">

/**
 * The defaults of a policy: one seat, everything allowed that the basic operations need, and no grace period.
 */
export const policyDefaults = {
  max_activations: 1,
  max_floating_users: null,
  max_container_instances: null,
  floating_timeout_minutes: 10,
  grace_period_days: 0,
  validation_interval_minutes: 1440,
  require_heartbeat: false,
  allow_offline_activation: true,
  offline_grace_days: 30,
  allow_vm: true,
  allow_container: true,
  max_transfers: 3
} as const

/** Contradictions in a policy after a change. Null means that a rule is not set. */
export const policyFindings = (left: Readonly<Record<string, unknown>>): ReadonlyArray<FieldFinding> => {
  const { license_type, ...rules } = Object.fromEntries(
    Object.entries(left).filter(([, value]) => value !== null)
  ) as Omit<PolicyCreate, "name" | "code">
  return contradictions(rules as Partial<Policy>, license_type)
}

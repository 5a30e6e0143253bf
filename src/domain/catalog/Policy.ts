import { Schema } from "effect"
import { Code, count, Metadata, Name, Timestamp } from "../wire/Fields.ts"

export const LicenseType = Schema.Literals(["perpetual", "time_limited", "subscription", "trial", "consumption"])
  .annotate({ identifier: "LicenseType" })
export type LicenseType = typeof LicenseType.Type

/** The rules that a license is issued under. */
export const Policy = Schema.Struct({
  id: Schema.String,
  product_id: Schema.String,
  name: Schema.String,
  code: Schema.String,
  license_type: LicenseType,
  max_activations: count(0),
  max_floating_users: Schema.optionalKey(count(0)),
  max_container_instances: Schema.optionalKey(count(0)),
  floating_timeout_minutes: count(1),
  grace_period_days: count(0),
  validation_interval_minutes: count(1),
  require_heartbeat: Schema.Boolean,
  allow_offline_activation: Schema.Boolean,
  offline_grace_days: count(0),
  allow_vm: Schema.Boolean,
  allow_container: Schema.Boolean,
  max_transfers: count(0),
  metadata: Metadata,
  created_at: Timestamp,
  updated_at: Timestamp
}).annotate({
  identifier: "Policy",
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

/** A year in minutes: no app should go longer without asking. */
const interval = Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 525_600 }))
/** A hundred years in days. */
const days = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 36_500 }))

const rules = {
  max_activations: Schema.optionalKey(count(0)),
  max_floating_users: Schema.optionalKey(Schema.NullOr(count(0))),
  max_container_instances: Schema.optionalKey(Schema.NullOr(count(0))),
  floating_timeout_minutes: Schema.optionalKey(interval),
  grace_period_days: Schema.optionalKey(days),
  validation_interval_minutes: Schema.optionalKey(interval),
  require_heartbeat: Schema.optionalKey(Schema.Boolean),
  allow_offline_activation: Schema.optionalKey(Schema.Boolean),
  offline_grace_days: Schema.optionalKey(days),
  allow_vm: Schema.optionalKey(Schema.Boolean),
  allow_container: Schema.optionalKey(Schema.Boolean),
  max_transfers: Schema.optionalKey(count(0)),
  metadata: Schema.optionalKey(Metadata)
}

export const PolicyCreate = Schema.Struct({
  name: Name,
  code: Code,
  license_type: LicenseType,
  ...rules
}).annotate({
  identifier: "PolicyCreateRequest",
  examples: [{
    name: "Annual, 3 devices",
    code: "annual-3",
    license_type: "subscription",
    max_activations: 3,
    grace_period_days: 7
  }]
})
export type PolicyCreate = typeof PolicyCreate.Type

export const PolicyUpdate = Schema.Struct({
  name: Schema.optionalKey(Name),
  code: Schema.optionalKey(Code),
  license_type: Schema.optionalKey(LicenseType),
  ...rules
}).annotate({
  identifier: "PolicyUpdateRequest",
  examples: [{ max_activations: 5 }]
})
export type PolicyUpdate = typeof PolicyUpdate.Type

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

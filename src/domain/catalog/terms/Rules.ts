import { Schema, Struct } from "effect"
import type { FieldFinding } from "../../ground/wire/Errors.ts"
import { count, field } from "../../ground/wire/Fields.ts"
import { DurationInput, DurationText } from "./Duration.ts"
import { OverageText } from "./Overage.ts"

export const LicenseType = Schema.Literals(["perpetual", "time_limited", "subscription", "trial", "consumption"])
  .annotate({
    identifier: "LicenseType",
    description: "Permanent, for a limited time, by subscription, as a trial, or by usage."
  })
export type LicenseType = typeof LicenseType.Type

/** A year in minutes: no app should go longer without asking. */
const interval = Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 525_600 }))
/** A hundred years in days. */
const days = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 36_500 }))

/** 31 days in minutes: what is given back later is for the vendor to judge. */
const refundWindow = Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 44_640 }))

const ExpiryBasis = Schema.Literals(["creation", "first_activation"])

const ComponentMatch = Schema.Literals(["any", "most", "all", "1", "2", "3", "4", "5", "6", "7", "8"])

/** What holds one floating seat: a device, whatever runs on it, or each of its processes. */
export const LeaseUnit = Schema.Literals(["device", "process"]).annotate({
  identifier: "LeaseUnit",
  description: "The unit of one floating seat: a device, or each process on it."
})

const SelfServicePeriod = Schema.Literals(["day", "week", "month", "year"])

/** Rules that every policy has. */
const always = {
  max_activations: field(
    count(0),
    "Device limit: how many devices may have a seat at the same time. Default: 1; 0 allows none."
  ),
  floating_timeout_minutes: field(
    interval,
    "Minutes without a heartbeat after which a floating seat becomes free. Default: 10."
  ),
  grace_period_days: field(days, "Days after the expiration in which the license still works. Default: 0."),
  validation_interval_minutes: field(interval, "Minutes that an app should wait between checks. Default: 1440, a day."),
  require_heartbeat: field(Schema.Boolean, "Tells apps to send heartbeats; your app enforces it. Default: `false`."),
  allow_offline_activation: field(
    Schema.Boolean,
    "Whether devices may get an envelope for offline use. Default: `true`."
  ),
  offline_grace_days: field(
    days,
    "Offline duration: days for which an envelope for offline use is valid. Default: 30."
  ),
  allow_vm: field(Schema.Boolean, "Whether the license may be used in virtual machines. Default: `true`."),
  allow_container: field(Schema.Boolean, "Whether the license may be used in containers. Default: `true`."),
  max_transfers: field(
    count(0),
    "How often the license may be transferred to another owner. Default: 3. Setting the first owner, or the " +
      "same owner again, does not count."
  )
}

const duration = "How long a license works, ISO 8601 in UTC: `P14D`, `P1Y`. Sets `expires_at` if the request omits it."
const maintenanceDuration = "How long a perpetual license covers new versions. Sets `maintenance_expires_at`."

/** Rules that a policy may have; an absent rule has no effect. */
const perhaps = {
  max_floating_users: field(
    count(0),
    "How many floating seats may be in use at the same time. Without it, the license has none."
  ),
  max_container_instances: field(
    count(0),
    "How many containers may have a seat at the same time. Without it, `max_activations` applies."
  ),
  duration: field(DurationText, duration),
  expiry_basis: field(
    ExpiryBasis,
    "When durations start: at the `creation`, the default, or at the first activation, which starts the license."
  ),
  maintenance_duration: field(DurationText, maintenanceDuration),
  activation_overage: field(
    OverageText,
    "Device overage: `deny`, the default; `allow`; or a limit above the device limit, such as `10%`."
  ),
  floating_overage: field(
    OverageText,
    "Floating seat overage: `deny`, the default; `allow`; or a limit above the floating seats, such as `10%`."
  ),
  lease_unit: field(
    LeaseUnit,
    "The unit of one floating seat: a `device`, the default, or each `process` on it, which sends its " +
      "`process_id`."
  ),
  follows_subscription: field(
    Schema.Boolean,
    "Whether licenses expire, have a grace period and are suspended together with their subscription."
  ),
  component_match: field(ComponentMatch, "How many `components` must match: `any`, `most`, `all`, or a number."),
  self_service: field(
    Schema.Boolean,
    "Whether the holder of the license key may free the seats of other devices, and in the portal name devices, change the key " +
      "and invite users."
  ),
  max_self_service_resets: field(
    count(0),
    "Self-service reset limit: how many seats of other devices may be freed in each `self_service_period`."
  ),
  self_service_period: field(
    SelfServicePeriod,
    "The period in UTC of the self-service reset limit. Default: `month`."
  ),
  self_service_transfer: field(
    Schema.Boolean,
    "Whether the owner of the license may transfer it to another email address in the portal. Default: `false`."
  ),
  offline_file_days: field(
    days,
    "How many days a file for an air-gapped machine is valid. Default: `offline_grace_days`."
  ),
  hold_offline_seats: field(
    Schema.Boolean,
    "Whether the seat of a released device stays taken until its offline files and envelopes have ended. Default: `false`."
  ),
  refund_window_minutes: field(
    refundWindow,
    "Refund window: how many minutes after a usage event the device that made it may refund it. Without it, apps " +
      "may not refund."
  ),
  max_users: field(
    count(0),
    "User limit: how many people may have a seat at the same time. Apps then sign people in. Without it, the license " +
      "has no users."
  ),
  max_devices_per_user: field(
    count(1),
    "On how many devices one user may use the license at the same time. Without it, `max_activations` alone limits " +
      "devices."
  )
}

/** The description of a field, or else of its schema. */
const descriptionOf = (schema: Schema.Top): string | undefined => {
  const description = Schema.resolveAnnotationsKey(schema)?.["description"] ??
    Schema.resolveAnnotations(schema)?.["description"]
  return typeof description === "string" ? description : undefined
}

/** A schema or null, with the description of the schema or its field. */
export const nullable = <S extends Schema.Top>(schema: S): Schema.NullOr<S> => {
  const description = descriptionOf(schema)
  return description === undefined ? Schema.NullOr(schema) : field(Schema.NullOr(schema), description)
}

interface Clearable extends Struct.Lambda {
  <S extends Schema.Top>(schema: S): Schema.optionalKey<Schema.NullOr<S>>
  readonly "~lambda.out": this["~lambda.in"] extends Schema.Top ? Schema.optionalKey<Schema.NullOr<this["~lambda.in"]>>
    : never
}

/** A rule as it is given: null clears it. */
const clearable = Struct.lambda<Clearable>((schema) =>
  Schema.optionalKey(field(Schema.NullOr(schema), `${descriptionOf(schema)} \`null\` clears it.`))
)

/** The rules of a policy as it shows them. */
export const ruleFields = { ...always, ...Struct.map(perhaps, Schema.optionalKey) }

/** Fields by the names of rules, each with the description of its rule. */
export const describedAsRules = <Fields extends Readonly<Record<keyof typeof ruleFields, Schema.Top>>>(
  fields: Fields
): Fields =>
  Object.fromEntries(
    Object.entries(fields).map(([name, schema]) => [
      name,
      field(schema, descriptionOf(ruleFields[name as keyof typeof ruleFields])!)
    ])
  ) as Fields

/** The optional rules as they are given. */
const given = {
  ...perhaps,
  duration: field(DurationInput, duration),
  maintenance_duration: field(DurationInput, maintenanceDuration)
}

/** The rules as they are given: those left out stay as they are, null takes an optional one away. */
export const ruleInputs = { ...Struct.map(always, Schema.optionalKey), ...Struct.map(given, clearable) }

/** Rules that a license may have of its own; how a license starts and whom it follows is decided when it is issued. */
const { expiry_basis: _basis, follows_subscription: _follows, ...perhapsOfLicense } = perhaps
const { expiry_basis: _givenBasis, follows_subscription: _givenFollows, ...givenToLicense } = given

/** The rules that a license has instead of those of its policy, by the same names. */
export const LicenseOverrides = Schema.Struct(Struct.map({ ...always, ...perhapsOfLicense }, Schema.optionalKey))
  .annotate({
    identifier: "LicenseOverrides",
    description: "Overrides: rules of this license that replace those of its policy.",
    examples: [{ max_activations: 25 }]
  })
export type LicenseOverrides = typeof LicenseOverrides.Type

/** A change of {@link LicenseOverrides}: those left out stay as they are, null takes one away. */
export const LicenseOverridesInput = Schema.Struct(Struct.map({ ...always, ...givenToLicense }, clearable)).annotate({
  identifier: "LicenseOverridesRequest",
  description: "Overrides: rules of this license that replace those of its policy. Omitted rules stay as they are; " +
    "`null` removes one.",
  examples: [{ max_activations: 25 }]
})
export type LicenseOverridesInput = typeof LicenseOverridesInput.Type

const rules = Schema.Struct(ruleFields)

/** The rules that a license is under. */
export type Rules = typeof rules.Type

/** The name of a rule. */
export type RuleKey = keyof Rules

/** The names of all rules. */
export const ruleKeys: ReadonlyArray<RuleKey> = Object.keys(ruleFields) as ReadonlyArray<RuleKey>

/** The rules of a row, without the members that are none. */
export const rulesOf = (row: Rules): Rules =>
  // Entries forget which key has which value; all of these are taken from the row as they are.
  Object.fromEntries(ruleKeys.flatMap((key) => row[key] === undefined ? [] : [[key, row[key]]])) as unknown as Rules

/** Overrides after a change; undefined when none is left. */
export const withOverrides = (
  before: LicenseOverrides | undefined,
  change: LicenseOverridesInput | null
): LicenseOverrides | undefined => {
  if (change === null) return undefined
  const left = Object.entries({ ...before, ...change }).filter(([, value]) => value !== null && value !== undefined)
  return left.length === 0 ? undefined : Object.fromEntries(left) as LicenseOverrides
}

const finding = (path: string, message: string): FieldFinding => ({ path, code: "contradiction", message })

/**
 * What contradicts itself in the rules as they would be left, with the cure; `prefix` stands before the name of each
 * member.
 */
export const contradictions = (
  rules: Partial<Rules>,
  licenseType: LicenseType,
  prefix = ""
): ReadonlyArray<FieldFinding> => {
  const found: Array<FieldFinding> = []
  const against = (isWrong: boolean, member: RuleKey, message: string) => {
    if (isWrong) found.push(finding(`${prefix}${member}`, message))
  }
  const has = (key: RuleKey) => rules[key] !== undefined && rules[key] !== null
  against(
    has("duration") && licenseType === "perpetual",
    "duration",
    "is not for perpetual licenses: use maintenance_duration, or license_type time_limited"
  )
  against(
    has("maintenance_duration") && licenseType !== "perpetual",
    "maintenance_duration",
    "is for perpetual licenses only: use duration, or license_type perpetual"
  )
  against(
    rules.expiry_basis === "first_activation" && !has("duration") && !has("maintenance_duration"),
    "expiry_basis",
    "first_activation needs a duration to count from it"
  )
  against(
    rules.follows_subscription === true && licenseType !== "subscription",
    "follows_subscription",
    "is for license_type subscription only"
  )
  against(
    rules.follows_subscription === true && has("duration"),
    "follows_subscription",
    "excludes duration: a license that follows its subscription ends with the subscription's period"
  )
  against(
    has("floating_overage") && !has("max_floating_users"),
    "floating_overage",
    "needs max_floating_users, the limit that it goes beyond"
  )
  against(
    has("lease_unit") && !has("max_floating_users"),
    "lease_unit",
    "needs max_floating_users, the seats that it takes"
  )
  for (const member of ["max_self_service_resets", "self_service_period", "self_service_transfer"] as const) {
    against(has(member) && rules[member] !== false && rules.self_service !== true, member, "needs self_service: true")
  }
  against(has("max_devices_per_user") && !has("max_users"), "max_devices_per_user", "needs max_users")
  against(
    has("offline_file_days") && rules.allow_offline_activation === false,
    "offline_file_days",
    "needs allow_offline_activation: true"
  )
  return found
}

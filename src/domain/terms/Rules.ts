import { Schema } from "effect"
import type { FieldFinding } from "../wire/Errors.ts"
import { count } from "../wire/Fields.ts"
import { DurationInput, DurationText } from "./Duration.ts"
import { OverageText } from "./Overage.ts"

export const LicenseType = Schema.Literals(["perpetual", "time_limited", "subscription", "trial", "consumption"])
  .annotate({ identifier: "LicenseType" })
export type LicenseType = typeof LicenseType.Type

/** A year in minutes: no app should go longer without asking. */
const interval = Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 525_600 }))
/** A hundred years in days. */
const days = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 36_500 }))

const ExpiryBasis = Schema.Literals(["creation", "first_activation"])

const ComponentMatch = Schema.Literals(["any", "most", "all", "1", "2", "3", "4", "5", "6", "7", "8"])

/** What holds one floating seat: a device, whatever runs on it, or each of its processes. */
export const LeaseUnit = Schema.Literals(["device", "process"]).annotate({ identifier: "LeaseUnit" })

const SelfServicePeriod = Schema.Literals(["day", "week", "month", "year"])

/** Rules that every policy has. */
const always = {
  max_activations: count(0),
  floating_timeout_minutes: interval,
  grace_period_days: days,
  validation_interval_minutes: interval,
  require_heartbeat: Schema.Boolean,
  allow_offline_activation: Schema.Boolean,
  offline_grace_days: days,
  allow_vm: Schema.Boolean,
  allow_container: Schema.Boolean,
  max_transfers: count(0)
}

/** What the optional rules say, for people. */
export const ruleTexts = {
  duration: "How long a license serves, ISO 8601 in UTC: `P14D`, `P1Y`. Sets `expires_at` where it is left out.",
  expiry_basis:
    "What durations count from: `creation`, the default, or the first activation, which starts the license.",
  maintenance_duration: "How long a perpetual license covers new versions. Sets `maintenance_expires_at`.",
  activation_overage: "Beyond the activation seats: `deny`, the default; `allow`; or so much more, such as `10%`.",
  floating_overage: "Beyond the floating seats: `deny`, the default; `allow`; or so much more, such as `10%`.",
  lease_unit:
    "What takes one floating seat: a `device`, the default, or each `process` on it, which names itself by `process_id`.",
  follows_subscription: "Whether licenses end, are in grace and are suspended with their subscription.",
  component_match: "How many `components` must match: `any`, `most`, `all`, or a number.",
  self_service: "Whether the holder of the key may give seats of devices back.",
  max_self_service_resets: "How many seats of others may be given back in a `self_service_period`.",
  self_service_period: "The period in UTC that `max_self_service_resets` counts in; `month` by default.",
  offline_file_days: "How many days a file for an air-gapped machine is good for; `offline_grace_days` by default."
} as const

const described = <S extends Schema.Top>(name: keyof typeof ruleTexts, schema: S): S =>
  schema.annotate({ description: ruleTexts[name] }) as S

/** Rules that a policy may have; one that is absent is not in force. */
const perhaps = {
  max_floating_users: count(0),
  max_container_instances: count(0),
  duration: described("duration", DurationText),
  expiry_basis: described("expiry_basis", ExpiryBasis),
  maintenance_duration: described("maintenance_duration", DurationText),
  activation_overage: described("activation_overage", OverageText),
  floating_overage: described("floating_overage", OverageText),
  lease_unit: described("lease_unit", LeaseUnit),
  follows_subscription: described("follows_subscription", Schema.Boolean),
  component_match: described("component_match", ComponentMatch),
  self_service: described("self_service", Schema.Boolean),
  max_self_service_resets: described("max_self_service_resets", count(0)),
  self_service_period: described("self_service_period", SelfServicePeriod),
  offline_file_days: described("offline_file_days", days)
}

const optionalKeys = <Fields extends Readonly<Record<string, Schema.Top>>>(fields: Fields) =>
  Object.fromEntries(Object.entries(fields).map(([name, schema]) => [name, Schema.optionalKey(schema)])) as {
    readonly [Name in keyof Fields]: Schema.optionalKey<Fields[Name]>
  }

/** A schema or null, with the description of the schema. */
export const nullable = <S extends Schema.Top>(schema: S): Schema.NullOr<S> => {
  const description = Schema.resolveAnnotations(schema)?.["description"]
  return description === undefined ? Schema.NullOr(schema) : Schema.NullOr(schema).annotate({ description })
}

const orNull = <Fields extends Readonly<Record<string, Schema.Top>>>(fields: Fields) =>
  Object.fromEntries(
    Object.entries(fields).map(([name, schema]) => [name, Schema.optionalKey(nullable(schema))])
  ) as unknown as { readonly [Name in keyof Fields]: Schema.optionalKey<Schema.NullOr<Fields[Name]>> }

/** The rules of a policy as it shows them. */
export const ruleFields = { ...always, ...optionalKeys(perhaps) }

/** The optional rules as they are given. */
const given = {
  ...perhaps,
  duration: described("duration", DurationInput),
  maintenance_duration: described("maintenance_duration", DurationInput)
}

/** The rules as they are given: those left out stay as they are, null takes an optional one away. */
export const ruleInputs = { ...optionalKeys(always), ...orNull(given) }

/** Rules that a license may have of its own; how a license starts and whom it follows is decided when it is issued. */
const { expiry_basis: _basis, follows_subscription: _follows, ...perhapsOfLicense } = perhaps
const { expiry_basis: _givenBasis, follows_subscription: _givenFollows, ...givenToLicense } = given

/** The rules that a license has instead of those of its policy, by the same names. */
export const LicenseOverrides = Schema.Struct(optionalKeys({ ...always, ...perhapsOfLicense })).annotate({
  identifier: "LicenseOverrides",
  description: "Rules of this license alone, instead of its policy's by the same names.",
  examples: [{ max_activations: 25 }]
})
export type LicenseOverrides = typeof LicenseOverrides.Type

/** A change of {@link LicenseOverrides}: those left out stay as they are, null takes one away. */
export const LicenseOverridesInput = Schema.Struct(orNull({ ...always, ...givenToLicense })).annotate({
  identifier: "LicenseOverridesRequest",
  description: "Rules of this license alone. Those left out stay as they are; `null` takes one away.",
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
  for (const member of ["max_self_service_resets", "self_service_period"] as const) {
    against(has(member) && rules.self_service !== true, member, "needs self_service: true")
  }
  against(
    has("offline_file_days") && rules.allow_offline_activation === false,
    "offline_file_days",
    "needs allow_offline_activation: true"
  )
  return found
}

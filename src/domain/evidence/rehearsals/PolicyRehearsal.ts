import { Schema } from "effect"
import { PolicyChange } from "../../catalog/Policy.ts"
import type { Policy } from "../../catalog/Policy.ts"
import type { RuleKey, Rules } from "../../catalog/terms/Rules.ts"
import type { FieldFinding } from "../../ground/wire/Errors.ts"
import {
  bigCount,
  count,
  exampleOf,
  field,
  optional,
  text,
  Timestamp,
  TimestampInput
} from "../../ground/wire/Fields.ts"
import * as Id from "../../ground/wire/Id.ts"
import { changedRules } from "../../licensing/explaining/PolicyDryRun.ts"

/** The longest window of a rehearsal, and the one by default, in days. */
export const rehearsalDays = { most: 92, usual: 30 } as const

/** How many licenses one request rehearses. */
export const rehearsedLicenses = 1000

/** How many records of calls, and events, one request reads before it leaves the other licenses to the next one. */
export const rehearsedRows = 200_000

/** The rules whose change is rehearsed: what they decide can be told from the record. */
const rehearsedRules: ReadonlySet<RuleKey> = new Set([
  "max_activations",
  "max_container_instances",
  "activation_overage",
  "allow_vm",
  "allow_container",
  "grace_period_days",
  "max_users",
  "max_devices_per_user",
  "max_floating_users",
  "floating_overage",
  "floating_timeout_minutes"
])

/** The reasons why an outcome is not known. */
export const unknownReasons = [
  "not_recorded",
  "between",
  "earlier_call",
  "floating_seats",
  "many_calls",
  "many_devices",
  "not_reproduced",
  "start",
  "usage",
  "users"
] as const

const UnknownReasonSchema = Schema.Literals(unknownReasons).annotate({
  identifier: "RehearsalUnknownReason",
  description:
    "Why it is not known how calls would be decided. `not_recorded`: the service did not record calls then. " +
    "`between`: the calls are between two of the same hour that would be decided differently. `earlier_call`: an earlier call " +
    "about a seat of the license is not known. `floating_seats`: the records do not name the holder of such a seat, because " +
    "processes or people hold them, or it would have become free at just that time. `users`: the license has those, and it is not recorded who was signed in, several were, or people may have had a seat who asked in vain. `many_calls`: the license has too many records. `many_devices`: the devices are too many for records of each. " +
    "`not_reproduced`: the records do not explain the response, for example because a seat was taken from another device. " +
    "`start`: the license would start at another time. `usage`: another amount of a quota would be left, which may decide either way."
})
export type UnknownReason = typeof unknownReasons[number]

export const PolicyRehearsalRequest = Schema.Struct({
  change: field(PolicyChange, "The change, as for `PATCH /api/v1/policies/{id}`, and of quotas."),
  from: optional(
    TimestampInput,
    "Start of the window, rounded down to the hour. Default: 30 days before `to`; at most 92 days before it."
  ),
  to: optional(TimestampInput, "End of the window, rounded up to the hour. Default: now."),
  after: optional(text(1, 128), "Continues after this license: `next_after` of the response before.")
}).annotate({
  identifier: "PolicyRehearsalRequest",
  description: "A change of a policy to try on the calls of a window of time.",
  examples: [{
    change: { max_activations: 2, allow_vm: false },
    from: "2026-11-01T00:00:00Z",
    to: "2026-12-01T00:00:00Z"
  }]
})
export type PolicyRehearsalRequest = typeof PolicyRehearsalRequest.Type

const value = Schema.Union([Schema.String, Schema.Finite, Schema.Boolean])

const RehearsedRule = Schema.Struct({
  name: field(Schema.String, "The name of the rule."),
  feature_code: optional(Schema.String, "The feature whose quota it is about; absent of a rule of the policy."),
  before: field(Schema.optionalKey(value), "The value as it is; absent if there is no value."),
  after: field(Schema.optionalKey(value), "The value as it would be; absent if there would be no value."),
  is_rehearsed: field(
    Schema.Boolean,
    "Whether the rehearsal applies it. Other rules decide none of the recorded calls, or nothing that the records say."
  )
}).annotate({
  identifier: "RehearsedRule",
  description: "A rule that would change.",
  examples: [{ name: "max_activations", before: 5, after: 2, is_rehearsed: true }]
})

const sums = {
  licenses: field(count(0), "How many licenses."),
  devices: field(count(0), "How many devices."),
  calls: field(bigCount(0), "How many calls.")
}

const RehearsedCode = Schema.Struct({
  code: field(Schema.String, "The error code: of the refusal that would be new, or of the one that there was."),
  ...sums
}).annotate({
  identifier: "RehearsedCode",
  description: "Calls that would be decided differently, by error code.",
  examples: [{ code: "VM_NOT_ALLOWED", licenses: 3, devices: 4, calls: 112 }]
})

const RehearsedUnknown = Schema.Struct({
  reason: UnknownReasonSchema,
  licenses: sums.licenses,
  devices: optional(count(0), "How many devices; absent if that is not known."),
  calls: optional(bigCount(0), "How many calls; absent if that is not known.")
}).annotate({
  identifier: "RehearsedUnknown",
  description: "Calls of which it is not known how they would be decided.",
  examples: [{ reason: "not_reproduced", licenses: 1, devices: 1, calls: 2 }]
})

const RehearsedLicense = Schema.Struct({
  license_id: Id.text("lic"),
  devices: field(count(0), "How many devices would be refused or granted calls."),
  refused: field(bigCount(0), "How many calls would be refused that were granted."),
  granted: field(bigCount(0), "How many calls would be granted that were refused."),
  unknown: field(bigCount(0), "How many calls are not known."),
  codes: field(Schema.Array(Schema.String), "The error codes of these calls.")
}).annotate({
  identifier: "RehearsedLicense",
  description: "A license with calls that would be decided differently.",
  examples: [{
    license_id: "lic_06eqpx1trxz3h94vqjm3a6kz7c",
    devices: 1,
    refused: 29,
    granted: 0,
    unknown: 0,
    codes: ["VM_NOT_ALLOWED"]
  }]
})

/** The outcome of calls under a changed policy. */
export const PolicyRehearsal = Schema.Struct({
  policy_id: Id.text("pol"),
  from: field(Timestamp, "Start of the window."),
  to: field(Timestamp, "End of the window."),
  recorded_from: field(
    Timestamp,
    "Calls before this time were not recorded, or are deleted. Activations are known from the events."
  ),
  rules: field(Schema.Array(RehearsedRule), "The rules that would change."),
  licenses: field(
    count(0),
    "How many licenses were rehearsed: those that are under the policy now, at most 1,000 in a response."
  ),
  calls: field(
    Schema.Struct({
      all: field(bigCount(0), "How many calls."),
      same: field(bigCount(0), "How many would be granted as they were, or refused as they were."),
      refused: field(bigCount(0), "How many would be refused that were granted."),
      granted: field(bigCount(0), "How many would be granted that were refused."),
      unknown: field(bigCount(0), "How many are not known.")
    }),
    "The recorded calls: activations and deactivations, `validate`, `check` and `consume`, and those about floating seats."
  ),
  refused: field(Schema.Array(RehearsedCode), "Calls that would be refused, by the error code of the refusal."),
  granted: field(
    Schema.Array(RehearsedCode),
    "Calls that would be granted, by the error code that they were refused with."
  ),
  unknown: field(Schema.Array(RehearsedUnknown), "Calls that are not known, by reason."),
  affected: field(
    Schema.Array(RehearsedLicense),
    "The licenses with calls that would be decided differently, in the order of IDs."
  ),
  next_after: optional(
    Schema.String,
    "More licenses follow: repeat the request with this as `after`, and add the numbers up. Absent at the end."
  )
}).annotate({
  identifier: "PolicyRehearsal",
  description: "How calls of the past would have been decided under a changed policy.",
  examples: [{
    policy_id: "pol_06eqpx1trxz3h94vqjm3a6kz7c",
    from: "2026-11-01T00:00:00.000Z",
    to: "2026-12-01T00:00:00.000Z",
    recorded_from: "2026-10-01T00:00:00.000Z",
    rules: [exampleOf(RehearsedRule)],
    licenses: 37,
    calls: { all: 1200, same: 1088, refused: 112, granted: 0, unknown: 0 },
    refused: [exampleOf(RehearsedCode)],
    granted: [],
    unknown: [],
    affected: []
  }]
})
export type PolicyRehearsal = typeof PolicyRehearsal.Type

/** Findings about a policy as it would be left, as findings about `change`. */
export const changeFindings = (findings: ReadonlyArray<FieldFinding>): ReadonlyArray<FieldFinding> =>
  findings.map(({ code, message, path }) => ({ path: `change.${path}`, code, message }))

/** The rules that a change makes other ones, and whether each is rehearsed. */
export const rehearsedChanges = (before: Rules, after: Rules): PolicyRehearsal["rules"] => {
  const changeOf = (name: RuleKey): PolicyRehearsal["rules"][number] => ({
    name,
    ...(before[name] === undefined ? {} : { before: before[name] }),
    ...(after[name] === undefined ? {} : { after: after[name] }),
    is_rehearsed: rehearsedRules.has(name)
  })
  return changedRules(before, after).map(changeOf)
}

/** Lays the rehearsed rules of a change over a policy as it stood at any time. */
export const amendedBy = (before: Rules, after: Rules) => {
  const changed = new Set(changedRules(before, after))
  return (policy: Policy): Policy => {
    const {
      activation_overage: _overage,
      floating_overage: _floatingOverage,
      max_container_instances: _containers,
      max_devices_per_user: _perUser,
      max_floating_users: _floating,
      max_users: _users,
      ...rest
    } = policy
    const rule = <Name extends RuleKey>(name: Name): Rules[Name] => changed.has(name) ? after[name] : policy[name]
    const [containers, overage] = [rule("max_container_instances"), rule("activation_overage")]
    const [floating, floatingOverage] = [rule("max_floating_users"), rule("floating_overage")]
    const [users, perUser] = [rule("max_users"), rule("max_devices_per_user")]
    return {
      ...rest,
      max_activations: rule("max_activations"),
      allow_vm: rule("allow_vm"),
      allow_container: rule("allow_container"),
      grace_period_days: rule("grace_period_days"),
      floating_timeout_minutes: rule("floating_timeout_minutes"),
      ...(containers === undefined ? {} : { max_container_instances: containers }),
      ...(overage === undefined ? {} : { activation_overage: overage }),
      ...(floating === undefined ? {} : { max_floating_users: floating }),
      ...(floatingOverage === undefined ? {} : { floating_overage: floatingOverage }),
      ...(users === undefined ? {} : { max_users: users }),
      ...(perUser === undefined ? {} : { max_devices_per_user: perUser })
    }
  }
}

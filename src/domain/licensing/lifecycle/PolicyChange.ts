import { Schema } from "effect"
import type { EffectiveFeature } from "../../catalog/terms/EffectiveFeatures.ts"
import { FeatureValue, sameValue } from "../../catalog/terms/FeatureValue.ts"
import { Period } from "../../catalog/terms/Period.ts"
import { ruleKeys } from "../../catalog/terms/Rules.ts"
import type { Rules } from "../../catalog/terms/Rules.ts"
import { reasoned } from "../../ground/wire/Action.ts"
import { bigCount, field, optional, text } from "../../ground/wire/Fields.ts"
import * as Id from "../../ground/wire/Id.ts"
import { License } from "../licenses/License.ts"
import { licenseLinks } from "./LicenseUpdate.ts"

export const PolicyChange = Schema.Struct({
  policy_id: field(text(1, 64), "The policy that the license is under from now on."),
  ...licenseLinks,
  devices: optional(
    Schema.Literals(["refuse", "keep", "reset_newest"]),
    "Devices, floating seats and users above the new limits: `refuse` the change, the default; `keep` them until " +
      "they are released; or `reset_newest`, which resets the newest devices, releases the newest floating " +
      "seats and removes the newest users."
  ),
  reset_device_ids: optional(
    Schema.Array(text(1, 64)).check(Schema.isMaxLength(1000)),
    "Devices that are reset with the change, so that others stay: at most 1,000. One without a seat is ignored. The " +
      "seats that are left are judged by `devices`."
  ),
  counters: optional(
    Schema.Literals(["keep", "restart"]),
    "Recorded usage: `keep`, the default, or `restart` from zero."
  ),
  expiry: optional(
    Schema.Literals(["keep", "policy"]),
    "When the license ends: as it does now (`keep`, the default), or as one that is issued now under the " +
      "new policy (`policy`): by its duration from now, with its subscription, or never."
  ),
  overrides: optional(
    Schema.Literals(["keep", "drop"]),
    "The overrides of the license: `keep`, the default, or `drop`."
  ),
  dry_run: optional(Schema.Boolean, "`true` returns what the change would do, and changes nothing. Default: `false`."),
  ...reasoned
}).annotate({
  identifier: "LicensePolicyChangeRequest",
  description: "The new policy of a license, and how to treat its devices and features.",
  examples: [{ policy_id: "pol_06eqpx1trxz3h94vqjm3a6kz7c", devices: "reset_newest", dry_run: true }]
})
export type PolicyChange = typeof PolicyChange.Type

const value = Schema.Union([Schema.String, Schema.Finite, Schema.Boolean])

/** What is told of a license's own members. */
const reportedMembers = [
  "status",
  "expires_at",
  "maintenance_expires_at",
  "awaits_activation",
  "follows_subscription",
  "ends_without_grace"
] as const

const ValueDifference = Schema.Struct({
  kind: field(
    Schema.Literals(["term", "license", "counter"]),
    "A rule of the effective policy (`term`), a field of the `license`, or a `counter` that restarts."
  ),
  name: field(Schema.String, "The name of the rule or field, or the code of the metered feature."),
  before: field(Schema.optionalKey(value), "The previous value; absent if there was no value."),
  after: field(Schema.optionalKey(value), "The new value; absent if there is no value.")
}).annotate({
  identifier: "ValueDifference",
  description: "A value of the license that is another one.",
  examples: [{ kind: "term", name: "max_activations", before: 3, after: 25 }]
})

/** A value that is another one than before. */
export type ValueDifference = typeof ValueDifference.Type

const FeatureTerms = Schema.Struct({
  enabled: field(Schema.Boolean, "Whether the license may use the feature."),
  value: Schema.optionalKey(FeatureValue),
  max_consumptions: optional(bigCount(0), "The quota. Without it, usage is counted but not limited."),
  period: Schema.optionalKey(Period),
  overage: optional(Schema.String, "Usage above the quota: `deny`, `allow`, or a limit such as `10%`.")
}).annotate({
  identifier: "FeatureTerms",
  description: "A feature as the license has it, and its quota.",
  examples: [{ enabled: true, max_consumptions: 1000, period: "month" }]
})
type FeatureTerms = typeof FeatureTerms.Type

const FeatureDifference = Schema.Struct({
  kind: field(Schema.Literal("feature"), "Always `feature`."),
  feature_id: Id.text("feat"),
  feature_code: field(Schema.String, "The code of the feature."),
  change: field(
    Schema.Literals(["gained", "lost", "changed"]),
    "`gained`: the license may use the feature now. `lost`: it could before, but not now. `changed`: it has " +
      "another quota or value."
  ),
  before: optional(FeatureTerms, "The feature before the change; absent if the license did not have it."),
  after: optional(FeatureTerms, "The feature after the change; absent if the license no longer has it.")
}).annotate({
  identifier: "FeatureDifference",
  description: "A feature of the license, before and after the change.",
  examples: [{
    kind: "feature",
    feature_id: "feat_06eqpx1trxz3h94vqjm3a6kz7c",
    feature_code: "render",
    change: "gained",
    after: { enabled: true, max_consumptions: 1000, period: "month" }
  }]
})

const SeatDifference = Schema.Struct({
  kind: field(
    Schema.Literals(["device", "lease", "user"]),
    "The kind of seat: the activation of a `device`, a floating `lease`, or that of a `user`."
  ),
  id: field(Schema.String, "The device that is reset, the lease that is released, or the user who is removed.")
}).annotate({
  identifier: "SeatDifference",
  description: "A seat above the new limit that is released.",
  examples: [{ kind: "device", id: "dev_06eqpx1trxz3h94vqjm3a6kz7c" }]
})
export type SeatDifference = typeof SeatDifference.Type

const PolicyDifference = Schema.Union([
  ValueDifference,
  FeatureDifference,
  SeatDifference
])
export type PolicyDifference = typeof PolicyDifference.Type

export const PolicyChanged = Schema.Struct({
  license: License,
  changes: field(
    Schema.Array(PolicyDifference),
    "All differences: rules, fields of the license, features, counters, then released seats."
  )
}).annotate({
  identifier: "LicensePolicyChangeResponse",
  description: "The license under its new policy, with all differences."
})
export type PolicyChanged = typeof PolicyChanged.Type

/** What a license is under at one time. */
export interface UnderPolicy {
  readonly license: License
  readonly rules: Rules
  readonly features: ReadonlyArray<EffectiveFeature>
}

/** A value that may be none, as an optional member of that name. */
const present = <Name extends string, A>(name: Name, found: A | null | undefined) =>
  (found === undefined || found === null ? {} : { [name]: found }) as { readonly [_ in Name]?: A }

const beforeAndAfter = <A>(before: A | null | undefined, after: A | null | undefined) => ({
  ...present("before", before),
  ...present("after", after)
})

const featureTerms = (feature: EffectiveFeature | undefined): FeatureTerms | undefined =>
  feature && {
    enabled: feature.enabled,
    ...present("value", feature.value),
    ...present("max_consumptions", feature.quota),
    ...present("period", feature.period),
    ...present("overage", feature.overage)
  }

const sameTerms = (a: FeatureTerms | undefined, b: FeatureTerms | undefined): boolean =>
  a?.enabled === b?.enabled && a?.max_consumptions === b?.max_consumptions && a?.period === b?.period &&
  a?.overage === b?.overage && sameValue(a?.value, b?.value)

const featureDifferences = (
  before: ReadonlyArray<EffectiveFeature>,
  after: ReadonlyArray<EffectiveFeature>
): ReadonlyArray<PolicyDifference> => {
  const had = new Map(before.map((feature) => [feature.id, feature]))
  const has = new Map(after.map((feature) => [feature.id, feature]))
  const all = [...after, ...before.filter(({ id }) => !has.has(id))]
  return all.toSorted((a, b) => a.code < b.code ? -1 : a.code > b.code ? 1 : 0).flatMap(({ code, id }) => {
    const [then, now] = [featureTerms(had.get(id)), featureTerms(has.get(id))]
    // What may not be used either way is no difference to anybody.
    if (sameTerms(then, now) || (then?.enabled !== true && now?.enabled !== true)) return []
    const change = then?.enabled !== true ? "gained" : now?.enabled === true ? "changed" : "lost"
    return [{ kind: "feature" as const, feature_id: id, feature_code: code, change, ...beforeAndAfter(then, now) }]
  })
}

/** What differs between a license under one policy and under another: rules, members, then features by their codes. */
export const policyDifferences = (before: UnderPolicy, after: UnderPolicy): ReadonlyArray<PolicyDifference> => [
  ...ruleKeys.flatMap((name) =>
    before.rules[name] === after.rules[name]
      ? []
      : [{ kind: "term" as const, name, ...beforeAndAfter(before.rules[name], after.rules[name]) }]
  ),
  ...reportedMembers.flatMap((name) =>
    before.license[name] === after.license[name]
      ? []
      : [{ kind: "license" as const, name, ...beforeAndAfter(before.license[name], after.license[name]) }]
  ),
  ...featureDifferences(before.features, after.features)
]

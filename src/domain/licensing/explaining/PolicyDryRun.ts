import { Schema } from "effect"
import { Policy } from "../../catalog/Policy.ts"
import { ruleKeys } from "../../catalog/terms/Rules.ts"
import type { RuleKey, Rules } from "../../catalog/terms/Rules.ts"
import { FieldFinding } from "../../ground/wire/Errors.ts"
import { count, exampleOf, field } from "../../ground/wire/Fields.ts"
import { PolicyPreview } from "./PolicyPreview.ts"

/** How many of the licenses of a policy are looked at. */
export const mostReached = 10_000

const value = Schema.Union([Schema.String, Schema.Finite, Schema.Boolean])

const PolicyRuleChange = Schema.Struct({
  name: field(Schema.String, "The name of the rule."),
  before: field(Schema.optionalKey(value), "The value as it is; absent if there is no value."),
  after: field(Schema.optionalKey(value), "The value as it would be; absent if there would be no value."),
  overridden: field(count(0), "How many of the licenses have an override of the rule, and keep it."),
  beyond: field(
    Schema.optionalKey(count(0)),
    "How many of the licenses use more than is served under the new value: they keep what they use, and new seats are " +
      "refused. Only for the limits of devices, containers, floating seats and users, and for their overage."
  )
}).annotate({
  identifier: "PolicyRuleChange",
  description: "A rule that would change, and how many licenses it would not change for.",
  examples: [{ name: "max_activations", before: 5, after: 3, overridden: 4, beyond: 6 }]
})
type PolicyRuleChange = typeof PolicyRuleChange.Type

const PolicyReach = Schema.Struct({
  licenses: field(
    count(0),
    "How many licenses are under the policy, without revoked ones. At most the newest 10,000 licenses are counted."
  ),
  is_complete: field(Schema.Boolean, "Whether the policy has no more licenses than those that were counted."),
  changes: field(Schema.Array(PolicyRuleChange), "The rules that would change; empty for a new policy.")
}).annotate({
  identifier: "PolicyReach",
  description: "The licenses that a change of the policy would reach.",
  examples: [{ licenses: 37, is_complete: true, changes: [exampleOf(PolicyRuleChange)] }]
})
export type PolicyReach = typeof PolicyReach.Type

const PolicyDryRun = Schema.Struct({
  findings: field(
    Schema.Array(FieldFinding),
    "Errors that the request would be refused for: rules that contradict each other. Empty if it would be carried out."
  ),
  reach: PolicyReach,
  preview: field(
    Schema.Array(PolicyPreview),
    "Responses to an app under the policy, for a new license. Empty while there are findings."
  )
}).annotate({
  identifier: "PolicyDryRun",
  description: "The effect that a request with `dry_run` would have.",
  examples: [{ findings: [], reach: exampleOf(PolicyReach), preview: [exampleOf(PolicyPreview)] }]
})

/** A policy as a write of it leaves it, or would leave it. */
export const PolicyWritten = Schema.Struct({
  ...Policy.fields,
  dry_run: field(Schema.optionalKey(PolicyDryRun), "Only for a request with `dry_run`: nothing was written.")
}).annotate({
  identifier: "PolicyWritten",
  description: "The policy as it is now, or as it would be after a request with `dry_run`.",
  examples: [exampleOf(Policy)]
})
export type PolicyWritten = typeof PolicyWritten.Type

/** The rules that a change of a policy makes other ones. */
export const changedRules = (before: Rules, after: Rules): ReadonlyArray<RuleKey> =>
  ruleKeys.filter((name) => before[name] !== after[name])

/** The rules that say how many seats are served. */
const seatRules = [
  "max_activations",
  "max_container_instances",
  "max_floating_users",
  "max_users",
  "max_devices_per_user",
  "activation_overage",
  "floating_overage"
] as const satisfies ReadonlyArray<RuleKey>
type SeatRule = typeof seatRules[number]

/** What is counted of the licenses of a policy. */
export interface CountedReach {
  readonly licenses: number
  readonly is_complete: boolean
  /** By the names of rules: how many have an override. */
  readonly overridden: Readonly<Record<string, number>>
  /** By the names of changed rules of seats: how many use more than is served. */
  readonly beyond: Readonly<Record<SeatRule, number>>
}

const isSeatRule = (name: RuleKey): name is SeatRule => seatRules.some((rule) => rule === name)

/** The reach of a change, by what was counted. */
export const reachOf = (before: Rules, after: Rules, counted: CountedReach): PolicyReach => {
  const changeOf = (name: RuleKey): PolicyRuleChange => ({
    name,
    ...(before[name] === undefined ? {} : { before: before[name] }),
    ...(after[name] === undefined ? {} : { after: after[name] }),
    overridden: counted.overridden[name] ?? 0,
    ...(isSeatRule(name) ? { beyond: counted.beyond[name] } : {})
  })
  return {
    licenses: counted.licenses,
    is_complete: counted.is_complete,
    changes: changedRules(before, after).map(changeOf)
  }
}

/** The reach of a policy that is new. */
export const noReach: PolicyReach = { licenses: 0, is_complete: true, changes: [] }

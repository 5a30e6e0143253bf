import { Schema } from "effect"
import { Reason } from "../../ground/wire/Action.ts"
import { field } from "../../ground/wire/Fields.ts"

/** The actions of people that can require a reason. Each takes `reason`, and the console asks for it. */
const reasonedActions = [
  "license.suspended",
  "license.reinstated",
  "license.revoked",
  "license.renewed",
  "license.transferred",
  "license.policy_changed",
  "license.key_rotated",
  "license.usage_reset",
  "device.reset",
  "device.blacklisted",
  "lease.checked_in",
  "customer.erased",
  "api_key.revoked",
  "person.removed"
] as const

export const ReasonedAction = Schema.Literals(reasonedActions).annotate({
  identifier: "ReasonedAction",
  description: "An action that can require a reason, by the kind of its event."
})
export type ReasonedAction = typeof ReasonedAction.Type

/** Whether an action can require a reason. */
export const isReasonedAction = Schema.is(ReasonedAction)

/** The most reasons that are suggested, and the most characters of each. */
const maximumSuggestions = 12
const longestSuggestion = 60

/** The reasons that are suggested until others are set. */
export const usualReasons: ReadonlyArray<string> = ["Refund", "Chargeback", "Key leaked", "Customer asked", "Abuse"]

/** The actions that require a reason. */
export const RequiredReasons = field(
  Schema.Array(ReasonedAction).check(Schema.isMaxLength(reasonedActions.length), Schema.isUnique()),
  "The actions that are refused without a `reason`, for every caller and in jobs."
)

/** The reasons that the console suggests. */
export const SuggestedReasons = Schema.Array(Reason.check(Schema.isMaxLength(longestSuggestion))).check(
  Schema.isMaxLength(maximumSuggestions),
  Schema.isUnique()
)

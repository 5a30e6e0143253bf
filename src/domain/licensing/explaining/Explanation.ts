import { Schema } from "effect"
import { Policy } from "../../catalog/Policy.ts"
import { LicenseTerms } from "../../catalog/terms/EffectiveTerms.ts"
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
import { DecidingTerm } from "../entitlements/DecidingTerm.ts"
import type { RuleName, RuntimeOperation } from "../entitlements/DecisionInput.ts"
import { ProcessId, RuntimeRequest } from "../entitlements/RuntimeRequest.ts"
import { Device } from "../licenses/Device.ts"
import { License, LicenseStatus } from "../licenses/License.ts"

const operations = [
  "activate",
  "validate",
  "check",
  "consume",
  "refund",
  "deactivate",
  "offline",
  "checkout",
  "heartbeat",
  "checkin"
] as const satisfies ReadonlyArray<RuntimeOperation>

export const RuntimeOperationSchema = Schema.Literals(operations).annotate({
  identifier: "RuntimeOperation",
  description: "An operation of the runtime API."
})

/** The runtime call to explain: it is judged, not made. */
export const ExplainRequest = Schema.Struct({
  operation: optional(RuntimeOperationSchema, "The operation. Default: `validate`."),
  binding: optional(RuntimeRequest, "The device that would call. If omitted, device rules are not checked."),
  take_seat_of: optional(text(1, 128), "The device whose seat activate would take when none is free."),
  process_id: optional(ProcessId, "The process that checkout would be for."),
  feature_code: optional(text(1, 128), "The usage of consume."),
  amount: optional(
    bigCount(0),
    "Amount that consume would use. Default: 1. 0 is for a feature whose `meter` is `max` or `last` alone."
  ),
  at: optional(
    TimestampInput,
    "The time to check for. Default: now. For a past time, the state is rebuilt from the event log; for a " +
      "future time, only the clock moves."
  )
}).annotate({
  identifier: "LicenseExplainRequest",
  description: "A runtime call to judge without making it.",
  examples: [{ operation: "activate", binding: { fingerprint: "b8e1c6f2d4" }, at: "2026-11-21T10:30:00Z" }]
})
export type ExplainRequest = typeof ExplainRequest.Type

/** A rule that refuses the call. */
export const Finding = Schema.Struct({
  rank: field(count(1), "1 is the finding that decides."),
  rule: field(Schema.String, "The stable name of the rule."),
  code: field(Schema.String, "The error code of the response if this rule decides."),
  message: field(Schema.String, "The message for people. The wording may change."),
  detail: optional(Schema.String, "More about this case."),
  term: DecidingTerm
}).annotate({
  identifier: "LicenseFinding",
  description: "A rule that refuses the call.",
  examples: [{
    rank: 1,
    rule: "license_expired",
    code: "LICENSE_EXPIRED",
    message: "The license has expired and any grace period is over.",
    term: { name: "expires_at", value: "2026-11-01T00:00:00.000Z", from: "license" }
  }]
})

/** Why a runtime call is answered as it is. */
export const Explanation = Schema.Struct({
  license_id: Id.text("lic"),
  operation: RuntimeOperationSchema,
  at: field(Timestamp.annotate({ examples: ["2026-11-21T10:30:00.000Z"] }), "The time for which the call was judged."),
  source: field(
    Schema.Literals(["current", "log"]),
    "Where the state comes from: the tables, or the event log as of `at`."
  ),
  is_allowed: field(Schema.Boolean, "Whether the call would be granted."),
  status: field(LicenseStatus, "The state of the license at the time `at`."),
  deciding_rule: optional(Schema.String, "The rule that refuses the call; absent if it is allowed."),
  findings: field(Schema.Array(Finding), "Every finding in order of rank; empty when allowed."),
  judged: field(
    Schema.Array(Schema.Literals(["license", "device", "feature"])),
    "The rules that could be checked with the given fields."
  ),
  license: field(License, "As its last event before `at` left it, or as it is."),
  policy: field(Policy, "As it stood."),
  terms: field(LicenseTerms, "The effective policy, with the source of each rule."),
  device: Schema.optionalKey(Device)
}).annotate({
  identifier: "LicenseExplanation",
  description: "The result of a runtime call, and its reasons.",
  examples: [{
    license_id: "lic_06eqpx1trxz3h94vqjm3a6kz7c",
    operation: "activate",
    at: "2026-11-21T10:30:00.000Z",
    source: "current",
    is_allowed: true,
    status: "active",
    findings: [],
    judged: ["license", "device"],
    license: exampleOf(License),
    policy: exampleOf(Policy),
    terms: exampleOf(LicenseTerms)
  }]
})
export type Explanation = typeof Explanation.Type

/** A finding as the wire shows it. */
export const findingOf = (
  { refusal, rule, term }: {
    readonly rule: RuleName
    readonly term: DecidingTerm
    readonly refusal: { readonly error: { readonly code: string; readonly message: string; readonly detail?: string } }
  },
  index: number
): typeof Finding.Type => ({
  rank: index + 1,
  rule,
  code: refusal.error.code,
  message: refusal.error.message,
  ...(refusal.error.detail === undefined ? {} : { detail: refusal.error.detail }),
  term
})

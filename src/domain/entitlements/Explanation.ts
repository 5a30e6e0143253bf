import { Schema } from "effect"
import { Policy } from "../catalog/Policy.ts"
import { Device } from "../licenses/Device.ts"
import { License, LicenseStatus } from "../licenses/License.ts"
import { LicenseTerms } from "../terms/EffectiveTerms.ts"
import { bigCount, count, exampleOf, text, Timestamp, TimestampInput } from "../wire/Fields.ts"
import { DecidingTerm } from "./DecidingTerm.ts"
import type { RuleName, RuntimeOperation } from "./Decision.ts"
import { ProcessId, RuntimeRequest } from "./RuntimeRequest.ts"

const operations = [
  "activate",
  "validate",
  "check",
  "consume",
  "deactivate",
  "offline",
  "checkout",
  "heartbeat",
  "checkin"
] as const satisfies ReadonlyArray<RuntimeOperation>

const RuntimeOperationSchema = Schema.Literals(operations).annotate({ identifier: "RuntimeOperation" })

/** The runtime call to explain: it is judged, not made. */
export const ExplainRequest = Schema.Struct({
  operation: Schema.optionalKey(RuntimeOperationSchema.annotate({ description: "validate when left out." })),
  binding: Schema.optionalKey(RuntimeRequest.annotate({
    description: "Who would call. Without it, the rules about devices are not judged."
  })),
  take_seat_of: Schema.optionalKey(
    text(1, 128).annotate({
      description: "The device whose seat activate would take when none is free."
    })
  ),
  process_id: Schema.optionalKey(ProcessId.annotate({ description: "The process that checkout would be for." })),
  feature_code: Schema.optionalKey(text(1, 128).annotate({ description: "What consume would use." })),
  amount: Schema.optionalKey(bigCount(1)),
  at: Schema.optionalKey(TimestampInput.annotate({
    description:
      "The instant to judge at; now when left out. In the past, the state is rebuilt from the event log; in " +
      "the future, only the clock moves."
  }))
}).annotate({
  identifier: "LicenseExplainRequest",
  examples: [{ operation: "activate", binding: { fingerprint: "b8e1c6f2d4" }, at: "2026-11-21T10:30:00Z" }]
})
export type ExplainRequest = typeof ExplainRequest.Type

/** A rule that refuses the call. */
const Finding = Schema.Struct({
  rank: count(1).annotate({ description: "1 is the finding that decides." }),
  rule: Schema.String.annotate({ description: "The stable name of the rule." }),
  code: Schema.String.annotate({ description: "The error code that the call is answered with when this decides." }),
  message: Schema.String,
  detail: Schema.optionalKey(Schema.String),
  term: DecidingTerm
}).annotate({
  identifier: "LicenseFinding",
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
  license_id: Schema.String,
  operation: RuntimeOperationSchema,
  at: Timestamp.annotate({ examples: ["2026-11-21T10:30:00.000Z"] }),
  source: Schema.Literals(["current", "log"]).annotate({
    description: "Where the state comes from: the tables, or the event log as of `at`."
  }),
  is_allowed: Schema.Boolean,
  status: LicenseStatus.annotate({ description: "At the instant `at`." }),
  deciding_rule: Schema.optionalKey(Schema.String),
  findings: Schema.Array(Finding).annotate({ description: "Every finding in order of rank; empty when allowed." }),
  judged: Schema.Array(Schema.Literals(["license", "device", "feature"])).annotate({
    description: "What the rules could judge with what was given."
  }),
  license: License.annotate({ description: "As its last event before `at` left it, or as it is." }),
  policy: Policy.annotate({ description: "As it stood." }),
  terms: LicenseTerms.annotate({ description: "The rules that were in force, each with where it comes from." }),
  device: Schema.optionalKey(Device)
}).annotate({
  identifier: "LicenseExplanation",
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

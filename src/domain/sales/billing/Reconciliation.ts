import { Schema } from "effect"
import { bigCount, count, CreatedAt, field, optional, Timestamp, UpdatedAt } from "../../ground/wire/Fields.ts"
import * as Id from "../../ground/wire/Id.ts"
import { PurchaseHold, readFailure } from "./Purchase.ts"

/** Where a reconciliation stands: queued -> running -> done, and running -> failed; between two tries it is queued again. */
const ReconciliationStatus = Schema.Literals(["queued", "running", "done", "failed"]).annotate({
  identifier: "ReconciliationStatus",
  description: "`queued`: it waits for its turn, or for the provider. `running`: the lists of the provider are read. " +
    "`done`: all of them were read. `failed`: it ended early, for the reason in `failure`."
})

/** The kind of a finding. */
const ReconciliationFindingKind = Schema.Literals(["missing", "differs", "unknown"]).annotate({
  identifier: "ReconciliationFindingKind",
  description:
    "`missing`: the provider has a purchase that was not known here. `differs`: it was another one here, in " +
    "`fields`. `unknown`: it is known here, and not in the lists of the provider; nothing is changed for that."
})

/** What a purchase would do that a dry run has found. */
const ForeseenOutcome = Schema.Literals(["takes_over", "issues", "doubles", "waits", "fails", "nothing"]).annotate({
  identifier: "ReconciliationOutcome",
  description:
    "`takes_over`: licenses that are there become those of the purchase. `issues`: it gets new licenses. `doubles`: it gets new licenses, " +
    "although the customer has others of the product that work and that no purchase pays for. `waits`: for what `holds` says. `fails`: for " +
    "the reason in `failure`. `nothing`: no license follows from it."
})

const ForeseenUnits = Schema.Struct({
  feature_id: Id.text("feat"),
  amount: field(bigCount(1), "The number of units."),
  to: field(Schema.Literals(["license", "customer"]), "The owner that they would have.")
}).annotate({
  identifier: "ForeseenUnits",
  description: "Units of a metered feature that would be given.",
  examples: [{ feature_id: Id.exampleOf("feat"), amount: 500, to: "license" }]
})

/** What is foreseen of a purchase. */
export const Foreseen = Schema.Struct({
  outcome: ForeseenOutcome,
  license_ids: field(
    Schema.Array(Id.text("lic")),
    "The licenses that it would take over; of `doubles`, those that the customer has already, at most 20."
  ),
  issued: field(count(0), "How many licenses it would get."),
  units: optional(Schema.Array(ForeseenUnits), "The units that it would give; absent without any."),
  holds: field(Schema.Array(PurchaseHold), "The reasons why it would wait."),
  failure: Schema.optionalKey(
    Schema.Struct(readFailure).annotate({
      identifier: "ForeseenFailure",
      description: "Why the purchase would fail.",
      examples: [{ code: "NOT_FOUND", message: "No policy has the id in policy_id." }]
    })
  )
}).annotate({
  identifier: "ReconciliationForeseen",
  description: "The outcome that a dry run foresees of a purchase.",
  examples: [{ outcome: "takes_over", license_ids: [Id.exampleOf("lic")], issued: 0, holds: [] }]
})
export type Foreseen = typeof Foreseen.Type

const counted = (outcome: string) => field(count(0), `How many purchases have the outcome \`${outcome}\`.`)

/** Of how many purchases each outcome is foreseen. */
const ForeseenCounts = Schema.Struct({
  takes_over: counted("takes_over"),
  issues: counted("issues"),
  doubles: counted("doubles"),
  waits: counted("waits"),
  fails: counted("fails"),
  nothing: counted("nothing")
}).annotate({
  identifier: "ReconciliationForeseenCounts",
  description: "Only of a dry run that has found purchases which are not known here: how many have each outcome.",
  examples: [{ takes_over: 1020, issues: 3, doubles: 1, waits: 0, fails: 0, nothing: 0 }]
})

/** The counts of outcomes; an outcome that is not among them is zero. */
export const foreseenCounts = (
  counts: ReadonlyArray<{ readonly outcome: Foreseen["outcome"]; readonly count: bigint }>
): typeof ForeseenCounts.Type => ({
  takes_over: 0,
  issues: 0,
  doubles: 0,
  waits: 0,
  fails: 0,
  nothing: 0,
  ...Object.fromEntries(counts.map(({ count, outcome }) => [outcome, Number(count)]))
})

/** A purchase that was another one here than at its provider. */
const ReconciliationFinding = Schema.Struct({
  finding: ReconciliationFindingKind,
  kind: field(Schema.Literals(["subscription", "order"]), "Whether it is paid again and again, or once."),
  external_id: field(Schema.String, "The ID of the subscription or order at the provider."),
  purchase_id: Schema.optionalKey(Id.text("pur")),
  fields: field(Schema.Array(Schema.String), "The fields of the purchase that differed."),
  foreseen: Schema.optionalKey(Foreseen)
}).annotate({
  identifier: "ReconciliationFinding",
  description: "A purchase that was another one here than at its provider.",
  examples: [{
    finding: "differs",
    kind: "subscription",
    external_id: "sub_1QXyz",
    purchase_id: Id.exampleOf("pur"),
    fields: ["state", "paid_through"]
  }]
})
export type ReconciliationFinding = typeof ReconciliationFinding.Type

/** Why a reconciliation ended early, or waits. */
const ReconciliationFailure = Schema.Struct(readFailure).annotate({
  identifier: "ReconciliationFailure",
  description: "Why a reconciliation ended early, or waits.",
  examples: [{ code: "api_key_refused", message: "The provider refused the API key (401)." }]
})
export type ReconciliationFailure = typeof ReconciliationFailure.Type

const members = {
  id: Id.text("rcn"),
  connection_id: Id.text("bcn"),
  dry_run: field(Schema.Boolean, "Whether differences are reported and not fixed."),
  status: ReconciliationStatus,
  pages: field(count(0), "How many pages of the provider's lists were read so far."),
  same: field(count(0), "How many purchases were the same here."),
  missing: field(count(0), "How many purchases were not known here."),
  differs: field(count(0), "How many purchases were other ones here."),
  unknown: field(count(0), "How many purchases are known here, and not in the lists of the provider."),
  failure: Schema.optionalKey(ReconciliationFailure),
  next_attempt_at: optional(Timestamp, "Time of the next attempt, where it waits for the provider."),
  created_by: field(Schema.String, "The ID of the API key that requested it."),
  created_at: CreatedAt,
  updated_at: UpdatedAt,
  finished_at: optional(Timestamp, "Time at which it ended.")
}

const example = {
  id: Id.exampleOf("rcn"),
  connection_id: Id.exampleOf("bcn"),
  dry_run: false,
  status: "done",
  pages: 12,
  same: 1024,
  missing: 0,
  differs: 1,
  unknown: 0,
  created_by: Id.exampleOf("key"),
  created_at: "2026-11-21T10:30:00.000Z",
  updated_at: "2026-11-21T10:31:00.000Z",
  finished_at: "2026-11-21T10:31:00.000Z"
} as const

/** A comparison of what is known of purchases with what their provider says. */
export const Reconciliation = Schema.Struct(members).annotate({
  identifier: "Reconciliation",
  description: "A comparison of the purchases of a connection with those of its payment provider.",
  examples: [example]
})
export type Reconciliation = typeof Reconciliation.Type

/** A reconciliation with what it found. */
export const ReconciliationShown = Schema.Struct({
  ...members,
  foreseen: Schema.optionalKey(ForeseenCounts),
  findings: field(
    Schema.Array(ReconciliationFinding),
    "The findings, at most 500, in the order of the IDs; of more, those first that would double a license, wait or fail."
  )
}).annotate({
  identifier: "ReconciliationWithFindings",
  description: "A comparison of the purchases of a connection with those of its payment provider, and what it found.",
  examples: [{
    ...example,
    findings: [{
      finding: "differs",
      kind: "subscription",
      external_id: "sub_1QXyz",
      purchase_id: Id.exampleOf("pur"),
      fields: ["state", "paid_through"]
    }]
  }]
})
export type ReconciliationShown = typeof ReconciliationShown.Type

/** What a reconciliation is asked for with. */
export const ReconciliationCreate = Schema.Struct({
  dry_run: optional(
    Schema.Boolean,
    "`true` reports differences and fixes none, and says of each purchase that is missing what would become of it. Default: `false`."
  )
}).annotate({
  identifier: "ReconciliationCreateRequest",
  description: "A reconciliation to run.",
  examples: [{ dry_run: true }]
})
export type ReconciliationCreate = typeof ReconciliationCreate.Type

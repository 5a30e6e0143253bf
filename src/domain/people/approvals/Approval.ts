import { Record as Records, Schema } from "effect"
import { Reason } from "../../ground/wire/Action.ts"
import { CreatedAt, field, jsonObject, optional, text, Timestamp } from "../../ground/wire/Fields.ts"
import * as Id from "../../ground/wire/Id.ts"
import { secondLooks } from "../../log/SecondLook.ts"
import { Author } from "../notes/Note.ts"

/** How long an approval waits for a second person, in hours. */
export const waitingHours = 24

/** The longest value of a parameter in a path, in UTF-16 code units. */
const longestValue = 255

/** The longest body, in KiB: a job names that many licenses. */
const longestBody = 1024

/** How far a request is. */
export const ApprovalState = Schema.Literals(["pending", "approved", "declined", "canceled", "expired"]).annotate({
  identifier: "ApprovalState",
  description:
    "`pending`: waits for a second person; `approved`: was done; `declined` by a second person; `canceled` by the " +
    "person who asked; `expired`: was not decided within a day."
})
export type ApprovalState = typeof ApprovalState.Type

const Operation = Schema.Literals(Records.keys(secondLooks)).annotate({
  identifier: "ApprovableOperation",
  description: "The `operationId` of an operation that may need a second person."
})

const PathParameters = Schema.Record(Schema.String, Schema.String).annotate({
  identifier: "ApprovalPathParameters",
  description: "The parameters in the path of the operation, by their names.",
  examples: [{ id: Id.exampleOf("lic") }]
})

/** The refusal of an operation when it was approved. */
const Failure = Schema.Struct({
  code: field(Schema.String, "The code, as an error has it."),
  message: field(Schema.String, "The message, as an error has it.")
}).annotate({
  identifier: "ApprovalFailure",
  description: "Why the operation was refused when it was approved.",
  examples: [{ code: "NOT_FOUND", message: "No license has this id." }]
})
export type ApprovalFailure = typeof Failure.Type

const asked = {
  operation: Operation,
  params: field(PathParameters, "The parameters in the path of the operation, by their names."),
  state: ApprovalState,
  expires_at: field(Timestamp, "Time until which it waits for a second person."),
  created_at: CreatedAt,
  decided_at: optional(Timestamp, "Time when it was decided or ended otherwise; absent while it is pending.")
}

const example = {
  id: Id.exampleOf("apr"),
  operation: "revokeLicense",
  params: { id: Id.exampleOf("lic") },
  state: "pending",
  created_at: "2026-11-21T10:41:00.000Z",
  expires_at: "2026-11-22T10:41:00.000Z"
} as const

export const Approval = Schema.Struct({
  id: Id.text("apr"),
  ...asked,
  body: optional(
    Schema.Record(Schema.String, Schema.Json),
    "The body of the request, as it is sent; absent without one, and once a request with data of a person has ended. The erasure of a customer takes its `reason`."
  ),
  if_match: optional(Schema.String, "The `If-Match` header of the request."),
  reason: optional(
    Schema.String,
    "The reason that was given for it; absent once a customer that it is about was erased."
  ),
  requested_by: field(Author, "The person who asked. The operation is done in this name."),
  decided_by: optional(Author, "The person who approved or declined it."),
  decision_reason: optional(Schema.String, "The reason that was given for the decision."),
  failure: optional(
    Failure,
    "Why the operation was refused when it was last approved. The request is still pending then."
  )
}).annotate({
  identifier: "Approval",
  description: "A request that waits for a second person, or did.",
  examples: [{
    ...example,
    reason: "Chargeback of order 4711",
    requested_by: { type: "person", id: Id.exampleOf("per"), name: "Jun Sato", roles: ["Support"] }
  }]
})
export type Approval = typeof Approval.Type

/** An approval as its events tell of it: without what was sent, which may name people. */
export const ApprovalInEvent = Schema.Struct({
  id: Id.text("apr"),
  ...asked,
  requested_by: Id.text("per").annotate({ description: "The person who asked." }),
  decided_by: Schema.optionalKey(Id.text("per").annotate({ description: "The person who approved or declined it." }))
}).annotate({
  identifier: "ApprovalEventData",
  description: "A request that waits for a second person, or did, without its body.",
  examples: [{ ...example, requested_by: Id.exampleOf("per") }]
})
export type ApprovalInEvent = typeof ApprovalInEvent.Type

export const ApprovalCreate = Schema.Struct({
  operation: Operation,
  params: optional(
    Schema.Record(Schema.String, text(1, longestValue)),
    "The parameters in the path of the operation, by their names, such as `id`."
  ),
  body: Schema.optionalKey(jsonObject(
    "The body of the request, as the operation takes it. It is judged as the operation judges it.",
    longestBody
  )),
  if_match: optional(text(1, 4096), "The `If-Match` header of the request, where the operation takes one."),
  reason: field(Reason, "The reason, on one line. The second person sees it, and the events of the operation have it.")
}).annotate({
  identifier: "ApprovalRequest",
  description: "A request that a second person is to approve.",
  examples: [{
    operation: "revokeLicense",
    params: { id: Id.exampleOf("lic") },
    reason: "Chargeback of order 4711"
  }]
})
export type ApprovalCreate = typeof ApprovalCreate.Type

export const ApprovalDecision = Schema.Struct({
  reason: field(Reason, "The reason for the decision, on one line.")
}).annotate({
  identifier: "ApprovalDecisionRequest",
  description: "The reason for approving or declining.",
  examples: [{ reason: "Checked with finance" }]
})

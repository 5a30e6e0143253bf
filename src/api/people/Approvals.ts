import { HttpApiEndpoint, HttpApiGroup } from "effect/http-api"
import {
  Conflict,
  InUse,
  PreconditionFailed,
  StateConflict,
  TokenScopeDenied
} from "../../domain/ground/wire/Errors.ts"
import { optional } from "../../domain/ground/wire/Fields.ts"
import * as Id from "../../domain/ground/wire/Id.ts"
import { Approval, ApprovalCreate, ApprovalDecision, ApprovalState } from "../../domain/people/approvals/Approval.ts"
import { Envelope, Idempotency, Management } from "../ground/Middleware.ts"
import { declare } from "../ground/Operation.ts"
import { createdQuery, pathId, YesOrNo } from "../ground/Parameters.ts"
import { bodyErrors, created, listErrors, one, page, resourceErrors } from "../ground/Responses.ts"

const approval = "/api/v1/approvals/:id"

const whoSees =
  "A caller sees own requests, and those of operations that the caller may do; with `people:read`, all of them."

/** Requests that wait for a second person. */
export class Approvals extends HttpApiGroup.make("approvals").add(
  HttpApiEndpoint.post("requestApproval", "/api/v1/approvals", {
    payload: ApprovalCreate,
    success: created(Approval),
    error: [...bodyErrors, ...resourceErrors, Conflict, InUse, PreconditionFailed, StateConflict, TokenScopeDenied]
  }).pipe(declare({
    scope: "any",
    products: "open",
    action: "approval.requested",
    answerKept: "none",
    summary: "Ask for an approval",
    description:
      "Asks another person to approve a request, which is then done in the name of the caller, within a day. It is tried now, and " +
      "nothing of it is kept: what the operation would refuse, this refuses with the same error. The same request that waits " +
      "already is returned. Once it is approved, send the operation itself with the ID of the approval as its `Idempotency-Key` and the " +
      "same body as compact JSON: this returns the response of the operation, with its secret. Only people ask for approvals."
  })),
  HttpApiEndpoint.get("listApprovals", "/api/v1/approvals", {
    query: {
      ...createdQuery,
      state: optional(ApprovalState, "Only requests in this state.", "pending"),
      resource_id: optional(
        Id.anyFilter,
        "Only requests about this license or customer.",
        Id.exampleOf("lic")
      ),
      awaiting_me: optional(YesOrNo, "`true`: only requests that wait for the decision of the caller.", true)
    },
    success: page(Approval),
    error: listErrors
  }).pipe(declare({
    scope: "any",
    products: "open",
    summary: "List approvals",
    description:
      `Requests that wait for a second person, and those that did, newest first. ${whoSees} Kept for 90 days.`
  })),
  HttpApiEndpoint.get("getApproval", approval, {
    params: { id: pathId },
    success: one(Approval),
    error: resourceErrors
  }).pipe(declare({
    scope: "any",
    products: "open",
    summary: "Read an approval",
    description: `One request by its ID. ${whoSees}`
  })),
  HttpApiEndpoint.post("approveApproval", `${approval}/approve`, {
    params: { id: pathId },
    payload: ApprovalDecision,
    success: one(Approval),
    error: [...resourceErrors, ...bodyErrors, StateConflict, TokenScopeDenied]
  }).pipe(declare({
    scope: "any",
    products: "open",
    action: "approval.approved",
    answerKept: "none",
    consequence: "The request is done now, in the name of the person who asked.",
    summary: "Approve a request",
    description:
      "Does the request in one transaction with its approval, with the rights that both people have now. The caller needs " +
      "the scopes of the operation, for its products, and approves no own request. If the operation is refused, this is " +
      "STATE_CONFLICT with its error in `detail`, nothing is done, and the request waits on. Repeating it succeeds."
  })),
  HttpApiEndpoint.post("declineApproval", `${approval}/decline`, {
    params: { id: pathId },
    payload: ApprovalDecision,
    success: one(Approval),
    error: [...resourceErrors, ...bodyErrors, StateConflict, TokenScopeDenied]
  }).pipe(declare({
    scope: "any",
    products: "open",
    action: "approval.declined",
    consequence: "The request is not done.",
    summary: "Decline a request",
    description: "Ends a request of another person. The caller needs the rights for approving it."
  })),
  HttpApiEndpoint.post("cancelApproval", `${approval}/cancel`, {
    params: { id: pathId },
    success: one(Approval),
    error: [...resourceErrors, StateConflict, TokenScopeDenied]
  }).pipe(declare({
    scope: "any",
    products: "open",
    action: "approval.canceled",
    consequence: "The request is not done.",
    summary: "Cancel a request",
    description: "Cancels a request of the caller. Repeating it succeeds."
  }))
).middleware(Idempotency).middleware(Management).middleware(Envelope) {}

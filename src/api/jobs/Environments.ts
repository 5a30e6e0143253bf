import { HttpApiEndpoint, HttpApiGroup } from "effect/http-api"
import {
  ApprovalRequired,
  IdempotencyKeyRequired,
  StateConflict,
  TokenScopeDenied,
  ValidationError
} from "../../domain/ground/wire/Errors.ts"
import { optional } from "../../domain/ground/wire/Fields.ts"
import { ClockMove, ClockMoved, Environment } from "../../domain/jobs/clock/ClockMove.ts"
import { Job, JobRow, LicenseJobCreated, RowOutcome } from "../../domain/jobs/Job.ts"
import { LicenseJobCreate, LicenseView, LicenseViewInput } from "../../domain/jobs/LicenseJob.ts"
import { Envelope, Idempotency, Management } from "../ground/Middleware.ts"
import { declare } from "../ground/Operation.ts"
import { createdQuery, listQuery, pathId } from "../ground/Parameters.ts"
import { bodyErrors, created, listErrors, noContent, one, page, resourceErrors } from "../ground/Responses.ts"

const job = "/api/v1/jobs/:id"

/** Actions on many licenses. */
export class Jobs extends HttpApiGroup.make("jobs").add(
  HttpApiEndpoint.post("createLicenseJob", "/api/v1/licenses/jobs", {
    payload: LicenseJobCreate,
    success: created(LicenseJobCreated),
    error: [...bodyErrors, StateConflict, IdempotencyKeyRequired]
  }).pipe(declare({
    scope: "license:write",
    products: "narrowed",
    action: "job.created",
    idempotencyKey: "required",
    consequence: "Each license of the selection is changed, one by one.",
    undo: "stopJob",
    summary: "Change many licenses",
    description:
      "Starts a job, which does to each license what the operation on a single license does, with its own event. " +
      "A `filter` is resolved now: what matches later is not part of the job, and what no longer matches when its turn " +
      "comes is skipped. The rights of the caller are judged for each license, as they are then: who loses them ends the " +
      "job, while the end of a session does not. A caller has one job running at a time; otherwise STATE_CONFLICT. " +
      "`dry_run` tries the first 500 licenses and keeps nothing. " +
      "A job has at most 50,000 licenses, and is kept for 90 days."
  })),
  HttpApiEndpoint.get("listJobs", "/api/v1/jobs", {
    query: createdQuery,
    success: page(Job),
    error: listErrors
  }).pipe(declare({
    scope: "license:read",
    products: "narrowed",
    summary: "List jobs",
    description:
      "All jobs, newest first unless `order` is set. A key that is limited to products sees jobs of such keys."
  })),
  HttpApiEndpoint.get("getJob", job, {
    params: { id: pathId },
    success: one(Job),
    error: resourceErrors
  }).pipe(declare({
    scope: "license:read",
    products: { of: "job" },
    summary: "Read a job",
    description: "One job by its ID, with the number of licenses that were changed, skipped or could not be changed."
  })),
  HttpApiEndpoint.get("listJobRows", `${job}/rows`, {
    params: { id: pathId },
    query: { ...listQuery, outcome: optional(RowOutcome, "Only licenses with this outcome.") },
    success: page(JobRow),
    error: [...resourceErrors, ...listErrors]
  }).pipe(declare({
    scope: "license:read",
    products: { of: "job" },
    summary: "List licenses of a job",
    description: "The licenses of a job in the order of their turns, with what became of each."
  })),
  HttpApiEndpoint.post("stopJob", `${job}/stop`, {
    params: { id: pathId },
    success: one(Job),
    error: resourceErrors
  }).pipe(declare({
    scope: "license:write",
    products: { of: "job" },
    action: "job.stopped",
    consequence: "The job changes no further license. Changed licenses stay changed.",
    summary: "Stop a job",
    description: "Stops a running job. Licenses that it has changed stay changed. A job that has ended stays as it is."
  })),
  HttpApiEndpoint.post("retryJob", `${job}/retry`, {
    params: { id: pathId },
    success: created(Job),
    error: [...resourceErrors, ApprovalRequired, StateConflict, IdempotencyKeyRequired, ValidationError]
  }).pipe(declare({
    scope: "license:write",
    products: { of: "job" },
    action: "job.created",
    idempotencyKey: "required",
    consequence: "The licenses that failed are tried again.",
    undo: "stopJob",
    summary: "Retry failed licenses",
    description:
      "Starts a job that tries the licenses again which failed in this one, with the same action. If the job is " +
      "running, or none failed, it is STATE_CONFLICT."
  }))
).middleware(Idempotency).middleware(Management).middleware(Envelope) {}

const views = "/api/v1/license-views"
const view = "/api/v1/license-views/:id"

/** Saved views of the list of licenses. */
export class LicenseViews extends HttpApiGroup.make("license-views").add(
  HttpApiEndpoint.get("listLicenseViews", views, {
    query: createdQuery,
    success: page(LicenseView),
    error: listErrors
  }).pipe(declare({
    scope: "license:read",
    products: "narrowed",
    summary: "List saved views",
    description:
      "The views that the caller has saved of the list of licenses, and those that others share, newest first unless " +
      "`order` is set. API keys have views too. A key that is limited to products sees only those that it has saved."
  })),
  HttpApiEndpoint.post("createLicenseView", views, {
    payload: LicenseViewInput,
    success: created(LicenseView),
    error: [...bodyErrors, StateConflict, TokenScopeDenied]
  }).pipe(declare({
    scope: "license:read",
    products: "narrowed",
    action: "none",
    summary: "Save a view",
    description:
      "Saves a filter, an order and columns of the list of licenses under a name, for the caller or, with `is_shared`, for " +
      "all callers. A caller has at most 50 views; otherwise STATE_CONFLICT. A view that names a customer is deleted when " +
      "the customer is erased."
  })),
  HttpApiEndpoint.put("updateLicenseView", view, {
    params: { id: pathId },
    payload: LicenseViewInput,
    success: one(LicenseView),
    error: [...resourceErrors, ...bodyErrors, StateConflict, TokenScopeDenied]
  }).pipe(declare({
    scope: "license:read",
    products: "narrowed",
    action: "none",
    summary: "Change a saved view",
    description:
      "Replaces a view. Omitted fields are removed. Only its author may replace it. Where the author no longer has " +
      "access, a caller with `license:write` may, and is its author then."
  })),
  HttpApiEndpoint.delete("deleteLicenseView", view, {
    params: { id: pathId },
    success: noContent,
    error: [...resourceErrors, TokenScopeDenied]
  }).pipe(declare({
    scope: "license:read",
    products: "narrowed",
    action: "none",
    consequence: "The view is deleted. The licenses stay as they are.",
    risk: "final",
    summary: "Delete a saved view",
    description:
      "Deletes a view. Its author may, a caller with the scope `admin`, and for a view whose author no longer has access, one " +
      "with `license:write`. The licenses stay as they are."
  }))
).middleware(Idempotency).middleware(Management).middleware(Envelope) {}

export class Environments extends HttpApiGroup.make("environments").add(
  HttpApiEndpoint.get("getEnvironment", "/api/v1/environment", { success: one(Environment) }).pipe(declare({
    scope: "any",
    products: "open",
    summary: "Read the environment",
    description: "The environment that the token belongs to, and the time of its clock."
  })),
  HttpApiEndpoint.put("moveEnvironmentClock", "/api/v1/environment/clock", {
    payload: ClockMove,
    success: one(ClockMoved),
    error: [...bodyErrors, StateConflict]
  }).pipe(declare({
    scope: "admin",
    products: "refused",
    action: "none",
    answerKept: "last-step",
    summary: "Move the test clock",
    consequence: "Everything that is due until then happens now: expiries, ends of grace, leases, retries. The clock " +
      "never goes back; a reset sets it to real time.",
    risk: "final",
    description:
      "Moves the clock of the test environment forward, to `now` or by `advance`. Everything due in between happens at its " +
      "own time and in order. The response comes after its events are in the feed and its webhooks were sent to each " +
      "endpoint that responds. Moves take turns. 409 STATE_CONFLICT in the live environment, and where the move before does " +
      "not end within 30 seconds."
  })),
  HttpApiEndpoint.post("resetEnvironment", "/api/v1/environment/reset", {
    success: one(Environment),
    error: [StateConflict]
  }).pipe(declare({
    scope: "admin",
    products: "refused",
    action: "none",
    answerKept: "none",
    summary: "Reset the test environment",
    consequence:
      "Everything in the test environment is deleted: products, licenses, keys, events, webhooks. The live " +
      "environment is not affected.",
    risk: "final",
    description:
      "Deletes everything in the test environment, signing keys and API keys included, and sets its clock to real time. " +
      "The admin token stays valid. 409 in the live environment."
  }))
).middleware(Idempotency).middleware(Management).middleware(Envelope) {}

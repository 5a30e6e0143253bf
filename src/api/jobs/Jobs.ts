import { HttpApiEndpoint, HttpApiGroup } from "effect/http-api"
import {
  ApprovalRequired,
  IdempotencyKeyRequired,
  StateConflict,
  ValidationError
} from "../../domain/ground/wire/Errors.ts"
import { optional } from "../../domain/ground/wire/Fields.ts"
import { Job, JobRow, LicenseJobCreated, RowOutcome } from "../../domain/jobs/Job.ts"
import { LicenseJobCreate } from "../../domain/jobs/LicenseJob.ts"
import { Envelope, Idempotency, Management } from "../ground/Middleware.ts"
import { declare } from "../ground/Operation.ts"
import { createdQuery, listQuery, pathId } from "../ground/Parameters.ts"
import { bodyErrors, created, listErrors, one, page, resourceErrors } from "../ground/Responses.ts"

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

import { Schema } from "effect"
import { count, CreatedAt, field, optional, Timestamp } from "../ground/wire/Fields.ts"
import * as Id from "../ground/wire/Id.ts"
import { Author } from "../people/notes/Author.ts"
import { JobPreview } from "./JobPreview.ts"
import { JobAction, ShownParameters, ShownSelection } from "./LicenseJob.ts"

const JobState = Schema.Literals(["running", "done", "stopped", "failed"]).annotate({
  identifier: "JobState",
  description:
    "`running`; `done`: every license was tried; `stopped` before its end; `failed`: the author lost the right to it."
})

const Failure = Schema.Struct({
  code: field(Schema.String, "The code, as an error has it."),
  message: field(Schema.String, "The message, as an error has it.")
}).annotate({
  identifier: "JobFailure",
  description: "Why something was not done.",
  examples: [{ code: "STATE_CONFLICT", message: "Only a license that works can be suspended." }]
})
export type JobFailure = typeof Failure.Type

const counts = {
  total: field(count(0), "Number of licenses."),
  done: field(count(0), "Number of licenses that were changed."),
  skipped: field(count(0), "Number of licenses that there was nothing to do for."),
  failed: field(count(0), "Number of licenses that could not be changed.")
}

const jobExample = {
  id: "job_06eqpx1trxz3h94vqjm3a6kz7c",
  action: "suspend",
  state: "running",
  total: 37,
  done: 20,
  skipped: 1,
  failed: 0,
  created_at: "2026-11-21T10:30:00.000Z"
} as const

/** A job as its events tell of it: without the selection, which may name a customer. */
export const JobInEvent = Schema.Struct({
  id: Id.text("job"),
  action: JobAction,
  state: JobState,
  ...counts,
  created_at: CreatedAt,
  ended_at: optional(Timestamp, "Time when the job ended; absent while it runs.")
}).annotate({ identifier: "JobEventData", description: "A job, without its selection.", examples: [jobExample] })
export type JobInEvent = typeof JobInEvent.Type

export const Job = Schema.Struct({
  id: Id.text("job"),
  action: JobAction,
  selection: ShownSelection,
  parameters: field(ShownParameters, "The parameters of the action, as they were sent."),
  reason: optional(Schema.String, "The reason that was given."),
  author: field(Author, "The author of the job. Each license is changed in this name, while the rights last."),
  state: JobState,
  failure: optional(Failure, "Why the job ended before its end; absent otherwise."),
  repeats: Schema.optionalKey(
    Id.text("job").annotate({ description: "The job whose failed licenses this one tries again." })
  ),
  repeated_by: Schema.optionalKey(
    Id.text("job").annotate({ description: "The job that tries the failed licenses of this one again." })
  ),
  ...counts,
  created_at: CreatedAt,
  ended_at: optional(Timestamp, "Time when the job ended; absent while it runs.")
}).annotate({
  identifier: "Job",
  description: "An action on many licenses, done one by one.",
  examples: [{
    ...jobExample,
    selection: { filter: { tag: "chargeback" } },
    parameters: {},
    reason: "Chargebacks of May",
    author: { type: "person", id: "per_06eqpx1trxz3h94vqjm3a6kz7c", name: "Jun Sato", roles: ["Support"] }
  }]
})
export type Job = typeof Job.Type

export const RowOutcome = Schema.Literals(["pending", "done", "skipped", "failed"]).annotate({
  identifier: "JobRowOutcome",
  description: "The outcome of one license of a job."
})
export type RowOutcome = typeof RowOutcome.Type

export const JobRow = Schema.Struct({
  license_id: Id.text("lic"),
  owner: optional(Schema.String, "The name of the owner of the license, or of its customer, as it is now."),
  outcome: RowOutcome,
  failure: optional(Failure, "Why the license was skipped or failed.")
}).annotate({
  identifier: "JobRow",
  description: "One license of a job.",
  examples: [{
    license_id: "lic_06eqpx1trxz3h94vqjm3a6kz7c",
    owner: "Ada Lovelace",
    outcome: "failed",
    failure: { code: "STATE_CONFLICT", message: "Only a license that works can be suspended." }
  }]
})
export type JobRow = typeof JobRow.Type

export const LicenseJobCreated = Schema.Struct({
  job: optional(Job, "The job; absent for a dry run."),
  preview: optional(JobPreview, "The foreseen outcome; only for a dry run.")
}).annotate({ identifier: "LicenseJobResponse", description: "The job, or what it would do." })
export type LicenseJobCreated = typeof LicenseJobCreated.Type

import { Schema } from "effect"
import { count, CreatedAt, field, optional, Timestamp } from "../ground/wire/Fields.ts"
import * as Id from "../ground/wire/Id.ts"
import { Author } from "../people/notes/Note.ts"
import { JobAction, ShownParameters, ShownSelection } from "./LicenseJob.ts"

const Foreseen = Schema.Struct({
  outcome: field(Schema.Literals(["skipped", "failed"]), "The outcome of these licenses."),
  code: field(Schema.String, "The code, as an error has it."),
  message: field(Schema.String, "The message, as an error has it."),
  licenses: field(count(1), "Number of licenses of which this is so.")
}).annotate({
  identifier: "JobForeseen",
  description: "A reason why licenses would not be changed.",
  examples: [{ outcome: "skipped", code: "ALREADY", message: "The license is suspended already.", licenses: 2 }]
})

/** The most licenses that a dry run tries: each in a transaction that is rolled back. */
export const mostRehearsed = 500

export const JobPreview = Schema.Struct({
  matched: field(count(0), "Number of licenses that the selection has now."),
  judged: field(count(0), `Number of them that were tried: all, or the first ${mostRehearsed}.`),
  done: field(count(0), "Number of these that would be changed."),
  skipped: field(count(0), "Number of these that there would be nothing to do for."),
  failed: field(count(0), "Number of these that could not be changed."),
  of_purchases: field(
    count(0),
    "Number of these that a purchase pays for, where the action changes what a purchase says: each change stays until the purchase says " +
      "something else about the same thing."
  ),
  reasons: field(Schema.Array(Foreseen), "Why licenses would be skipped or fail, the most frequent first.")
}).annotate({
  identifier: "JobPreview",
  description: "The foreseen outcome of a job. Each license was tried, and nothing was kept.",
  examples: [{
    matched: 37,
    judged: 37,
    done: 35,
    skipped: 2,
    failed: 0,
    of_purchases: 0,
    reasons: [{ outcome: "skipped", code: "ALREADY", message: "The license is suspended already.", licenses: 2 }]
  }]
})
export type JobPreview = typeof JobPreview.Type

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

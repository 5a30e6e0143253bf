import { Schema } from "effect"
import { count, field } from "../ground/wire/Fields.ts"

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

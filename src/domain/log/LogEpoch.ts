import { Schema } from "effect"
import { bigCount, count, field, optional, Timestamp } from "../ground/wire/Fields.ts"

const hash = Schema.String.annotate({ description: "64 hexadecimal digits." })
const wholeNumber = bigCount(0)

/** The state of the log that a witness knew when it was restored. */
const KnownByWitness = Schema.Struct({
  origin: field(Schema.String, "The name of the log: the first line of its checkpoints."),
  tree_size: field(wholeNumber, "The minimum number of events that the log had."),
  root_hash: hash
}).annotate({ identifier: "LogWitnessed", description: "The state of the log that the witness knew." })

/** The data of the event `log.epoch_started`. */
export const EpochStarted = Schema.Struct({
  epoch: field(count(1), "The epoch of the log: 1 until the log was restored to an earlier state."),
  origin: field(Schema.String, "The first line of its checkpoints."),
  first_sequence: field(wholeNumber, "The sequence number of the first event of the epoch."),
  previous_origin: field(Schema.String, "Of the epoch that the log was restored to."),
  restored_sequence: field(
    wholeNumber,
    "The last event that was restored: what the epoch before had after it is lost."
  ),
  restored_hash: field(hash, "The `hash` of that event; zeros without one."),
  reason: field(Schema.String, "The reason."),
  witness: optional(
    KnownByWitness,
    "The state of the log that the witness knew. Events of it that are not in the log are lost."
  )
})
export type EpochStarted = typeof EpochStarted.Type

/** An epoch that began after a restore, without what a witness knew. */
export const epochExample: EpochStarted = {
  epoch: 2,
  origin: "licenses.example.com/events/6d1f0a2b3c4d5e6f/epoch/2",
  first_sequence: 43,
  previous_origin: "licenses.example.com/events/6d1f0a2b3c4d5e6f",
  restored_sequence: 42,
  restored_hash: "0ac5186a91863e8e1d90c808014aa89bf5da8e3ee1d9f07630f0378f68f1ab62",
  reason: "restored from a backup"
}

/** An epoch as it is served. */
export const LogEpoch = Schema.Struct({
  ...EpochStarted.fields,
  previous_origin: Schema.optionalKey(EpochStarted.fields.previous_origin),
  restored_sequence: Schema.optionalKey(EpochStarted.fields.restored_sequence),
  restored_hash: Schema.optionalKey(EpochStarted.fields.restored_hash),
  reason: optional(EpochStarted.fields.reason, "The reason."),
  started_at: optional(Timestamp, "Start time of the epoch.")
}).annotate({
  identifier: "LogEpoch",
  description: "An epoch of the event log. The first one has only its origin.",
  examples: [{
    ...epochExample,
    witness: {
      origin: "licenses.example.com/events/6d1f0a2b3c4d5e6f",
      tree_size: 87,
      root_hash: "c9b2f8d6d3a3ac4c2c7a14f7f9f3b1a5f2e0d4c6b8a09182736455463728190a"
    },
    started_at: "2026-11-21T10:30:00.000Z"
  }]
})
export type LogEpoch = typeof LogEpoch.Type

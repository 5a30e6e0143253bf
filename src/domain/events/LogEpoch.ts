import { Schema } from "effect"
import { bigCount, count, Timestamp } from "../wire/Fields.ts"

/**
 * Epochs of the log. A log that was restored to an earlier state would give sequences a second time, so it begins a new
 * epoch first. The epoch is part of the origin, and thereby of checkpoints, and of the cursors of the feed.
 */

/** How many places of one epoch a cursor can express. */
const placesOfAnEpoch = 10 ** 13

/** A place of the feed: a sequence, and the epoch of the log in which it was read. */
export interface Place {
  readonly epoch: number
  readonly sequence: number
}

/** The origin of a log in an epoch. `log` is its origin in epoch 1, which every later one begins with. */
export const originOf = (log: string, epoch: number): string => epoch === 1 ? log : `${log}/epoch/${epoch}`

/** The log and the epoch that an origin names. */
export const readOrigin = (origin: string): { readonly log: string; readonly epoch: number } => {
  const [, log = origin, epoch = "1"] = /^(.+)\/epoch\/([1-9]\d{0,8})$/.exec(origin) ?? []
  return { log, epoch: Number(epoch) }
}

/**
 * The cursor of a place, a whole number: `(epoch - 1) * 10^13 + sequence`. In epoch 1 it is the sequence, as it was
 * before there were epochs, and a cursor of a later epoch is always larger than one of an earlier.
 */
export const cursorOf = ({ epoch, sequence }: Place): number => (epoch - 1) * placesOfAnEpoch + sequence

/** The place of a cursor. */
export const readCursor = (cursor: number): Place => ({
  epoch: Math.floor(cursor / placesOfAnEpoch) + 1,
  sequence: cursor % placesOfAnEpoch
})

/** Where an epoch of the log begins. */
export interface EpochStart {
  readonly epoch: number
  /** Of its first event, which says that it began. */
  readonly first_sequence: number
  /** The last event that was restored: from here on the log of the epoch before is another one. */
  readonly restored_sequence: number
}

/** The epoch of the event with this sequence. `starts` are those after epoch 1, in order. */
export const epochAt = (starts: ReadonlyArray<EpochStart>, sequence: number): number =>
  starts.findLast(({ first_sequence }) => first_sequence <= sequence)?.epoch ?? 1

/** The epoch that the log is in. */
export const currentEpoch = (starts: ReadonlyArray<EpochStart>): number => starts.at(-1)?.epoch ?? 1

/**
 * The last sequence that the log of an epoch has in common with the present log. For the current epoch that is all of
 * it; undefined for an epoch that this log has never been in.
 */
export const commonUpTo = (starts: ReadonlyArray<EpochStart>, epoch: number): number | undefined => {
  if (epoch === currentEpoch(starts)) return Number.POSITIVE_INFINITY
  if (epoch !== 1 && !starts.some((start) => start.epoch === epoch)) return undefined
  return starts.find((start) => start.epoch > epoch)?.restored_sequence
}

const hash = Schema.String.annotate({ description: "64 hexadecimal digits." })
const wholeNumber = bigCount(0)

/** What a witness knew of the log when it was restored. */
const KnownByWitness = Schema.Struct({
  origin: Schema.String,
  tree_size: wholeNumber.annotate({ description: "The log had at least so many events." }),
  root_hash: hash
}).annotate({ identifier: "LogWitnessed" })

/** What the event `log.epoch_started` says. */
export const EpochStarted = Schema.Struct({
  epoch: count(1),
  origin: Schema.String.annotate({ description: "The first line of its checkpoints." }),
  first_sequence: wholeNumber.annotate({ description: "Of its first event, which says that it began." }),
  previous_origin: Schema.String.annotate({ description: "Of the epoch that the log was restored to." }),
  restored_sequence: wholeNumber.annotate({
    description: "The last event that was restored: what the epoch before had after it is lost."
  }),
  restored_hash: hash.annotate({ description: "The `hash` of that event; zeros when there is none." }),
  reason: Schema.String,
  witness: Schema.optionalKey(
    KnownByWitness.annotate({ description: "What the witness knew: what of it is not in the log is lost." })
  )
})
export type EpochStarted = typeof EpochStarted.Type

/** An epoch as it is served. */
export const LogEpoch = Schema.Struct({
  ...EpochStarted.fields,
  previous_origin: Schema.optionalKey(EpochStarted.fields.previous_origin),
  restored_sequence: Schema.optionalKey(EpochStarted.fields.restored_sequence),
  restored_hash: Schema.optionalKey(EpochStarted.fields.restored_hash),
  reason: Schema.optionalKey(EpochStarted.fields.reason),
  started_at: Schema.optionalKey(Timestamp)
}).annotate({
  identifier: "LogEpoch",
  description: "An epoch of the event log. The first one has no more than its origin.",
  examples: [{
    epoch: 2,
    origin: "licenses.example.com/events/6d1f0a2b3c4d5e6f/epoch/2",
    first_sequence: 43,
    previous_origin: "licenses.example.com/events/6d1f0a2b3c4d5e6f",
    restored_sequence: 42,
    restored_hash: "0ac5186a91863e8e1d90c808014aa89bf5da8e3ee1d9f07630f0378f68f1ab62",
    reason: "restored from a backup",
    witness: {
      origin: "licenses.example.com/events/6d1f0a2b3c4d5e6f",
      tree_size: 87,
      root_hash: "c9b2f8d6d3a3ac4c2c7a14f7f9f3b1a5f2e0d4c6b8a09182736455463728190a"
    },
    started_at: "2026-11-21T10:30:00.000Z"
  }]
})
export type LogEpoch = typeof LogEpoch.Type

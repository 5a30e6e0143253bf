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
  /** The sequence number of the first event of the epoch. */
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

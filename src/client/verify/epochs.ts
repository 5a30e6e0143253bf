import type { EpochStart } from "../../domain/events/EpochPlace.ts"
import { commonUpTo, currentEpoch, epochAt, readOrigin } from "../../domain/events/EpochPlace.ts"
import type { ServedEvent } from "../../domain/events/EventLeaf.ts"

/** The log that an origin names, without its epoch. */
export const logOf = (origin: string): string => readOrigin(origin).log

/** The part of a checkpoint that tells its epoch. */
interface Signed {
  readonly origin: string
  readonly size: number
}

/** The epochs of a log as its own events tell of them. */
export interface Epochs {
  readonly starts: ReadonlyArray<EpochStart>
  /** Learns of an event that begins an epoch. Call it in the order of the feed, for verified events only. */
  readonly follow: (event: ServedEvent) => void
  /**
   * Whether a checkpoint covers events that were lost in a restore: its epoch is earlier than that of its events here,
   * or this log skipped its epoch (which is known only after the last event). Ask after the events up to its size.
   */
  readonly isLost: (checkpoint: Signed) => boolean
  /** Whether a checkpoint is of a later epoch than its events are here, so that no event began that epoch. */
  readonly isUnannounced: (checkpoint: Signed) => boolean
  /** The first event under a checkpoint of a lost part that differs from the one here; 1 when that is unknown. */
  readonly lostFrom: (checkpoint: Signed) => number
}

/** Tracks the epochs of a log from its first event on, or from where those of `before` had begun. */
export const makeEpochs = (before: ReadonlyArray<EpochStart> = []): Epochs => {
  const starts: Array<EpochStart> = [...before]
  const epochOf = ({ origin }: Signed) => readOrigin(origin).epoch
  const isLost = (checkpoint: Signed) => {
    const epoch = epochOf(checkpoint)
    return epoch < epochAt(starts, checkpoint.size) ||
      (epoch < currentEpoch(starts) && commonUpTo(starts, epoch) === undefined)
  }
  return {
    starts,
    follow: ({ data, event_type, sequence }) => {
      if (event_type !== "log.epoch_started") return
      const { epoch, first_sequence, restored_sequence } = data
      if (typeof epoch !== "number" || typeof restored_sequence !== "number" || first_sequence !== sequence) return
      if (epoch > (starts.at(-1)?.epoch ?? 1)) starts.push({ epoch, first_sequence, restored_sequence })
    },
    isLost,
    isUnannounced: (checkpoint) => epochOf(checkpoint) > epochAt(starts, checkpoint.size) && !isLost(checkpoint),
    lostFrom: (checkpoint) => (commonUpTo(starts, epochOf(checkpoint)) ?? 0) + 1
  }
}

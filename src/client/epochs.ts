import type { ServedEvent } from "../domain/events/EventLeaf.ts"
import type { EpochStart } from "../domain/events/LogEpoch.ts"
import { commonUpTo, currentEpoch, epochAt, readOrigin } from "../domain/events/LogEpoch.ts"

/** The log that an origin names, whichever epoch of it. */
export const logOf = (origin: string): string => readOrigin(origin).log

/** A checkpoint as far as an epoch is told by it. */
interface Signed {
  readonly origin: string
  readonly size: number
}

/** The epochs of a log as its own events tell of them. */
export interface Epochs {
  readonly starts: ReadonlyArray<EpochStart>
  /** Takes note of an event that begins an epoch, once it was verified and when it comes in its order. */
  readonly follow: (event: ServedEvent) => void
  /**
   * Whether a checkpoint is of an earlier epoch than the events that it covers are here, or of one before the last that
   * this log has not been in (only known once the last event was followed): those it covers were lost. To
   * be asked once the events up to its size were followed.
   */
  readonly isLost: (checkpoint: Signed) => boolean
  /** Whether a checkpoint is of a later epoch than the events that it covers are here: nothing says that it began. */
  readonly isUnannounced: (checkpoint: Signed) => boolean
  /** The first event that a checkpoint of a lost part covers and that is not the one here; 1 when that cannot be known. */
  readonly lostFrom: (checkpoint: Signed) => number
}

/** Follows the epochs of a log from its first event on. */
export const makeEpochs = (): Epochs => {
  const starts: Array<EpochStart> = []
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

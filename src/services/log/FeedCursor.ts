import { Effect } from "effect"
import type { EpochStart, Place } from "../../domain/log/EpochPlace.ts"
import { commonUpTo, currentEpoch, cursorOf } from "../../domain/log/EpochPlace.ts"
import { CursorAhead, CursorBehind, failing } from "../../domain/ground/wire/Errors.ts"
import type { Database } from "../ground/persistence/Database.ts"
import { findHead } from "./FeedSql.ts"

const restored = "The log was restored to an earlier state, before this cursor."

const headOf = (sql: Database) => Effect.map(findHead(sql), ([chain]) => Number(chain!.last_sequence))

/**
 * The error for a reader whose position was lost with the rest of an earlier epoch; undefined when it can continue. The
 * head is read only for the error's text.
 */
export const lostPlace = Effect.fnUntraced(
  function*(sql: Database, starts: ReadonlyArray<EpochStart>, place: Place) {
    const epoch = currentEpoch(starts)
    const common = commonUpTo(starts, place.epoch)
    if (common !== undefined && place.sequence <= common) return undefined
    const head = yield* headOf(sql)
    const here = `This log is in epoch ${epoch} and its head is event ${head}.`
    const cursor = cursorOf({ epoch, sequence: common ?? 0 })
    return failing(CursorAhead, restored, {
      detail: common === undefined
        ? `${here} It has never been in epoch ${place.epoch}, which the cursor is of: drop the events that you have of that ` +
          `epoch, and continue from the beginning with cursor=${cursor}.`
        : `${here} The cursor is event ${place.sequence} of epoch ${place.epoch}, of which the events after ${common} ` +
          `are lost: drop those that you have, and continue with cursor=${cursor}.`
    })
  }
)

/**
 * The error for a reader whose position is beyond the head of the feed; undefined otherwise. Call it when nothing was
 * found.
 */
export const beyondHead = Effect.fnUntraced(
  function*(sql: Database, starts: ReadonlyArray<EpochStart>, place: Place) {
    const head = yield* headOf(sql)
    if (place.sequence <= head) return undefined
    const epoch = currentEpoch(starts)
    return failing(CursorAhead, restored, {
      detail: `This log is in epoch ${epoch} and its head is event ${head}; the cursor is event ${place.sequence}. ` +
        "Either the operator restored a backup without countersign restore --new-epoch, or the cursor was never issued. " +
        ` With cursor=${cursorOf({ epoch, sequence: head })} you read what comes after the head.`
    })
  }
)

/** The error for a reader whose position is before the oldest event that is kept: events between them were dropped. */
export const beforeKept = (starts: ReadonlyArray<EpochStart>, place: Place, dropped: number): CursorBehind =>
  failing(CursorBehind, "The events at this cursor were archived and are no longer served.", {
    detail: `The cursor is event ${place.sequence}, and the events up to ${dropped} are in the archive that the ` +
      `operator keeps. The feed begins with event ${dropped + 1}: read the missing events from the archive, and ` +
      `continue with cursor=${cursorOf({ epoch: currentEpoch(starts), sequence: dropped })}.`
  })

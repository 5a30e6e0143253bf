import { Effect } from "effect"
import type { Database } from "../ground/persistence/Database.ts"
import { findDropped } from "./FeedSql.ts"

/** The part of the log that was archived and dropped: the events from the first one up to a place. */
export interface DroppedEvents {
  /** The last event that was dropped, a multiple of 16; 0 when none was. */
  readonly sequence: number
  /** The hash of that event, 32 bytes; zeros when there is none. */
  readonly hash: Uint8Array
  /** The latest time of a dropped event. */
  readonly until: Date | undefined
}

/** Reads which part of the log was dropped. Its rows may still be being deleted; nobody may read them any more. */
export const readDropped = (sql: Database): Effect.Effect<DroppedEvents> =>
  Effect.map(
    findDropped(sql),
    ([row]) => ({
      sequence: Number(row!.dropped_sequence),
      hash: row!.dropped_hash,
      until: row!.dropped_until ?? undefined
    })
  )

import { Effect } from "effect"
import type { Statement } from "effect/sql"
import type { Database, Fragments } from "../ground/persistence/Database.ts"
import { findHeadWithWaiting } from "./FeedSql.ts"

/**
 * The position of the feed in a transaction's snapshot. An event is committed before it gets its place. A reader that
 * must agree with the feed therefore leaves out rows whose event is committed but not yet placed.
 */
export interface FeedPlace {
  /** Events 1 to this one have their place and were committed in this order. */
  readonly lastSequence: number
  /** The time of the oldest event that waits for its place; undefined when none waits. */
  readonly waitingSince: Date | undefined
  /** The time at which the transaction began. */
  readonly readAt: Date
}

/** Reads the position of the feed; in a REPEATABLE READ transaction it is of the same snapshot as every other read. */
export const feedPlace = (sql: Database) =>
  findHeadWithWaiting(sql).pipe(
    Effect.map(([row]): FeedPlace => ({
      lastSequence: Number(row!.last_sequence),
      waitingSince: row!.waiting_since ?? undefined,
      readAt: row!.now
    }))
  )

/**
 * The condition that a row's event has its place; empty when no event waits or no place is given. `time` and `event`
 * are the row's columns for the event's time and id. A row without an event, such as a refusal, is included.
 */
export const placedOnly = (
  sql: Fragments,
  place: FeedPlace | undefined,
  time: string,
  event: string
): ReadonlyArray<Statement.Fragment> =>
  place?.waitingSince === undefined ? [] : [
    // A row older than every waiting event needs no look-up.
    sql`(${sql(time)} < ${place.waitingSince} OR coalesce(${sql(event)}, '') NOT IN (SELECT id FROM event_outbox))`
  ]

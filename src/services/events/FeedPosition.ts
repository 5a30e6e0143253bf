import { Effect } from "effect"
import type { SqlClient, Statement } from "effect/sql"
import type { Fragments } from "../persistence/Database.ts"

/**
 * Where the feed stands in a transaction's snapshot. An event is committed before it gets its place, so a reader who
 * wants no more than the feed's events tell has to leave out what is committed and waits.
 */
export interface FeedPlace {
  /** The events 1 to this have their place, and were committed in this order. */
  readonly lastSequence: number
  /** When the oldest event that waits for its place was made; undefined when none waits. */
  readonly waitingSince: Date | undefined
  /** When the transaction began. */
  readonly readAt: Date
}

/** Reads where the feed stands; of one snapshot with whatever else is read in a REPEATABLE READ transaction. */
export const feedPlace = (sql: SqlClient.SqlClient) =>
  sql<{ readonly last_sequence: bigint; readonly waiting_since: Date | null; readonly now: Date }>`
    SELECT last_sequence, (SELECT min(created_at) FROM event_outbox) AS waiting_since, now() FROM event_chain`.pipe(
    Effect.map(([row]): FeedPlace => ({
      lastSequence: Number(row!.last_sequence),
      waitingSince: row!.waiting_since ?? undefined,
      readAt: row!.now
    })),
    Effect.orDie
  )

/**
 * The condition that a row's event has its place; no condition when nothing waits, or when nobody asks. `time` and
 * `event` are the row's columns with the event's time and id. What has no event at all, as a refusal, is taken.
 */
export const placedOnly = (
  sql: Fragments,
  place: FeedPlace | undefined,
  time: string,
  event: string
): ReadonlyArray<Statement.Fragment> =>
  place?.waitingSince === undefined ? [] : [
    // Whatever is older than all that waits need not be looked up.
    sql`(${sql(time)} < ${place.waitingSince} OR coalesce(${sql(event)}, '') NOT IN (SELECT id FROM event_outbox))`
  ]

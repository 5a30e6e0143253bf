import type { Database, Query } from "../ground/persistence/Database.ts"
import { standingTime } from "../ground/persistence/EventMemberSql.ts"

/** The sequence of the last event that has its place. */
export const findHead = (sql: Database): Query<{ readonly last_sequence: bigint }> =>
  sql<{ readonly last_sequence: bigint }>`
    -- name: event_chain.find head
    SELECT last_sequence FROM event_chain`

/** The end of the feed, with the time of the oldest event that waits for its place; null when none waits. */
export interface HeadRow {
  readonly last_sequence: bigint
  readonly waiting_since: Date | null
  readonly now: Date
}

/** The end of the feed in the snapshot of the transaction, and when that began. */
export const findHeadWithWaiting = (sql: Database): Query<HeadRow> =>
  sql<HeadRow>`
    -- name: event_chain.find with waiting
    SELECT last_sequence, (
        SELECT min(${sql.literal(standingTime)}) FROM event_outbox) AS waiting_since, now() FROM event_chain`

/** Up to which event the log was dropped. */
export interface DroppedRow {
  readonly dropped_sequence: bigint
  readonly dropped_hash: Uint8Array
  readonly dropped_until: Date | null
}

/** Which part of the log was dropped. */
export const findDropped = (sql: Database): Query<DroppedRow> =>
  sql<DroppedRow>`
    -- name: event_archive.find dropped
    SELECT dropped_sequence, dropped_hash, dropped_until FROM event_archive`

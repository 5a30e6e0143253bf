import type { EventKind } from "../../domain/log/EventKind.ts"
import type { FeedRow } from "../log/FeedSignal.ts"
import type { Database, Query } from "../ground/persistence/Database.ts"
import { integers } from "../ground/persistence/NumberArrays.ts"

/** The columns of a {@link FeedRow}, of `events`. */
export const feedColumns = "sequence, id, event_type, data, personal, created_at, traceparent"

/** The first events after a sequence. */
export const listAfter = (sql: Database, sequence: number, limit: number): Query<FeedRow> =>
  sql<FeedRow>`
    -- name: events.list after the buffer
    SELECT ${sql.literal(feedColumns)} FROM events WHERE sequence > ${sequence} ORDER BY sequence LIMIT ${limit}`

/** The events at these places. */
export const listAt = (sql: Database, sequences: ReadonlyArray<number>): Query<FeedRow> =>
  sql<FeedRow>`
    -- name: events.list at places
    SELECT ${sql.literal(feedColumns)} FROM events WHERE sequence = ANY(${integers(sequences)}::bigint[])
    ORDER BY sequence`

/** A span of the feed, and how much of it is read: up to `limit` events, with data of up to `bytes` or a single event. */
export interface FeedSpan {
  readonly position: number
  readonly upTo: number
  /** Kinds of events; undefined for all. */
  readonly kinds: ReadonlyArray<EventKind> | undefined
  readonly limit: number
  readonly bytes: number
}

/**
 * The first events after `position` and up to `upTo` that are of some kinds; `more` says that others may follow them.
 * Places are found first: the planner expects few rows between two bounds, and might read all of them to sort them.
 */
export const listTaken = (
  sql: Database,
  { bytes, kinds, limit, position, upTo }: FeedSpan
): Query<FeedRow & { readonly more: boolean }> => {
  const columns = sql.literal(feedColumns)
  const wanted = kinds === undefined ? sql`` : sql`AND event_type = ANY(${kinds}::text[])`
  return sql<FeedRow & { readonly more: boolean }>`
    -- name: events.list taken
    SELECT *, s.found = ${limit} OR s.total > ${bytes} AS more FROM (
      SELECT ${columns}, row_number() OVER w AS place, sum(length(data)) OVER w AS running,
        count(*) OVER () AS found, sum(length(data)) OVER () AS total
      FROM (
        SELECT ${columns} FROM (
          SELECT sequence AS found FROM event_places
          WHERE sequence > ${position} AND sequence <= ${upTo} ${wanted}
          ORDER BY sequence LIMIT ${limit}
        ) p CROSS JOIN LATERAL (SELECT * FROM events WHERE sequence = p.found OFFSET 0) v
      ) e
      WINDOW w AS (ORDER BY sequence)
    ) s
    WHERE place = 1 OR running <= ${bytes}
    ORDER BY sequence`
}

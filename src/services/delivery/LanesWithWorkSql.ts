import type { Statement } from "effect/sql"
import type { EventKind } from "../../domain/log/EventKind.ts"
import type { Database, Query } from "../ground/persistence/Database.ts"
import { integers } from "../ground/persistence/StatementParts.ts"
import type { FeedRow } from "../log/FeedPosition.ts"
import { latestByKind } from "../log/LatestByKind.ts"

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

/** The endpoints that have retries, as rows of the table `retried`: one look into the index for each. */
const retried = `retried AS (
      SELECT min(endpoint_id) AS endpoint_id FROM webhook_retries
      UNION ALL
      SELECT (SELECT min(w.endpoint_id) FROM webhook_retries w WHERE w.endpoint_id > r.endpoint_id)
      FROM retried r WHERE r.endpoint_id IS NOT NULL
    )`

/**
 * When the next retry may be made, or now where the feed has events beyond `tail`, which this node was not told of. Retries of an
 * endpoint that is not active wait for nothing, and without an active one no event does.
 */
export const lanesDue = (sql: Database, tail: number): Statement.Fragment =>
  sql`WITH RECURSIVE ${sql.literal(retried)}
    SELECT least(
      min(greatest(
        (SELECT CASE WHEN e.ordered THEN (array_agg(w.due_at ORDER BY w.seq))[1] ELSE min(w.due_at) END
          FROM webhook_retries w WHERE w.endpoint_id = e.id),
        l.rest_until, CASE WHEN l.breaker <> 'closed' THEN l.probe_at END)),
      (SELECT now() FROM event_chain
        WHERE last_sequence > ${tail} AND EXISTS (SELECT FROM webhook_endpoints WHERE is_active)))
    FROM retried r JOIN webhook_endpoints e ON e.id = r.endpoint_id JOIN webhook_lanes l ON l.endpoint_id = e.id
    WHERE e.is_active`

/** The head of the feed, the last sequence of a kind, or an endpoint with a retry that is due: a hot row, which is cast. */
export interface WorkRow {
  readonly what: "head" | "kind" | "overdue"
  readonly name: string
  readonly sequence: bigint
}

/**
 * Finds what lanes could work on. It reads as much as there are kinds of events and endpoints with retries, and no kinds at
 * all while the feed ends at `head`.
 */
export const listWork = (sql: Database, head: number): Query<WorkRow> =>
  sql<WorkRow>`
    -- name: webhook_retries.list work
    WITH RECURSIVE ${latestByKind(sql)}, ${sql.literal(retried)}
    SELECT 'head' AS what, '' AS name, last_sequence AS sequence FROM event_chain
    UNION ALL
    SELECT 'kind', kind, sequence FROM newest WHERE (SELECT last_sequence FROM event_chain) <> ${head}
    UNION ALL
    SELECT 'overdue', r.endpoint_id, 0 FROM retried r
    WHERE (SELECT min(w.due_at) FROM webhook_retries w WHERE w.endpoint_id = r.endpoint_id) <= now()`

/** How far a lane is, and whether it may make attempts now: a hot row, which is cast. */
export interface PlaceRow {
  readonly endpoint_id: string
  readonly cursor_seq: bigint
  readonly ready: boolean
}

/** The text of {@link listPlaces}. */
export const placesQuery = `
  -- name: webhook_lanes.list places
  SELECT endpoint_id, cursor_seq,
    COALESCE(breaker = 'closed' OR probe_at <= now(), false) AND COALESCE(rest_until <= now(), true)
      AND NOT (endpoint_id = ANY($2::text[]) AND COALESCE((
        SELECT r.due_at > now() FROM webhook_retries r WHERE r.endpoint_id = l.endpoint_id ORDER BY r.seq LIMIT 1
      ), false)) AS ready
  FROM webhook_lanes l WHERE endpoint_id = ANY($1::text[])`

/**
 * How far some lanes are, of which those of `inOrder` take their deliveries in order: these wait for their first retry,
 * whatever else is due.
 */
export const listPlaces = (
  sql: Database,
  endpointIds: ReadonlyArray<string>,
  inOrder: ReadonlyArray<string>
): Query<PlaceRow> => sql.unsafe<PlaceRow>(placesQuery, [endpointIds, inOrder])

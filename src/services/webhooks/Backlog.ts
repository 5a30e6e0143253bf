import { Effect } from "effect"
import { kinds } from "../../domain/events/EventKind.ts"
import { matches } from "../../domain/events/Subscription.ts"
import type { Database, Query } from "../persistence/Database.ts"

/** A span of the feed that an endpoint has not been sent: after `from`, up to `to`. */
export interface Backlog {
  readonly from: number
  readonly to: number
  /** How many events of it the endpoint takes, and which. */
  readonly events: number
  readonly eventTypes: ReadonlyArray<string>
}

interface LaneEnds {
  readonly cursor_seq: bigint
  readonly head: bigint
  readonly event_types: ReadonlyArray<string>
}

/** How far the lane of an endpoint is, how far the feed, and what the endpoint takes. */
export const readEnds = (sql: Database, id: string): Query<LaneEnds> =>
  sql<LaneEnds>`
    SELECT l.cursor_seq, c.last_sequence AS head, e.event_types
    FROM webhook_endpoints e JOIN webhook_lanes l ON l.endpoint_id = e.id CROSS JOIN event_chain c
    WHERE e.id = ${id} AND e.deleted_at IS NULL`

/** How many places of the feed one statement counts: about a second of work on a busy machine, of the 30 that it may take. */
const slice = 1_000_000

/** How many events of a span of the feed a subscription takes, however long the span is. */
export const countEvents = Effect.fnUntraced(function*(
  sql: Database,
  eventTypes: ReadonlyArray<string>,
  from: number,
  to: number
) {
  const taken = kinds.filter((kind) => matches(eventTypes, kind))
  const ofTypes = eventTypes.length === 0 ? sql`` : sql`AND event_type = ANY(${taken}::text[])`
  let events = 0
  for (let after = from; after < to; after += slice) {
    const [counted] = yield* sql<{ readonly count: bigint }>`
      SELECT count(*) AS count FROM event_places
      WHERE sequence > ${after} AND sequence <= ${Math.min(after + slice, to)} ${ofTypes}`
    events += Number(counted!.count)
  }
  return events
})

/** Has a lane stand at a place of the feed, with nothing to be tried again; answers a row for each that was to be. */
export const skipTo = (sql: Database, id: string, sequence: number): Query<object> =>
  sql`
    WITH lane AS (
      UPDATE webhook_lanes SET cursor_seq = GREATEST(cursor_seq, ${sequence}) WHERE endpoint_id = ${id}
    ), passed AS (
      UPDATE webhook_endpoints SET skipped_seq = GREATEST(skipped_seq, ${sequence}) WHERE id = ${id}
    )
    DELETE FROM webhook_retries WHERE endpoint_id = ${id} AND seq <= ${sequence} RETURNING seq`

import type { Database, Query } from "../persistence/Database.ts"

/** The last event of a resource that tells something of it, as it is kept when the event is dropped. */
export interface Anchor {
  readonly resource_id: string
  readonly slot: string
  readonly place: string
  readonly event_type: string
  readonly metadata: string
  readonly data: string
  readonly created_at: string
}

/** Inserts the states that resources replay to. */
export const insertStates = (
  sql: Database,
  upto: number,
  states: ReadonlyArray<readonly [root: string, state: string]>
): Query<object> =>
  sql`
    -- name: event_baselines.insert states
    INSERT INTO event_baselines (root, upto, state)
    SELECT root, ${upto}, state
    FROM unnest(${states.map(([root]) => root)}::text[], ${states.map(([, state]) => state)}::text[])
      AS s (root, state)
    ON CONFLICT (root, upto) DO UPDATE SET state = EXCLUDED.state`

/** Inserts the last events of resources. */
export const insertAnchors = (sql: Database, upto: number, anchors: ReadonlyArray<Anchor>): Query<object> =>
  sql`
    -- name: event_anchors.insert
    INSERT INTO event_anchors (resource_id, slot, upto, place, event_type, metadata, data, created_at)
    SELECT resource_id, slot, ${upto}, place, event_type, metadata, data, created_at
    FROM json_to_recordset(${JSON.stringify(anchors)}::json) AS a (resource_id text, slot text, place bigint,
      event_type text, metadata text, data text, created_at timestamptz)
    ON CONFLICT (resource_id, slot, upto) DO UPDATE SET place = EXCLUDED.place,
      event_type = EXCLUDED.event_type, metadata = EXCLUDED.metadata, data = EXCLUDED.data,
      created_at = EXCLUDED.created_at`

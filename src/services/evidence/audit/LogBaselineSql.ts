import type { Database, Query } from "../../ground/persistence/Database.ts"

/** The last event that was dropped, whose rows and those before it may still be being deleted. */
const droppedSequenceSql = "(SELECT dropped_sequence FROM event_archive)"

/** Until when events were dropped: of what happened before, the log may tell nothing. */
export const droppedUntil = "(SELECT coalesce(dropped_until, '-infinity') FROM event_archive)"

/**
 * The whole kept event log in SQL: `columns` of each event, and its `place`, which orders them. Events that the
 * sequencer has not placed yet come after those that have their place. It is for reading the whole log: conditions on
 * it use no index.
 */
export const wholeLogSql = (columns: string): string => `
  (SELECT sequence AS place, ${columns} FROM events WHERE sequence > ${droppedSequenceSql}
  UNION ALL SELECT 9000000000000000000 + ordinal, ${columns} FROM event_outbox)`

/**
 * Events of a log, a query in parentheses, by the resource that they are judged with, `doctor_root`, and in their order. Devices,
 * leases and offline files are judged with their license, whose events change them too.
 */
export const byRootSql = (log: string, columns: string): string => `
  (SELECT doctor_root, place, ${columns} FROM (
    SELECT resource_id AS doctor_root, place, ${columns} FROM ${log} e
    WHERE resource_type NOT IN ('device', 'lease', 'offline_file') AND resource_id IS NOT NULL
    UNION ALL
    SELECT (data::jsonb ->> 'license_id') COLLATE "C", place, ${columns} FROM ${log} e
    WHERE resource_type IN ('device', 'lease', 'offline_file')
  ) r ORDER BY doctor_root, place)`

/** The state that the dropped events of each resource replay to, in order of `doctor_root`. */
export const baselineSql = `
  (SELECT DISTINCT ON (root) root AS doctor_root, state FROM event_baselines
  WHERE upto <= ${droppedSequenceSql} ORDER BY root, upto DESC)`

/** The tables of which rows were deleted by age, and up to which instant. */
export const listPrunedTables = (sql: Database): Query<{ readonly name: string; readonly until: Date }> =>
  sql<{ readonly name: string; readonly until: Date }>`
    -- name: pruned_tables.list
    SELECT name, until FROM pruned_tables`

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

/** A table of the baseline, and the column that tells of what a row of it is. */
const baselines = {
  event_baselines: "n.root = t.root",
  event_anchors: "n.resource_id = t.resource_id AND n.slot = t.slot"
} as const

/**
 * Deletes a slice of the rows of a baseline that nothing needs: those of what was not dropped after all, and those with a
 * later one of the same that was dropped.
 */
export const deleteSuperseded = (sql: Database, table: keyof typeof baselines, limit: number): Query<object> =>
  sql.unsafe(`
    -- name: ${table}.delete superseded
    DELETE FROM ${table} WHERE ctid = ANY(ARRAY(
      SELECT t.ctid FROM ${table} t, event_archive d
      WHERE t.upto > d.dropped_sequence OR EXISTS (
        SELECT 1 FROM ${table} n WHERE ${baselines[table]} AND n.upto > t.upto AND n.upto <= d.dropped_sequence)
      LIMIT ${limit} FOR UPDATE OF t SKIP LOCKED
    )) RETURNING 1`)

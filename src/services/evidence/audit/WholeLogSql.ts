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

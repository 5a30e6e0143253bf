/**
 * The whole event log in SQL: `columns` of each event, and its `place`, which orders them. Events that the sequencer has
 * not placed yet happened all the same, after those that have their place. For reading
 * all of it: conditions on it reach no index.
 */
export const wholeLogSql = (columns: string): string => `
  SELECT sequence AS place, ${columns} FROM events
  UNION ALL SELECT 9000000000000000000 + ordinal, ${columns} FROM event_outbox`

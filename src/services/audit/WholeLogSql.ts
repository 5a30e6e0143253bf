/**
 * The whole event log in SQL: `columns` of each event, and its `place`, which orders them. Events that the sequencer
 * has not placed yet come after those that have their place. It is for reading the whole log: conditions on it use no
 * index.
 */
export const wholeLogSql = (columns: string): string => `
  SELECT sequence AS place, ${columns} FROM events
  UNION ALL SELECT 9000000000000000000 + ordinal, ${columns} FROM event_outbox`

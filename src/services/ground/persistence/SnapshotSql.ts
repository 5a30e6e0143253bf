import { Effect } from "effect"
import type { Database } from "./Database.ts"

/** Makes the transaction that has just begun read one snapshot, and write nothing. */
export const readOneSnapshot = (sql: Database): Effect.Effect<unknown> =>
  sql`SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY`.unprepared

/** The same for a transaction that reads much: none of its statements is ended for the time that it takes. */
export const readOneSnapshotLong = (sql: Database): Effect.Effect<unknown> =>
  Effect.andThen(readOneSnapshot(sql), sql`SET LOCAL statement_timeout = 0`.unprepared)

/** Ends the session of a transaction that waits longer than this, such as `30s`, between two of its statements. */
export const limitIdleTime = (sql: Database, time: "30s"): Effect.Effect<unknown> =>
  sql`SET LOCAL idle_in_transaction_session_timeout = ${sql.literal(`'${time}'`)}`.unprepared

import { Context, Effect } from "effect"
import type { SqlClient } from "effect/sql"
import type { Database, Query } from "./Database.ts"

/**
 * A separate connection pool for the delivery of webhooks, so that a backlog of deliveries never makes an API caller
 * wait for a connection.
 */
export class DeliverySql extends Context.Service<DeliverySql, SqlClient.SqlClient>()(
  "countersign/services/ground/persistence/DeliverySql"
) {}

/** Makes the transaction that has just begun read one snapshot, and write nothing. */
export const readOneSnapshot = (sql: Database): Effect.Effect<unknown> =>
  sql`SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY`.unprepared

/** The same for a transaction that reads much: none of its statements is ended for the time that it takes. */
export const readOneSnapshotLong = (sql: Database): Effect.Effect<unknown> =>
  Effect.andThen(readOneSnapshot(sql), sql`SET LOCAL statement_timeout = 0`.unprepared)

/** Ends the session of a transaction that waits longer than this, such as `30s`, between two of its statements. */
export const limitIdleTime = (sql: Database, time: "30s"): Effect.Effect<unknown> =>
  sql`SET LOCAL idle_in_transaction_session_timeout = ${sql.literal(`'${time}'`)}`.unprepared

/**
 * A separate connection pool for snapshots of the database that are read while others write what follows from them. Who holds a
 * connection of a pool never asks the same pool for another: a pool of which each is held by such a one would lend none any more.
 */
export class LongReadSql extends Context.Service<LongReadSql, SqlClient.SqlClient>()(
  "countersign/services/ground/persistence/LongReadSql"
) {}

/** The time on the database's clock, in Unix milliseconds, with a part of one. */
export const findTime = (sql: Database): Query<{ readonly now: number }> =>
  sql<{ readonly now: number }>`
    -- name: clock.find
    SELECT extract(epoch FROM clock_timestamp())::float8 * 1000 AS now`

/** Locks licenses, by their ids in order; unless it `waits`, those that nobody has locked. */
export const lockSwept = (
  sql: Database,
  ids: ReadonlyArray<string>,
  waits: boolean
): Query<{ readonly id: string }> =>
  sql<{ readonly id: string }>`
    -- name: licenses.lock for sweep
    SELECT id FROM licenses WHERE id = ANY(${ids}::text[]) ORDER BY id
    -- guard: a sweep passes by a license that is locked
    FOR NO KEY UPDATE ${waits ? sql`` : sql`SKIP LOCKED`}`

/** Sets how long statements of this transaction wait for a lock, such as `100ms`. */
export const updateLockTimeout = (sql: Database, patience: string): Query<object> =>
  sql`
    -- name: settings.find lock timeout
    SELECT set_config('lock_timeout', ${patience}, true)`

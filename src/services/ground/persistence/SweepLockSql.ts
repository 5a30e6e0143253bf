import type { Database, Query } from "./Database.ts"

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

import { Effect } from "effect"
import type { Database } from "../persistence/Database.ts"

/**
 * Where a restore leaves word in the database, in the transaction that loads it, until it has decided about the epoch:
 * the last event of the backup. A service that started before would give sequences a second time.
 */
export const unfinishedRestore = "unfinished_restore"

/** The last event of the backup of a restore that did not end; undefined when there is none. */
export const readUnfinishedRestore = (sql: Database): Effect.Effect<number | undefined> =>
  Effect.map(
    sql<{ readonly value: Uint8Array }>`
      -- name: service_state.find unfinished restore
      SELECT value FROM service_state WHERE key = ${unfinishedRestore}`,
    ([row]) => row === undefined ? undefined : Number(new TextDecoder().decode(row.value))
  )

/** Ends a restore: the service may start. */
export const endRestore = (sql: Database): Effect.Effect<unknown> =>
  sql`
    -- name: service_state.delete unfinished restore
    DELETE FROM service_state WHERE key = ${unfinishedRestore}`

import { Effect } from "effect"
import type { Database } from "../../ground/persistence/Database.ts"
import { deleteState, findState } from "./CosignatureSql.ts"

/**
 * Where a restore leaves word in the database, in the transaction that loads it, until it has decided about the epoch:
 * the last event of the backup. A service that started before would give sequences a second time.
 */
export const unfinishedRestore = "unfinished_restore"

/** The last event of the backup of a restore that did not end; undefined when there is none. */
export const readUnfinishedRestore = (sql: Database): Effect.Effect<number | undefined> =>
  Effect.map(
    findState(sql, unfinishedRestore),
    ([row]) => row === undefined ? undefined : Number(new TextDecoder().decode(row.value))
  )

/** Ends a restore: the service may start. */
export const endRestore = (sql: Database): Effect.Effect<unknown> => deleteState(sql, unfinishedRestore)

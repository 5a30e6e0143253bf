import { Effect } from "effect"
import { makeExportPieces } from "../../evidence/exports/ExportFiles.ts"
import type { Database } from "../../ground/persistence/Database.ts"
import { countNaming, insertErasure, lockErasureNumbers, updateExpiredNaming, updateQueuedAnew } from "./ErasureSql.ts"

/**
 * Removes the exports that hold personal values of a customer. A frozen snapshot cannot be changed, because its digest
 * is signed: the export expires, and only its digests and manifest stay. An export still in progress starts again from
 * the tables as they are then.
 */
export const makeErasedExports = (sql: Database) => {
  const pieces = makeExportPieces(sql)

  /** How many exports {@link makeErasedExports} would let expire. */
  const count = (customerId: string, inherited: ReadonlyArray<string>) =>
    Effect.map(countNaming(sql, { customerId, inherited }), ([row]) => row!.count)

  const expireNaming = Effect.fnUntraced(function*(named: Parameters<typeof updateExpiredNaming>[1]) {
    yield* updateQueuedAnew(sql, named)
    const ids = (yield* updateExpiredNaming(sql, named)).map(({ id }) => id)
    if (ids.length > 0) yield* sql.afterCommit(Effect.forEach(ids, pieces.discard, { discard: true }))
    return ids.length
  })

  /**
   * Runs in the erasure's last transaction, after the tables are erased; returns the number of exports that expired.
   * Their files are removed after the commit; from the commit on they are no longer served.
   *
   * No export can slip through. Erasures are numbered under a lock that conflicts with the one for freezing a snapshot.
   * A snapshot frozen before is seen here; one frozen later finds an erasure newer than the data it was read from.
   */
  const expire = Effect.fnUntraced(function*(customerId: string, inherited: ReadonlyArray<string>) {
    yield* lockErasureNumbers(sql).unprepared
    yield* insertErasure(sql, customerId)
    return yield* expireNaming({ customerId, inherited })
  })

  /** The same for audits that show the reasons of some activities. */
  const expireAudits = (activities: ReadonlyArray<string>) =>
    Effect.andThen(lockErasureNumbers(sql).unprepared, expireNaming({ customerId: null, inherited: activities }))

  return { count, expire, expireAudits }
}

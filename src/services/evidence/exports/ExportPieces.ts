import { Data, Effect } from "effect"
import type { Statement } from "effect/sql"
import type { Database } from "../../ground/persistence/Database.ts"
import { deletePieces, lockDiscarded, removedAtOnce } from "./ExportSql.ts"
import type { ExportPart } from "./ExportSql.ts"

/** The claim is lost: another node took the export, or its work ended. The worker must stop writing. */
export class ClaimLost extends Data.TaggedError("ClaimLost")<{ readonly id: string }> {}

/** Removes the pieces of exports, a few at a time, and with a snapshot the list of customers that it names. */
export const makeExportPieces = (sql: Database) => {
  /** Removes pieces of the export that `held` locks; fails when it locks none. */
  const remove = (id: string, parts: ReadonlyArray<ExportPart>, held: Statement.Fragment) =>
    deletePieces(sql, parts, held).pipe(
      Effect.flatMap(([row]) => row!.held === 0 ? Effect.fail(new ClaimLost({ id })) : Effect.succeed(row!.gone)),
      Effect.repeat({ while: (gone) => gone === removedAtOnce }),
      Effect.asVoid
    )

  /** Removes all pieces of an export that can no longer be downloaded. */
  const discard = (id: string) =>
    remove(id, ["snapshot", "artifact"], lockDiscarded(sql, id)).pipe(
      Effect.catchTag("ClaimLost", () => Effect.void)
    )

  return { remove, discard }
}

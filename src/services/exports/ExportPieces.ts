import { Data, Effect } from "effect"
import type { Statement } from "effect/sql"
import type { Database } from "../persistence/Database.ts"

/**
 * Pieces that one statement removes: 2 MB of file. One may have ten thousand, and the sequencer waits for running
 * transactions.
 */
const removedAtOnce = 32

/** Another node has claimed the export, or it is no longer to be made: whoever is told so writes nothing more. */
export class ClaimLost extends Data.TaggedError("ClaimLost")<{ readonly id: string }> {}

/** The two texts of an export: what was frozen, and the file that was rendered from it. */
export type ExportPart = "snapshot" | "artifact"

/** Removes the pieces of exports, a few at a time, and with a snapshot the list of customers that it names. */
export const makeExportPieces = (sql: Database) => {
  /** Removes pieces of the export that `held` locks; fails when it locks none. */
  const remove = (id: string, parts: ReadonlyArray<ExportPart>, held: Statement.Fragment) =>
    sql<{ readonly held: number; readonly gone: number }>`
      WITH held AS (${held}), gone AS (
        DELETE FROM report_export_pieces WHERE (export_id, part, start_at) IN (
          SELECT p.export_id, p.part, p.start_at FROM held JOIN report_export_pieces p ON p.export_id = held.id
          WHERE p.part = ANY(${parts}::text[]) ORDER BY p.part, p.start_at LIMIT ${removedAtOnce})
        RETURNING 1), named AS (
        DELETE FROM report_export_customers WHERE export_id IN (SELECT id FROM held)
          AND ${parts.includes("snapshot")})
      SELECT (SELECT count(*)::int FROM held) AS held, (SELECT count(*)::int FROM gone) AS gone`.pipe(
      Effect.flatMap(([row]) => row!.held === 0 ? Effect.fail(new ClaimLost({ id })) : Effect.succeed(row!.gone)),
      Effect.repeat({ while: (gone) => gone === removedAtOnce }),
      Effect.asVoid
    )

  /** Removes all pieces of an export that can no longer be downloaded. */
  const discard = (id: string) =>
    remove(
      id,
      ["snapshot", "artifact"],
      sql`SELECT id FROM report_exports WHERE id = ${id} AND status IN ('expired', 'failed') FOR NO KEY UPDATE`
    ).pipe(Effect.catchTag("ClaimLost", () => Effect.void))

  return { remove, discard }
}

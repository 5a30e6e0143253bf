import { Effect } from "effect"
import type { Pruned } from "../../../domain/evidence/reports/PrunedWindow.ts"
import type { Database } from "../../ground/persistence/Database.ts"
import { listPrunedTables } from "./PrunedTableSql.ts"

/**
 * From which instants on no activity of something that happened, and no use, was deleted by age. Refusals are kept for a
 * time of their own, which no report counts on.
 */
export const readPruned = (sql: Database): Effect.Effect<Pruned> =>
  Effect.map(
    listPrunedTables(sql),
    (rows) => {
      const until = new Map(rows.map((row) => [row.name, row.until]))
      return { activities: until.get("activities"), uses: until.get("usage_records") }
    }
  )

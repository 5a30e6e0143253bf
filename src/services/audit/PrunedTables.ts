import { Effect } from "effect"
import type { Pruned } from "../../domain/reports/PrunedWindow.ts"
import type { Database } from "../persistence/Database.ts"

/**
 * From which instants on no activity of something that happened, and no use, was deleted by age. Refusals are kept for a
 * time of their own, which no report counts on.
 */
export const readPruned = (sql: Database): Effect.Effect<Pruned> =>
  Effect.map(
    sql<{ readonly name: string; readonly until: Date }>`
      -- name: pruned_tables.list
      SELECT name, until FROM pruned_tables`,
    (rows) => {
      const until = new Map(rows.map((row) => [row.name, row.until]))
      return { activities: until.get("activities"), uses: until.get("usage_records") }
    }
  )

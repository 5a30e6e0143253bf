import { Effect } from "effect"
import type { Database } from "../persistence/Database.ts"

/**
 * From which instant on no activity of something that happened was deleted by age; undefined while none was. Refusals
 * are kept for a time of their own, which no report counts on.
 */
export const readActivitiesPruned = (sql: Database): Effect.Effect<Date | undefined> =>
  Effect.map(
    sql<{ readonly until: Date }>`SELECT until FROM pruned_tables WHERE name = 'activities'`,
    ([row]) => row?.until
  )

import type { Database, Query } from "../../ground/persistence/Database.ts"

/** The tables of which rows were deleted by age, and up to which instant. */
export const listPrunedTables = (sql: Database): Query<{ readonly name: string; readonly until: Date }> =>
  sql<{ readonly name: string; readonly until: Date }>`
    -- name: pruned_tables.list
    SELECT name, until FROM pruned_tables`

import type { Database, Query } from "./Database.ts"

/** The time on the database's clock, in Unix milliseconds, with a part of one. */
export const findTime = (sql: Database): Query<{ readonly now: number }> =>
  sql<{ readonly now: number }>`
    -- name: clock.find
    SELECT extract(epoch FROM clock_timestamp())::float8 * 1000 AS now`

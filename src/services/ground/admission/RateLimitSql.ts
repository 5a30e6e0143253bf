import type { SqlClient, Statement } from "effect/sql"
import type { LimitName, RateLimit } from "../../../domain/ground/admission/RateLimit.ts"

/** The spending of a subject since the last report; below zero where it was given back. */
export type Spent = RateLimit & { readonly subject: string; readonly amount: number }

/** Adds what was spent to what other nodes have, and answers how much that is now. */
export const insertSpent = (
  sql: SqlClient.SqlClient,
  spent: ReadonlyArray<Spent>
): Statement.Statement<{ readonly name: LimitName; readonly subject: string; readonly spent: number }> =>
  sql<{ readonly name: LimitName; readonly subject: string; readonly spent: number }>`
    -- name: rate_limits.insert spent
    INSERT INTO rate_limits AS r (name, subject, burst, per_second, spent, at)
    SELECT name, subject, burst, "perSecond", greatest(0, amount), clock_timestamp()
    FROM json_to_recordset(${JSON.stringify(spent)}::json)
      AS t (name text, subject text, burst float8, "perSecond" float8, amount float8)
    ORDER BY name COLLATE "C", subject COLLATE "C"
    ON CONFLICT (name, subject) DO UPDATE SET burst = excluded.burst, per_second = excluded.per_second,
      -- guard: what nodes spend is added up
      at = excluded.at, spent = least(excluded.burst, excluded.spent + greatest(0, r.spent
        - greatest(0, extract(epoch FROM excluded.at - r.at)::float8) * excluded.per_second))
    RETURNING name, subject, spent`

/** Deletes the buckets of subjects that have spent nothing for an hour. */
export const deleteForgotten = (sql: SqlClient.SqlClient): Statement.Statement<object> =>
  sql`
    -- name: rate_limits.delete forgotten
    DELETE FROM rate_limits WHERE at < clock_timestamp() - interval '1 hour'`

import type { SqlClient, Statement } from "effect/sql"
import type { LimitName, RateLimit } from "../../../domain/ground/admission/RateLimit.ts"

/** The owners of those of some keyed hashes that are of valid credentials. */
export const listOwners = (
  sql: SqlClient.SqlClient,
  hashes: ReadonlyArray<Uint8Array>
): Statement.Statement<{ readonly key_hash: Uint8Array; readonly owner: string }> =>
  sql<{ readonly key_hash: Uint8Array; readonly owner: string }>`
    -- name: license_keys.list known owners
    WITH presented AS (SELECT unnest(${hashes}::bytea[]) AS key_hash)
    SELECT key_hash, license_id AS owner FROM license_keys JOIN presented USING (key_hash)
    WHERE expires_at IS NULL OR expires_at > now()
    UNION ALL SELECT key_hash, id FROM management_keys JOIN presented USING (key_hash)
    UNION ALL SELECT key_hash, id FROM publishable_keys JOIN presented USING (key_hash)
    UNION ALL SELECT token_hash, person_id FROM person_sessions JOIN presented ON token_hash = presented.key_hash
    UNION ALL SELECT token_hash, coalesce(license_id, customer_ids[1]) FROM portal_sessions
    JOIN presented ON token_hash = presented.key_hash
    UNION ALL SELECT token_hash, customer_ids[1] FROM portal_links JOIN presented ON token_hash = presented.key_hash
    UNION ALL SELECT token_hash, license_id FROM license_transfer_requests JOIN presented ON token_hash = presented.key_hash
    UNION ALL SELECT link_hash, license_id FROM user_mail_sign_ins JOIN presented ON link_hash = presented.key_hash
    UNION ALL SELECT key_hash, 'bootstrap' FROM bootstrap_tokens JOIN presented ON token_hash = presented.key_hash
    WHERE withdrawn_at IS NULL`

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

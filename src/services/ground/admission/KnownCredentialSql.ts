import type { SqlClient, Statement } from "effect/sql"

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

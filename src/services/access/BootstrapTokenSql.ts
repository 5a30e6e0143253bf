import type { Database, Query } from "../persistence/Database.ts"

/** Whether the token of a keyed hash was withdrawn; none where no token of this hash was issued or replaced. */
export const findWithdrawn = (sql: Database, hash: Uint8Array): Query<{ readonly withdrawn: boolean }> =>
  sql<{ readonly withdrawn: boolean }>`
    -- name: bootstrap_tokens.find
    SELECT withdrawn_at IS NOT NULL AS withdrawn FROM bootstrap_tokens WHERE token_hash = ${hash}`

/** Makes a token known, so that it can be withdrawn. */
export const insertKnown = (sql: Database, hash: Uint8Array): Query<object> =>
  sql`
    -- name: bootstrap_tokens.insert known
    INSERT INTO bootstrap_tokens (token_hash) VALUES (${hash}) ON CONFLICT (token_hash) DO NOTHING`

/** Withdraws every token. */
export const updateWithdrawn = (sql: Database): Query<object> =>
  sql`
    -- name: bootstrap_tokens.update withdrawn
    UPDATE bootstrap_tokens SET withdrawn_at = now() WHERE withdrawn_at IS NULL`

/** Inserts a token that was issued. */
export const insertIssued = (sql: Database, hash: Uint8Array): Query<object> =>
  sql`
    -- name: bootstrap_tokens.insert issued
    INSERT INTO bootstrap_tokens (token_hash) VALUES (${hash})`

/** Withdraws every token but one. */
export const updateOthersWithdrawn = (sql: Database, hash: Uint8Array): Query<object> =>
  sql`
    -- name: bootstrap_tokens.update others withdrawn
    UPDATE bootstrap_tokens SET withdrawn_at = now()
    WHERE withdrawn_at IS NULL AND token_hash <> ${hash}`

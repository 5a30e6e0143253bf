import type { Database, Query } from "../../ground/persistence/Database.ts"

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

/**
 * How often the token of an environment beside the live one was rotated. A table beside the others, which a reset keeps: what was
 * withdrawn stays withdrawn.
 */
export const findTurn = (sql: Database): Query<{ readonly turn: number }> =>
  sql<{ readonly turn: number }>`
    -- name: bootstrap_tokens.find turn
    SELECT turn FROM environment_token`

/** Counts at least so many rotations: none that was ever withdrawn comes back with the rows of an older time. */
export const updateTurnAtLeast = (sql: Database, turn: number): Query<object> =>
  sql`
    -- name: bootstrap_tokens.update turn at least
    UPDATE environment_token SET turn = greatest(turn, ${turn}::int)`

/** Counts a rotation of the token of an environment beside the live one, which no other then does at once. */
export const updateTurn = (sql: Database): Query<{ readonly turn: number }> =>
  sql<{ readonly turn: number }>`
    -- name: bootstrap_tokens.update turn
    UPDATE environment_token SET turn = turn + 1 RETURNING turn`

/** Withdraws every token but one. */
export const updateOthersWithdrawn = (sql: Database, hash: Uint8Array): Query<object> =>
  sql`
    -- name: bootstrap_tokens.update others withdrawn
    UPDATE bootstrap_tokens SET withdrawn_at = now()
    WHERE withdrawn_at IS NULL AND token_hash <> ${hash}`

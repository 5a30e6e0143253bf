import type { Database, Query } from "../persistence/Database.ts"

/** An answer as it is stored: a hot row, which is cast. */
export interface AnswerRow {
  readonly request_hash: Uint8Array
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: Uint8Array | null
}

/** The statement that finds an answer, by principal and key. */
export const answerQuery = `
  SELECT request_hash, status, headers, body FROM idempotency_keys WHERE principal = $1 AND key = $2`

/** A key as it was found: whether it was locked for us, and its answer if it has one. */
export type Claim = { readonly locked: boolean } & { readonly [key in keyof AnswerRow]: AnswerRow[key] | null }

/** Locks keys and reads their answers; its parameters are arrays of principals and of keys. */
export const claimQuery = `
  SELECT locked, request_hash, status, headers, body FROM idempotency_claim($1::text[], $2::text[]) ORDER BY place`

/** How many answers a caller has stored. */
export interface StoredRow {
  readonly principal: string
  readonly answers: number
}

/** For how many hours an answer is kept: a day is promised, and an hour more for clocks and sweeps. */
export const keptHours = 25

/** Counts the answers of callers in the hours that are kept; its parameter is an array of principals. */
export const storedQuery = `
  SELECT principal, sum(answers)::float8 AS answers FROM idempotency_counts
  WHERE principal = ANY($1::text[]) AND hour > now() - ${keptHours} * interval '1 hour' GROUP BY principal`

const answerColumns = "principal, key, request_hash, status, headers, body"

/** Stores answers; its parameters are arrays, one for each column, with an empty body for none. */
export const storeQuery = `
  INSERT INTO idempotency_keys (${answerColumns})
  SELECT principal, key, request_hash, status, headers::jsonb, nullif(body, '')
  FROM unnest($1::text[], $2::text[], $3::bytea[], $4::int[], $5::text[], $6::bytea[]) AS a (${answerColumns})`

/** {@link storeQuery} that counts them too; the last parameter has the shards to count them in. */
export const storeCountedQuery = `
  WITH stored AS (${storeQuery})
  INSERT INTO idempotency_counts AS c (principal, hour, shard, answers)
  SELECT principal, date_trunc('hour', now()), shard, count(*)
  FROM unnest($1::text[], $7::int[]) AS a (principal, shard) GROUP BY principal, shard ORDER BY principal, shard
  ON CONFLICT (principal, hour, shard) DO UPDATE SET
    -- guard: answers are counted together
    answers = c.answers + excluded.answers`

/** Deletes some of the answers that are no longer kept, those that no other node deletes. */
export const deleteOldAnswers = (sql: Database, limit: number): Query<{ readonly key: string }> =>
  sql<{ readonly key: string }>`
    DELETE FROM idempotency_keys WHERE ctid = ANY(ARRAY(
      -- guard: an answer is kept for a day
      SELECT ctid FROM idempotency_keys WHERE created_at < now() - ${keptHours} * interval '1 hour'
      -- guard: nodes that delete answers wait for nobody
      ORDER BY created_at LIMIT ${limit} FOR UPDATE SKIP LOCKED))
    RETURNING key`

import type { Database, Query } from "../../ground/persistence/Database.ts"
import { integers } from "../../ground/persistence/StatementParts.ts"

/** The owner of the key: a key is unique per principal. */
export interface OwnedKey {
  readonly principal: string
  readonly key: string
}

/** An answer to be stored, its body sealed, and the shard of its principal's hourly counter that counts it. */
export interface NewAnswer extends OwnedKey {
  readonly fingerprint: Uint8Array
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly sealed: Uint8Array | undefined
  readonly shard: number
}

/** An answer as it is stored: a hot row, which is cast. */
export interface AnswerRow {
  readonly request_hash: Uint8Array
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: Uint8Array | null
}

/** The statement that finds an answer, by principal and key. */
export const answerQuery = `
  -- name: idempotency_keys.find
  SELECT request_hash, status, headers, body FROM idempotency_keys WHERE principal = $1 AND key = $2`

/** The answer under a key. */
export const findStoredAnswer = (sql: Database, { key, principal }: OwnedKey): Query<AnswerRow> =>
  sql.unsafe<AnswerRow>(answerQuery, [principal, key])

/** A key as it was found: whether it was locked for us, and its answer if it has one. */
export type Claim = { readonly locked: boolean } & { readonly [key in keyof AnswerRow]: AnswerRow[key] | null }

/** Locks keys and reads their answers; its parameters are arrays of principals and of keys. */
export const claimQuery = `
  -- name: idempotency_keys.lock with answers
  SELECT locked, request_hash, status, headers, body FROM idempotency_claim($1::text[], $2::text[]) ORDER BY place`

/**
 * Locks keys for the transaction and reads their answers. Waiting for another request would tie up a connection, so a
 * request that does not get the lock is told to come back. The holder of the lock may be replaying an answer too, so there
 * can be an answer without the lock.
 */
export const lockKeys = (sql: Database, keys: ReadonlyArray<OwnedKey>): Query<Claim> =>
  sql.unsafe<Claim>(claimQuery, [keys.map(({ principal }) => principal), keys.map(({ key }) => key)])

/** How many answers a caller has stored. */
export interface StoredRow {
  readonly principal: string
  readonly answers: number
}

/** For how many hours an answer is kept: a day is promised, and an hour more for clocks and sweeps. */
export const keptHours = 25

/** Counts the answers of callers in the hours that are kept; its parameter is an array of principals. */
export const storedQuery = `
  -- name: idempotency_counts.count of principals
  SELECT principal, sum(answers)::float8 AS answers FROM idempotency_counts
  WHERE principal = ANY($1::text[]) AND hour > now() - ${keptHours} * interval '1 hour' GROUP BY principal`

/** How many answers callers have stored in the hours that are kept; those without any are left out. */
export const countStored = (sql: Database, principals: ReadonlyArray<string>): Query<StoredRow> =>
  sql.unsafe<StoredRow>(storedQuery, [principals])

const answerColumns = "principal, key, request_hash, status, headers, body"

// Its parameters are arrays, one for each column, with an empty body for none.
const answersOf = `INTO idempotency_keys (${answerColumns})
  SELECT principal, key, request_hash, status, headers::jsonb, nullif(body, '')
  FROM unnest($1::text[], $2::text[], $3::bytea[], $4::int[], $5::text[], $6::bytea[]) AS a (${answerColumns})`

const storeQuery = `
  -- name: idempotency_keys.insert
  INSERT ${answersOf}`

// The last parameter has the shards to count them in.
const storeCountedQuery = `
  -- name: idempotency_keys.insert counted
  WITH stored AS (INSERT ${answersOf})
  INSERT INTO idempotency_counts AS c (principal, hour, shard, answers)
  SELECT principal, date_trunc('hour', now()), shard, count(*)
  FROM unnest($1::text[], $7::int[]) AS a (principal, shard) GROUP BY principal, shard ORDER BY principal, shard
  ON CONFLICT (principal, hour, shard) DO UPDATE SET
    -- guard: answers are counted together
    answers = c.answers + excluded.answers`

/** Stores answers; counts them too where their number is limited. */
export const insertAnswers = (
  sql: Database,
  answers: ReadonlyArray<NewAnswer>,
  isCounted: boolean
): Query<object> =>
  sql.unsafe(isCounted ? storeCountedQuery : storeQuery, [
    answers.map(({ principal }) => principal),
    answers.map(({ key }) => key),
    answers.map(({ fingerprint }) => fingerprint),
    integers(answers.map(({ status }) => status)),
    answers.map(({ headers }) => JSON.stringify(headers)),
    answers.map(({ sealed }) => sealed ?? new Uint8Array(0)),
    ...(isCounted ? [integers(answers.map(({ shard }) => shard))] : [])
  ])

/** Stores one answer and counts it; answers how many its principal had, of the hours that are kept. */
export const insertAnswer = (
  sql: Database,
  { fingerprint, headers, key, principal, sealed, shard, status }: NewAnswer
): Query<{ readonly before: number }> =>
  sql<{ readonly before: number }>`
    -- name: idempotency_keys.insert one
    WITH stored AS (
      INSERT INTO idempotency_keys (principal, key, request_hash, status, headers, body)
      VALUES (${principal}, ${key}, ${fingerprint}, ${status}, ${JSON.stringify(headers)}::jsonb, ${sealed ?? null})
    ), counted AS (
      INSERT INTO idempotency_counts AS c (principal, hour, shard, answers)
      VALUES (${principal}, date_trunc('hour', now()), ${shard}, 1)
      ON CONFLICT (principal, hour, shard) DO UPDATE SET
        -- guard: one answer is counted beside others
        answers = c.answers + 1
    )
    SELECT coalesce(sum(answers), 0)::float8 AS before FROM idempotency_counts
    WHERE principal = ${principal} AND hour > now() - ${keptHours} * interval '1 hour'`

/** Deletes some of the answers that are no longer kept, those that no other node deletes. */
export const deleteOldAnswers = (sql: Database, limit: number): Query<{ readonly key: string }> =>
  sql<{ readonly key: string }>`
    -- name: idempotency_keys.delete old
    DELETE FROM idempotency_keys WHERE ctid = ANY(ARRAY(
      -- guard: an answer is kept for a day
      SELECT ctid FROM idempotency_keys WHERE created_at < now() - ${keptHours} * interval '1 hour'
      -- guard: nodes that delete answers wait for nobody
      ORDER BY created_at LIMIT ${limit} FOR UPDATE SKIP LOCKED))
    RETURNING key`

/** Deletes the counts of hours that are no longer kept. */
export const deleteOldCounts = (sql: Database): Query<object> =>
  sql`
    -- name: idempotency_counts.delete old
    DELETE FROM idempotency_counts WHERE hour <= now() - ${keptHours} * interval '1 hour'`

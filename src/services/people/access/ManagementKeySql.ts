import type { Statement } from "effect/sql"
import { storedTag } from "../../../domain/ground/wire/Action.ts"
import type { ManagementKeyCreate, Scope } from "../../../domain/keys/security/ManagementKey.ts"
import type { Database, Query } from "../../ground/persistence/Database.ts"
import type { SortedClauses } from "../../ground/persistence/KeysetPagination.ts"

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

/** A person or a key whose access ends. */
interface Leaving {
  readonly type: "person" | "api_key"
  readonly id: string
}

/** How many saved views of somebody are deleted, and how many stay, because others see them. */
export interface LeftViews {
  readonly deleted: number
  readonly kept: number
}

/** Deletes the saved views that somebody whose access ends has kept for himself or herself. The shared ones stay. */
export const deleteOwnViews = (sql: Database, { id, type }: Leaving): Query<LeftViews> =>
  sql<LeftViews>`
    -- name: license_views.delete of leaving author
    WITH gone AS (
      DELETE FROM license_views WHERE author_type = ${type} AND author_id = ${id} AND NOT is_shared RETURNING id)
    SELECT (SELECT count(*)::int FROM gone) AS deleted, count(*)::int AS kept FROM license_views
    WHERE author_type = ${type} AND author_id = ${id} AND is_shared`

/** A key as a request finds it: a hot row, which is cast. */
export interface KeyRow {
  readonly id: string
  readonly scopes: ReadonlyArray<Scope>
  readonly allowed_cidrs: ReadonlyArray<string>
  readonly product_ids: ReadonlyArray<string> | null
  readonly license_tag: string | null
  readonly max_licenses: number | null
  readonly revoked: boolean
  readonly expired: boolean
  readonly expires_at: Date | null
  readonly stale: boolean
}

/** The statement that finds a key, by its keyed hash. */
export const keyQuery = `
  -- name: management_keys.find by hash
  SELECT id, scopes, allowed_cidrs, product_ids, license_tag, max_licenses, revoked_at IS NOT NULL AS revoked,
    expires_at IS NOT NULL AND expires_at <= now() AS expired, expires_at,
    last_used_at IS NULL OR last_used_at < now() - interval '1 minute' AS stale
  FROM management_keys WHERE key_hash = $1`

/** The key of a keyed hash, revoked and expired ones included. */
export const findByHash = (sql: Database, hash: Uint8Array): Query<KeyRow> => sql.unsafe<KeyRow>(keyQuery, [hash])

/** Notes that a key is used: when, and not how often. */
export const updateLastUsed = (sql: Database, id: string): Query<object> =>
  sql`
    -- name: management_keys.update last used
    UPDATE management_keys SET last_used_at = now()
    -- guard: a key notes its use once a minute
    WHERE id = ${id} AND (last_used_at IS NULL OR last_used_at < now() - interval '1 minute') RETURNING id`

const shownColumns = (sql: Database): Statement.Fragment =>
  sql`id, name, key_prefix, scopes, allowed_cidrs, product_ids, license_tag, max_licenses,
    revoked_at IS NULL AND (expires_at IS NULL OR expires_at > now()) AS is_active,
    expires_at, last_used_at, created_at,
    jsonb_strip_nulls(created_by || jsonb_build_object('name', coalesce(
      (SELECT p.name FROM people p WHERE p.id = management_keys.created_by ->> 'id'),
      (SELECT m.name FROM management_keys m WHERE m.id = management_keys.created_by ->> 'id')))) AS created_by`

/** Whether a text is a part of the name of a key, in whatever case, or the ID or the beginning of the token. */
export const isNamed = (sql: Database, text: string): Statement.Fragment =>
  sql`(strpos(lower(name), lower(${text}::text)) > 0 OR id = ${text} OR starts_with(key_prefix, ${text}))`

/** How many keys in a row are followed, each made by the one before. */
const longestLine = 16

/** Whether somebody created a key, or a key of theirs did, as a condition of its row. */
export const isMadeBy = (sql: Database, id: string): Statement.Fragment =>
  sql`created_by ->> 'id' IN (
    WITH RECURSIVE makers (id, steps) AS (
      SELECT ${id}::text COLLATE "C", 0
      UNION SELECT m.id, makers.steps + 1 FROM management_keys m JOIN makers ON m.created_by ->> 'id' = makers.id
        WHERE makers.steps < ${longestLine}::int)
    SELECT id FROM makers)`

/** Whether a key works, or does not, as a condition of its row. */
export const works = (sql: Database, wanted: boolean): Statement.Fragment =>
  sql`(revoked_at IS NULL AND (expires_at IS NULL OR expires_at > now())) = ${wanted}`

/** The keys that work and that somebody created, or a key of theirs did: they stay when their maker goes. The newest first. */
export const listLeft = (sql: Database, makerId: string, most: number): Query<{ readonly id: string }> =>
  sql<{ readonly id: string }>`
    -- name: management_keys.list left
    SELECT id FROM management_keys WHERE ${isMadeBy(sql, makerId)} AND ${
    works(sql, true)
  } ORDER BY id DESC LIMIT ${most}`

/** A page of keys as they are shown. */
export const listKeys = (sql: Database, { orderBy, place, where }: SortedClauses, limit: number): Query<object> =>
  sql`
    -- name: management_keys.list
    SELECT ${shownColumns(sql)} ${place} FROM management_keys ${where} ${orderBy} LIMIT ${limit}`

/** A key as it is shown. */
export const findKey = (sql: Database, id: string): Query<object> =>
  sql`
    -- name: management_keys.find
    SELECT ${shownColumns(sql)} FROM management_keys WHERE id = ${id}`

/** Whether an instant is over, by the database's clock. */
export const findPast = (sql: Database, instant: string): Query<{ readonly past: boolean }> =>
  sql<{ readonly past: boolean }>`
    -- name: clock.find whether past
    SELECT ${instant}::text::timestamptz <= now() AS past`

/** The ids of some products, of those that exist. */
export const listProducts = (sql: Database, ids: ReadonlyArray<string>): Query<{ readonly id: string }> =>
  sql<{ readonly id: string }>`
    -- name: products.list existing
    SELECT id FROM products WHERE id = ANY(${ids}::text[])`

/** Inserts a key under the keyed hash of its token. */
export const insertKey = (
  sql: Database,
  { hash, id, input, maker, prefix }: {
    readonly id: string
    readonly hash: Uint8Array
    readonly prefix: string
    readonly input: ManagementKeyCreate
    readonly maker: { readonly type: string; readonly id: string }
  }
): Query<object> =>
  sql`
    -- name: management_keys.insert
    INSERT INTO management_keys (id, name, key_hash, key_prefix, scopes, allowed_cidrs, product_ids, license_tag,
      max_licenses, expires_at, created_by)
    VALUES (${id}, ${input.name}, ${hash}, ${prefix}, ${input.scopes ?? ["admin"]}::text[],
      ${input.allowed_cidrs ?? []}::text[], ${input.product_ids ?? null}::text[],
      ${input.license_tag === undefined ? null : storedTag(input.license_tag)}, ${input.max_licenses ?? null}::int,
      ${input.expires_at ?? null}::text::timestamptz,
      jsonb_build_object('type', ${maker.type}::text, 'id', ${maker.id}::text))
    RETURNING ${shownColumns(sql)}`

/** Revokes a key for good; none where there is none that is not revoked. */
export const updateRevoked = (sql: Database, id: string): Query<object> =>
  sql`
    -- name: management_keys.update revoked
    UPDATE management_keys SET revoked_at = now()
    -- guard: an API key is revoked once
    WHERE id = ${id} AND revoked_at IS NULL
    RETURNING ${shownColumns(sql)}`

/** Locks a key that is to be replaced. */
export const lockKey = (sql: Database, id: string): Query<object> =>
  sql`
    -- name: management_keys.lock to rotate
    SELECT ${shownColumns(sql)} FROM management_keys WHERE id = ${id}
    -- guard: an API key that is revoked is not rotated
    FOR NO KEY UPDATE`

/** Has a locked key end in so many minutes, unless it ends before. */
export const updateEnd = (sql: Database, id: string, minutes: number): Query<object> =>
  sql`
    -- name: management_keys.update end
    UPDATE management_keys SET expires_at = least(expires_at, now() + ${minutes}::int * interval '1 minute')
    WHERE id = ${id} RETURNING ${shownColumns(sql)}`

import type { Database, Query } from "../../ground/persistence/Database.ts"
import { eventMember } from "../../ground/persistence/EventMemberSql.ts"
import type { SortedClauses } from "../../ground/persistence/KeysetPagination.ts"
import type { ListedKey } from "./Vault.ts"

/** The number of the list of what is revoked, and the key that signs it. */
export interface ListState {
  readonly number: bigint
  readonly now: Date
  readonly kid: string
}

/** The revocations: ids as JSON texts, with commas between them; null where there is nothing. */
interface Revoked extends ListState {
  readonly licenses: string | null
  readonly kids: string | null
  readonly files: string | null
}

/** Revocations are permanent, so their count numbers the list: it grows with each revocation, and only then. */
export const findListState = (sql: Database): Query<ListState> =>
  sql<ListState>`
    -- name: revocation_count.find
    SELECT c.number, clock_timestamp() AS now, k.id AS kid
    FROM revocation_count c, signing_keys k WHERE k.status = 'active'`

/** The database formats the ids: there may be a million of them, and the event loop must stay free. */
export const findRevoked = (sql: Database): Query<Revoked> =>
  sql<Revoked>`
    -- name: revocation_count.find with revoked
    SELECT s.*, (SELECT string_agg('"' || id || '"', ',' ORDER BY id) FROM licenses WHERE state = 'revoked')
        AS licenses,
      (SELECT string_agg('"' || id || '"', ',' ORDER BY id) FROM signing_keys WHERE status = 'revoked') AS kids,
      (SELECT string_agg('"' || id || '"', ',' ORDER BY id) FROM offline_files WHERE revoked_at IS NOT NULL)
        AS files
    FROM (${findListState(sql)}) s`

/** The counts of what a signing key has signed, as far as the database tells. Answers of the runtime operations are not counted. */
export interface SignedByKey {
  readonly status: "active" | "retired" | "revoked"
  /** It signed answers from here on. */
  readonly since: Date
  /** Until here; null while it is active. */
  readonly until: Date | null
  readonly checkpoints: number
  /** The number of events that the latest of them covers; null where there is none. */
  readonly checkpointed: bigint | null
  /** Manifests of exports. */
  readonly exports: number
  /** Offline envelopes that were issued while it was active and are still valid. */
  readonly envelopes: number
  /** Files for machines without a network that were issued while it was active, are still valid and not revoked. */
  readonly files: number
  /** When the last of those envelopes and files ends by itself; null where there is none. */
  readonly offlineUntil: Date | null
}

const validUntil = eventMember(["offline.issued"], "valid_until", "timestamptz")

/** Finds what a key has signed; nothing when there is no such key. */
export const findSigned = (sql: Database, kid: string): Query<SignedByKey> =>
  sql<SignedByKey>`
    -- name: signing_keys.find with signed
    WITH key AS (
      SELECT id, status, created_at AS since, coalesce(retired_at, revoked_at) AS until FROM signing_keys
      WHERE id = ${kid}
    ), envelopes AS (
      SELECT ${sql.literal(validUntil)} AS valid_until FROM events e, key
      WHERE e.type_key = hashtextextended('offline.issued', 0) AND e.event_type = 'offline.issued'
        AND e.created_at >= key.since AND e.created_at <= coalesce(key.until, now())
    ), files AS (
      SELECT valid_until FROM offline_files f, key
      WHERE f.revoked_at IS NULL AND f.issued_at >= key.since AND f.issued_at <= coalesce(key.until, now())
    )
    SELECT status, since, until,
      (SELECT count(*)::int FROM event_checkpoints c WHERE c.kid = key.id) AS checkpoints,
      (SELECT max(tree_size) FROM event_checkpoints c WHERE c.kid = key.id) AS checkpointed,
      (SELECT count(*)::int FROM report_exports r WHERE r.manifest_signature ->> 'kid' = key.id) AS exports,
      (SELECT count(*)::int FROM envelopes WHERE valid_until > now()) AS envelopes,
      (SELECT count(*)::int FROM files WHERE valid_until > now()) AS files,
      (SELECT max(valid_until) FROM (TABLE envelopes UNION ALL TABLE files) o WHERE valid_until > now())
        AS "offlineUntil"
    FROM key`

/** A signing key as its rows say, without its private half. */
export type KeyRow = Omit<ListedKey, "is_held">

/** The columns of {@link KeyRow}. */
const keyColumns = (sql: Database) => sql`id, public_key, status, created_at, retired_at, revoked_at`

/** The private half of a key, sealed. */
export const findPrivateKey = (sql: Database, kid: string): Query<{ readonly private_key: Uint8Array }> =>
  sql<{ readonly private_key: Uint8Array }>`
    -- name: signing_keys.find private key
    SELECT private_key FROM signing_keys WHERE id = ${kid}`

/** The key that signs, and the time as the database tells it. */
export const findActiveKey = (sql: Database): Query<{ readonly kid: string; readonly now: Date }> =>
  sql<{ readonly kid: string; readonly now: Date }>`
    -- name: signing_keys.find active
    SELECT id AS kid, clock_timestamp() AS now FROM signing_keys WHERE status = 'active'`

/** Rotations and first starts are rare, so one lock ensures exactly one active key. */
export const lockSigningKeys = (sql: Database): Query<object> =>
  sql`
    -- name: advisory_locks.lock signing keys
    SELECT pg_advisory_xact_lock(hashtext('countersign signing keys'))`

/**
 * When a change of the keys is made, later than every one before, to the millisecond: by it lists of keys follow each other.
 * Asked for under the lock, because a transaction that waited for it began before the change that it waited for.
 */
export const findNextChange = (sql: Database): Query<{ readonly at: Date }> =>
  sql<{ readonly at: Date }>`
    -- name: signing_keys.find next change
    SELECT date_trunc('milliseconds', greatest(
      clock_timestamp(), max(greatest(created_at, retired_at, revoked_at)) + interval '1 millisecond')) AS at
    FROM signing_keys`

/** Retires the active key, if there is one. */
export const retireActiveKey = (sql: Database, at: Date): Query<KeyRow> =>
  sql<KeyRow>`
    -- name: signing_keys.update retired
    UPDATE signing_keys SET status = 'retired', retired_at = ${at} WHERE status = 'active' RETURNING ${keyColumns(sql)}`

/** Inserts a key, which signs from then on. */
export const insertActiveKey = (
  sql: Database,
  key: { readonly id: string; readonly publicKey: Uint8Array; readonly sealed: Uint8Array; readonly at: Date }
): Query<KeyRow> =>
  sql<KeyRow>`
    -- name: signing_keys.insert
    INSERT INTO signing_keys (id, public_key, private_key, status, created_at)
    VALUES (${key.id}, ${key.publicKey}, ${key.sealed}, 'active', ${key.at})
    RETURNING ${keyColumns(sql)}`

/** The active key, and when a rotation would retire it. */
export const findKeyBeforeRotation = (sql: Database): Query<KeyRow & { readonly now: Date }> =>
  sql<KeyRow & { readonly now: Date }>`
    -- name: signing_keys.find before rotation
    SELECT ${keyColumns(sql)}, now() FROM signing_keys WHERE status = 'active'`

/** A key that may be revoked. */
export const findKey = (sql: Database, kid: string): Query<KeyRow> =>
  sql<KeyRow>`
    -- name: signing_keys.find for revocation
    SELECT ${keyColumns(sql)} FROM signing_keys WHERE id = ${kid}`

/** Withdraws a key. */
export const revokeKey = (sql: Database, kid: string, at: Date): Query<KeyRow> =>
  sql<KeyRow>`
    -- name: signing_keys.update revoked
    UPDATE signing_keys SET status = 'revoked', revoked_at = ${at} WHERE id = ${kid}
    RETURNING ${keyColumns(sql)}`

/** Keys that verify and keys that are revoked, the newest first, at most `most` of either. */
export const listPublishedKeys = (sql: Database, most: number): Query<ListedKey> =>
  sql<ListedKey>`
    -- name: signing_keys.list published
    WITH listed AS (
      (SELECT * FROM signing_keys WHERE status <> 'revoked' ORDER BY status, id DESC LIMIT ${most})
      UNION ALL
      (SELECT * FROM signing_keys WHERE status = 'revoked' ORDER BY revoked_at DESC, id DESC LIMIT ${most})
    )
    SELECT ${keyColumns(sql)}, get_byte(private_key, 0) <> 0 AS is_held FROM listed ORDER BY id DESC`

/** A page of keys, without their private halves. */
export const listKeys = (sql: Database, { orderBy, place, where }: SortedClauses, limit: number): Query<object> =>
  sql`
    -- name: signing_keys.list
    SELECT ${keyColumns(sql)} ${place} FROM signing_keys ${where} ${orderBy} LIMIT ${limit}`

/** For how long the active key has signed, in seconds. */
export const findKeyAge = (sql: Database): Query<{ readonly age: number }> =>
  sql<{ readonly age: number }>`
    -- name: signing_keys.find age
    SELECT extract(epoch FROM now() - created_at)::float8 AS age FROM signing_keys WHERE status = 'active'`

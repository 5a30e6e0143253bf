import { Effect } from "effect"
import type { Database, Query } from "../../ground/persistence/Database.ts"
import type { DataKeyName, KeyWrapping } from "./KeyWrapping.ts"

/** A data key in memory. */
export interface DataKey extends DataKeyName {
  /** 32 bytes. */
  readonly key: Uint8Array
}

/** A data key as it is stored. */
export interface KeyRow extends DataKeyName {
  /** The key wrapped by the master key that is asked about; `null` when that one never wrapped it. */
  readonly wrapped: Uint8Array | null
}

/**
 * Takes the lock for changing data keys. Of many nodes one makes a key and the others find it, and no key is made that
 * a change of the master key would miss.
 */
export const lockDataKeys = (sql: Database): Query<object> =>
  sql`
    -- name: advisory_locks.lock data keys
    SELECT pg_advisory_xact_lock(hashtext('countersign data keys'))`

/** Every data key, with its wrapping by one master key. */
export const listDataKeys = (sql: Database, { masterKeyId }: KeyWrapping): Query<KeyRow> =>
  sql<KeyRow>`
    -- name: data_keys.list
    SELECT k.id, k.purpose, k.period, w.wrapped FROM data_keys k
    LEFT JOIN data_key_wraps w ON w.data_key_id = k.id AND w.master_key_id = ${masterKeyId}
    ORDER BY k.purpose, k.period`

/** The data key with this id, if this master key wrapped it. */
export const findDataKey = (sql: Database, id: Uint8Array, { masterKeyId }: KeyWrapping): Query<KeyRow> =>
  sql<KeyRow>`
    -- name: data_keys.find
    SELECT k.id, k.purpose, k.period, w.wrapped FROM data_keys k
    JOIN data_key_wraps w ON w.data_key_id = k.id AND w.master_key_id = ${masterKeyId}
    WHERE k.id = ${id}`

/** Months of the database's clock (UTC), written as `2026-11`: the current one and `ahead` more. */
export const listMonths = (sql: Database, ahead: number): Query<{ readonly month: string }> =>
  sql<{ readonly month: string }>`
    -- name: clock.list months ahead
    SELECT to_char(date_trunc('month', now() AT TIME ZONE 'UTC') + n * interval '1 month', 'YYYY-MM') AS month
    FROM generate_series(0, ${ahead}::int) AS n ORDER BY n`

/** Inserts data keys, without their wrappings. */
export const insertDataKeys = (sql: Database, keys: ReadonlyArray<DataKeyName>): Query<object> =>
  sql`
    -- name: data_keys.insert
    INSERT INTO data_keys (id, purpose, period)
    SELECT * FROM unnest(${keys.map(({ id }) => id)}::bytea[], ${keys.map(({ purpose }) => purpose)}::text[],
      ${keys.map(({ period }) => period)}::text[])`

/** Inserts the wrappings of data keys by one master key. */
export const insertWraps = (
  sql: Database,
  keys: ReadonlyArray<DataKey>,
  wrapping: KeyWrapping
): Effect.Effect<unknown> =>
  keys.length === 0 ? Effect.void : sql`
    -- name: data_key_wraps.insert
    INSERT INTO data_key_wraps (data_key_id, master_key_id, wrapped)
    SELECT id, ${wrapping.masterKeyId}, wrapped
    FROM unnest(${keys.map(({ id }) => id)}::bytea[], ${keys.map((key) => wrapping.wrap(key, key.key))}::bytea[])
      AS w (id, wrapped)`

/** Finds a wrapping by another master key: there is one while the master key is being changed. */
export const findOtherWrap = (sql: Database, { masterKeyId }: KeyWrapping): Query<object> =>
  sql`
    -- name: data_key_wraps.find of other master key
    SELECT 1 FROM data_key_wraps WHERE master_key_id <> ${masterKeyId} LIMIT 1`

/** Finds what a database from before data keys knows its master key by. */
export const findKeyCheck = (sql: Database): Query<{ readonly value: Uint8Array }> =>
  sql<{ readonly value: Uint8Array }>`
    -- name: service_state.find master key check
    SELECT value FROM service_state WHERE key = 'master_key_check'`

/** Inserts that value. */
export const insertKeyCheck = (sql: Database, value: Uint8Array): Query<object> =>
  sql`
    -- name: service_state.insert master key check
    INSERT INTO service_state (key, value) VALUES ('master_key_check', ${value})`

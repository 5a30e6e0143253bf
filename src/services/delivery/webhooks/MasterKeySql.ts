import type { Database, Query } from "../../ground/persistence/Database.ts"

/** The columns that a master key sealed before there were data keys. */
export interface SealedRow {
  readonly id: string
  /** The endpoint of a webhook secret; empty for a signing key. */
  readonly endpoint: string
  readonly sealed: Uint8Array
}

/** The other master keys that data keys are wrapped under. */
export const listOtherMasterKeys = (
  sql: Database,
  masterKeyId: Uint8Array
): Query<{ readonly master_key_id: Uint8Array }> =>
  sql<{ readonly master_key_id: Uint8Array }>`
    -- name: data_key_wraps.list other master keys
    SELECT DISTINCT master_key_id FROM data_key_wraps WHERE master_key_id <> ${masterKeyId}`

/** Leaves one master key as the only one. */
export const deleteOtherWraps = (sql: Database, masterKeyId: Uint8Array): Query<object> =>
  sql`
    -- name: data_key_wraps.delete of other master keys
    DELETE FROM data_key_wraps WHERE master_key_id <> ${masterKeyId}`

/** How many signing keys and webhook secrets are sealed by a master key itself: version 1. */
export const countSealedBefore = (sql: Database): Query<{ readonly count: number }> =>
  sql<{ readonly count: number }>`
    -- name: signing_keys.count of version 1
    SELECT (SELECT count(*) FROM signing_keys WHERE get_byte(private_key, 0) = 1)::int
      + (SELECT count(*) FROM webhook_secrets WHERE get_byte(secret, 0) = 1)::int AS count`

/** Signing keys of version 1, locked. */
export const lockSigningKeysBefore = (sql: Database, limit: number): Query<SealedRow> =>
  sql<SealedRow>`
    -- name: signing_keys.lock of version 1
    SELECT id, '' AS endpoint, private_key AS sealed FROM signing_keys WHERE get_byte(private_key, 0) = 1
    ORDER BY id LIMIT ${limit} FOR UPDATE`

export const updateSigningKeySealed = (sql: Database, id: string, sealed: Uint8Array): Query<object> =>
  sql`
    -- name: signing_keys.update sealed anew
    UPDATE signing_keys SET private_key = ${sealed} WHERE id = ${id}`

/** Webhook secrets of version 1, locked. */
export const lockSecretsBefore = (sql: Database, limit: number): Query<SealedRow> =>
  sql<SealedRow>`
    -- name: webhook_secrets.lock of version 1
    SELECT id::text AS id, endpoint_id AS endpoint, secret AS sealed FROM webhook_secrets
    WHERE get_byte(secret, 0) = 1 ORDER BY webhook_secrets.id LIMIT ${limit} FOR UPDATE`

export const updateSecretSealed = (sql: Database, id: string, sealed: Uint8Array): Query<object> =>
  sql`
    -- name: webhook_secrets.update sealed anew
    UPDATE webhook_secrets SET secret = ${sealed} WHERE id = ${id}::text::bigint`

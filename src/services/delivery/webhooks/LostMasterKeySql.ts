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

/** Deletes the wraps of every data key, under whichever master key. */
export const deleteWraps = (sql: Database): Query<object> =>
  sql`
    -- name: data_key_wraps.delete lost
    DELETE FROM data_key_wraps`

/** Deletes every data key. */
export const deleteDataKeys = (sql: Database): Query<object> =>
  sql`
    -- name: data_keys.delete lost
    DELETE FROM data_keys`

/** Deletes what tells the master key of a database without data keys. */
export const deleteMasterKeyCheck = (sql: Database): Query<object> =>
  sql`
    -- name: service_state.delete master key check
    DELETE FROM service_state WHERE key = 'master_key_check'`

/** Deletes the secrets of all webhooks. */
export const deleteWebhookSecrets = (sql: Database): Query<object> =>
  sql`
    -- name: webhook_secrets.delete lost
    DELETE FROM webhook_secrets`

/** Deletes the headers of all webhooks, but for their names. */
export const updateHeadersLost = (sql: Database): Query<object> =>
  sql`
    -- name: webhook_endpoints.update headers lost
    UPDATE webhook_endpoints SET headers = NULL WHERE headers IS NOT NULL`

/** Deletes bodies of stored answers, at most `limit`, and has their requests be told from every other; answers a row for each. */
export const updateAnswersLost = (sql: Database, limit: number): Query<object> =>
  sql`
    -- name: idempotency_keys.update lost
    UPDATE idempotency_keys SET body = NULL, request_hash = decode(repeat('00', 32), 'hex')
    WHERE ctid = ANY (ARRAY(SELECT ctid FROM idempotency_keys WHERE body IS NOT NULL LIMIT ${limit}))
    RETURNING 1`

/** Deletes every admin token that was issued or withdrawn; answers a row for each. */
export const deleteBootstrapTokens = (sql: Database): Query<object> =>
  sql`
    -- name: bootstrap_tokens.delete lost
    DELETE FROM bootstrap_tokens RETURNING 1`

/** Replaces private keys that nothing opens by a sealed value of version 0, which nobody tries to open or to seal anew. */
export const updatePrivateKeysLost = (sql: Database): Query<object> =>
  sql`
    -- name: signing_keys.update lost
    UPDATE signing_keys SET private_key = decode('00', 'hex') WHERE status <> 'active'`

/** Deletes the credentials of all billing connections. */
export const updateCredentialsLost = (sql: Database): Query<object> =>
  sql`
    -- name: billing_connections.update credentials lost
    UPDATE billing_connections SET credentials = NULL`

/** Notes a change of every endpoint, and answers the names of the headers that each of them had. */
export const updateHeadersForgotten = (
  sql: Database
): Query<{ readonly id: string; readonly lost: ReadonlyArray<string> | null }> =>
  sql<{ readonly id: string; readonly lost: ReadonlyArray<string> | null }>`
    -- name: webhook_endpoints.update headers forgotten
    UPDATE webhook_endpoints e SET updated_at = now(), changed_xid = pg_current_xact_id(), header_names = NULL
    FROM (SELECT id, header_names AS lost FROM webhook_endpoints WHERE deleted_at IS NULL) b
    WHERE e.id = b.id RETURNING e.id, b.lost`

/** The API keys that are not revoked. */
export const listManagementKeys = (sql: Database): Query<{ readonly id: string }> =>
  sql<{ readonly id: string }>`
    -- name: management_keys.list not revoked
    SELECT id FROM management_keys WHERE revoked_at IS NULL`

/** All publishable keys, whose text is no secret. */
export const listPublishableKeys = (sql: Database): Query<{ readonly id: string; readonly key: string }> =>
  sql<{ readonly id: string; readonly key: string }>`
    -- name: publishable_keys.list texts
    SELECT id, key FROM publishable_keys`

/** Has a publishable key be found by another hash. */
export const updatePublishableHash = (sql: Database, id: string, hash: Uint8Array): Query<object> =>
  sql`
    -- name: publishable_keys.update hash
    UPDATE publishable_keys SET key_hash = ${hash} WHERE id = ${id}`

/** How many licenses are not revoked. */
export const countLicenses = (sql: Database): Query<{ readonly count: number }> =>
  sql<{ readonly count: number }>`
    -- name: licenses.count not revoked
    SELECT count(*)::int AS count FROM licenses WHERE state <> 'revoked'`

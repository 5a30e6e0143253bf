import { maximumLiveSecrets } from "../../../domain/delivery/webhooks/Webhook.ts"
import type { Database, Query } from "../../ground/persistence/Database.ts"
import { integers } from "../../ground/persistence/NumberArrays.ts"

/** Has secrets that sign longer than so many seconds end then; answers a row for each. */
export const updateShortened = (sql: Database, endpointId: string, overlapSeconds: number): Query<object> =>
  sql`
    -- name: webhook_secrets.update shortened
    UPDATE webhook_secrets SET expires_at = now() + ${overlapSeconds} * interval '1 second'
    WHERE endpoint_id = ${endpointId} AND expires_at > now() + ${overlapSeconds} * interval '1 second'
    RETURNING id`

/** Deletes the secrets of an endpoint that sign no more. */
export const deleteExpired = (sql: Database, endpointId: string): Query<object> =>
  sql`
    -- name: webhook_secrets.delete expired of endpoint
    DELETE FROM webhook_secrets WHERE endpoint_id = ${endpointId} AND expires_at <= now()`

/** Has every secret of an endpoint end after so many seconds at the latest: a new one takes its place. */
export const updateReplaced = (sql: Database, endpointId: string, overlapSeconds: number): Query<object> =>
  sql`
    -- name: webhook_secrets.update replaced
    UPDATE webhook_secrets SET expires_at = LEAST(expires_at, now() + ${overlapSeconds} * interval '1 second')
    WHERE endpoint_id = ${endpointId}`

/** Deletes the secrets that sign no more, and the oldest ones, so that there is a place for one more. */
export const deleteBeyond = (sql: Database, endpointId: string): Query<object> =>
  sql`
    -- name: webhook_secrets.delete beyond most
    DELETE FROM webhook_secrets
    WHERE endpoint_id = ${endpointId} AND (expires_at <= now() OR id NOT IN (
      SELECT id FROM webhook_secrets WHERE endpoint_id = ${endpointId}
      ORDER BY id DESC LIMIT ${maximumLiveSecrets - 1}
    ))`

/** Inserts a secret, sealed. */
export const insertSecret = (
  sql: Database,
  { endpointId, prefix, sealed }: {
    readonly endpointId: string
    readonly sealed: Uint8Array
    readonly prefix: string
  }
): Query<object> =>
  sql`
    -- name: webhook_secrets.insert
    INSERT INTO webhook_secrets (endpoint_id, secret, prefix) VALUES (${endpointId}, ${sealed}, ${prefix})`

/** The secrets of an endpoint, sealed, the newest first. */
export const listSecrets = (
  sql: Database,
  endpointId: string
): Query<{ readonly id: bigint; readonly secret: Uint8Array }> =>
  sql<{ readonly id: bigint; readonly secret: Uint8Array }>`
    -- name: webhook_secrets.list of endpoint
    SELECT id, secret FROM webhook_secrets WHERE endpoint_id = ${endpointId} ORDER BY id DESC`

/** The secrets that sign now, sealed, the newest first, and for how many milliseconds more. */
export const listLive = (sql: Database, endpointId: string): Query<object> =>
  sql`
    -- name: webhook_secrets.list live
    SELECT secret, (extract(epoch FROM expires_at - clock_timestamp()) * 1000)::float8 AS left
    FROM webhook_secrets
    WHERE endpoint_id = ${endpointId} AND (expires_at IS NULL OR expires_at > clock_timestamp())
    ORDER BY id DESC LIMIT ${maximumLiveSecrets}`

/** Deletes these secrets. */
export const deleteSecrets = (sql: Database, ids: ReadonlyArray<bigint>): Query<object> =>
  sql`
    -- name: webhook_secrets.delete by id
    DELETE FROM webhook_secrets WHERE id = ANY(${integers(ids)}::bigint[])`

/** Deletes all secrets of an endpoint. */
export const deleteSecretsOf = (sql: Database, endpointId: string): Query<object> =>
  sql`
    -- name: webhook_secrets.delete of endpoint
    DELETE FROM webhook_secrets WHERE endpoint_id = ${endpointId}`

/** Deletes secrets of any endpoint that sign no more; answers a row for each. */
export const deleteLongExpired = (sql: Database, limit: number): Query<object> =>
  sql`
    -- name: webhook_secrets.delete expired
    DELETE FROM webhook_secrets WHERE id = ANY(ARRAY(
      SELECT id FROM webhook_secrets WHERE expires_at < now()
      -- guard: the purge passes by a secret that is locked
      ORDER BY id LIMIT ${limit} FOR UPDATE SKIP LOCKED)) RETURNING 1`

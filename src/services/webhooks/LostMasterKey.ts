import { Data, Effect, Redacted, Result } from "effect"
import type { SigningKey } from "../../domain/security/SigningKey.ts"
import { toldOf } from "../../domain/webhooks/Webhook.ts"
import { BootstrapTokens } from "../access/BootstrapTokens.ts"
import { ManagementKeys } from "../access/ManagementKeys.ts"
import { PublishableKeys } from "../access/PublishableKeys.ts"
import { Events } from "../events/Events.ts"
import { Database } from "../persistence/Database.ts"
import { requireTransaction } from "../persistence/Transaction.ts"
import { Cryptography } from "../platform/Cryptography.ts"
import { Settings } from "../platform/Settings.ts"
import { lockDataKeys, readDataKeys, unwrapAll } from "../security/DataKeys.ts"
import { keyWrapping } from "../security/KeyWrapping.ts"
import { Signing } from "../security/Signing.ts"
import { webhookColumns, webhookOf } from "./WebhookColumns.ts"
import { WebhookSecrets } from "./WebhookSecrets.ts"

/** The configured master key is no new one for a database whose own was lost. The message says why. */
class MasterKeyNotLost extends Data.TaggedError("MasterKeyNotLost")<{ readonly message: string }> {}

/** The rows of a table that one statement changes, so that none takes long. */
const slice = 20_000

/** Fails when the configured master key opens the database, or there is nothing in it to open. */
export const checkLost = Effect.gen(function*() {
  const sql = yield* Database
  const wrapping = keyWrapping(yield* Cryptography, Redacted.value((yield* Settings).masterKey))
  const rows = yield* readDataKeys(sql, wrapping)
  if (rows.length === 0) {
    return yield* new MasterKeyNotLost({
      message: "The database has no data keys, so no master key was lost: no service of this version has run on it"
    })
  }
  if (Result.isFailure(yield* Effect.result(unwrapAll(rows, wrapping)))) return
  return yield* new MasterKeyNotLost({
    message: "The configured master key opens this database: nothing is lost. `keys rewrap` changes it"
  })
})

/**
 * Removes every data key, in the surrounding transaction, and what nothing opens without them. Services that are built
 * on the database afterwards in the same transaction make new ones under the configured master key. Answers whether
 * admin tokens were withdrawn: which ones can no longer be told.
 */
export const forgetLost = Effect.gen(function*() {
  const sql = yield* Database
  yield* requireTransaction(sql, "Forgetting the data keys")
  yield* lockDataKeys(sql)
  yield* checkLost
  yield* sql`DELETE FROM data_key_wraps`
  yield* sql`DELETE FROM data_keys`
  yield* sql`DELETE FROM service_state WHERE key = 'master_key_check'`
  yield* sql`DELETE FROM webhook_secrets`
  yield* sql`UPDATE webhook_endpoints SET headers = NULL WHERE headers IS NOT NULL`
  // A repeated request is refused as another one: its answer is gone, and to do it again could do it twice.
  for (let changed = slice; changed === slice;) {
    changed = (yield* sql`
      UPDATE idempotency_keys SET body = NULL, request_hash = decode(repeat('00', 32), 'hex')
      WHERE ctid = ANY (ARRAY(SELECT ctid FROM idempotency_keys WHERE body IS NOT NULL LIMIT ${slice}))
      RETURNING 1`).length
  }
  return (yield* sql`DELETE FROM bootstrap_tokens RETURNING 1`).length > 0
})

/** A webhook endpoint, and the secret that signs its deliveries from now on. */
interface RenewedWebhook {
  readonly id: string
  readonly name: string
  readonly url: string
  readonly secret: string
  /** The headers that its deliveries had and have no more, where there were any: they must be set again. */
  readonly lost_headers?: ReadonlyArray<string>
}

/** What takes the place of what was lost. */
export interface Renewed {
  readonly signing_key: SigningKey
  readonly webhooks: ReadonlyArray<RenewedWebhook>
  /** How many management keys were revoked. */
  readonly management_keys: number
  /** How many publishable keys go on as they are. */
  readonly publishable_keys: number
  /** How many licenses need a new key, because nothing recognizes theirs: all that were not revoked. */
  readonly licenses: number
  /** A new admin token; absent when the configured one is valid. */
  readonly admin_token?: Redacted.Redacted
}

/**
 * Makes new secrets in the place of those that {@link forgetLost} has removed, in the same transaction. Signing keys are
 * retired and not revoked, because a key that is lost is nobody else's: what they signed goes on to verify.
 */
export const renewSecrets = Effect.fnUntraced(function*(isTokenWithdrawn: boolean) {
  const sql = yield* Database
  const events = yield* Events
  const managementKeys = yield* ManagementKeys
  const publishableKeys = yield* PublishableKeys
  const secrets = yield* WebhookSecrets
  yield* requireTransaction(sql, "Renewing secrets")

  const signing_key = yield* (yield* Signing).rotate
  // A sealed value of version 0: one that nobody tries to open or to seal anew.
  yield* sql`UPDATE signing_keys SET private_key = decode('00', 'hex') WHERE status <> 'active'`

  const endpoints = yield* sql<{ readonly id: string; readonly lost: ReadonlyArray<string> | null }>`
    UPDATE webhook_endpoints e SET updated_at = now(), changed_xid = pg_current_xact_id(), header_names = NULL
    FROM (SELECT id, header_names AS lost FROM webhook_endpoints WHERE deleted_at IS NULL) b
    WHERE e.id = b.id RETURNING e.id, b.lost`
  const webhooks = yield* Effect.forEach(endpoints, ({ id, lost }) =>
    Effect.gen(function*() {
      const secret = yield* secrets.add(id, undefined, 0)
      const [row] = yield* sql`
        SELECT ${webhookColumns(sql)} FROM webhook_endpoints e JOIN webhook_lanes l ON l.endpoint_id = e.id
        WHERE e.id = ${id}`
      const webhook = webhookOf(row!)
      yield* events.append({ type: "webhook.secret_rotated", resourceId: id, data: toldOf(webhook) })
      return { id, name: webhook.name, url: webhook.url, secret, ...(lost === null ? {} : { lost_headers: lost }) }
    }))

  const keys = yield* sql<{ readonly id: string }>`SELECT id FROM management_keys WHERE revoked_at IS NULL`
  yield* Effect.forEach(keys, ({ id }) => Effect.orDie(managementKeys.revoke(id)), { discard: true })

  // Their text is no secret and is stored, so they can be recognized again.
  const published = yield* sql<{ readonly id: string; readonly key: string }>`SELECT id, key FROM publishable_keys`
  for (const { id, key } of published) {
    yield* sql`UPDATE publishable_keys SET key_hash = ${publishableKeys.hashOf(key)} WHERE id = ${id}`
  }

  const [licenses] = yield* sql<{ readonly count: number }>`
    SELECT count(*)::int AS count FROM licenses WHERE state <> 'revoked'`
  return {
    signing_key,
    webhooks,
    management_keys: keys.length,
    publishable_keys: published.length,
    licenses: licenses!.count,
    ...(isTokenWithdrawn ? { admin_token: yield* (yield* BootstrapTokens).rotate } : {})
  } satisfies Renewed
})

import { Data, Effect, Redacted, Result } from "effect"
import { eventDataOf } from "../../../domain/delivery/webhooks/Webhook.ts"
import type { SigningKey } from "../../../domain/keys/security/SigningKey.ts"
import { Database, requireTransaction } from "../../ground/persistence/Database.ts"
import { Cryptography } from "../../ground/platform/Cryptography.ts"
import { Settings } from "../../ground/platform/Settings.ts"
import { unwrapAll } from "../../keys/security/DataKeys.ts"
import { listDataKeys, lockDataKeys } from "../../keys/security/DataKeySql.ts"
import { keyWrapping } from "../../keys/security/KeyWrapping.ts"
import { Signing } from "../../keys/security/Signing.ts"
import { Events } from "../../log/Events.ts"
import { BootstrapTokens } from "../../people/access/BootstrapTokens.ts"
import { ManagementKeys } from "../../people/access/ManagementKeys.ts"
import { PublishableKeys } from "../../people/access/PublishableKeys.ts"
import {
  countLicenses,
  deleteBootstrapTokens,
  deleteDataKeys,
  deleteMasterKeyCheck,
  deleteWebhookSecrets,
  deleteWraps,
  listManagementKeys,
  listPublishableKeys,
  updateAnswersLost,
  updateCredentialsLost,
  updateHeadersForgotten,
  updateHeadersLost,
  updatePrivateKeysLost,
  updatePublishableHash
} from "./LostMasterKeySql.ts"
import { findShown } from "./WebhookEndpointSql.ts"
import { webhookOf, WebhookSecrets } from "./WebhookSecrets.ts"

/** The configured master key is no new one for a database whose own was lost. The message says why. */
class MasterKeyNotLost extends Data.TaggedError("MasterKeyNotLost")<{ readonly message: string }> {}

/** The rows of a table that one statement changes, so that none takes long. */
const slice = 20_000

/** Fails when the configured master key opens the database, or there is nothing in it to open. */
export const checkLost = Effect.gen(function*() {
  const sql = yield* Database
  const wrapping = keyWrapping(yield* Cryptography, Redacted.value((yield* Settings).masterKey))
  const rows = yield* listDataKeys(sql, wrapping)
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
  yield* deleteWraps(sql)
  yield* deleteDataKeys(sql)
  yield* deleteMasterKeyCheck(sql)
  yield* deleteWebhookSecrets(sql)
  yield* updateHeadersLost(sql)
  yield* updateCredentialsLost(sql)
  // A repeated request is refused as another one: its answer is gone, and to do it again could do it twice.
  for (let changed = slice; changed === slice;) {
    changed = (yield* updateAnswersLost(sql, slice)).length
  }
  return (yield* deleteBootstrapTokens(sql)).length > 0
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

/** The replacements of what was lost. */
export interface Renewed {
  readonly signing_key: SigningKey
  readonly webhooks: ReadonlyArray<RenewedWebhook>
  /** How many API keys were revoked. */
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
  yield* updatePrivateKeysLost(sql)

  const endpoints = yield* updateHeadersForgotten(sql)
  const webhooks = yield* Effect.forEach(endpoints, ({ id, lost }) =>
    Effect.gen(function*() {
      const secret = yield* secrets.add(id, undefined, 0)
      const [row] = yield* findShown(sql, id)
      const webhook = webhookOf(row!)
      yield* events.append({ type: "webhook.secret_rotated", resourceId: id, data: eventDataOf(webhook) })
      return { id, name: webhook.name, url: webhook.url, secret, ...(lost === null ? {} : { lost_headers: lost }) }
    }))

  const keys = yield* listManagementKeys(sql)
  yield* Effect.forEach(keys, ({ id }) => Effect.orDie(managementKeys.revoke(id)), { discard: true })

  // Their text is no secret and is stored, so they can be recognized again.
  const published = yield* listPublishableKeys(sql)
  for (const { id, key } of published) {
    yield* updatePublishableHash(sql, id, publishableKeys.hashOf(key))
  }

  const [licenses] = yield* countLicenses(sql)
  return {
    signing_key,
    webhooks,
    management_keys: keys.length,
    publishable_keys: published.length,
    licenses: licenses!.count,
    ...(isTokenWithdrawn ? { admin_token: yield* (yield* BootstrapTokens).rotate } : {})
  } satisfies Renewed
})

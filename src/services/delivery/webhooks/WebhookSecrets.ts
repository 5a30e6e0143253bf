import { Clock, Context, Effect, Layer, Schema } from "effect"
import type { RequestHeaders } from "../../../domain/delivery/webhooks/RequestHeaders.ts"
import { signingKeys } from "../../../domain/delivery/webhooks/WebhookSignature.ts"
import type { SigningKeys } from "../../../domain/delivery/webhooks/WebhookSignature.ts"
import { formatWebhookSecret, webhookSecretPrefix } from "../../../domain/keys/security/WebhookSecret.ts"
import { Database, databaseOf } from "../../ground/persistence/Database.ts"
import { rowReader } from "../../ground/persistence/RowToWire.ts"
import { DeliverySql } from "../../ground/persistence/TransactionSql.ts"
import { Cryptography } from "../../ground/platform/Cryptography.ts"
import { Vault } from "../../keys/security/Vault.ts"
import { openHeaders } from "./SealedHeaders.ts"
import {
  deleteBeyond,
  deleteExpired,
  deleteSecrets,
  insertSecret,
  listLive,
  listSecrets,
  updateReplaced,
  updateShortened
} from "./WebhookSql.ts"

/** A secret that signs. `until` is the time at which it stops, in milliseconds of this node's clock. */
export interface LiveSecret {
  readonly secret: string
  readonly keys: SigningKeys
  readonly until: number
}

const readSecret = rowReader(Schema.Struct({ secret: Schema.Uint8Array, left: Schema.optionalKey(Schema.Finite) }))

/** The purpose under which an endpoint's secrets are sealed. */
export const webhookSecretPurpose = (endpointId: string) => `webhook-secret:${endpointId}` as const

/** The secrets that sign deliveries: up to five at once, encrypted at rest. */
export class WebhookSecrets extends Context.Service<WebhookSecrets, {
  /**
   * Gives an endpoint a new secret in the surrounding transaction and answers it. The ones before it sign for
   * `overlapSeconds` more, or for as long as they had, whichever is shorter; beyond five the oldest stop at once.
   */
  readonly add: (endpointId: string, secret: string | undefined, overlapSeconds: number) => Effect.Effect<string>
  /** Whether this is the newest secret of an endpoint: giving it again changes nothing. */
  readonly isNewest: (endpointId: string, secret: string) => Effect.Effect<boolean>
  /**
   * Has the secrets that were replaced end after `overlapSeconds` at the latest, in the surrounding transaction; answers
   * whether that changed anything.
   */
  readonly shorten: (endpointId: string, overlapSeconds: number) => Effect.Effect<boolean>
  /** The headers of an endpoint's own, as they are sent. */
  readonly headers: (endpointId: string, sealed: Uint8Array | null) => Effect.Effect<RequestHeaders>
  /** The secrets that sign now, newest first. */
  readonly live: (endpointId: string) => Effect.Effect<ReadonlyArray<LiveSecret>>
}>()("countersign/services/delivery/webhooks/WebhookSecrets") {
  static readonly layer = Layer.effect(
    WebhookSecrets,
    Effect.gen(function*() {
      const sql = yield* Database
      const deliverySql = databaseOf(yield* DeliverySql)
      const crypto = yield* Cryptography
      const vault = yield* Vault
      const utf8 = new TextEncoder()
      const text = new TextDecoder()

      /** Shortens the time of the secrets that have been replaced; answers whether any of them had more. */
      const shorten = Effect.fn("WebhookSecrets.shorten")(function*(endpointId: string, overlapSeconds: number) {
        const shortened = yield* updateShortened(sql, endpointId, overlapSeconds)
        yield* deleteExpired(sql, endpointId)
        return shortened.length > 0
      })

      const add = Effect.fn("WebhookSecrets.add")(
        function*(endpointId: string, given: string | undefined, overlapSeconds: number) {
          const secret = given ?? formatWebhookSecret(crypto.randomBytes(32))
          if (given !== undefined) yield* removeSame(endpointId, given)
          yield* updateReplaced(sql, endpointId, overlapSeconds)
          // Statements of one transaction see what it did before: those that expired just now are gone too.
          yield* deleteBeyond(sql, endpointId)
          const sealed = vault.seal(webhookSecretPurpose(endpointId), utf8.encode(secret))
          yield* insertSecret(sql, { endpointId, sealed, prefix: webhookSecretPrefix(secret) })
          return secret
        }
      )

      /** The ids of the rows that hold this secret, newest first, and whether the newest row is one of them. */
      const rowsOf = Effect.fnUntraced(function*(endpointId: string, secret: string) {
        const rows = yield* listSecrets(sql, endpointId)
        const opened = yield* Effect.forEach(
          rows,
          (row) => Effect.map(vault.open(webhookSecretPurpose(endpointId), row.secret), (bytes) => text.decode(bytes))
        )
        return {
          isNewest: opened[0] === secret,
          ids: rows.filter((_, index) => opened[index] === secret).map(({ id }) => id)
        }
      })

      // A secret that signs already becomes the newest one, and takes no place of another twice.
      const removeSame = (endpointId: string, secret: string) =>
        Effect.flatMap(
          rowsOf(endpointId, secret),
          ({ ids }) => ids.length === 0 ? Effect.void : deleteSecrets(sql, ids)
        )

      const isNewest = (endpointId: string, secret: string) =>
        Effect.map(rowsOf(endpointId, secret), ({ isNewest }) => isNewest)

      const live = Effect.fnUntraced(function*(endpointId: string) {
        const now = yield* Clock.currentTimeMillis
        const rows = yield* listLive(deliverySql, endpointId)
        return yield* Effect.forEach(
          rows.map(readSecret),
          (row) =>
            Effect.map(vault.open(webhookSecretPurpose(endpointId), row.secret), (bytes): LiveSecret => {
              const secret = text.decode(bytes)
              return {
                secret,
                keys: signingKeys(secret),
                until: row.left === undefined ? Number.POSITIVE_INFINITY : now + row.left
              }
            })
        )
      })

      const headers = (endpointId: string, sealed: Uint8Array | null) => openHeaders(vault, endpointId, sealed)

      return WebhookSecrets.of({ add, headers, isNewest, live, shorten })
    })
  )
}

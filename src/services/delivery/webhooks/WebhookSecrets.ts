import { Clock, Context, Effect, Layer, Schema } from "effect"
import type { Statement } from "effect/sql"
import { advised } from "../../../domain/delivery/webhooks/LastOutcome.ts"
import { noHeaders } from "../../../domain/delivery/webhooks/RequestHeaders.ts"
import type { RequestHeaders } from "../../../domain/delivery/webhooks/RequestHeaders.ts"
import { WebhookEndpoint } from "../../../domain/delivery/webhooks/Webhook.ts"
import type { WebhookEndpointUpdate } from "../../../domain/delivery/webhooks/Webhook.ts"
import { signingKeys } from "../../../domain/delivery/webhooks/WebhookSignature.ts"
import type { SigningKeys } from "../../../domain/delivery/webhooks/WebhookSignature.ts"
import { formatWebhookSecret, webhookSecretPrefix } from "../../../domain/keys/security/WebhookSecret.ts"
import { Database, databaseOf } from "../../ground/persistence/Database.ts"
import type { Fragments } from "../../ground/persistence/Database.ts"
import { rowReader } from "../../ground/persistence/RowToWire.ts"
import { DeliverySql } from "../../ground/persistence/TransactionSql.ts"
import { Cryptography } from "../../ground/platform/Cryptography.ts"
import { Vault } from "../../keys/security/Vault.ts"
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

/** The headers of an endpoint as they are stored: sealed, and their names. Both are null where there are none. */
export interface SealedHeaders {
  readonly sealed: Uint8Array | null
  readonly names: ReadonlyArray<string> | null
}

/** Beside the secrets of the same endpoint, under the same kind of key: whoever may know one may know the other. */
const purposeOf = (endpointId: string) => `webhook-secret:headers:${endpointId}` as const

const utf8 = new TextEncoder()
const text = new TextDecoder()

/** Seals the headers of an endpoint. */
export const sealHeaders = (vault: Vault["Service"], endpointId: string, headers: RequestHeaders): SealedHeaders => {
  const names = Object.keys(headers)
  return names.length === 0
    ? { sealed: null, names: null }
    : { sealed: vault.seal(purposeOf(endpointId), utf8.encode(JSON.stringify(headers))), names }
}

/** The headers of an endpoint. */
export const openHeaders = (
  vault: Vault["Service"],
  endpointId: string,
  sealed: Uint8Array | null
): Effect.Effect<RequestHeaders> =>
  sealed === null
    ? Effect.succeed(noHeaders)
    : Effect.map(vault.open(purposeOf(endpointId), sealed), (bytes): RequestHeaders => JSON.parse(text.decode(bytes)))

/** The settings of an endpoint. */
export interface EndpointSettings {
  readonly name: string
  readonly url: string
  readonly event_types: ReadonlyArray<string>
  readonly ordered: boolean
  readonly is_active: boolean
}

/** An endpoint as it is locked for a change, its headers sealed. */
export interface LockedEndpoint extends EndpointSettings {
  readonly headers: Uint8Array | null
}

/** The changed settings of an endpoint: only those that differ. */
export type EndpointChange = Partial<EndpointSettings> & { readonly headers?: SealedHeaders }

const isSameList = (one: ReadonlyArray<string>, other: ReadonlyArray<string>): boolean =>
  one.length === other.length && one.every((value, index) => value === other[index])

/** The changes of an update: a value that is set already is no change. */
export const changeOf = (
  before: EndpointSettings,
  { event_types, is_active, name, ordered, url }:
    & Pick<WebhookEndpointUpdate, "event_types" | "is_active" | "name" | "ordered">
    & { readonly url: string | undefined }
): EndpointChange => {
  const kinds = event_types === undefined ? before.event_types : [...new Set(event_types)]
  return {
    ...(name === undefined || name === before.name ? {} : { name }),
    ...(url === undefined || url === before.url ? {} : { url }),
    ...(isSameList(kinds, before.event_types) ? {} : { event_types: kinds }),
    ...(ordered === undefined || ordered === before.ordered ? {} : { ordered }),
    ...(is_active === undefined || is_active === before.is_active ? {} : { is_active })
  }
}

/**
 * Since when an endpoint fails, of a lane `l`. A receiver that asks for a slower pace does not fail; one that has taken
 * nothing for minutes does.
 */
export const failingSince = (sql: Fragments): Statement.Fragment =>
  sql`LEAST(l.failing_since,
    CASE WHEN l.throttled_since <= now() - interval '10 minutes' THEN l.throttled_since END)`

const isoTime = (sql: Fragments, time: Statement.Fragment): Statement.Fragment =>
  sql`to_char(${time} AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`

/** When the next attempt may be made: what waits is a retry that is due, or what the lane has not read yet. */
const nextAttempt = (sql: Fragments): Statement.Fragment => {
  const opens = sql`GREATEST(CASE WHEN l.breaker <> 'closed' THEN l.probe_at END,
    CASE WHEN l.rest_until > now() THEN l.rest_until END)`
  return sql`CASE WHEN NOT e.is_active THEN NULL
    WHEN ${opens} IS NOT NULL AND (SELECT c.last_sequence FROM event_chain c) > l.cursor_seq THEN ${opens}
    ELSE (SELECT GREATEST(
        CASE WHEN e.ordered THEN (array_agg(r.due_at ORDER BY r.seq))[1] ELSE min(r.due_at) END, ${opens}
      ) FROM webhook_retries r WHERE r.endpoint_id = e.id HAVING count(*) > 0) END`
}

/** How the last attempt ended. */
const lastOutcome = (sql: Fragments): Statement.Fragment =>
  sql`CASE WHEN l.last_class IS NOT NULL AND l.last_attempt_at IS NOT NULL THEN jsonb_strip_nulls(jsonb_build_object(
    'at', ${isoTime(sql, sql`l.last_attempt_at`)}, 'class', l.last_class, 'status', l.last_status,
    'location', l.last_location, 'next_attempt_at', ${isoTime(sql, nextAttempt(sql))})) END`

/** The columns of an endpoint as it is shown, for `FROM webhook_endpoints e JOIN webhook_lanes l`. */
export const webhookColumns = (sql: Fragments): Statement.Fragment =>
  sql`e.id, e.name, e.url,
    (SELECT s.prefix FROM webhook_secrets s WHERE s.endpoint_id = e.id ORDER BY s.id DESC LIMIT 1) AS secret_prefix,
    e.event_types, e.header_names, NULLIF(e.ordered, false) AS ordered, e.is_active,
    CASE WHEN e.is_active THEN 'active' WHEN e.disabled_reason IS NULL THEN 'paused' ELSE 'disabled' END AS status,
    e.disabled_reason, e.disabled_at, ${failingSince(sql)} AS failing_since,
    l.last_success_at AS last_delivery_at, ${lastOutcome(sql)} AS last_outcome, e.created_at, e.updated_at`

const read = rowReader(WebhookEndpoint)

/** A row of {@link webhookColumns} as the wire shows it. */
export const webhookOf = (row: object): WebhookEndpoint => {
  const endpoint = read(row)
  const { last_outcome } = endpoint
  return last_outcome === undefined ? endpoint : { ...endpoint, last_outcome: advised(last_outcome) }
}

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

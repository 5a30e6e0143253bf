import { Context, Effect, Layer } from "effect"
import { addressNotAllowed, checkWebhookUrl } from "../../domain/admission/Address.ts"
import type {
  CheckedUrl,
  WebhookEndpoint,
  WebhookEndpointCreate,
  WebhookEndpointUpdate,
  WebhookEndpointWithSecret
} from "../../domain/webhooks/Webhook.ts"
import { defaultOverlap } from "../../domain/webhooks/Webhook.ts"
import type { InvalidCursor } from "../../domain/wire/Errors.ts"
import { failing, NotFound } from "../../domain/wire/Errors.ts"
import type { ValidationError } from "../../domain/wire/Errors.ts"
import { invalidField } from "../../domain/wire/FieldFindings.ts"
import type { Page, PageRequest } from "../../domain/wire/Page.ts"
import { inOrder } from "../access/Idempotency.ts"
import type { Steps } from "../access/Idempotency.ts"
import { Events } from "../events/Events.ts"
import { Database } from "../persistence/Database.ts"
import { Identifiers } from "../persistence/Identifiers.ts"
import { sortedPage } from "../persistence/KeysetPagination.ts"
import { inTransaction } from "../persistence/Transaction.ts"
import { Settings } from "../platform/Settings.ts"
import { ReceiverAddresses } from "./ReceiverAddresses.ts"
import { webhookColumns, webhookOf } from "./WebhookColumns.ts"
import { WebhookSecrets } from "./WebhookSecrets.ts"

const missing = () => failing(NotFound, "No webhook endpoint has this id.")

/** Where events are delivered, and for which of them. */
export class WebhookEndpoints extends Context.Service<WebhookEndpoints, {
  readonly list: (page: PageRequest) => Effect.Effect<Page<WebhookEndpoint>, InvalidCursor>
  /** What is committed after the endpoint is delivered to it. The secret is shown only in this answer. */
  readonly create: (input: WebhookEndpointCreate) => Effect.Effect<WebhookEndpointWithSecret, ValidationError>
  /** {@link create} step by step: the first one asks the name service where the URL leads, and holds nothing meanwhile. */
  readonly creation: (input: WebhookEndpointCreate) => Steps<CheckedUrl, WebhookEndpointWithSecret, ValidationError>
  readonly get: (id: string) => Effect.Effect<WebhookEndpoint, NotFound>
  /**
   * Changes what is given; a pause keeps the cursor, and activating goes on there. Answers with the secret when it was
   * given or rotated.
   */
  readonly update: (
    id: string,
    changes: WebhookEndpointUpdate
  ) => Effect.Effect<WebhookEndpoint | WebhookEndpointWithSecret, NotFound | ValidationError>
  /** {@link update} step by step, as {@link creation}. */
  readonly change: (
    id: string,
    changes: WebhookEndpointUpdate
  ) => Steps<CheckedUrl | undefined, WebhookEndpoint | WebhookEndpointWithSecret, ValidationError, NotFound>
  /** Deletes the endpoint, and drops what was still to be sent to it. */
  readonly remove: (id: string) => Effect.Effect<void, NotFound>
}>()("countersign/services/webhooks/WebhookEndpoints") {
  static readonly layer = Layer.effect(
    WebhookEndpoints,
    Effect.gen(function*() {
      const sql = yield* Database
      const events = yield* Events
      const addresses = yield* ReceiverAddresses
      const identifiers = yield* Identifiers
      const secrets = yield* WebhookSecrets
      const settings = yield* Settings
      const columns = webhookColumns(sql)
      const tables = sql`webhook_endpoints e JOIN webhook_lanes l ON l.endpoint_id = e.id`

      const read = (id: string) =>
        sql`SELECT ${columns} FROM ${tables} WHERE e.id = ${id} AND e.deleted_at IS NULL`.pipe(
          Effect.flatMap(([row]) => row === undefined ? Effect.fail(missing()) : Effect.succeed(webhookOf(row)))
        )

      const checked = Effect.fnUntraced(function*(text: string) {
        const verdict = checkWebhookUrl(text, settings.webhookAllowedCidrs)
        if (!verdict.ok) return yield* invalidField("url", verdict.reason.toUpperCase(), verdict.message)
        const standing = yield* addresses.judge(verdict.url)
        if (standing === "refused") return yield* invalidField("url", "ADDRESS_NOT_ALLOWED", addressNotAllowed)
        return { url: verdict.url, isNameless: standing === "nameless" } satisfies CheckedUrl
      })

      const list = (page: PageRequest) =>
        sortedPage({
          sql,
          list: "webhook_endpoints",
          filters: {},
          page,
          alias: "e.",
          conditions: [sql`e.deleted_at IS NULL`],
          rows: ({ orderBy, place, where }, limit) =>
            sql`SELECT ${columns} ${place} FROM ${tables} ${where} ${orderBy} LIMIT ${limit}`,
          read: webhookOf
        })

      const creation = (input: WebhookEndpointCreate) => ({
        first: checked(input.url),
        last: Effect.fn("WebhookEndpoints.create")(({ url }: CheckedUrl) =>
          inTransaction(
            sql,
            Effect.gen(function*() {
              const id = identifiers.next("whk")
              yield* sql`
              INSERT INTO webhook_endpoints (id, name, url, event_types, is_active)
              VALUES (${id}, ${input.name}, ${url}, ${[...new Set(input.event_types)]}::text[],
                ${input.is_active ?? true})`
              // Whatever is committed after this transaction gets a higher sequence than the feed has now.
              yield* sql`
              INSERT INTO webhook_lanes (endpoint_id, cursor_seq) SELECT ${id}, last_sequence FROM event_chain`
              const secret = yield* secrets.add(id, input.secret, 0)
              const webhook = yield* Effect.orDie(read(id))
              yield* events.append({ type: "webhook.created", resourceId: id, data: webhook })
              return { webhook, secret }
            })
          )
        )
      })

      const write = Effect.fnUntraced(function*(id: string, url: string | undefined, changes: WebhookEndpointUpdate) {
        const { is_active, name, secret, secret_overlap_seconds } = changes
        const set = [
          sql`updated_at = now(), changed_xid = pg_current_xact_id()`,
          ...(name === undefined ? [] : [sql`name = ${name}`]),
          ...(url === undefined ? [] : [sql`url = ${url}`]),
          ...(changes.event_types === undefined
            ? []
            : [sql`event_types = ${[...new Set(changes.event_types)]}::text[]`]),
          ...(is_active === undefined ? [] : [sql`is_active = ${is_active}`]),
          ...(is_active === true ? [sql`disabled_reason = NULL, disabled_at = NULL`] : [])
        ]
        const before = yield* sql<{ readonly disabled: boolean }>`
          SELECT disabled_reason IS NOT NULL AS disabled FROM webhook_endpoints
          WHERE id = ${id} AND deleted_at IS NULL FOR UPDATE`
        if (before[0] === undefined) return yield* missing()
        yield* sql`UPDATE webhook_endpoints SET ${sql.csv(set)} WHERE id = ${id}`
        if (is_active === true && before[0].disabled) {
          // Its circuit breaker and its failures are reset: it is tried at once, and judged anew.
          yield* sql`
            UPDATE webhook_lanes SET breaker = 'closed', probe_at = NULL, probe_count = 0, consecutive_failures = 0,
              failing_since = NULL, failing_deliveries = 0
            WHERE endpoint_id = ${id}`
        }
        const rotated = secret !== undefined || changes.rotate_secret === true
          ? yield* secrets.add(id, secret, secret_overlap_seconds ?? defaultOverlap)
          : undefined
        const webhook = yield* read(id)
        const isOtherwiseChanged = [name, url, changes.event_types, is_active].some((value) => value !== undefined)
        if (isOtherwiseChanged || rotated === undefined) {
          yield* events.append({ type: "webhook.updated", resourceId: id, data: webhook })
        }
        if (rotated === undefined) return webhook
        yield* events.append({ type: "webhook.secret_rotated", resourceId: id, data: webhook })
        return { webhook, secret: rotated }
      })

      const judged = Effect.fnUntraced(function*(changes: WebhookEndpointUpdate) {
        if (changes.secret !== undefined && changes.rotate_secret === true) {
          return yield* invalidField("rotate_secret", "EXCLUSIVE", "is excluded with secret: send one of them")
        }
        return changes.url === undefined ? undefined : yield* checked(changes.url)
      })

      const change = (id: string, changes: WebhookEndpointUpdate) => ({
        first: judged(changes),
        last: Effect.fn("WebhookEndpoints.update")((checked: CheckedUrl | undefined) =>
          inTransaction(sql, write(id, checked?.url, changes))
        )
      })

      const remove = Effect.fn("WebhookEndpoints.remove")(function*(id: string) {
        yield* inTransaction(
          sql,
          Effect.gen(function*() {
            const locked =
              yield* sql`SELECT id FROM webhook_endpoints WHERE id = ${id} AND deleted_at IS NULL FOR UPDATE`
            if (locked[0] === undefined) return yield* missing()
            const webhook = yield* read(id)
            yield* sql`
              UPDATE webhook_endpoints SET deleted_at = now(), is_active = false, disabled_reason = NULL,
                changed_xid = pg_current_xact_id()
              WHERE id = ${id}`
            yield* sql`DELETE FROM webhook_secrets WHERE endpoint_id = ${id}`
            yield* sql`DELETE FROM webhook_retries WHERE endpoint_id = ${id}`
            yield* events.append({ type: "webhook.deleted", resourceId: id, data: webhook })
          })
        )
      })

      return WebhookEndpoints.of({
        list,
        create: (input) => inOrder(creation(input)),
        creation,
        get: Effect.fn("WebhookEndpoints.get")(read),
        update: (id, changes) => inOrder(change(id, changes)),
        change,
        remove
      })
    })
  )
}

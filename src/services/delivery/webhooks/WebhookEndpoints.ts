import { Context, Effect, Layer, Schedule } from "effect"
import { changedHeaders, headersFault } from "../../../domain/delivery/webhooks/RequestHeaders.ts"
import { configuredOf, defaultOverlap, eventDataOf } from "../../../domain/delivery/webhooks/Webhook.ts"
import type {
  CheckedUrl,
  WebhookEndpoint,
  WebhookEndpointCreate,
  WebhookEndpointResumed,
  WebhookEndpointUpdate,
  WebhookEndpointWithSecret
} from "../../../domain/delivery/webhooks/Webhook.ts"
import { checkWebhookUrl, refuseUrl } from "../../../domain/ground/admission/Address.ts"
import { isSameJson } from "../../../domain/ground/wire/CanonicalJson.ts"
import { failing, NotFound, StateConflict } from "../../../domain/ground/wire/Errors.ts"
import type { InvalidCursor, PreconditionFailed, ValidationError } from "../../../domain/ground/wire/Errors.ts"
import { invalidField } from "../../../domain/ground/wire/FieldFindings.ts"
import type { Page, PageRequest } from "../../../domain/ground/wire/Page.ts"
import { webhookSecretFault } from "../../../domain/keys/security/WebhookSecret.ts"
import { kinds } from "../../../domain/log/EventKind.ts"
import { matches } from "../../../domain/log/Subscription.ts"
import { Database, databaseOf, inTransaction } from "../../ground/persistence/Database.ts"
import { Identifiers } from "../../ground/persistence/Identifiers.ts"
import { sortedPage } from "../../ground/persistence/KeysetPagination.ts"
import { makeEntityTags } from "../../ground/persistence/Precondition.ts"
import { DeliverySql } from "../../ground/persistence/TransactionSql.ts"
import { Settings } from "../../ground/platform/Settings.ts"
import { supervised } from "../../ground/platform/Supervised.ts"
import { swept } from "../../ground/platform/Sweeps.ts"
import { Vault } from "../../keys/security/Vault.ts"
import { Events } from "../../log/Events.ts"
import { inOrder } from "../../people/access/Idempotency.ts"
import type { Steps } from "../../people/access/Idempotency.ts"
import {
  deleteLongDeleted,
  findShown,
  insertEndpoint,
  listShown,
  lockEndpoint,
  lockSettings,
  updateDeleted,
  updateSettings
} from "./WebhookEndpointSql.ts"
import { changeOf, openHeaders, sealHeaders, webhookOf, WebhookSecrets } from "./WebhookSecrets.ts"
import type { LockedEndpoint } from "./WebhookSecrets.ts"
import {
  countPlaces,
  deleteLongExpired,
  deleteRetries,
  deleteRetriesUnwanted,
  deleteSecretsOf,
  findLaneEnds,
  insertLane,
  updateReceiverForgotten,
  updateRetriesDue,
  updateSkipped
} from "./WebhookSql.ts"

/**
 * The verdict about the addresses of a host. `allowed`: it has some, and deliveries may connect to each; `refused`: to one
 * of them they may not; `nameless`: its name has none; `unknown`: the name is not resolved in time.
 */
export type AddressVerdict = "allowed" | "refused" | "nameless" | "unknown"

/** Judges where a webhook would be sent to, when its URL is written. */
export class ReceiverAddresses extends Context.Service<ReceiverAddresses, {
  /**
   * Judges every address that the host has now. A name without an address is no reason to refuse, because it may get one
   * later, and every connect is judged again.
   */
  readonly judge: (url: string) => Effect.Effect<AddressVerdict>
}>()("countersign/services/delivery/webhooks/ReceiverAddresses") {}

const every = Schedule.spaced("1 minute")

/** Rows that one statement deletes. */
const batch = 500

/** Removes deleted endpoints for good once every node has long known of them, and secrets that no longer sign. */
export class WebhookPurge extends Context.Service<WebhookPurge, {
  readonly step: Effect.Effect<void>
  readonly run: Effect.Effect<never>
}>()("countersign/services/delivery/webhooks/WebhookPurge") {
  static readonly layer = Layer.effect(
    WebhookPurge,
    Effect.gen(function*() {
      const sql = databaseOf(yield* DeliverySql)

      const inSteps = (remove: Effect.Effect<ReadonlyArray<unknown>>) =>
        Effect.repeat(remove, { while: (rows) => rows.length === batch })

      const step = Effect.gen(function*() {
        yield* inSteps(deleteLongDeleted(sql, batch))
        yield* inSteps(deleteLongExpired(sql, batch))
      })

      return WebhookPurge.of({
        step,
        run: supervised("Purging deleted webhook endpoints", swept("webhooks", step), every, { retry: every })
      })
    })
  )
}

/** A span of the feed that an endpoint has not been sent: after `from`, up to `to`. */
interface Backlog {
  readonly from: number
  readonly to: number
  /** How many events of it the endpoint takes, and which. */
  readonly events: number
  readonly eventTypes: ReadonlyArray<string>
}

/** How many places of the feed one statement counts: about a second of work on a busy machine, of the 30 that it may take. */
const slice = 1_000_000

/** How many events of a span of the feed a subscription takes, however long the span is. */
export const countEvents = Effect.fnUntraced(function*(
  sql: Database,
  eventTypes: ReadonlyArray<string>,
  from: number,
  to: number
) {
  const taken = kinds.filter((kind) => matches(eventTypes, kind))
  let events = 0
  for (let after = from; after < to; after += slice) {
    const [counted] = yield* countPlaces(
      sql,
      after,
      Math.min(after + slice, to),
      eventTypes.length === 0 ? undefined : taken
    )
    events += Number(counted!.count)
  }
  return events
})

const missing = () => failing(NotFound, "No webhook endpoint has this id.")

/** Where a URL leads, looked up now; fails where nothing may be delivered. */
const checkedUrl = Effect.fnUntraced(
  function*(addresses: ReceiverAddresses["Service"], allowed: ReadonlyArray<string>, text: string) {
    const refused = ({ message, reason }: ReturnType<typeof refuseUrl>) =>
      invalidField("url", reason.toUpperCase(), message)
    const verdict = checkWebhookUrl(text, allowed)
    if (!verdict.ok) return yield* refused(verdict)
    const standing = yield* addresses.judge(verdict.url)
    // An endpoint without a certificate must be reached through networks of the operator alone.
    if (verdict.isPlainToName && standing !== "allowed") return yield* refused(refuseUrl("https_required"))
    if (standing === "refused") return yield* refused(refuseUrl("address_not_allowed"))
    return { url: verdict.url, isNameless: standing === "nameless" } satisfies CheckedUrl
  }
)

/** The headers after a change, sealed; undefined when they stay as they are. */
const headersAfter = Effect.fnUntraced(
  function*(
    vault: Vault["Service"],
    id: string,
    { headers: sealed }: LockedEndpoint,
    { headers: change }: WebhookEndpointUpdate
  ) {
    if (change === undefined) return undefined
    const before = yield* openHeaders(vault, id, sealed)
    const after = changedHeaders(before, change)
    const fault = headersFault(after)
    if (fault !== undefined) return yield* invalidField("headers", "invalid_value", fault)
    return isSameJson(after, before) ? undefined : sealHeaders(vault, id, after)
  }
)

/** Does what is asked of the secrets. The one that signs already, given again, is no change. */
const renewSecret = Effect.fnUntraced(
  function*(secrets: WebhookSecrets["Service"], id: string, changes: WebhookEndpointUpdate) {
    const { rotate_secret, secret, secret_overlap_seconds } = changes
    const isSame = secret !== undefined && (yield* secrets.isNewest(id, secret))
    if (rotate_secret === true || (secret !== undefined && !isSame)) {
      return { secret: yield* secrets.add(id, secret, secret_overlap_seconds ?? defaultOverlap), isChanged: true }
    }
    const isShortened = secret_overlap_seconds !== undefined && (yield* secrets.shorten(id, secret_overlap_seconds))
    return { secret, isChanged: isShortened }
  }
)

/** Where events are delivered, and for which of them. */
export class WebhookEndpoints extends Context.Service<WebhookEndpoints, {
  readonly list: (page: PageRequest) => Effect.Effect<Page<WebhookEndpoint>, InvalidCursor>
  /** Events that are committed after the endpoint are delivered to it. The secret is shown only in this answer. */
  readonly create: (input: WebhookEndpointCreate) => Effect.Effect<WebhookEndpointWithSecret, ValidationError>
  /** {@link create} step by step: the first one asks the name service where the URL leads, and holds nothing meanwhile. */
  readonly creation: (input: WebhookEndpointCreate) => Steps<CheckedUrl, WebhookEndpointWithSecret, ValidationError>
  readonly get: (id: string) => Effect.Effect<WebhookEndpoint, NotFound>
  /**
   * Changes what is given, at once; what stands already is no change. A pause keeps the cursor, and activating goes on
   * there. Answers with the secret when it was given or rotated.
   */
  readonly update: (
    id: string,
    changes: WebhookEndpointUpdate
  ) => Effect.Effect<WebhookEndpoint | WebhookEndpointWithSecret, NotFound | PreconditionFailed | ValidationError>
  /** {@link update} step by step, as {@link creation}. */
  readonly change: (
    id: string,
    changes: WebhookEndpointUpdate
  ) => Steps<
    CheckedUrl | undefined,
    WebhookEndpoint | WebhookEndpointWithSecret,
    ValidationError,
    NotFound | PreconditionFailed | ValidationError
  >
  /**
   * Activates an endpoint that is paused or disabled, and has it go on from now, step by step: the first one counts what
   * waits, which takes its time where that is much.
   */
  readonly resumption: (id: string) => Steps<Backlog, WebhookEndpointResumed, NotFound, NotFound | StateConflict>
  /** Deletes the endpoint, and drops what was still to be sent to it. */
  readonly remove: (id: string) => Effect.Effect<void, NotFound | PreconditionFailed>
}>()("countersign/services/delivery/webhooks/WebhookEndpoints") {
  static readonly layer = Layer.effect(
    WebhookEndpoints,
    Effect.gen(function*() {
      const sql = yield* Database
      const events = yield* Events
      const addresses = yield* ReceiverAddresses
      const identifiers = yield* Identifiers
      const secrets = yield* WebhookSecrets
      const { webhookAllowedCidrs } = yield* Settings
      const vault = yield* Vault
      const tags = yield* makeEntityTags(configuredOf)
      const checked = (url: string) => checkedUrl(addresses, webhookAllowedCidrs, url)

      const read = (id: string) =>
        findShown(sql, id).pipe(
          Effect.flatMap(([row]) => row === undefined ? Effect.fail(missing()) : Effect.succeed(webhookOf(row))),
          Effect.tap(tags.note)
        )

      const list = (page: PageRequest) =>
        sortedPage({
          sql,
          list: "webhook_endpoints",
          products: "not-limited",
          filters: {},
          page,
          alias: "e.",
          conditions: [sql`e.deleted_at IS NULL`],
          rows: (clauses, limit) => listShown(sql, clauses, limit),
          read: webhookOf
        })

      const creation = (input: WebhookEndpointCreate) => ({
        first: checked(input.url),
        last: Effect.fn("WebhookEndpoints.create")(({ url }: CheckedUrl) =>
          inTransaction(
            sql,
            Effect.gen(function*() {
              const id = identifiers.next("whk")
              const headers = sealHeaders(vault, id, input.headers ?? {})
              yield* insertEndpoint(sql, { id, url, headers, input })
              yield* insertLane(sql, id)
              const secret = yield* secrets.add(id, input.secret, 0)
              const webhook = yield* Effect.orDie(read(id))
              yield* events.append({ type: "webhook.created", resourceId: id, data: eventDataOf(webhook) })
              return { webhook, secret }
            })
          )
        )
      })

      const write = Effect.fnUntraced(function*(id: string, url: string | undefined, changes: WebhookEndpointUpdate) {
        const [before] = yield* lockSettings(sql, id)
        if (before === undefined) return yield* missing()
        yield* tags.judgeOnce(id, read(id))
        const headers = yield* headersAfter(vault, id, before, changes)
        const change = { ...changeOf(before, { ...changes, url }), ...(headers === undefined ? {} : { headers }) }
        const rotated = yield* renewSecret(secrets, id, changes)
        const isChanged = Object.keys(change).length > 0
        if (isChanged || rotated.isChanged) yield* updateSettings(sql, id, change)
        if (change.url !== undefined) yield* updateReceiverForgotten(sql, id)
        if ((change.ordered ?? before.ordered) && (isChanged || rotated.isChanged)) yield* updateRetriesDue(sql, id)
        if (change.event_types !== undefined) yield* deleteRetriesUnwanted(sql, id, change.event_types)
        const webhook = yield* read(id)
        if (isChanged) yield* events.append({ type: "webhook.updated", resourceId: id, data: eventDataOf(webhook) })
        if (rotated.isChanged) {
          yield* events.append({ type: "webhook.secret_rotated", resourceId: id, data: eventDataOf(webhook) })
        }
        return rotated.secret === undefined ? webhook : { webhook, secret: rotated.secret }
      })

      const judged = Effect.fnUntraced(function*(id: string, changes: WebhookEndpointUpdate) {
        if (changes.secret !== undefined && changes.rotate_secret === true) {
          return yield* invalidField("rotate_secret", "EXCLUSIVE", "is excluded with secret: send one of them")
        }
        const fault = changes.secret === undefined ? undefined : webhookSecretFault(changes.secret)
        // One that was stored before it could be refused signs on, and given again it is no change.
        if (fault !== undefined && !(yield* secrets.isNewest(id, changes.secret!))) {
          return yield* invalidField("secret", "invalid_value", fault)
        }
        return changes.url === undefined ? undefined : yield* checked(changes.url)
      })

      const change = (id: string, changes: WebhookEndpointUpdate) => ({
        first: judged(id, changes),
        last: Effect.fn("WebhookEndpoints.update")((checked: CheckedUrl | undefined) =>
          inTransaction(sql, write(id, checked?.url, changes))
        )
      })

      const backlogOf = Effect.fnUntraced(function*(id: string) {
        const [ends] = yield* findLaneEnds(sql, id)
        if (ends === undefined) return yield* missing()
        const [from, to] = [Number(ends.cursor_seq), Number(ends.head)]
        const events = yield* countEvents(sql, ends.event_types, from, to)
        return { from, to, events, eventTypes: ends.event_types } satisfies Backlog
      })

      const resume = Effect.fnUntraced(function*(id: string, before: Backlog) {
        const [endpoint] = yield* lockSettings(sql, id)
        if (endpoint === undefined) return yield* missing()
        if (endpoint.is_active) {
          return yield* failing(StateConflict, "Only an endpoint that is paused or disabled can skip to now.", {
            detail: "active"
          })
        }
        const [ends] = yield* findLaneEnds(sql, id)
        const [from, to] = [Number(ends!.cursor_seq), Number(ends!.head)]
        // Only what has changed since is counted while the endpoint is locked.
        const waiting = before.events -
          (yield* countEvents(sql, before.eventTypes, before.from, Math.min(from, before.to))) +
          (yield* countEvents(sql, before.eventTypes, Math.max(before.to, from), to))
        const retried = yield* updateSkipped(sql, id, to)
        yield* updateSettings(sql, id, { is_active: true })
        const webhook = yield* read(id)
        const skipped = Math.max(0, waiting) + retried.length
        yield* events.append({ type: "webhook.updated", resourceId: id, data: eventDataOf(webhook) })
        yield* events.append({
          type: "webhook.skipped",
          resourceId: id,
          data: { webhook_id: id, skipped_events: skipped, after_sequence: from, up_to_sequence: to }
        })
        return { webhook, skipped_events: skipped }
      })

      const resumption = (id: string) => ({
        first: backlogOf(id),
        last: Effect.fn("WebhookEndpoints.resume")((before: Backlog) => inTransaction(sql, resume(id, before)))
      })

      const remove = Effect.fn("WebhookEndpoints.remove")(function*(id: string) {
        yield* inTransaction(
          sql,
          Effect.gen(function*() {
            const locked = yield* lockEndpoint(sql, id)
            if (locked[0] === undefined) return yield* missing()
            yield* tags.judgeOnce(id, read(id))
            const webhook = yield* read(id)
            yield* updateDeleted(sql, id)
            yield* deleteSecretsOf(sql, id)
            yield* deleteRetries(sql, id)
            yield* events.append({ type: "webhook.deleted", resourceId: id, data: eventDataOf(webhook) })
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
        resumption,
        remove
      })
    })
  )
}

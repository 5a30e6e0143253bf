import { Context, Effect, Exit, Layer, Metric, Result } from "effect"
import { Hex } from "effect/encoding"
import type { SqlError } from "effect/sql/SqlError"
import { failing, InvalidHeader, NotFound, ValidationError } from "../../../domain/ground/wire/Errors.ts"
import { finding } from "../../../domain/ground/wire/FieldFindings.ts"
import type { EventsReceived } from "../../../domain/sales/billing/BillingConnection.ts"
import { liveSecrets } from "../../../domain/sales/billing/ConnectionSecrets.ts"
import type { Provider } from "../../../domain/sales/providers/Provider.ts"
import { signatureHeaders, verifySignature } from "../../../domain/sales/providers/ProviderSignature.ts"
import { readEventsFor } from "../../../domain/sales/providers/ReadEvents.ts"
import { CurrentEnvironment } from "../../ground/environments/CurrentEnvironment.ts"
import { Database } from "../../ground/persistence/Database.ts"
import { makeGroupCommit } from "../../ground/persistence/GroupCommit.ts"
import { Cryptography } from "../../ground/platform/Cryptography.ts"
import { fromStartBy } from "../../ground/platform/SeriesFromStart.ts"
import { Vault } from "../../keys/security/Vault.ts"
import { listReceivers } from "./ConnectionSql.ts"
import type { Receiver } from "./ConnectionSql.ts"
import { payersAlone, storedAlone } from "./EventBodies.ts"
import { InboxSignal } from "./InboxSignal.ts"
import { insertEvents } from "./InboxSql.ts"
import type { StoredBody } from "./InboxSql.ts"
import { openCredentials } from "./SealedCredentials.ts"

const outcomes = ["received", "repeated", "refused_connection", "refused_signature", "refused_body"] as const

const counted = fromStartBy(outcomes, (outcome) =>
  Metric.counter("countersign_billing_events_total", {
    description: "Events of payment providers: received, repeated, or refused for their connection, signature or body.",
    incremental: true,
    attributes: { outcome }
  }))

/** A request of a payment provider, as it arrived. */
export interface ReceivedEvents {
  /** By names in lower case. */
  readonly headers: Readonly<Record<string, string | undefined>>
  /** The raw bytes, over which the signature is. */
  readonly body: Uint8Array
}

/** The reason why a request was refused. */
type Refused = NotFound | InvalidHeader | ValidationError

/** A request that waits to be stored, and the connection that its path names. */
interface Request extends ReceivedEvents {
  readonly connectionId: string
}

/** How many requests are stored by one statement. */
const mostTogether = 32

/** How many of them are stored at once where they could not be stored together: one of them may wait for a lock. */
const aloneAtOnce = 4

const missing = () => failing(NotFound, "No billing connection has this id.")

const unsigned = (provider: Provider, { code, message }: { readonly code: string; readonly message: string }) =>
  failing(InvalidHeader, message, {
    detail: code,
    fields: [finding([signatureHeaders[provider]], code, message)]
  })

const unreadable = (code: string, message: string) => failing(ValidationError, message, { detail: code })

const text = new TextDecoder()

const parsed = (body: Uint8Array): unknown => {
  try {
    return JSON.parse(text.decode(body))
  } catch {
    return undefined
  }
}

/**
 * Takes events of payment providers: verified by the signature over the raw bytes, which is their credential, and stored.
 * Nothing else happens until the provider is answered, so that it is answered fast and no event waits for a purchase.
 */
export class Inbox extends Context.Service<Inbox, {
  /** Stores the events of a body, each once; a repeat succeeds. */
  readonly receive: (
    connectionId: string,
    request: ReceivedEvents
  ) => Effect.Effect<EventsReceived, NotFound | InvalidHeader | ValidationError>
  /** Counts a request whose body was too large, or never came whole. */
  readonly unread: Effect.Effect<void>
}>()("countersign/services/sales/billing/Inbox") {
  static readonly layer = Layer.effect(
    Inbox,
    Effect.gen(function*() {
      const sql = yield* Database
      const crypto = yield* Cryptography
      const isLive = (yield* CurrentEnvironment) === "live"
      const signal = yield* InboxSignal
      const vault = yield* Vault

      const read = ({ provider, system }: Pick<Receiver, "provider" | "system">, body: Uint8Array) => {
        const json = parsed(body)
        const stored = Result.map(
          readEventsFor(isLive, provider, json, Hex.encode(crypto.sha256(body))),
          (events) =>
            storedAlone(provider, { body, events, json }).map((event) =>
              Object.assign({}, event, { payers: payersAlone(vault, system, event) })
            )
        )
        return Effect.fromResult(Result.mapError(stored, ({ code, message }) => unreadable(code, message)))
      }

      const refused = (outcome: Exclude<(typeof outcomes)[number], "received" | "repeated">) =>
        Metric.update(counted[outcome], 1)

      const unknown = Effect.andThen(refused("refused_connection"), missing())

      const verified = Effect.fnUntraced(function*(
        { body, connectionId, headers }: Request,
        receiver: Receiver | undefined
      ) {
        if (receiver === undefined) return yield* unknown
        const { credentials, provider } = receiver
        // oxlint-disable-next-line effect/global-date -- providers sign by real time, whatever the clock of the environment says
        const now = Date.now()
        const secrets = liveSecrets(yield* openCredentials(vault, connectionId, credentials), now)
        const verdict = verifySignature(provider, { headers, body, secrets, now }, crypto.hmacSha256)
        if (Result.isFailure(verdict)) {
          yield* refused("refused_signature")
          return yield* unsigned(provider, verdict.failure)
        }
        const events = yield* Effect.tapError(read(receiver, body), () => refused("refused_body"))
        return { connectionId, events } satisfies StoredBody
      })

      /** Stores bodies, and says of each how many of its events were new: of those that came twice, the first. */
      const store = Effect.fnUntraced(function*(bodies: ReadonlyArray<StoredBody>) {
        const rows = yield* insertEvents(sql, bodies).fallible
        const fresh = new Set(rows.map(({ connection_id, event_id }) => `${connection_id} ${event_id}`))
        return bodies.map(({ connectionId, events }) => {
          const received = events.filter(({ event_id }) => fresh.delete(`${connectionId} ${event_id}`)).length
          return Exit.succeed<EventsReceived>({ received, repeated: events.length - received })
        })
      })

      /** The outcome of a body that could not be stored. Its connection may have been deleted after it was found. */
      const failed = (error: SqlError) =>
        error.reason._tag === "ConstraintError" ? Effect.exit(unknown) : Effect.succeed(Exit.die(error))

      /** Stores bodies together. Where that fails each is stored alone, so that none is refused for another one. */
      const storeAll = (
        bodies: ReadonlyArray<StoredBody>
      ): Effect.Effect<ReadonlyArray<Exit.Exit<EventsReceived, Refused>>> =>
        store(bodies).pipe(Effect.catch((error) =>
          bodies.length === 1
            ? Effect.map(failed(error), (exit) => [exit])
            : Effect.map(
              Effect.forEach(bodies, (body) => storeAll([body]), { concurrency: aloneAtOnce }),
              (exits) => exits.flat()
            )
        ))

      const submit = yield* makeGroupCommit<Request, EventsReceived, Refused>({
        keyOf: ({ connectionId }) => connectionId,
        maximum: mostTogether,
        concurrency: 2,
        stopped: Exit.interrupt(),
        commit: Effect.fnUntraced(function*(requests) {
          const found = yield* listReceivers(sql, [...new Set(requests.map(({ connectionId }) => connectionId))])
          const receivers = new Map(found.map((receiver) => [receiver.id, receiver]))
          const judged = yield* Effect.forEach(
            requests,
            (request) => Effect.exit(verified(request, receivers.get(request.connectionId)))
          )
          const good = judged.flatMap((exit) => Exit.isSuccess(exit) ? [exit.value] : [])
          const stored = good.length === 0 ? [] : yield* storeAll(good)
          if (stored.some((exit) => Exit.isSuccess(exit) && exit.value.received > 0)) yield* signal.wake
          let next = 0
          return judged.map((exit) => Exit.isSuccess(exit) ? stored[next++]! : Exit.failCause(exit.cause))
        })
      })

      const receive = Effect.fn("Inbox.receive")(function*(connectionId: string, request: ReceivedEvents) {
        const answer = yield* submit({ connectionId, ...request })
        yield* Metric.update(counted.received, answer.received)
        yield* Metric.update(counted.repeated, answer.repeated)
        return answer
      })

      return Inbox.of({ receive, unread: refused("refused_body") })
    })
  )
}

import { Cause, Clock, Context, Effect, Layer, RcMap, Semaphore } from "effect"
import type { JsonObject } from "../../../domain/ground/wire/CanonicalJson.ts"
import { providerApis } from "../../../domain/sales/reconciling/ProviderApis.ts"
import { Database, inTransaction } from "../../ground/persistence/Database.ts"
import { requestedRest } from "../../ground/platform/Transport.ts"
import { Vault } from "../../keys/security/Vault.ts"
import { NotRead, ProviderReader } from "../billing/ProviderReader.ts"
import { openCredentials } from "../billing/SealedCredentials.ts"
import { PurchaseSnapshots } from "./PurchaseSnapshots.ts"
import { findReadable, updateRead } from "./SnapshotSql.ts"
import type { ReadablePurchase } from "./SnapshotSql.ts"

/** How long a look waits for its provider, in milliseconds: what the events say is late by no more than that. */
const patienceMillis = 3_000

/** The most requests for one purchase: the object, what was given back of it, and its customer where it only names that. */
const mostRequests = 3

/** How many purchases of one connection a node reads at once: a sweep wakes hundreds, and the provider's limits are the vendor's own. */
const atOnce = 4

/** How long a connection is not asked again after its provider did not answer, in milliseconds. */
const pauseMillis = 10_000

/** How many connections that are not asked are remembered. */
const mostPauses = 1_000

/** The note of a purchase that was not read because others of its connection were. */
const waitedForTurn = {
  code: "unavailable",
  message: "Many purchases of this connection were to be read; its events were taken as they are."
}

/**
 * Reads a purchase at its provider before it is looked at, where its connection has an API key: what was read is one more
 * event of it. The provider is waited for a moment; without its answer, the events that came decide, and the purchase says
 * why. After a failure the provider of that connection is left alone for a while, so that an outage delays no purchases.
 */
export class PurchaseReading extends Context.Service<PurchaseReading, {
  /** Reads a purchase that has work, if it can be read. Never fails, and takes a few seconds at most. */
  readonly read: (purchaseId: string) => Effect.Effect<void>
}>()("countersign/services/sales/purchases/PurchaseReading") {
  static readonly layer = Layer.effect(
    PurchaseReading,
    Effect.gen(function*() {
      const sql = yield* Database
      const reader = yield* ProviderReader
      const snapshots = yield* PurchaseSnapshots
      const vault = yield* Vault

      /** By connection, so that a provider that is slow delays no purchase of another one. */
      const turns = yield* RcMap.make({ lookup: (_connectionId: string) => Semaphore.make(atOnce) })

      /** By connection: why it is not asked, and until when, in Unix milliseconds. */
      const pauses = new Map<string, { readonly failure: NotRead; readonly until: number }>()

      const pause = Effect.fnUntraced(function*(connectionId: string, failure: NotRead) {
        if (!failure.mayPass && failure.code !== "api_key_refused") return failure
        if (pauses.size >= mostPauses) pauses.clear()
        const millis = Math.max(pauseMillis, requestedRest(failure.retryAfter))
        pauses.set(connectionId, { failure, until: (yield* Clock.currentTimeMillis) + millis })
        return failure
      })

      /** The objects that stand at the provider, as events. */
      const bodiesOf = Effect.fnUntraced(function*(
        { credentials, path, provider }: Pick<Parameters<typeof reader.read>[0], "credentials" | "path" | "provider">
      ) {
        const bodies: Array<JsonObject> = []
        const paths = [path]
        const end = (yield* Clock.currentTimeMillis) + patienceMillis
        for (let asked = 0; asked < mostRequests; asked++) {
          const next = paths.shift()
          const left = end - (yield* Clock.currentTimeMillis)
          if (next === undefined || left <= 0) break
          const answer = yield* reader.read({ provider, credentials, path: next, patienceMillis: left }).pipe(
            // The customer that the object names may be closed to the key: the object was read.
            Effect.catchTag(
              "NotRead",
              (failure) => asked === 0 ? Effect.fail(failure) : Effect.succeed({ bodies: [], follow: [] })
            )
          )
          for (const body of answer.bodies) bodies.push(body)
          for (const more of answer.follow) paths.push(more)
        }
        return bodies
      })

      /** Reads a purchase, unless its connection is left alone. */
      const readNow = Effect.fnUntraced(
        function*(id: string, { path, ...purchase }: ReadablePurchase & { readonly path: string }) {
          const { connection_id, credentials: sealed, name, provider } = purchase
          const now = yield* Clock.currentTimeMillis
          const paused = pauses.get(connection_id)
          const bodies = paused !== undefined && paused.until > now
            ? paused.failure
            : yield* openCredentials(vault, connection_id, sealed).pipe(
              Effect.flatMap((credentials) => bodiesOf({ provider, credentials, path })),
              Effect.catchTag("NotRead", (failure) => pause(connection_id, failure))
            )
          if (bodies instanceof NotRead) {
            const { code, message } = bodies
            yield* updateRead(sql, id, { code, message })
            return
          }
          const compared = yield* snapshots.compare({ id: connection_id, provider }, bodies)
          yield* inTransaction(
            sql,
            Effect.gen(function*() {
              // The purchase is locked before what others may write too: an event that comes waits for no look at it.
              yield* updateRead(sql, id, undefined)
              for (const one of compared) if (one.name === name) yield* snapshots.store(connection_id, one)
            })
          )
        }
      )

      const readable = (id: string) =>
        Effect.map(findReadable(sql, id), ([purchase]) => {
          const path = purchase === undefined ? undefined : providerApis[purchase.provider].pathOf(purchase.name)
          return purchase === undefined || path === undefined ? undefined : { ...purchase, path }
        })

      /** Reads a purchase in its turn. One that has waited for as long as for a provider is not read, nor are others kept waiting. */
      const read = Effect.fnUntraced(function*(id: string) {
        const asked = yield* readable(id)
        if (asked === undefined) return
        const end = (yield* Clock.currentTimeMillis) + patienceMillis
        const turn = yield* RcMap.get(turns, asked.connection_id)
        yield* turn.withPermits(1)(Effect.gen(function*() {
          if ((yield* Clock.currentTimeMillis) > end) {
            yield* updateRead(sql, id, waitedForTurn)
            return
          }
          // The credentials may be others by now, and somebody else may have read it.
          const purchase = yield* readable(id)
          if (purchase !== undefined) yield* readNow(id, purchase)
        }))
      }, Effect.scoped)

      return PurchaseReading.of({
        read: (id) =>
          read(id).pipe(
            Effect.catchCause((cause) =>
              Cause.hasInterruptsOnly(cause)
                ? Effect.interrupt
                : Effect.logWarning("A purchase could not be read at its provider; its events decide", cause)
            )
          )
      })
    })
  )
}

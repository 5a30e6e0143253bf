import { Context, Effect, Layer, Metric } from "effect"
import { SqlClient } from "effect/sql"
import type { SqlError } from "effect/sql/SqlError"
import type { LaneChange, StoredLane, StoredRetry } from "../../domain/delivery/LaneChange.ts"
import type { DisabledReason } from "../../domain/delivery/webhooks/Webhook.ts"
import { eventDataOf } from "../../domain/delivery/webhooks/Webhook.ts"
import { databaseOf } from "../ground/persistence/Database.ts"
import { DeliverySql } from "../ground/persistence/TransactionSql.ts"
import { Events } from "../log/Events.ts"
import * as DeliveryMetrics from "./DeliveryMetrics.ts"
import {
  disableEndpoint,
  findLane,
  listExhaustedEvents,
  listRetries,
  lockFreeLanes,
  readExhausted,
  readLane,
  updateLanes
} from "./LaneSql.ts"
import { webhookOf } from "./webhooks/WebhookSecrets.ts"

/** The outcome of changes of lanes. */
export interface LanesWritten {
  /** Endpoints that nothing was delivered to for too long. */
  readonly hopeless: ReadonlyArray<string>
  /** Endpoints whose rows somebody else has locked: nothing of theirs is written. */
  readonly held: ReadonlyArray<string>
}

/** Appends events in transactions of the delivery pool. */
const layerEvents = Layer.fresh(Events.layer).pipe(Layer.provide(Layer.effect(SqlClient.SqlClient, DeliverySql)))

/** The memory of a lane: its cursor, its breaker and its retries. All deadlines are on the database's clock. */
export class LaneStore extends Context.Service<LaneStore, {
  readonly load: (endpointId: string) => Effect.Effect<StoredLane | undefined>
  /** The retries that are due first, or in order those that come first. */
  readonly retries: (
    endpointId: string,
    which: { readonly isInOrder: boolean; readonly limit: number }
  ) => Effect.Effect<ReadonlyArray<StoredRetry>>
  /** Writes changes of different lanes at once. Waits a moment for locks, and then leaves out who is locked. */
  readonly write: (changes: ReadonlyArray<LaneChange>) => Effect.Effect<LanesWritten>
  /** Writes changes of different lanes at once, and leaves out at once who is locked. */
  readonly writeFree: (changes: ReadonlyArray<LaneChange>) => Effect.Effect<LanesWritten>
  /** Stops deliveries to an endpoint, stores the reason, and appends the event. Repeating it changes nothing. */
  readonly disable: (endpointId: string, reason: DisabledReason) => Effect.Effect<void>
}>()("countersign/services/delivery/LaneStore") {
  static readonly layer = Layer.effect(
    LaneStore,
    Effect.gen(function*() {
      const sql = databaseOf(yield* DeliverySql)
      const events = yield* Events

      const load = Effect.fnUntraced(function*(endpointId: string) {
        const [found] = yield* findLane(sql, endpointId)
        if (found === undefined) return undefined
        const row = readLane(found)
        return {
          cursor: row.cursor_seq,
          breaker: {
            state: row.breaker,
            consecutiveFailures: row.consecutive_failures,
            probeCount: row.probe_count,
            probeAt: row.probe_in ?? 0
          },
          rate: {
            restUntil: Math.max(0, row.rest_in ?? 0),
            perSecond: row.rate_per_second,
            refusals: row.refusals
          },
          failing: row.failing,
          failingDeliveries: row.failing_deliveries
        }
      })

      const retries = Effect.fnUntraced(function*(
        endpointId: string,
        which: { readonly isInOrder: boolean; readonly limit: number }
      ) {
        const rows = yield* listRetries(sql, endpointId, which)
        return rows.map((row): StoredRetry => ({
          sequence: Number(row.seq),
          attempt: row.attempt,
          dueIn: row.due_in,
          recent: row.recent
        }))
      })

      const feedExhausted = Effect.fnUntraced(function*(changes: ReadonlyArray<LaneChange>) {
        for (const { endpointId, exhausted } of changes) {
          if (exhausted.length === 0) continue
          const rows = yield* listExhaustedEvents(sql, exhausted.map(({ sequence }) => sequence))
          for (const row of rows.map(readExhausted)) {
            const entry = exhausted.find(({ sequence }) => sequence === row.sequence)
            yield* events.append({
              type: "webhook.delivery_exhausted",
              resourceId: endpointId,
              data: {
                webhook_id: endpointId,
                event_id: row.id,
                event_type: row.event_type,
                event_sequence: row.sequence,
                attempts: entry?.attempts ?? 0,
                last_outcome: entry?.outcome ?? ""
              }
            })
          }
        }
      })

      /** Writes changes in one transaction; answers which endpoints are hopeless. */
      const writeAll = Effect.fnUntraced(function*(changes: ReadonlyArray<LaneChange>) {
        // A `webhook.` event whose delivery is given up makes no further event, which could fail in turn: it is only
        // counted.
        const givenUp = changes.reduce((sum, { exhausted }) => sum + exhausted.length, 0)
        const rows = givenUp > 0
          ? yield* sql.client.withTransaction(Effect.tap(updateLanes(sql, changes).fallible, feedExhausted(changes)))
          : yield* updateLanes(sql, changes).fallible
        if (givenUp > 0) yield* Metric.update(DeliveryMetrics.exhausted, givenUp)
        return rows.filter((row) => row.hopeless).map((row) => row.endpoint_id)
      })

      /** Runs `otherwise` when what is to be written is locked for longer than a statement of this pool waits. */
      const unlessLocked = <A>(effect: Effect.Effect<A, SqlError>, otherwise: Effect.Effect<A, SqlError>) =>
        Effect.catchIf(effect, ({ reason }) => reason._tag === "LockTimeoutError", () => otherwise)

      const writeUnlocked = Effect.fnUntraced(function*(changes: ReadonlyArray<LaneChange>) {
        const rows = yield* lockFreeLanes(sql, changes.map(({ endpointId }) => endpointId)).fallible
        const held = rows.map(({ endpoint_id }) => endpoint_id)
        const free = changes.filter(({ endpointId }) => !held.includes(endpointId))
        return { hopeless: free.length === 0 ? [] : yield* writeAll(free), held } satisfies LanesWritten
      })

      const free = (changes: ReadonlyArray<LaneChange>): Effect.Effect<LanesWritten, SqlError> =>
        unlessLocked<LanesWritten>(
          sql.client.withTransaction(writeUnlocked(changes)),
          // A row of the retry table is locked. Writing each lane by itself will show whose it is.
          Effect.sync(() => ({ hopeless: [], held: changes.map(({ endpointId }) => endpointId) }))
        )

      const writeFree = (changes: ReadonlyArray<LaneChange>) => Effect.orDie(free(changes))

      const write = (changes: ReadonlyArray<LaneChange>) =>
        Effect.orDie(unlessLocked<LanesWritten>(
          Effect.map(writeAll(changes), (hopeless) => ({ hopeless, held: [] })),
          Effect.suspend(() => free(changes))
        ))

      const disable = Effect.fn("LaneStore.disable")(function*(endpointId: string, reason: DisabledReason) {
        yield* sql.withTransaction(Effect.gen(function*() {
          const [row] = yield* disableEndpoint(sql, endpointId, reason)
          if (row === undefined) return
          yield* events.append({ type: "webhook.disabled", resourceId: endpointId, data: eventDataOf(webhookOf(row)) })
        }))
      })

      return LaneStore.of({ load, retries, write, writeFree, disable })
    })
  ).pipe(Layer.provide(layerEvents))
}

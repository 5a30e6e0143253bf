import { Context, Effect, Layer, Metric, Schema } from "effect"
import { SqlClient } from "effect/sql"
import type { SqlError } from "effect/sql/SqlError"
import type { LaneChange } from "../../domain/delivery/LaneChange.ts"
import type { StoredLane, StoredRetry } from "../../domain/delivery/LaneState.ts"
import type { DisabledReason } from "../../domain/webhooks/Webhook.ts"
import { Events } from "../events/Events.ts"
import { databaseOf } from "../persistence/Database.ts"
import { DeliverySql } from "../persistence/DeliverySql.ts"
import { rowReader } from "../persistence/RowToWire.ts"
import { webhookColumns, webhookOf } from "../webhooks/WebhookColumns.ts"
import * as DeliveryMetrics from "./DeliveryMetrics.ts"

const readLane = rowReader(Schema.Struct({
  cursor_seq: Schema.Int,
  breaker: Schema.Literals(["closed", "open", "half_open"]),
  probe_in: Schema.optionalKey(Schema.Finite),
  probe_count: Schema.Int,
  consecutive_failures: Schema.Int,
  failing: Schema.Boolean,
  failing_deliveries: Schema.Int
}))

const readExhausted = rowReader(Schema.Struct({
  sequence: Schema.Int,
  id: Schema.String,
  event_type: Schema.String
}))

/** A retry as a lane reads it: a hot row, which is cast. */
export interface RetryRow {
  readonly seq: bigint
  readonly attempt: number
  readonly due_in: number
  readonly recent: boolean
}

/** The statement that reads the retries of an endpoint which are due first. */
export const retriesQuery = `
  SELECT r.seq, r.attempt, (extract(epoch FROM r.due_at - clock_timestamp()) * 1000)::float8 AS due_in,
    COALESCE(r.last_at >= l.failing_since, false) AS recent
  FROM webhook_retries r JOIN webhook_lanes l ON l.endpoint_id = r.endpoint_id
  WHERE r.endpoint_id = $1
  ORDER BY r.due_at LIMIT $2`

/** An endpoint that fails this long, in hours, and on this many deliveries is disabled. */
const hopeless = { hours: 120, deliveries: 10 }

/** What became of changes of lanes. */
export interface LanesWritten {
  /** Endpoints that nothing was delivered to for too long. */
  readonly hopeless: ReadonlyArray<string>
  /** Endpoints whose rows somebody else has locked: nothing of theirs is written. */
  readonly held: ReadonlyArray<string>
}

/** Appends events in transactions of the delivery pool. */
const layerEvents = Layer.fresh(Events.layer).pipe(Layer.provide(Layer.effect(SqlClient.SqlClient, DeliverySql)))

/** What a lane remembers: its cursor, its breaker and its retries. All deadlines are on the database's clock. */
export class LaneStore extends Context.Service<LaneStore, {
  readonly load: (endpointId: string) => Effect.Effect<StoredLane | undefined>
  /** The retries that are due first. */
  readonly retries: (endpointId: string, limit: number) => Effect.Effect<ReadonlyArray<StoredRetry>>
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
      // Shown from the start, so that the first one is seen as an increase.

      const load = Effect.fnUntraced(function*(endpointId: string) {
        const [found] = yield* sql`
          SELECT cursor_seq, breaker, (extract(epoch FROM probe_at - clock_timestamp()) * 1000)::float8 AS probe_in,
            probe_count, consecutive_failures, failing_since IS NOT NULL AS failing, failing_deliveries
          FROM webhook_lanes WHERE endpoint_id = ${endpointId}`
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
          failing: row.failing,
          failingDeliveries: row.failing_deliveries
        }
      })

      const retries = Effect.fnUntraced(function*(endpointId: string, limit: number) {
        const rows = yield* sql.unsafe<RetryRow>(retriesQuery, [endpointId, limit])
        return rows.map((row): StoredRetry => ({
          sequence: Number(row.seq),
          attempt: row.attempt,
          dueIn: row.due_in,
          recent: row.recent
        }))
      })

      // A cursor only moves forward, so an owner that has lost its lane without knowing it may repeat deliveries, and
      // loses none.
      const writeLanes = (changes: ReadonlyArray<LaneChange>) => {
        const kept = changes.flatMap((change) => change.retries.map((retry) => ({ id: change.endpointId, ...retry })))
        const gone = changes.flatMap((change) =>
          [...change.settled, ...change.exhausted.map(({ sequence }) => sequence)].map((sequence) => ({
            id: change.endpointId,
            sequence
          }))
        )
        return sql<{ readonly endpoint_id: string; readonly hopeless: boolean }>`
          WITH gone AS (
            DELETE FROM webhook_retries r
            USING unnest(
              ${gone.map(({ id }) => id)}::text[], ${gone.map(({ sequence }) => sequence)}::bigint[]
            ) AS g (endpoint_id, seq)
            WHERE r.endpoint_id = g.endpoint_id AND r.seq = g.seq
          ), kept AS (
            INSERT INTO webhook_retries (endpoint_id, seq, attempt, due_at, last_outcome)
            SELECT k.endpoint_id, k.seq, k.attempt, now() + k.delay * interval '1 millisecond', k.outcome
            FROM unnest(
              ${kept.map(({ id }) => id)}::text[], ${kept.map(({ sequence }) => sequence)}::bigint[],
              ${kept.map(({ attempt }) => attempt)}::int[], ${kept.map(({ delay }) => delay)}::float8[],
              ${kept.map(({ outcome }) => outcome)}::text[]
            ) AS k (endpoint_id, seq, attempt, delay, outcome)
            JOIN webhook_endpoints e ON e.id = k.endpoint_id
            ON CONFLICT (endpoint_id, seq) DO UPDATE SET
              attempt = GREATEST(webhook_retries.attempt, EXCLUDED.attempt), due_at = EXCLUDED.due_at,
              last_at = EXCLUDED.last_at, last_outcome = EXCLUDED.last_outcome
          )
          UPDATE webhook_lanes l SET
            cursor_seq = GREATEST(l.cursor_seq, c.cursor_seq),
            breaker = c.breaker,
            probe_at = CASE WHEN c.breaker = 'closed' THEN NULL
              ELSE now() + c.probe_in * interval '1 millisecond' END,
            probe_count = c.probe_count,
            consecutive_failures = c.consecutive_failures,
            delivered_total = l.delivered_total + c.delivered,
            failed_total = l.failed_total + c.failed,
            exhausted_total = l.exhausted_total + c.exhausted,
            dropped_total = l.dropped_total + c.dropped,
            last_attempt_at = CASE WHEN c.attempted THEN now() ELSE l.last_attempt_at END,
            last_success_at = CASE WHEN c.succeeded THEN now() ELSE l.last_success_at END,
            failing_since = CASE WHEN NOT c.failing THEN CASE WHEN c.succeeded THEN NULL ELSE l.failing_since END
              WHEN c.succeeded THEN now() ELSE COALESCE(l.failing_since, now()) END,
            failing_deliveries = CASE WHEN c.succeeded THEN c.failing_deliveries
              ELSE GREATEST(l.failing_deliveries, c.failing_deliveries) END
          FROM unnest(
            ${changes.map((change) => change.endpointId)}::text[], ${changes.map((change) => change.cursor)}::bigint[],
            ${changes.map((change) => change.delivered)}::int[], ${changes.map((change) => change.failed)}::int[],
            ${changes.map((change) => change.exhausted.length)}::int[],
            ${changes.map((change) => change.dropped)}::int[],
            ${changes.map((change) => change.attempted)}::boolean[],
            ${changes.map((change) => change.succeeded)}::boolean[],
            ${changes.map((change) => change.failing)}::boolean[],
            ${changes.map((change) => change.failingDeliveries)}::int[],
            ${changes.map((change) => change.breaker.state)}::text[],
            ${changes.map((change) => change.breaker.probeAt)}::float8[],
            ${changes.map((change) => change.breaker.probeCount)}::int[],
            ${changes.map((change) => change.breaker.consecutiveFailures)}::int[]
          ) AS c (endpoint_id, cursor_seq, delivered, failed, exhausted, dropped, attempted, succeeded, failing,
            failing_deliveries, breaker, probe_in, probe_count, consecutive_failures)
          WHERE l.endpoint_id = c.endpoint_id
          RETURNING l.endpoint_id, COALESCE(
            l.failing_since <= now() - ${hopeless.hours} * interval '1 hour'
              AND l.failing_deliveries >= ${hopeless.deliveries}, false
          ) AS hopeless`.fallible
      }

      const feedExhausted = Effect.fnUntraced(function*(changes: ReadonlyArray<LaneChange>) {
        for (const { endpointId, exhausted } of changes) {
          if (exhausted.length === 0) continue
          const rows = yield* sql`
            SELECT sequence, id, event_type FROM events
            WHERE sequence = ANY(${exhausted.map(({ sequence }) => sequence)}::bigint[])
              AND event_type NOT LIKE 'webhook.%'`
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
          ? yield* sql.client.withTransaction(Effect.tap(writeLanes(changes), feedExhausted(changes)))
          : yield* writeLanes(changes)
        if (givenUp > 0) yield* Metric.update(DeliveryMetrics.exhausted, givenUp)
        return rows.filter((row) => row.hopeless).map((row) => row.endpoint_id)
      })

      /** Runs `otherwise` when what is to be written is locked for longer than a statement of this pool waits. */
      const unlessLocked = <A>(effect: Effect.Effect<A, SqlError>, otherwise: Effect.Effect<A, SqlError>) =>
        Effect.catchIf(effect, ({ reason }) => reason._tag === "LockTimeoutError", () => otherwise)

      // Locks every row that nobody else has locked, so that the writing after it waits for none.
      const writeUnlocked = Effect.fnUntraced(function*(changes: ReadonlyArray<LaneChange>) {
        const ids = changes.map(({ endpointId }) => endpointId)
        const rows = yield* sql<{ readonly endpoint_id: string }>`
          WITH free AS (
            SELECT l.endpoint_id FROM webhook_lanes l JOIN webhook_endpoints e ON e.id = l.endpoint_id
            WHERE l.endpoint_id = ANY(${ids}::text[])
            ORDER BY l.endpoint_id
            FOR NO KEY UPDATE OF l SKIP LOCKED FOR KEY SHARE OF e SKIP LOCKED
          )
          SELECT endpoint_id FROM webhook_lanes
          WHERE endpoint_id = ANY(${ids}::text[]) AND endpoint_id NOT IN (SELECT endpoint_id FROM free)`.fallible
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
          const [row] = yield* sql`
            UPDATE webhook_endpoints e SET is_active = false, disabled_reason = ${reason}, disabled_at = now(),
              updated_at = now(), changed_xid = pg_current_xact_id()
            FROM webhook_lanes l
            WHERE e.id = ${endpointId} AND l.endpoint_id = e.id AND e.is_active AND e.deleted_at IS NULL
            RETURNING ${webhookColumns(sql)}`
          if (row === undefined) return
          yield* events.append({ type: "webhook.disabled", resourceId: endpointId, data: webhookOf(row) })
        }))
      })

      return LaneStore.of({ load, retries, write, writeFree, disable })
    })
  ).pipe(Layer.provide(layerEvents))
}

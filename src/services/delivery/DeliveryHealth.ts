import { Clock, Context, Effect, Layer, Metric, Schema, Semaphore } from "effect"
import { quantile } from "../../domain/delivery/InFlightSlots.ts"
import type { WebhookHealth as Health } from "../../domain/delivery/WebhookHealth.ts"
import { verdict } from "../../domain/delivery/WebhookHealth.ts"
import { databaseOf } from "../ground/persistence/Database.ts"
import { rowReader } from "../ground/persistence/RowToWire.ts"
import { DeliverySql } from "../ground/persistence/TransactionSql.ts"
import { periodically } from "../ground/platform/Supervised.ts"
import { sequencerDepth } from "../log/Sequencer.ts"
import { findFeedLag, listLanes, listMinutes, listWindows } from "./DeliveryHealthSql.ts"
import type { LaneRow } from "./DeliveryHealthSql.ts"
import * as DeliveryMetrics from "./DeliveryMetrics.ts"

type LaneState = keyof Health["lanes"]

const readHead = rowReader(Schema.Struct({
  as_of: Schema.String,
  head: Schema.Int,
  unsequenced: Schema.Int,
  lag: Schema.Finite
}))

const WindowRow = Schema.Struct({
  recent: Schema.Boolean,
  delivered: Schema.Int,
  failed: Schema.Int,
  latency: Schema.Array(Schema.BigInt)
})
type WindowRow = typeof WindowRow.Type
const readWindow = rowReader(WindowRow)

const readMinute = rowReader(Schema.Struct({
  minute: Schema.String,
  delivered: Schema.Int,
  failed_attempts: Schema.Int
}))

const cachedFor = 2_000
const sampleEvery = "30 seconds"
const worstCount = 10

/** How deliveries are doing, read from the rows that every node writes. */
export class DeliveryHealth extends Context.Service<DeliveryHealth, {
  /** At most 2 seconds old. */
  readonly get: Effect.Effect<Health>
}>()("countersign/services/delivery/DeliveryHealth") {
  static readonly layer = Layer.effect(
    DeliveryHealth,
    Effect.gen(function*() {
      const sql = databaseOf(yield* DeliverySql)
      const one = yield* Semaphore.make(1)
      let cached: { readonly at: number; readonly health: Health } | undefined

      const windowOf = (rows: ReadonlyArray<WindowRow>): Health["last_5m"] => {
        const delivered = rows.reduce((sum, row) => sum + row.delivered, 0)
        const failed = rows.reduce((sum, row) => sum + row.failed, 0)
        const latency: Array<number> = []
        for (const row of rows) row.latency.forEach((n, place) => latency[place] = (latency[place] ?? 0) + Number(n))
        const of = (name: "p50_ms" | "p95_ms" | "p99_ms", q: number) => {
          const value = quantile(latency, q)
          return value === undefined ? {} : { [name]: value }
        }
        return {
          delivered,
          failed_attempts: failed,
          ...(delivered + failed === 0
            ? {}
            : { success_rate: Math.round(delivered / (delivered + failed) * 10_000) / 10_000 }),
          ...of("p50_ms", 0.5),
          ...of("p95_ms", 0.95),
          ...of("p99_ms", 0.99)
        }
      }

      const oldest = <Name extends string>(name: Name, values: ReadonlyArray<number | null>) => {
        const known = values.filter((value) => value !== null)
        const most = known.reduce((one, other) => Math.max(one, other), 0)
        return (known.length === 0 ? {} : { [name]: Math.round(most * 1000) / 1000 }) as {
          readonly [K in Name]?: number
        }
      }

      const shown = (row: LaneRow): Health["worst"][number] => ({
        webhook_id: row.id,
        name: row.name,
        state: row.state,
        backlog: Number(row.backlog),
        retries_pending: row.retries,
        consecutive_failures: row.consecutive_failures,
        exhausted: Number(row.exhausted),
        ...oldest("oldest_undelivered_seconds", [row.undelivered]),
        ...(row.failing_since === null ? {} : { failing_since: row.failing_since.toISOString() }),
        ...(row.last_outcome === null ? {} : { last_outcome: row.last_outcome })
      })

      const weight = { disabled: 4e12, breaker_open: 3e12, failing: 2e12, active: 0 }

      /** The more trouble, the higher. What someone paused is none. */
      const trouble = (row: LaneRow): number =>
        row.state === "paused"
          ? 0
          : weight[row.state] + Number(row.backlog) + row.retries + Number(row.exhausted)

      const measure = Effect.gen(function*() {
        const [lanes, [chain], windowRows, minuteRows] = yield* Effect.all(
          [listLanes(sql), findFeedLag(sql), listWindows(sql), listMinutes(sql)],
          { concurrency: "unbounded" }
        )
        if (chain === undefined) return yield* Effect.die(new Error("The event chain has no head"))
        const feed = readHead(chain)
        const windows = windowRows.map(readWindow)
        const counts = { active: 0, failing: 0, breaker_open: 0, paused: 0, disabled: 0 }
        for (const { state } of lanes) counts[state] += 1
        const live = lanes.filter(({ state }) => state !== "paused" && state !== "disabled")
        const facts = {
          feed_lag_seconds: Math.round(feed.lag * 1000) / 1000,
          ...oldest("oldest_undelivered_seconds", live.map(({ undelivered }) => undelivered)),
          // A retry behind an open breaker waits for the probe, which is not late.
          ...oldest(
            "oldest_overdue_retry_seconds",
            live.map(({ overdue, state }) => state === "breaker_open" ? null : overdue)
          ),
          lanes: counts,
          last_5m: windowOf(windows.filter(({ recent }) => recent)),
          last_1h: windowOf(windows)
        }
        const worst = lanes.filter((row) => trouble(row) > 0).toSorted((a, b) => trouble(b) - trouble(a))
        return {
          lanes,
          health: {
            ...verdict({ ...facts, throttled: live.filter(({ throttled }) => throttled).length }),
            as_of: feed.as_of,
            feed_sequence: feed.head,
            unsequenced: feed.unsequenced,
            ...facts,
            backlog: live.reduce((sum, { backlog }) => sum + Number(backlog), 0),
            retries_pending: lanes.reduce((sum, { retries }) => sum + retries, 0),
            minutes: minuteRows.map(readMinute),
            exhausted: lanes.reduce((sum, { exhausted }) => sum + Number(exhausted), 0),
            worst: worst.slice(0, worstCount).map(shown)
          } satisfies Health
        }
      })

      const publish = Effect.fnUntraced(function*({ health, lanes }: Effect.Success<typeof measure>) {
        yield* Metric.update(DeliveryMetrics.backlog, health.backlog + health.retries_pending)
        yield* Metric.update(DeliveryMetrics.oldestUndelivered, health.oldest_undelivered_seconds ?? 0)
        yield* Metric.update(DeliveryMetrics.oldestOverdueRetry, health.oldest_overdue_retry_seconds ?? 0)
        yield* Metric.update(sequencerDepth, health.unsequenced)
        for (const [state, metric] of Object.entries(DeliveryMetrics.lanes)) {
          yield* Metric.update(metric, health.lanes[state as LaneState])
        }
        for (const [reason, metric] of Object.entries(DeliveryMetrics.disabled)) {
          yield* Metric.update(metric, lanes.filter((row) => row.disabled_reason === reason).length)
        }
      })

      const get = one.withPermits(1)(Effect.gen(function*() {
        const now = yield* Clock.currentTimeMillis
        if (cached !== undefined && now - cached.at < cachedFor) return cached.health
        const measured = yield* measure
        yield* publish(measured)
        cached = { at: now, health: measured.health }
        return measured.health
      })).pipe(Effect.withSpan("WebhookHealth.get"))

      return DeliveryHealth.of({ get })
    })
  )

  /** Keeps the gauges up to date, so that a scrape needs no one to ask for health. */
  static readonly layerMetrics = Layer.effectDiscard(Effect.gen(function*() {
    const { get } = yield* DeliveryHealth
    yield* periodically("Measuring webhook health", get, sampleEvery, "Debug")
  }))
}

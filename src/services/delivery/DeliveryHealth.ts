import { Clock, Context, Effect, Layer, Metric, Schema, Semaphore } from "effect"
import { quantile } from "../../domain/delivery/LatencyHistogram.ts"
import type { WebhookHealth as Health } from "../../domain/delivery/WebhookHealth.ts"
import { verdict } from "../../domain/delivery/WebhookHealth.ts"
import { latestByKind } from "../events/LatestByKind.ts"
import { sequencerDepth } from "../events/Sequencer.ts"
import { databaseOf } from "../persistence/Database.ts"
import type { Database } from "../persistence/Database.ts"
import { DeliverySql } from "../persistence/DeliverySql.ts"
import { rowReader } from "../persistence/RowToWire.ts"
import { periodically } from "../platform/Supervised.ts"
import { failingSince } from "../webhooks/WebhookColumns.ts"
import * as DeliveryMetrics from "./DeliveryMetrics.ts"

type LaneState = keyof Health["lanes"]

/** A lane as it is measured: there are as many as endpoints, so the row is cast. */
export interface LaneRow {
  readonly id: string
  readonly name: string
  readonly state: LaneState
  readonly disabled_reason: string | null
  readonly backlog: bigint
  readonly retries: number
  readonly consecutive_failures: number
  readonly exhausted: bigint
  readonly undelivered: number | null
  readonly overdue: number | null
  readonly failing_since: Date | null
  /** Its receiver limits the rate. */
  readonly throttled: boolean
  readonly last_outcome: string | null
}

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
const sampleEvery = "10 seconds"
const worstCount = 10

/**
 * The statement that measures lanes, one row for each endpoint. Whether one is behind is exact: the newest event of
 * each kind that it takes is known.
 */
export const lanesQuery = (sql: Database) =>
  sql<LaneRow>`
    WITH RECURSIVE ${latestByKind(sql)}, head AS (SELECT last_sequence AS sequence FROM event_chain)
    SELECT e.id, e.name, e.disabled_reason, l.consecutive_failures, l.exhausted_total AS exhausted,
      ${failingSince(sql)} AS failing_since, COALESCE(r.last_outcome, l.last_status::text) AS last_outcome,
      (l.rate_per_second IS NOT NULL OR l.rest_until > now()) IS TRUE AS throttled,
      CASE WHEN e.disabled_reason IS NOT NULL THEN 'disabled' WHEN NOT e.is_active THEN 'paused'
        WHEN l.breaker <> 'closed' THEN 'breaker_open' WHEN ${failingSince(sql)} IS NOT NULL THEN 'failing'
        ELSE 'active' END AS state,
      CASE WHEN b.behind THEN GREATEST(head.sequence - l.cursor_seq, 0) ELSE 0 END AS backlog,
      COALESCE(r.pending, 0)::int AS retries,
      extract(epoch FROM now() - LEAST(r.first_at, u.created_at))::float8 AS undelivered,
      CASE WHEN GREATEST(r.due_at, l.rest_until) < now() AND r.due_at IS NOT NULL
        THEN extract(epoch FROM now() - GREATEST(r.due_at, l.rest_until))::float8 END AS overdue
    FROM webhook_endpoints e
    JOIN webhook_lanes l ON l.endpoint_id = e.id
    CROSS JOIN head
    CROSS JOIN LATERAL (
      SELECT COALESCE(max(n.sequence) > l.cursor_seq, false) AS behind FROM entries n
      WHERE cardinality(e.event_types) = 0 OR n.entry = ANY(e.event_types)
    ) b
    LEFT JOIN LATERAL (
      SELECT count(*) AS pending,
        CASE WHEN e.ordered THEN (array_agg(w.due_at ORDER BY w.seq))[1] ELSE min(w.due_at) END AS due_at, min(w.first_at) AS first_at,
        (array_agg(w.last_outcome ORDER BY w.last_at DESC))[1] AS last_outcome
      FROM (
        SELECT seq, due_at, first_at, last_at, last_outcome FROM webhook_retries
        WHERE endpoint_id = e.id ORDER BY due_at LIMIT 10000
      ) w
    ) r ON true
    LEFT JOIN LATERAL (
      SELECT v.created_at FROM events v WHERE b.behind AND v.sequence > l.cursor_seq ORDER BY v.sequence LIMIT 1
    ) u ON true
    WHERE e.deleted_at IS NULL`

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

      const readFeed = sql`
        SELECT now() AS as_of, c.last_sequence AS head, o.unsequenced, o.lag
        FROM event_chain c
        CROSS JOIN (
          SELECT count(*)::int AS unsequenced,
            COALESCE(extract(epoch FROM clock_timestamp() - min(created_at)), 0)::float8 AS lag
          FROM (SELECT created_at FROM event_outbox ORDER BY xid, ordinal LIMIT 10000) w
        ) o`

      const readWindows = sql`
        SELECT m.recent, sum(m.delivered)::bigint AS delivered, sum(m.failed)::bigint AS failed,
          ARRAY(
            SELECT sum(x.n)::bigint FROM webhook_minutes w, unnest(w.latency) WITH ORDINALITY AS x (n, place)
            WHERE w.minute > now() - interval '1 hour' AND (w.minute > now() - interval '5 minutes') = m.recent
            GROUP BY x.place ORDER BY x.place
          ) AS latency
        FROM (
          SELECT minute > now() - interval '5 minutes' AS recent, delivered, failed FROM webhook_minutes
          WHERE minute > now() - interval '1 hour'
        ) m
        GROUP BY m.recent`

      const readMinutes = sql`
        SELECT minute, sum(delivered)::bigint AS delivered, sum(failed)::bigint AS failed_attempts FROM webhook_minutes
        WHERE minute > now() - interval '1 hour' GROUP BY minute ORDER BY minute`

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
          [lanesQuery(sql), readFeed, readWindows, readMinutes],
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

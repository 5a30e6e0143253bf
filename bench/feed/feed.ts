import { PgConnection } from "@effect/sql-pg"
import { Console, Effect, Redacted } from "effect"
import { benchDatabase, runSql, temporaryDirectory } from "../harness/Database.ts"
import { distributionOf } from "../harness/Distribution.ts"
import type { BenchOptions } from "../harness/Options.ts"
import { figure, print } from "../harness/Report.ts"
import { BenchError, startService } from "../harness/ServiceProcess.ts"

/** Events that wait together, and how often that is measured. */
const waiting = 50_000
const rounds = 3

/** How long events come at half of the rate found, in seconds, and how many transactions a second bring them. */
const steady = { seconds: 10, commits: 50 }

/** How long, in seconds, the feed may take to reach what was appended. */
const patience = 120

/** What an event of a metered use holds. */
export const data = JSON.stringify({
  amount: 1,
  feature_code: "export",
  license_id: "lic_06eqpx1trxz3h94vqjm3a6kz7c",
  remaining: 999_999,
  total_consumptions: 12_345
})

/**
 * Appends events the way another node does, many in a transaction: it also announces them, because a sequencer that
 * hears of nothing looks once a second only.
 */
export const append = `
  WITH pending AS (
    INSERT INTO event_pending (xid) SELECT pg_current_xact_id() FROM generate_series(1, $1::int) RETURNING ordinal
  ), recorded AS (
    INSERT INTO event_records (ordinal, id, event_type, actor_type, actor_id, resource_id, metadata, data)
    SELECT ordinal, 'evt_' || lpad(ordinal::text, 26, '0'), 'license.usage_recorded', 'license', license, license, '{}',
      $2
    FROM pending, (SELECT 'lic_06eqpx1trxz3h94vqjm3a6kz7c'::text AS license) l
    RETURNING 1
  )
  SELECT pg_notify('countersign_feed', '0') FROM (SELECT count(*) FROM recorded) r`

const connect = (databaseUrl: string) =>
  PgConnection.make({ url: Redacted.make(databaseUrl) }).pipe(
    Effect.mapError(({ message }) => new BenchError({ message }))
  )
type Connection = Effect.Success<ReturnType<typeof connect>>

const ask = (connection: Connection, sql: string, parameters: ReadonlyArray<unknown> = []) =>
  connection.query(sql, parameters).pipe(
    Effect.map(({ rows }) => rows as ReadonlyArray<Readonly<Record<string, unknown>>>),
    Effect.mapError(({ cause, message }) => new BenchError({ message: `${message}: ${String(cause)}` }))
  )

/** The last place of the feed. */
const head = (connection: Connection) =>
  Effect.map(ask(connection, "SELECT last_sequence::float8 AS head FROM event_chain"), ([row]) => Number(row?.["head"]))

/** Waits until the feed reaches `sequence`; answers when that was, in milliseconds. */
const reached = Effect.fnUntraced(function*(connection: Connection, sequence: number) {
  const end = performance.now() + patience * 1000
  while ((yield* head(connection)) < sequence) {
    if (performance.now() > end) return yield* new BenchError({ message: `Not in the feed after ${patience} s` })
    yield* Effect.sleep(2)
  }
  return performance.now()
})

/** Events a second that get their places, of many that wait. */
const drain = Effect.fnUntraced(function*(connection: Connection) {
  const target = (yield* head(connection)) + waiting
  yield* ask(connection, append, [waiting, data])
  const begin = performance.now()
  return waiting / ((yield* reached(connection, target)) - begin) * 1000
})

/** From commit to place, in milliseconds, of transactions at a steady rate of events a second. */
const lagAt = Effect.fnUntraced(function*(writer: Connection, reader: Connection, rate: number) {
  const each = Math.ceil(rate / steady.commits)
  const transactions = steady.seconds * steady.commits
  const first = yield* head(reader)
  const committed: Array<number> = []
  const lags = new Float64Array(transactions)
  const watch = Effect.gen(function*() {
    for (let index = 0; index < transactions; index++) {
      const at = yield* reached(reader, first + (index + 1) * each)
      // Seen in the feed before the writer heard of its commit: no lag.
      lags[index] = Math.max(0, at - (committed[index] ?? at))
    }
  })
  const write = Effect.gen(function*() {
    const begin = performance.now()
    for (let index = 0; index < transactions; index++) {
      yield* Effect.sleep(Math.max(0, begin + index * 1000 / steady.commits - performance.now()))
      yield* ask(writer, append, [each, data])
      committed.push(performance.now())
    }
    return transactions * each / (performance.now() - begin) * 1000
  })
  const [rateReached] = yield* Effect.all([write, watch], { concurrency: 2 })
  return { rate: rateReached, lag: distributionOf([lags]) }
})

/** How fast events get their places in the feed, and how long after their commit at half of that. */
export const feed = ({ json, profile }: BenchOptions) =>
  Effect.gen(function*() {
    const directory = yield* temporaryDirectory
    const databaseUrl = yield* benchDatabase(directory)
    yield* startService(databaseUrl, directory, profile)
    yield* runSql(databaseUrl, [["CHECKPOINT", []]])
    const writer = yield* connect(databaseUrl)
    const reader = yield* connect(databaseUrl)
    const rates: Array<number> = []
    for (let round = 0; round <= rounds; round++) {
      const rate = yield* drain(reader)
      // The first one warms up.
      if (round > 0) rates.push(rate)
    }
    const rate = rates.toSorted((a, b) => a - b)[Math.floor(rounds / 2)]!
    const half = yield* lagAt(writer, reader, rate / 2)
    const found = { rate, half }
    if (json) return yield* Effect.as(Console.log(JSON.stringify(found)), found)
    yield* print(
      `feed: ${
        figure(waiting)
      } events that wait get their places; median of ${rounds}. Then ${steady.seconds} s at half of that rate, ${steady.commits} commits a second`,
      ["", "events/s", "lag p50 ms", "p95 ms", "p99 ms", "maximum ms"],
      [
        ["as fast as it can", figure(rate), "", "", "", ""],
        [
          "at half of it",
          figure(half.rate),
          ...[half.lag.p50, half.lag.p95, half.lag.p99, half.lag.maximum].map((value) => figure(value, 1))
        ]
      ],
      ["The lag is from the answer to the commit until a reader sees the last event of it in the feed."]
    )
    return found
  })

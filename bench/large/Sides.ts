import { Effect } from "effect"
import type { Scope } from "effect"
import { costBetween, databaseCost } from "../deliver/DeliveryCost.ts"
import type { DeliveryCost } from "../deliver/DeliveryCost.ts"
import { runSql } from "../harness/Database.ts"
import { distributionOf } from "../harness/Distribution.ts"
import type { LoadAnswer, LoadQuestion } from "../harness/load.ts"
import { usageOf } from "../harness/ProcessUsage.ts"
import { BenchError, startService } from "../harness/ServiceProcess.ts"
import type { ServiceProcess } from "../harness/ServiceProcess.ts"
import type { Worker } from "../harness/Worker.ts"
import type { Population } from "./Population.ts"

/** A population with a service on it. */
export interface Side {
  readonly name: string
  readonly population: Population
  readonly service: ServiceProcess
}

/** What is measured of both, the small one first. */
export type Both<A> = readonly [small: A, large: A]

/** A measured row: a figure of each side and, where something is asked for, the most that the ratio may be. */
export interface Row {
  readonly name: string
  readonly unit: string
  readonly figures: Both<number>
  /** Of the large figure to the small one. */
  readonly atMost?: number
  /** Of the large figure itself. */
  readonly below?: number
  /** Digits after the point. */
  readonly digits?: number
}

/** Starts a service on each population; both stop with the scope. */
export const openSides = (
  populations: Both<Population>,
  profile: string | undefined
): Effect.Effect<Both<Side>, BenchError, Scope.Scope> =>
  Effect.gen(function*() {
    const open = (name: string, population: Population, into: string | undefined) =>
      Effect.map(
        startService(population.databaseUrl, population.directory, into),
        (service): Side => ({ name, population, service })
      )
    return [yield* open("small", populations[0], undefined), yield* open("large", populations[1], profile)] as const
  })

/** Does the same on both sides, one after the other. */
export const onBoth = <S, A, E, R>(sides: Both<S>, what: (side: S) => Effect.Effect<A, E, R>) =>
  Effect.all([what(sides[0]), what(sides[1])])

/** Both figures of one measurement. */
export const pick = <A>(both: Both<A>, figureOf: (of: A) => number): Both<number> => [
  figureOf(both[0]),
  figureOf(both[1])
]

/** Calls the management API of a side. */
export const ask = ({ service }: Pick<Side, "service">, ...parameters: Parameters<ServiceProcess["call"]>) =>
  Effect.tryPromise({
    try: () => service.call(...parameters),
    catch: (cause) => new BenchError({ message: String(cause) })
  })

/** What service and PostgreSQL used so far. */
export const costOf = ({ population, service }: Side): Effect.Effect<DeliveryCost, BenchError> =>
  databaseCost(population.databaseUrl, service.pid)

/** Requests under load, and what they took: latencies in milliseconds, CPU in microseconds a request. */
export interface Loaded {
  readonly perSecond: number
  readonly p50: number
  readonly p99: number
  readonly service: number
  readonly database: number
}

type Load = Worker<LoadQuestion, LoadAnswer>

/** Loads both sides in turns and answers what each did. Every round goes on with requests that the one before had not. */
export const loadBoth = (
  load: Load,
  sides: Both<Side>,
  requestsOf: (side: Side, round: number) => ReadonlyArray<Uint8Array>,
  { callers, rounds, seconds, warmUp = seconds }: {
    readonly callers: number
    readonly rounds: number
    /** Of a round, and of the one before the first, which is not measured. */
    readonly seconds: number
    readonly warmUp?: number
  }
): Effect.Effect<Both<Loaded>, BenchError> =>
  Effect.gen(function*() {
    const runs = sides.map((side) => ({ side, answers: new Array<LoadAnswer>(), costs: new Array<DeliveryCost>() }))
    for (let round = 0; round <= rounds; round++) {
      for (const { answers, costs, side } of runs) {
        const before = yield* costOf(side)
        const answer = yield* load.ask({
          port: side.service.port,
          requests: requestsOf(side, round),
          callers,
          seconds: round === 0 ? warmUp : seconds
        })
        if (answer.failed > 0) {
          return yield* new BenchError({
            message: `${side.name}: ${answer.failed} requests failed, the first with:\n${answer.failure}`
          })
        }
        // The first round warms up.
        if (round === 0) continue
        answers.push(answer)
        costs.push(costBetween(before, yield* costOf(side)))
      }
    }
    const loadedOf = ({ answers, costs }: typeof runs[number]): Loaded => {
      const count = answers.reduce((sum, { succeeded }) => sum + succeeded, 0)
      const each = (of: (cost: DeliveryCost) => number) => costs.reduce((sum, cost) => sum + of(cost), 0) / count * 1e6
      const { p50, p99 } = distributionOf(answers.map(({ latencies }) => latencies))
      return {
        perSecond: count / answers.reduce((sum, { seconds }) => sum + seconds, 0),
        p50,
        p99,
        service: each(({ sender }) => sender),
        database: each(({ store }) => store)
      }
    }
    return [loadedOf(runs[0]!), loadedOf(runs[1]!)] as const
  })

/** One value of the first row of a query. */
export const valueOf = (databaseUrl: string, query: string, parameters: ReadonlyArray<unknown> = []) =>
  Effect.map(runSql(databaseUrl, [[query, parameters]]), ([row]) => Object.values(row ?? {})[0])

/** CPU of both services and servers while nobody asks for anything, in milliseconds of a second. */
export const idle = (sides: Both<Side>, seconds: number) =>
  Effect.gen(function*() {
    const before = yield* onBoth(sides, costOf)
    yield* Effect.sleep(seconds * 1000)
    const after = yield* onBoth(sides, costOf)
    const used = ([0, 1] as const).map((side) => costBetween(before[side], after[side]))
    const of = (part: "sender" | "store"): Both<number> => [
      used[0]![part] / seconds * 1000,
      used[1]![part] / seconds * 1000
    ]
    return {
      service: of("sender"),
      database: of("store"),
      memory: pick(sides, ({ service }) => usageOf(service.pid).rss)
    }
  })

/** What a population takes, and how many sessions its service holds. */
export const footprint = ({ population: { databaseUrl } }: Side) =>
  Effect.gen(function*() {
    const [row] = yield* runSql(databaseUrl, [[
      `SELECT (pg_database_size(current_database()) / greatest(1, (SELECT last_sequence FROM event_chain)))::float8
         AS "bytesOfEvent",
         (SELECT count(*)::float8 FROM pg_stat_activity WHERE application_name LIKE 'countersign %') AS sessions`,
      []
    ]])
    return { bytesOfEvent: Number(row?.["bytesOfEvent"]), sessions: Number(row?.["sessions"]) }
  })

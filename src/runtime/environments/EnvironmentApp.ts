import { PgClient } from "@effect/sql-pg"
import {
  Clock,
  Context,
  Deferred,
  Duration,
  Effect,
  flow,
  identity,
  Layer,
  Metric,
  Queue,
  Schedule,
  Semaphore
} from "effect"
import type { Redacted } from "effect"
import type { SqlError } from "effect/sql/SqlError"
import { isBusy, restAfter } from "../../domain/ground/admission/Pacing.ts"
import { HotRoutes } from "../../http/ground/edge/Edge.ts"
import type { App } from "../../http/ground/edge/Edge.ts"
import { NodeReadiness } from "../../http/ground/edge/StaticAnswer.ts"
import {
  CurrentEnvironment,
  DeliveryTurns,
  MovableClock,
  Slices
} from "../../services/ground/environments/CurrentEnvironment.ts"
import { Identifiers } from "../../services/ground/persistence/Identifiers.ts"
import { makeSingleFlight } from "../../services/ground/platform/DatabaseHealth.ts"
import { QuestionSql } from "../../services/ground/platform/DatabaseHealthSql.ts"
import { Halt } from "../../services/ground/platform/Ports.ts"
import { Settings } from "../../services/ground/platform/Settings.ts"
import { isServerAway } from "../../services/ground/platform/SqlState.ts"
import { EarlyRounds, makeEarlyRounds, untilDone } from "../../services/ground/platform/Supervised.ts"
import { AppConfig } from "../config/Config.ts"
import { httpApplication } from "../CutOff.ts"
import * as Database from "../postgres/Database.ts"
import { isSessionRefused } from "../postgres/Database.ts"
import { applicationName, connectOnce, DatabasePools } from "../postgres/DatabaseServer.ts"
import { clockChannel, EnvironmentAway, isIncarnation, prepare } from "./EnvironmentDatabase.ts"
import type { EnvironmentTarget } from "./EnvironmentDatabase.ts"
import { configOf, settingsOf, smallPools } from "./EnvironmentSettings.ts"

/** The load of the live environment, as others give way to it. */
export interface LiveLoad {
  /** Its requests that began within the last second. */
  readonly begunLately: () => number
  /** Waits until none of its requests is worked on. */
  readonly quiet: Effect.Effect<void>
}

/** The pace of work beside the live environment. */
export interface Pace {
  /** Runs work when it is its turn. */
  readonly run: <A, E, R>(work: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
}

/** How long work waits at most: for the work before it and its rest, and then until live works on nothing. */
interface Patience {
  readonly rest: Duration.Input
  readonly quiet: Duration.Input
}

/** Work that was begun: at an instant, and until when those after it wait once it has ended. Milliseconds. */
interface Turn {
  readonly begun: number
  readonly rested: Deferred.Deferred<number>
}

const now = Effect.map(Clock.monotonicTimeNanos, (nanos) => Number(nanos) / 1e6)

/**
 * Makes the pace of work beside the live environment. Beside an idle live environment, or a few requests, there is none.
 * Beside a busy one, pieces of work begin one after the other, in their order: each when the one before has ended and rested, for as many times its own length as
 * live has tens of requests in a second, and at a moment at which live works on nothing. It waits no longer than the
 * `patience` for either, so however busy live is, and however long the work before takes, the next begins.
 */
export const makePace = ({ begunLately, quiet }: LiveLoad, patience: Patience): Pace => {
  const order = Semaphore.makeUnsafe(1)
  const longest = Duration.toMillis(patience.rest)
  let last: Turn | undefined

  const rested = ({ rested }: Turn) =>
    Effect.gen(function*() {
      const until = yield* Deferred.await(rested)
      const left = until - (yield* now)
      if (left > 0) yield* Effect.sleep(left)
    })

  const turn = Effect.gen(function*() {
    if (last !== undefined) {
      const left = last.begun + longest - (yield* now)
      if (left > 0) yield* Effect.timeoutOption(rested(last), left)
    }
    yield* Effect.timeoutOption(quiet, patience.quiet)
    last = { begun: yield* now, rested: Deferred.makeUnsafe() }
    return last
  })

  const end = ({ begun, rested }: Turn) =>
    Effect.map(now, (at) => void Deferred.doneUnsafe(rested, Effect.succeed(at + restAfter(at - begun, begunLately()))))

  return {
    run: (work) =>
      Effect.suspend(() =>
        isBusy(begunLately())
          ? Effect.flatMap(order.withPermit(turn), (mine) => Effect.onExit(work, () => end(mine)))
          : work
      )
  }
}

/** The turns of deliveries by a pace. A step is short: what follows once the receiver answers is not waited for. */
export const deliveryTurns = (pace: Pace): Effect.Effect<DeliveryTurns> =>
  Effect.map(Effect.context<never>(), (context) => {
    const fork = Effect.runForkWith(context)
    return {
      begin: (step) => {
        const waiting = fork(pace.run(Effect.sync(step)))
        return () => waiting.interruptUnsafe()
      }
    }
  })

/** A clock that is ahead of `real` by a span. Waiting takes its real time. */
export const makeShiftedClock = (real: Clock.Clock) => {
  let ahead = 0
  const millis = () => real.currentTimeMillisUnsafe() + ahead
  const nanos = () => real.currentTimeNanosUnsafe() + BigInt(Math.round(ahead * 1e6))
  const clock: Clock.Clock = {
    currentTimeMillisUnsafe: millis,
    currentTimeMillis: Effect.sync(millis),
    currentTimeNanosUnsafe: nanos,
    currentTimeNanos: Effect.sync(nanos),
    monotonicTimeNanosUnsafe: () => real.monotonicTimeNanosUnsafe(),
    monotonicTimeNanos: real.monotonicTimeNanos,
    sleep: (duration) => real.sleep(duration)
  }
  return {
    clock,
    ahead: () => ahead,
    real: () => real.currentTimeMillisUnsafe(),
    /** Sets how far the clock is ahead, in milliseconds. */
    shift: (millis: number) => void (ahead = millis)
  }
}

/** How often a process looks at the clock of the environment, in case that it was told of nothing. */
const lookEvery = "30 seconds"

/** How soon a process listens again. A reset ends its session, and is what it would have been told of. */
const listenAgainAfter = "100 millis"

/** A look whose session is ended is repeated: a database that is being emptied ends those that it finds. */
const looksAgain = { times: 4, schedule: Schedule.spaced("50 millis") } as const

/** The lock of the session that moves the clock, and how often and how long others wait for it. */
const turnLock = "SELECT pg_try_advisory_lock(x'436f7571'::int) AS taken"
const askEvery = "50 millis"
const waitsForTurn = "30 seconds"

/** The events that end an environment while it runs. */
interface EnvironmentEvents {
  /** Another node has emptied it: what this one knows of it is of what is gone. */
  readonly gone: Effect.Effect<void>
}

/** The parts of an environment's clock that a process has to follow it with. */
interface Following {
  readonly clock: ReturnType<typeof makeShiftedClock>
  readonly rounds: ReturnType<typeof makeEarlyRounds>
  /** The incarnation of the database that this process was started for. */
  readonly incarnation: string
  readonly url: Redacted.Redacted
}

interface ClockRow {
  readonly ahead: number
  readonly incarnation: string
  readonly now: number
}

const isEnded = (error: SqlError): boolean =>
  !isSessionRefused(error) && (error.reason._tag === "ConnectionError" || isServerAway(error))

/**
 * Waits for the turn to move the clock, in a session of its own, which keeps the turn until it ends: with the scope, or
 * because the node has died or the database was emptied.
 */
const takeTurn = (url: Redacted.Redacted) =>
  Effect.gen(function*() {
    const connection = yield* connectOnce(url, applicationName)
    const ask = Effect.map(connection.query(turnLock, [], false), ({ rows: [row] }) => row?.["taken"] === true)
    return yield* ask.pipe(
      Effect.repeat({ schedule: Schedule.spaced(askEvery), until: (taken) => taken }),
      Effect.timeoutOrElse({ duration: waitsForTurn, orElse: () => Effect.succeed(false) })
    )
  }).pipe(Effect.orDie)

/**
 * Follows the clock of the database, which decides; and notices that the database was emptied. `isCurrent` looks, and says
 * whether the database still is that of the incarnation: after a move or a reset was answered, by whichever node, the next
 * look here knows of it.
 */
export const followClock = Effect.fnUntraced(function*(
  { clock, incarnation, rounds, url }: Following,
  { gone }: EnvironmentEvents
) {
  const sql = yield* QuestionSql
  const { listen, notify } = yield* PgClient.PgClient
  const identifiers = yield* Identifiers
  const read = sql<ClockRow>`
    -- name: clock.find ahead
    SELECT extract(epoch FROM ahead)::float8 * 1000 AS ahead, incarnation,
      extract(epoch FROM clock_timestamp())::float8 * 1000 AS now
    FROM environment_clock`

  const look = Effect.gen(function*() {
    const before = performance.now()
    const [row] = yield* read
    const after = performance.now()
    if (row?.incarnation !== incarnation) return false
    if (row.ahead === clock.ahead()) return true
    clock.shift(row.ahead)
    // Ids are of the time at which they are made: those of the moved time follow those before it, on every node.
    identifiers.follow(row.now + (after - before) / 2, after)
    return true
  }).pipe(
    Effect.retry({ while: isEnded, ...looksAgain }),
    Effect.catchTag("SqlError", (error) => Effect.succeed(!isSessionRefused(error))),
    Effect.tap((isCurrent) => isCurrent ? Effect.void : gone),
    Effect.withTracerEnabled(false)
  )

  const isCurrent = yield* makeSingleFlight(look, { rest: 0, longestRest: 0 })
  yield* isCurrent
  yield* Effect.forkScoped(Effect.repeat(isCurrent, Schedule.spaced(lookEvery)))

  const followWhenTold = Effect.scoped(Effect.gen(function*() {
    const told = yield* listen(clockChannel)
    while (true) {
      // Nobody has told of what happened before this session listened.
      yield* isCurrent
      rounds.call()
      yield* Queue.takeAll(told)
    }
  }))
  yield* Effect.forkScoped(
    untilDone("Listening for moves of the clock", followWhenTold, {
      level: "Debug",
      retry: Schedule.spaced(listenAgainAfter)
    })
  )
  return {
    isCurrent,
    movable: {
      ahead: clock.ahead,
      real: clock.real,
      follow: Effect.asVoid(isCurrent),
      takeTurn: takeTurn(url),
      announce: Effect.orDie(notify(clockChannel, ""))
    } satisfies MovableClock
  }
})

/**
 * How far the clock moves until the work that looks for itself takes its next round, in milliseconds. What has a deadline is
 * done at each move in any case; a round is 17 statements, and of 365 rounds nearly none finds anything.
 */
const roundsEvery = Duration.toMillis("7 days")

/** The clock of an environment that a command has for itself: no other node moves it, or has to be told of a move. */
export const movedAlone = (movable: MovableClock, callRound: () => void): MovableClock => {
  let calledAt = movable.ahead()
  return {
    ...movable,
    takeTurn: Effect.succeed(true),
    announce: Effect.sync(() => {
      if (movable.ahead() < calledAt + roundsEvery) return
      calledAt = movable.ahead()
      callRound()
    })
  }
}

/** The ties of an environment to what is beside it. */
interface Surroundings extends EnvironmentEvents {
  /** How its work in the background and its deliveries give way to live; undefined where there is none beside. */
  readonly turns?: { readonly slices: Slices; readonly deliveries: DeliveryTurns }
}

/** The options of an environment that a command fills, instead of the service. */
interface Filling {
  readonly settings: (settings: Settings["Service"]) => Settings["Service"]
  readonly pools: DatabasePools
}

/**
 * The application on the database of an environment other than live: the same layers, of which it shares only those
 * without a database. It takes requests in their own context, which has its clock, its metrics and its name. `isCurrent` follows the clock, and says whether the database still is that of the incarnation.
 */
export const makeEnvironmentApp = Effect.fnUntraced(function*(
  target: EnvironmentTarget,
  { gone, turns }: Surroundings,
  filling?: Filling
) {
  const incarnation = yield* prepare(target, filling !== undefined)
  const config = configOf(yield* AppConfig, target)
  const served = settingsOf(yield* Settings, config, target.name)
  const settings = filling === undefined ? served : filling.settings(served)
  const pools = filling?.pools ?? { ...smallPools, question: isIncarnation(incarnation) }
  const clock = makeShiftedClock(yield* Clock.Clock)
  const rounds = makeEarlyRounds()
  const context = Context.make(Clock.Clock, clock.clock).pipe(
    Context.add(Metric.MetricRegistry, new Map()),
    Context.add(CurrentEnvironment, target.name),
    Context.add(EarlyRounds, rounds),
    turns === undefined
      ? identity
      : flow(Context.add(Slices, turns.slices), Context.add(DeliveryTurns, turns.deliveries))
  )
  const own = Layer.mergeAll(
    Layer.succeed(AppConfig, config),
    Layer.succeed(Settings, settings),
    Layer.succeed(DatabasePools, pools),
    Layer.fresh(HotRoutes.layer),
    Layer.fresh(NodeReadiness.layer),
    Layer.fresh(Identifiers.layer),
    Layer.fresh(Halt.layer)
  )
  const made = Layer.build(Layer.provideMerge(Database.layerOf(target.url), own))
  const built = yield* Effect.provideContext(made, context)
  const followed = yield* Effect.provideContext(
    followClock({ clock, rounds, incarnation, url: target.url }, { gone }),
    Context.merge(context, built)
  )
  const { isCurrent } = followed
  const movable = filling === undefined ? followed.movable : movedAlone(followed.movable, rounds.call)
  const surroundings = Layer.succeedContext(Context.add(built, MovableClock, movable))
  const app: App = yield* Effect.provideContext(httpApplication(surroundings), context)
  return { app: Effect.provideContext(app, context) as App, incarnation, isCurrent }
}, Effect.mapError(({ message }) => new EnvironmentAway({ message })))

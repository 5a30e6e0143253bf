import { Clock, Context, Effect, Layer, Metric, Schedule } from "effect"
import type { App } from "../../http/edge/Edge.ts"
import { HotRoutes } from "../../http/edge/HotRoutes.ts"
import { CurrentEnvironment } from "../../services/environment/CurrentEnvironment.ts"
import { MovableClock } from "../../services/environment/MovableClock.ts"
import { Identifiers } from "../../services/persistence/Identifiers.ts"
import { Halt } from "../../services/platform/Halt.ts"
import { QuestionSql } from "../../services/platform/QuestionSql.ts"
import { Settings } from "../../services/platform/Settings.ts"
import { AppConfig } from "../config/Config.ts"
import { httpApplication } from "../HttpApplication.ts"
import * as Database from "../postgres/Database.ts"
import { DatabasePools } from "../postgres/DatabasePools.ts"
import { EnvironmentAway, prepare } from "./EnvironmentDatabase.ts"
import type { EnvironmentTarget } from "./EnvironmentDatabase.ts"
import { configOf, settingsOf, smallPools } from "./EnvironmentSettings.ts"
import { makeShiftedClock } from "./ShiftedClock.ts"

/** The interval at which a process reads the clock of the environment, which another node may have moved. */
const lookEvery = "1 second"

/** The events that end an environment while it runs. */
export interface EnvironmentEvents {
  /** Another node has emptied it: the state of this one is about deleted data. */
  readonly gone: Effect.Effect<void>
}

interface ClockRow {
  readonly ahead: number
  readonly incarnation: string
}

/** Follows the clock of the database, and notices when the database is emptied. */
const followClock = Effect.fnUntraced(function*(
  clock: ReturnType<typeof makeShiftedClock>,
  { gone }: EnvironmentEvents
) {
  const sql = yield* QuestionSql
  const read = sql<ClockRow>`
    -- name: clock.find ahead
    SELECT extract(epoch FROM ahead)::float8 * 1000 AS ahead, incarnation FROM environment_clock`.pipe(
    Effect.withTracerEnabled(false)
  )
  let known: string | undefined
  const follow = Effect.gen(function*() {
    const [row] = yield* read
    if (row === undefined) return
    clock.shift(row.ahead)
    known ??= row.incarnation
    if (row.incarnation !== known) yield* gone
  }).pipe(Effect.ignore)
  yield* follow
  yield* Effect.forkScoped(Effect.repeat(follow, Schedule.spaced(lookEvery)))
  return { follow: Effect.asVoid(follow) }
})

const layerClock = (clock: ReturnType<typeof makeShiftedClock>, events: EnvironmentEvents) =>
  Layer.effect(
    MovableClock,
    Effect.map(followClock(clock, events), ({ follow }) => ({ ahead: clock.ahead, real: clock.real, follow }))
  )

/** The options of an environment that a command fills, instead of the service. */
interface Filling {
  readonly settings: (settings: Settings["Service"]) => Settings["Service"]
  readonly pools: DatabasePools
}

/**
 * The application on the database of an environment other than live: the same layers, of which it shares only those
 * without a database. It takes requests in their own context, which has its clock, its metrics and its name.
 */
export const makeEnvironmentApp = Effect.fnUntraced(function*(
  target: EnvironmentTarget,
  events: EnvironmentEvents,
  filling?: Filling
) {
  yield* prepare(target, filling !== undefined)
  const config = configOf(yield* AppConfig, target)
  const served = settingsOf(yield* Settings, config, target.name)
  const settings = filling === undefined ? served : filling.settings(served)
  const clock = makeShiftedClock(yield* Clock.Clock)
  const context = Context.make(Clock.Clock, clock.clock).pipe(
    Context.add(Metric.MetricRegistry, new Map()),
    Context.add(CurrentEnvironment, target.name)
  )
  const own = Layer.mergeAll(
    Layer.succeed(AppConfig, config),
    Layer.succeed(Settings, settings),
    Layer.succeed(DatabasePools, filling?.pools ?? smallPools),
    Layer.fresh(HotRoutes.layer),
    Layer.fresh(Identifiers.layer),
    Layer.fresh(Halt.layer)
  )
  const surroundings = layerClock(clock, events).pipe(
    Layer.provideMerge(Database.layerOf(target.url)),
    Layer.provideMerge(own)
  )
  const app: App = yield* Effect.provideContext(httpApplication(surroundings), context)
  return { app: Effect.provideContext(app, context) as App }
}, Effect.mapError(({ message }) => new EnvironmentAway({ message })))

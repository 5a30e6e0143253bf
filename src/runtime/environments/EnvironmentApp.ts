import { Clock, Context, Effect, flow, identity, Layer, Metric } from "effect"
import { NodeReadiness } from "../../http/ground/edge/ReadinessAnswer.ts"
import type { App } from "../../http/ground/edge/Edge.ts"
import { HotRoutes } from "../../http/ground/edge/HotRoutes.ts"
import { CurrentEnvironment } from "../../services/ground/environments/CurrentEnvironment.ts"
import { DeliveryTurns } from "../../services/ground/environments/DeliveryTurns.ts"
import { MovableClock } from "../../services/ground/environments/MovableClock.ts"
import { Slices } from "../../services/ground/environments/Slices.ts"
import { Identifiers } from "../../services/ground/persistence/Identifiers.ts"
import { Halt } from "../../services/ground/platform/Halt.ts"
import { Settings } from "../../services/ground/platform/Settings.ts"
import { EarlyRounds, makeEarlyRounds } from "../../services/ground/platform/Supervised.ts"
import { AppConfig } from "../config/Config.ts"
import { httpApplication } from "../HttpApplication.ts"
import * as Database from "../postgres/Database.ts"
import { DatabasePools } from "../postgres/DatabasePools.ts"
import { EnvironmentAway, isIncarnation, prepare } from "./EnvironmentDatabase.ts"
import type { EnvironmentTarget } from "./EnvironmentDatabase.ts"
import { configOf, settingsOf, smallPools } from "./EnvironmentSettings.ts"
import { followClock } from "./FollowedClock.ts"
import type { EnvironmentEvents } from "./FollowedClock.ts"
import { movedAlone } from "./MovedAlone.ts"
import { makeShiftedClock } from "./ShiftedClock.ts"

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

import { Effect, Layer, Logger, Redacted } from "effect"
import { activityDays, maximumRefusals } from "../../src/domain/keys/settings/ActivityRetention.ts"
import { DatabaseTarget, layerTarget } from "../../src/runtime/postgres/Database.ts"
import { LanesWithWork } from "../../src/services/delivery/LanesWithWork.ts"
import { EndpointDirectory } from "../../src/services/delivery/webhooks/EndpointDirectory.ts"
import { Activities } from "../../src/services/evidence/audit/Activities.ts"
import { FeedSignal } from "../../src/services/log/FeedPosition.ts"
import { BenchError } from "../harness/ServiceProcess.ts"
import type { Population } from "./Population.ts"
import type { Both, Row } from "./Sides.ts"
import { onBoth, pick } from "./Sides.ts"

/** Each is run so often, after a first time that plans it. */
const times = 5

const layerOf = ({ databaseUrl }: Population) =>
  Layer.mergeAll(
    Activities.layer,
    LanesWithWork.layer.pipe(Layer.provide([EndpointDirectory.layer, FeedSignal.layer]))
  ).pipe(
    Layer.provideMerge(layerTarget),
    Layer.provide(Layer.succeed(DatabaseTarget, { url: Redacted.make(databaseUrl) })),
    Layer.provideMerge(Logger.layer([]))
  )

const timed = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.gen(function*() {
    yield* effect
    const samples: Array<number> = []
    for (let time = 0; time < times; time++) {
      const begin = performance.now()
      yield* effect
      samples.push(performance.now() - begin)
    }
    return samples.toSorted((a, b) => a - b)[Math.floor(times / 2)]!
  })

const ofSide = (population: Population) =>
  Effect.gen(function*() {
    const lanes = yield* LanesWithWork
    const activities = yield* Activities
    return {
      behind: yield* timed(lanes.find),
      purge: yield* timed(activities.purge({ days: activityDays, refusals: maximumRefusals }))
    }
  }).pipe(
    Effect.provide(layerOf(population)),
    Effect.scoped,
    Effect.mapError((cause) => new BenchError({ message: String(cause) }))
  )

/** Statements that a node runs by itself, in this process: medians in milliseconds. */
export const measureStatements = (populations: Both<Population>) =>
  Effect.map(onBoth(populations, ofSide), (runs): ReadonlyArray<Row> => [
    {
      name: "dispatcher: which lanes have work",
      unit: "ms",
      figures: pick(runs, ({ behind }) => behind),
      atMost: 2,
      digits: 1
    },
    {
      name: "old activities: none to delete",
      unit: "ms",
      figures: pick(runs, ({ purge }) => purge),
      atMost: 2,
      digits: 1
    }
  ])

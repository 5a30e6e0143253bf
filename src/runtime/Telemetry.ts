import { Effect, Layer, Logger, References, Scope } from "effect"
import manifest from "../../package.json" with { type: "json" }
import { Admission } from "../services/admission/Admission.ts"
import { MetricsExposition } from "../services/platform/MetricsExposition.ts"
import { beginSeries } from "../services/platform/SeriesFromStart.ts"
import { beginBuildInfo } from "./BuildInfo.ts"
import { AppConfig } from "./config/Config.ts"
import { withoutFloods } from "./LogFlood.ts"
import * as ProcessMetrics from "./node/ProcessMetrics.ts"
import { child } from "./processes/Child.ts"

const resource = { serviceName: "countersign", serviceVersion: manifest.version }

/** The metrics, which our `/metrics` serves. Their exporter is loaded when they are first asked for, not at every start. */
export const layerMetrics = Layer.effect(
  MetricsExposition,
  Effect.gen(function*() {
    const scope = yield* Effect.scope
    yield* beginSeries
    yield* beginBuildInfo
    const { observe: observeProcess } = yield* ProcessMetrics.makeObserve
    const text = yield* Effect.promise(() => import("./PrometheusText.ts")).pipe(
      Effect.flatMap(({ makePrometheusText }) => makePrometheusText(resource)),
      Scope.provide(scope),
      Effect.cached
    )
    const runtime = Effect.runPromiseWith(yield* Effect.context<never>())
    const own = Effect.andThen(observeProcess, Effect.flatMap(text, ({ render }) => render))
    if (child === undefined) return MetricsExposition.of({ render: own })
    // The edge observes admission where /metrics is asked for, which is another process here.
    const { observe } = yield* Admission
    return MetricsExposition.of({ render: child.metrics(() => runtime(Effect.andThen(observe, own))) })
  })
).pipe(Layer.merge(ProcessMetrics.layerSampling))

/**
 * Traces leave only to a configured collector; without one no spans are made, and what makes them is not even loaded.
 * `routeOf` answers the path of an operation as the OpenAPI document writes it.
 */
export const layerTraces = (routeOf: (path: string) => string | undefined) =>
  Layer.unwrap(Effect.flatMap(AppConfig, ({ traces }) =>
    traces === undefined
      ? Effect.succeed(Layer.succeed(References.TracerEnabled, false))
      : Effect.map(Effect.promise(() => import("./traces/Traces.ts")), ({ layer }) => layer(traces, routeOf))))

/** Of several processes, each says its number in its lines. */
const loggers = child === undefined
  ? { pretty: Logger.consolePretty(), json: Logger.consoleJson }
  : {
    pretty: Logger.consolePretty({
      formatDate: (date) => `${date.toTimeString().slice(0, 8)} process ${child!.number}`
    }),
    json: Logger.withConsoleLog(
      Logger.map(Logger.formatJson, (line) => `{"process":${child!.number},${line.slice(1)}`)
    )
  }

/** The logger, with lines for people or for machines. */
export const layerLogger = Layer.unwrap(
  Effect.map(
    AppConfig,
    ({ logFormat, logLevel }) =>
      Layer.merge(
        Logger.layer([withoutFloods(loggers[logFormat])]),
        Layer.succeed(References.MinimumLogLevel, logLevel)
      )
  )
)

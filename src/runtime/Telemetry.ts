import { Effect, Layer, Logger, References } from "effect"
import manifest from "../../package.json" with { type: "json" }
import { visibleJson } from "../domain/ground/parsing/VisibleText.ts"
import { Admission } from "../services/ground/admission/Admission.ts"
import { makeSingleFlight } from "../services/ground/platform/DatabaseHealth.ts"
import { Compression, MetricsExposition } from "../services/ground/platform/Ports.ts"
import { beginSeries } from "../services/ground/platform/SeriesFromStart.ts"
import { beginBuildInfo } from "./BuildInfo.ts"
import { AppConfig } from "./config/Config.ts"
import { prettyLogger, withoutFloods } from "./LogFlood.ts"
import * as ProcessMetrics from "./node/ProcessMetrics.ts"
import { child } from "./processes/Child.ts"

const resource = { serviceName: "countersign", serviceVersion: manifest.version }

/**
 * The largest share of time that reading metrics may take, as the ratio of pauses to readings, and the longest such
 * pause.
 */
const pace = { rest: 49, longestRest: 1_000 }

/** The metrics, which our `/metrics` serves. */
export const layerMetrics = Layer.effect(
  MetricsExposition,
  Effect.gen(function*() {
    yield* beginSeries
    yield* beginBuildInfo
    const { observe: observeProcess } = yield* ProcessMetrics.makeObserve
    const { observe: observeAdmission } = yield* Admission
    const { compressOnce } = yield* Compression
    const runtime = Effect.runPromiseWith(yield* Effect.context<never>())
    // The bridge and the exporter take a megabyte and some milliseconds, which a service that nobody watches saves.
    const text = yield* Effect.cached(
      Effect.map(Effect.promise(() => import("./PrometheusText.ts")), ({ prometheusText }) => prometheusText(resource))
    )
    // The gauges are updated only when they are read.
    const own = observeProcess.pipe(
      Effect.andThen(observeAdmission),
      Effect.andThen(text),
      Effect.flatten
    )
    // Each process may be asked by any other, and limits how often it reads its own metrics.
    const ofThis = yield* makeSingleFlight(own, pace)
    const ofAll = child === undefined ? own : child.metrics(() => runtime(ofThis))
    const encoder = new TextEncoder()
    return MetricsExposition.of({
      read: yield* makeSingleFlight(
        Effect.flatMap(ofAll, (written) => {
          const text = encoder.encode(written)
          return Effect.map(Effect.cached(compressOnce(text, "gzip")), (gzip) => ({ text, gzip }))
        }),
        pace
      )
    })
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

/** The number of this process among several, for its lines. */
const loggers = {
  pretty: prettyLogger(child === undefined ? "" : ` process ${child.number}`),
  json: Logger.withConsoleLog(
    Logger.map(
      Logger.formatJson,
      (line) => visibleJson(child === undefined ? line : `{"process":${child.number},${line.slice(1)}`)
    )
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

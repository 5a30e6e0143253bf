import * as OtelMetrics from "@effect/opentelemetry/OtelMetrics"
import * as Resource from "@effect/opentelemetry/Resource"
import * as NodeHttpClient from "@effect/platform-node/NodeHttpClient"
import { PrometheusExporter, PrometheusSerializer } from "@opentelemetry/exporter-prometheus"
import { Effect, Layer, Logger, Metric, References } from "effect"
import { OtlpSerialization, OtlpTracer } from "effect/observability"
import manifest from "../../package.json" with { type: "json" }
import { MetricsExposition } from "../services/platform/MetricsExposition.ts"
import { AppConfig } from "./config/Config.ts"

const resource = { serviceName: "countersign", serviceVersion: manifest.version }

const memory = Metric.gauge("process_resident_memory_bytes", { description: "Resident memory in bytes." })
const heap = Metric.gauge("nodejs_heap_used_bytes", { description: "Used heap in bytes." })
const cpu = Metric.gauge("process_cpu_seconds", { description: "User and system CPU time in seconds." })

/** Process figures are read on request, not on a timer. */
const observeProcess = Effect.suspend(() => {
  const usage = process.memoryUsage()
  const { system, user } = process.cpuUsage()
  return Effect.all([
    Metric.update(memory, usage.rss),
    Metric.update(heap, usage.heapUsed),
    Metric.update(cpu, (user + system) / 1e6)
  ], { discard: true })
})

/**
 * Effect's metrics, bridged through OpenTelemetry to the Prometheus exporter. The exporter starts no server of its own:
 * our `/metrics` serves its output.
 */
export const layerMetrics = Layer.effect(
  MetricsExposition,
  Effect.gen(function*() {
    const exporter = new PrometheusExporter({ preventServerStart: true })
    const producer = yield* OtelMetrics.makeProducer("cumulative")
    yield* OtelMetrics.registerProducer(producer, () => exporter)
    const serializer = new PrometheusSerializer()
    return MetricsExposition.of({
      render: Effect.andThen(
        observeProcess,
        Effect.map(
          Effect.promise(() => exporter.collect()),
          ({ resourceMetrics }) => serializer.serialize(resourceMetrics)
        )
      )
    })
  })
).pipe(Layer.provide(Resource.layer(resource)))

/** Traces are exported only to a configured OTLP endpoint; without one no spans are created, which saves their cost. */
export const layerTraces = Layer.unwrap(Effect.map(AppConfig, ({ otlpEndpoint }) =>
  otlpEndpoint === undefined
    ? Layer.succeed(References.TracerEnabled, false)
    : OtlpTracer.layer({ url: `${otlpEndpoint}/v1/traces`, resource }).pipe(
      Layer.provide(OtlpSerialization.layerJson),
      // The undici client loads undici in a way that breaks in a bundle.
      Layer.provide(NodeHttpClient.layerNodeHttp)
    )))

/** The logger, with lines for people or for machines. */
export const layerLogger = Layer.unwrap(
  Effect.map(
    AppConfig,
    ({ logFormat }) => Logger.layer([logFormat === "pretty" ? Logger.consolePretty() : Logger.consoleJson])
  )
)

import * as OtelMetrics from "@effect/opentelemetry/OtelMetrics"
import * as Resource from "@effect/opentelemetry/Resource"
import { PrometheusExporter, PrometheusSerializer } from "@opentelemetry/exporter-prometheus"
import { Effect } from "effect"
import type { Scope } from "effect"

/**
 * Effect's metrics as Prometheus reads them, bridged through OpenTelemetry to its exporter, which starts no server of
 * its own.
 */
export const makePrometheusText = (
  resource: Parameters<typeof Resource.layer>[0]
): Effect.Effect<{ readonly render: Effect.Effect<string> }, never, Scope.Scope> =>
  Effect.gen(function*() {
    const exporter = new PrometheusExporter({ preventServerStart: true })
    const producer = yield* OtelMetrics.makeProducer("cumulative")
    yield* OtelMetrics.registerProducer(producer, () => exporter)
    const serializer = new PrometheusSerializer()
    return {
      render: Effect.map(
        Effect.promise(() => exporter.collect()),
        ({ resourceMetrics }) => serializer.serialize(resourceMetrics)
      )
    }
  }).pipe(Effect.provide(Resource.layer(resource)))

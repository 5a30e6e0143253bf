import * as OtelMetrics from "@effect/opentelemetry/OtelMetrics"
import * as Resource from "@effect/opentelemetry/Resource"
import { PrometheusExporter, PrometheusSerializer } from "@opentelemetry/exporter-prometheus"
import type { ResourceMetrics } from "@opentelemetry/sdk-metrics"
import { Effect } from "effect"
import type { Scope } from "effect"

/** What the library of the cluster counts, which says of none of them what it means. */
const ofCluster: Readonly<Record<string, string>> = {
  effect_cluster_entities: "Entities that run on this node, by type.",
  effect_cluster_entity_mailbox_size_max: "Messages that wait for the busiest entity of this node, by type.",
  effect_cluster_runners: "Nodes of the cluster, as this one knows them.",
  effect_cluster_runners_healthy: "Nodes of the cluster that answer, as this one knows them.",
  effect_cluster_shards: "Shares of the work that this node holds.",
  effect_cluster_shards_releasing: "Shares of the work that this node is giving away.",
  effect_cluster_singletons: "Tasks of which the cluster has one that run on this node."
}

/** The unit that a name ends with (OpenMetrics); empty where it has none. */
const unitOf = (name: string): string => /_(seconds|bytes)(?:_total)?$/.exec(name)?.[1] ?? ""

/** The metrics with the units and the words that the bridge from Effect leaves out. */
const described = ({ resource, scopeMetrics }: ResourceMetrics): ResourceMetrics => ({
  resource,
  scopeMetrics: scopeMetrics.map(({ metrics, scope }) => ({
    scope,
    metrics: metrics.map((metric) => {
      const { description, name } = metric.descriptor
      const words = description === "" ? ofCluster[name] ?? "" : description
      return { ...metric, descriptor: { ...metric.descriptor, description: words, unit: unitOf(name) } }
    })
  }))
})

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
    // Without the name of the bridge, which would be a label of every series.
    const serializer = new PrometheusSerializer("", false, undefined, false, true)
    return {
      render: Effect.map(
        Effect.promise(() => exporter.collect()),
        ({ resourceMetrics }) => serializer.serialize(described(resourceMetrics))
      )
    }
  }).pipe(Effect.provide(Resource.layer(resource)))

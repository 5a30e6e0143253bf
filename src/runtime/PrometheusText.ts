import { makeProducer } from "@effect/opentelemetry/OtelMetrics"
import { Resource } from "@effect/opentelemetry/Resource"
import { PrometheusSerializer } from "@opentelemetry/exporter-prometheus"
import { resourceFromAttributes } from "@opentelemetry/resources"
import type { MetricData } from "@opentelemetry/sdk-metrics"
import { Context, Effect, Metric } from "effect"

/** Descriptions of the metrics of the cluster's library, which has none for them. */
const ofCluster: Readonly<Record<string, string>> = {
  effect_cluster_entities: "Entities that run on this node, by type.",
  effect_cluster_entity_mailbox_size_max: "Messages that wait for the busiest entity of this node, by type.",
  effect_cluster_runners: "Nodes of the cluster, as this one knows them.",
  effect_cluster_runners_healthy: "Nodes of the cluster that respond, as seen by this node.",
  effect_cluster_shards: "Shards that this node holds.",
  effect_cluster_shards_releasing: "Shards that this node is releasing.",
  effect_cluster_singletons: "Cluster singletons that run on this node."
}

/** How long series are written before the event loop gets a turn, in milliseconds, and how many are written at once. */
const slice = { millis: 1, series: 50 } as const

type Series = Metric.Metric.Metadata<never, unknown>

/** The unit that a name ends with (OpenMetrics); "" where it has none. */
const unitOf = (name: string): string => /_(seconds|bytes)(?:_total)?$/.exec(name)?.[1] ?? ""

/** The metric with the description and unit that Effect's metrics do not carry. */
const described = (data: MetricData): MetricData => {
  const { description, name } = data.descriptor
  return {
    ...data,
    descriptor: { ...data.descriptor, unit: unitOf(name), description: description || ofCluster[name] || "" }
  }
}

/** Series that are written at once, of which the first metric may be one whose description is written already. */
interface Batch {
  readonly series: ReadonlyArray<Series>
  readonly isContinued: boolean
}

/** The registered series by their metric, in the order in which the metrics came, in batches. */
const batches = (context: Context.Context<never>): ReadonlyArray<Batch> => {
  const families = new Map<string, Array<Series>>()
  for (const series of Context.get(context, Metric.MetricRegistry).values() as Iterable<Series>) {
    const known = families.get(series.id)
    if (known === undefined) families.set(series.id, [series])
    else known.push(series)
  }
  const found: Array<Batch> = []
  let open: Array<Series> | undefined
  for (const family of families.values()) {
    for (let from = 0; from < family.length; from += slice.series) {
      const part = family.slice(from, from + slice.series)
      if (open === undefined || from > 0 || open.length + part.length > slice.series) {
        open = part
        found.push({ series: open, isContinued: from > 0 })
      } else for (const series of part) open.push(series)
    }
  }
  return found
}

/** The description of a metric, before its first series. */
const comments = /^(?:#.*\n)+/

/** Without the label `otel_scope_name`, which would be a new one of each series. */
const serializers = {
  withTarget: new PrometheusSerializer(undefined, false, undefined, false, true),
  others: new PrometheusSerializer(undefined, false, undefined, true, true)
}

/**
 * Effect's metrics in the Prometheus text format (0.0.4): bridged to the OpenTelemetry SDK, and written by its exporter for
 * Prometheus. Thousands of series take tens of milliseconds, so they are written in slices, between which requests are
 * answered.
 */
export const prometheusText = (target: { readonly serviceName: string; readonly serviceVersion: string }) => {
  const resource = resourceFromAttributes({
    "service.name": target.serviceName,
    "service.version": target.serviceVersion
  })
  /** The text of some series. */
  const written = (series: ReadonlyArray<Series>) =>
    makeProducer().pipe(
      Effect.flatMap((producer) => Effect.promise(() => producer.collect())),
      Effect.map(({ resourceMetrics }) =>
        serializers.others.serialize({
          resource,
          scopeMetrics: resourceMetrics.scopeMetrics.map(({ metrics, scope }) => ({
            scope,
            metrics: metrics.map(described)
          }))
        })
      ),
      // The bridge takes whatever is registered: here, these.
      Effect.provideService(Metric.MetricRegistry, new Map(series.map((one, index) => [String(index), one]))),
      Effect.provideService(Resource, resource)
    )
  return Effect.gen(function*() {
    const context = yield* Effect.context<never>()
    const texts = [
      serializers.withTarget.serialize({ resource, scopeMetrics: [] }).replace(/# no registered metrics$/, "")
    ]
    let begun = performance.now()
    for (const { isContinued, series } of batches(context)) {
      const text = yield* written(series)
      texts.push(isContinued ? text.replace(comments, "") : text)
      if (performance.now() - begun < slice.millis) continue
      yield* Effect.yieldNow
      begun = performance.now()
    }
    return texts.join("")
  })
}

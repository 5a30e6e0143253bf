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

/** How long series are written before the event loop gets a turn, in milliseconds. */
const sliceMillis = 1

type Series = Metric.Metric.Metadata<never, unknown>
type Labels = Readonly<Record<string, string>>

/** The unit that a name ends with (OpenMetrics); undefined where it has none. */
const unitOf = (name: string): string | undefined => /_(seconds|bytes)(?:_total)?$/.exec(name)?.[1]

const escapeValue = (value: string): string =>
  value.replaceAll("\\", "\\\\").replaceAll("\n", "\\n").replaceAll("\"", "\\\"")

const labelText = (labels: Labels): string =>
  Object.entries(labels).map(([name, value]) => `${name}="${escapeValue(String(value))}"`).join(",")

const braced = (labels: string): string => labels === "" ? "" : `{${labels}}`

const valueText = (value: number | bigint): string =>
  value === Infinity ? "+Inf" : value === -Infinity ? "-Inf" : String(value)

const histogramText = (name: string, labels: string, { buckets, count, sum }: Metric.HistogramState): string => {
  const lead = labels === "" ? "" : `${labels},`
  let text = `${name}_count${braced(labels)} ${count}\n${name}_sum${braced(labels)} ${sum}\n`
  for (const [bound, within] of buckets) {
    if (bound !== Infinity) text += `${name}_bucket{${lead}le="${bound}"} ${within}\n`
  }
  return `${text}${name}_bucket{${lead}le="+Inf"} ${count}\n`
}

/** The kind of a metric and its name, with the suffix of a counter (Prometheus naming practices). */
const headOf = ({ id, type }: Series, state: unknown): { readonly name: string; readonly kind: string } => {
  if (type === "Histogram") return { name: id, kind: "histogram" }
  if (type !== "Counter" || !(state as Metric.CounterState<number>).incremental) return { name: id, kind: "gauge" }
  return { name: id.endsWith("_total") ? id : `${id}_total`, kind: "counter" }
}

/** The lines of one series; undefined for a kind that nothing here has. */
const seriesText = (name: string, { attributes = {}, type }: Series, state: unknown): string | undefined => {
  const labels = labelText(attributes as Labels)
  switch (type) {
    case "Counter":
      return `${name}${braced(labels)} ${valueText((state as Metric.CounterState<number>).count)}\n`
    case "Gauge":
      return `${name}${braced(labels)} ${valueText((state as Metric.GaugeState<number>).value)}\n`
    case "Histogram":
      return histogramText(name, labels, state as Metric.HistogramState)
    default:
      return undefined
  }
}

/** The registered series by their metric, in the order in which the metrics came. */
const families = (context: Context.Context<never>): ReadonlyMap<string, ReadonlyArray<Series>> => {
  const found = new Map<string, Array<Series>>()
  for (const series of Context.get(context, Metric.MetricRegistry).values() as Iterable<Series>) {
    const known = found.get(series.id)
    if (known === undefined) found.set(series.id, [series])
    else known.push(series)
  }
  return found
}

/**
 * Effect's metrics in the Prometheus text format (0.0.4). Thousands of series take tens of milliseconds, so they are
 * written in slices, between which requests are answered.
 */
export const prometheusText = (resource: { readonly serviceName: string; readonly serviceVersion: string }) =>
  Effect.gen(function*() {
    const context = yield* Effect.context<never>()
    const target = labelText({ service_name: resource.serviceName, service_version: resource.serviceVersion })
    const texts = [`# HELP target_info Target metadata\n# TYPE target_info gauge\ntarget_info{${target}} 1\n`]
    let begun = performance.now()
    for (const [id, all] of families(context)) {
      const [first] = all
      const { kind, name } = headOf(first!, first!.hooks.get(context))
      const words = first!.description ?? ofCluster[id] ?? "description missing"
      const unit = unitOf(id)
      texts.push(
        `# HELP ${name} ${words.replaceAll("\\", "\\\\").replaceAll("\n", "\\n")}\n` +
          `${unit === undefined ? "" : `# UNIT ${name} ${unit}\n`}# TYPE ${name} ${kind}\n`
      )
      for (const series of all) {
        const text = seriesText(name, series, series.hooks.get(context))
        if (text !== undefined) texts.push(text)
        if (performance.now() - begun < sliceMillis) continue
        yield* Effect.yieldNow
        begun = performance.now()
      }
    }
    return texts.join("")
  })

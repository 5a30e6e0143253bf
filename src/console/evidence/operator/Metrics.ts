/** One series and its value. */
interface Sample {
  readonly labels: Readonly<Record<string, string>>
  readonly value: number
}

/** The series of `/metrics` by their names. */
export type Metrics = ReadonlyMap<string, ReadonlyArray<Sample>>

const labelsOf = (text: string): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Array.from(text.matchAll(/(\w+)="((?:[^"\\]|\\.)*)"/g), ([, name = "", value = ""]) => [
      name,
      value.replaceAll(/\\(.)/g, (_, sign: string) => sign === "n" ? "\n" : sign)
    ])
  )

/** Reads the text format of Prometheus, version 0.0.4; timestamps and comments are passed over. */
export const readMetrics = (text: string): Metrics => {
  const metrics = new Map<string, Array<Sample>>()
  for (const line of text.split("\n")) {
    const [, name, labels = "", value] = /^([a-zA-Z_:][\w:]*)(?:\{(.*)\})? (\S+)/.exec(line) ?? []
    if (name === undefined || value === undefined) continue
    const sample = { labels: labelsOf(labels), value: Number(value.replace(/Inf$/, "Infinity")) }
    const known = metrics.get(name)
    if (known === undefined) metrics.set(name, [sample])
    else known.push(sample)
  }
  return metrics
}

/** The value of a series whose name has one; undefined where there is none. */
export const valueOf = (metrics: Metrics, name: string): number | undefined => metrics.get(name)?.[0]?.value

/** The value of a label of a series that has one for its labels alone. */
export const labelOf = (metrics: Metrics, name: string, label: string): string | undefined =>
  metrics.get(name)?.[0]?.labels[label]

/** A pool of connections to the database. */
export interface Pool {
  readonly name: string
  readonly used: number
  readonly most: number
  /** Queries that wait for a connection. */
  readonly pending: number
}

const pooled = "db_client_connection_pool_name"

/** The pools that open connections at all. */
export const poolsOf = (metrics: Metrics): ReadonlyArray<Pool> => {
  const of = (metric: string, name: string, state?: string) =>
    metrics.get(metric)?.find(({ labels }) =>
      labels[pooled] === name && (state === undefined || labels["db_client_connection_state"] === state)
    )?.value ?? 0
  return (metrics.get("db_client_connection_max") ?? []).flatMap(({ labels, value }) => {
    const name = labels[pooled] ?? ""
    return value === 0 ? [] : [{
      name,
      used: of("db_client_connection_count", name, "used"),
      most: value,
      pending: of("db_client_connection_pending_requests", name)
    }]
  })
}

/**
 * A quantile of a histogram, as the upper bound of its bucket; counted since `before`, if that is given. Undefined
 * without samples.
 */
export const quantileOf = (metrics: Metrics, name: string, share: number, before?: Metrics): number | undefined => {
  const counted = (of: Metrics | undefined) =>
    new Map((of?.get(`${name}_bucket`) ?? []).map(({ labels, value }) => [labels["le"] ?? "", value]))
  const earlier = counted(before)
  const buckets = Array.from(
    counted(metrics),
    ([bound, value]) =>
      [bound === "+Inf" ? Number.POSITIVE_INFINITY : Number(bound), value - (earlier.get(bound) ?? 0)] as const
  )
    .toSorted(([a], [b]) => a - b)
  const all = buckets.at(-1)?.[1] ?? 0
  return all <= 0 ? undefined : buckets.find(([, value]) => value >= all * share)?.[0]
}

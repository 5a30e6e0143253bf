/** Figures that were measured one by one. */
export interface Distribution {
  readonly count: number
  readonly p50: number
  readonly p95: number
  readonly p99: number
  readonly maximum: number
}

/** The percentiles of samples (nearest rank), NaN when there are none. */
export const distributionOf = (samples: ReadonlyArray<Float64Array>): Distribution => {
  const all = new Float64Array(samples.reduce((length, part) => length + part.length, 0))
  let offset = 0
  for (const part of samples) {
    all.set(part, offset)
    offset += part.length
  }
  all.sort()
  const rank = (share: number) => all[Math.max(0, Math.ceil(share * all.length) - 1)] ?? Number.NaN
  return { count: all.length, p50: rank(0.5), p95: rank(0.95), p99: rank(0.99), maximum: rank(1) }
}

/** The value in the middle; NaN where there is none. */
export const medianOf = (values: ReadonlyArray<number>): number =>
  values.toSorted((one, other) => one - other)[values.length >> 1] ?? Number.NaN

/**
 * The percentiles of the round in the middle, each by itself: what disturbs the machine in one round decides none of them.
 */
export const medianDistributionOf = (rounds: ReadonlyArray<Float64Array>): Distribution => {
  const each = rounds.map((round) => distributionOf([round]))
  return {
    count: each.reduce((sum, { count }) => sum + count, 0),
    p50: medianOf(each.map(({ p50 }) => p50)),
    p95: medianOf(each.map(({ p95 }) => p95)),
    p99: medianOf(each.map(({ p99 }) => p99)),
    maximum: medianOf(each.map(({ maximum }) => maximum))
  }
}

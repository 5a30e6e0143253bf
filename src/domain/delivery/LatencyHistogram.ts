/** Upper bounds of the buckets in milliseconds, each 1.25 times the one before. A last bucket takes the rest. */
const bounds: ReadonlyArray<number> = Array.from({ length: 80 }, (_, index) => 1.25 ** (index - 2))

/** How many buckets a histogram of latencies has. */
export const bucketCount = bounds.length

/** The bucket of a latency in milliseconds. */
export const bucketOf = (millis: number): number =>
  millis <= bounds[0]! ? 0 : Math.min(Math.ceil(Math.log(millis) / Math.log(1.25) - 1e-9) + 2, bucketCount - 1)

/**
 * The quantile `q` (0 to 1) of the observed latencies in whole milliseconds: the upper bound of its bucket, so at most
 * 25 % too high. Undefined when there are no observations.
 */
export const quantile = (buckets: ReadonlyArray<number>, q: number): number | undefined => {
  const all = buckets.reduce((sum, count) => sum + count, 0)
  if (all === 0) return undefined
  let cumulative = 0
  for (const [index, count] of buckets.entries()) {
    cumulative += count
    if (cumulative >= q * all) return Math.max(1, Math.round(bounds[index] ?? bounds.at(-1)!))
  }
  return Math.round(bounds.at(-1)!)
}

import { Clock, Context, Effect, Layer } from "effect"
import { failing, RateLimited } from "../domain/Errors.ts"
import { failedAuthentications } from "../domain/RateLimit.ts"

/** Addresses remembered at once; beyond that, those who have waited longest are forgotten. */
const maximumBuckets = 10_000

/** Slows down guessing of credentials: each address has a bucket of failures. */
export class RateLimits extends Context.Service<RateLimits, {
  /** Counts a failed authentication of an address; fails when its bucket is empty. */
  readonly failedAuthentication: (address: string) => Effect.Effect<void, RateLimited>
}>()("countersign/services/RateLimits") {
  static readonly layer = Layer.sync(RateLimits, () => {
    const buckets = new Map<string, { tokens: number; at: number }>()
    return RateLimits.of({
      failedAuthentication: Effect.fnUntraced(function*(address) {
        const now = yield* Clock.currentTimeMillis
        const { burst, perSecond } = failedAuthentications
        const before = buckets.get(address) ?? { tokens: burst, at: now }
        const tokens = Math.min(burst, before.tokens + Math.max(0, now - before.at) / 1000 * perSecond)
        buckets.delete(address)
        buckets.set(address, { tokens: Math.max(0, tokens - 1), at: now })
        if (buckets.size > maximumBuckets) buckets.delete(buckets.keys().next().value!)
        if (tokens < 1) {
          return yield* failing(RateLimited, "Too many failed authentications from this address.")
        }
      })
    })
  })
}

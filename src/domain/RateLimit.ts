/**
 * How many failed authentications one address may make: a token bucket of `burst`, refilled with `perSecond`. A right
 * credential is never slowed down.
 */
export const failedAuthentications = { burst: 60, perSecond: 1 } as const

/** The headers of a 429 answer: RFC 9110 Retry-After and the RateLimit fields of the IETF draft. */
export const rateLimitHeaders = {
  "retry-after": String(Math.ceil(1 / failedAuthentications.perSecond)),
  "ratelimit-policy": `"authentication";q=${failedAuthentications.burst};w=${
    Math.ceil(failedAuthentications.burst / failedAuthentications.perSecond)
  }`,
  ratelimit: `"authentication";r=0;t=${Math.ceil(1 / failedAuthentications.perSecond)}`
} as const

const second = 1000
const minute = 60 * second
const hour = 60 * minute

/** The wait before each attempt of a delivery, in milliseconds: 13 attempts over about 76 hours. */
const steps: ReadonlyArray<number> = [
  0,
  5 * second,
  30 * second,
  2 * minute,
  10 * minute,
  30 * minute,
  hour,
  2 * hour,
  4 * hour,
  8 * hour,
  12 * hour,
  24 * hour,
  24 * hour
]

/** How many times a delivery is attempted before it counts as exhausted. */
export const maximumAttempts = steps.length

/** The longest wait, in milliseconds, that a receiver can ask for. */
const maximumRetryAfter = 24 * hour

/**
 * How long to wait, in milliseconds, after `attempts` failed attempts: the step stretched by up to a quarter, never
 * early. `u` is uniform in [0, 1). `retryAfter` (milliseconds, as the receiver asked) can lengthen the wait, up to 24
 * hours, and never shortens it. Answers undefined when the attempts are used up.
 */
export const nextDelay = (attempts: number, u: number, retryAfter = 0): number | undefined => {
  const step = steps[attempts]
  if (step === undefined) return undefined
  return Math.max(Math.ceil(step * (1 + u / 4)), Math.min(retryAfter, maximumRetryAfter))
}

/** The longest wait, in milliseconds, between attempts of a delivery that holds up all behind it. */
const heldStep = 5 * minute

/**
 * How long to wait after `attempts` failed attempts of a delivery that holds up its endpoint, as {@link nextDelay}: it is
 * never given up, because then what comes after it would arrive without it.
 */
export const heldDelay = (attempts: number, u: number, retryAfter = 0): number => {
  const step = Math.min(steps[attempts] ?? heldStep, heldStep)
  return Math.max(Math.ceil(step * (1 + u / 4)), Math.min(retryAfter, maximumRetryAfter))
}

/** How one attempt ended: a status, or an error of the transport. Header names are in lower case. */
export interface AttemptResult {
  readonly status?: number | undefined
  readonly error?: unknown
  readonly headers?: Readonly<Record<string, string | ReadonlyArray<string> | undefined>> | undefined
}

/**
 * What an attempt means.
 * - `delivered`: the receiver has it
 * - `failed`: try again as {@link nextDelay} says
 * - `throttled`: the receiver asks for a slower pace; this was no attempt
 * - `disable`: the receiver wants nothing more from this endpoint
 * - `drop`: the receiver does not want this one
 */
export type Outcome = "delivered" | "failed" | "throttled" | "disable" | "drop"

/**
 * Judges one attempt. 410 or a header `webhook-delivery: disable` disables the endpoint, whatever else the answer says;
 * 2xx delivers; a header `webhook-delivery: abort-message` on any other answer drops this message; 429, and 503 that says
 * when to come again (Retry-After), ask for a slower pace; everything else, redirects and errors of the transport
 * included, failed.
 */
export const classify = ({ error, headers, status }: AttemptResult): Outcome => {
  if (error !== undefined || status === undefined) return "failed"
  const wishes = new Set([headers?.["webhook-delivery"] ?? []].flat().map((wish) => wish.trim().toLowerCase()))
  if (status === 410 || wishes.has("disable")) return "disable"
  if (status >= 200 && status < 300) return "delivered"
  if (wishes.has("abort-message")) return "drop"
  return status === 429 || (status === 503 && headers?.["retry-after"] !== undefined) ? "throttled" : "failed"
}

import { Effect, Metric } from "effect"
import type { Context } from "effect"
import { inCidrs } from "../../domain/admission/Address.ts"

// Attributes that are given here cost nothing later; `withAttributes` would make a context at each update.
const requests = (attributes: Readonly<Record<string, string>>) =>
  Metric.counter("countersign_http_requests", {
    description: "Requests answered, by status class.",
    attributes,
    incremental: true
  })
const duration = Metric.histogram("countersign_http_request_duration_seconds", {
  description: "Time from the request's headers to the answer, in seconds.",
  boundaries: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]
})
const byClass = [1, 2, 3, 4, 5].map((digit) => requests({ status: `${digit}xx` }))
const unclassed = requests({})

/** Counts an answer, by its status and how long it took in nanoseconds, in the registry of a context. */
export const countAnswerUnsafe = (status: number, nanoseconds: bigint, context: Context.Context<never>): void => {
  const ofClass = byClass[Math.floor(status / 100) - 1] ?? unclassed
  ofClass.updateUnsafe(1, context)
  duration.updateUnsafe(Number(nanoseconds) / 1e9, context)
}

/** {@link countAnswerUnsafe} in the registry of the current fiber. */
export const countAnswer = (status: number, nanoseconds: bigint): Effect.Effect<void> =>
  Effect.withFiber(({ context }) => Effect.sync(() => countAnswerUnsafe(status, nanoseconds, context)))

/** The client's address: the nearest hop that is not one of our own proxies. */
export const clientAddress = (
  peer: string,
  forwardedFor: string | undefined,
  trustedProxies: ReadonlyArray<string>
): string => {
  const direct = peer.startsWith("::ffff:") ? peer.slice(7) : peer
  if (trustedProxies.length === 0 || forwardedFor === undefined || !inCidrs(direct, trustedProxies)) return direct
  const hops = forwardedFor.split(",").map((hop) => hop.trim()).filter((hop) => hop !== "")
  return hops.findLast((hop) => !inCidrs(hop, trustedProxies)) ?? hops[0] ?? direct
}

/** The headers that every answer has, beside its own. */
export const exchangeHeaders = (
  requestId: string,
  own: Readonly<Record<string, string>>
): Readonly<Record<string, string>> =>
  own["cache-control"] === undefined
    ? { "x-request-id": requestId, "x-content-type-options": "nosniff", "cache-control": "no-store" }
    : { "x-request-id": requestId, "x-content-type-options": "nosniff" }

import { Result } from "effect"

/** Decides whether a trace is exported; `parent` is what the caller decided, where there is a caller. */
export type Sampler = (traceId: string, parent: boolean | undefined) => boolean

const always: Sampler = () => true
const never: Sampler = () => false

/**
 * Keeps this share of all traces. The last 56 bits of a trace id are random (W3C Trace Context Level 2), and a trace is
 * kept when they are not below a threshold, so every service that samples by the same ratio keeps the same traces
 * (OpenTelemetry, "Consistent probability sampling").
 */
const ofRatio = (ratio: number): Sampler => {
  const threshold = BigInt(Math.round((1 - ratio) * 2 ** 53)) << 3n
  return (traceId) => BigInt(`0x${traceId.slice(-14)}`) >= threshold
}

/** Follows the caller; `root` decides where there is none. */
const parentBased = (root: Sampler): Sampler => (traceId, parent) => parent ?? root(traceId, undefined)

/** The samplers of the specification, by the names of `OTEL_TRACES_SAMPLER`. */
const samplers = {
  always_on: () => always,
  always_off: () => never,
  traceidratio: ofRatio,
  parentbased_always_on: () => parentBased(always),
  parentbased_always_off: () => parentBased(never),
  parentbased_traceidratio: (ratio: number) => parentBased(ofRatio(ratio))
} as const satisfies Record<string, (ratio: number) => Sampler>

/** The name of a sampler. */
export type SamplerName = keyof typeof samplers

/** Reads the name of a sampler. */
export const samplerName = (text: string): Result.Result<SamplerName, string> =>
  Object.hasOwn(samplers, text)
    ? Result.succeed(text as SamplerName)
    : Result.fail(`must be ${Object.keys(samplers).slice(0, -1).join(", ")} or parentbased_traceidratio, not "${text}"`)

/** The sampler of this name; those of a ratio keep this share, from 0 to 1. */
export const makeSampler = (name: SamplerName, ratio: number): Sampler => samplers[name](ratio)

import { Context, Data, Deferred, Effect, Layer, Ref } from "effect"

/** The service must stop. The message is for its operator. */
export class Halted extends Data.TaggedError("Halted")<{ readonly message: string }> {}

/** Stops the service from within, where continuing would do harm. */
export class Halt extends Context.Service<Halt, {
  readonly because: (message: string) => Effect.Effect<void>
  /** Fails when the service must stop. */
  readonly awaited: Effect.Effect<never, Halted>
}>()("countersign/services/ground/platform/Halt") {
  static readonly layer = Layer.effect(
    Halt,
    Effect.sync(() => {
      const reason = Deferred.makeUnsafe<never, Halted>()
      return Halt.of({
        because: (message) => Effect.asVoid(Deferred.fail(reason, new Halted({ message }))),
        awaited: Deferred.await(reason)
      })
    })
  )
}

/**
 * The phase of the service's life. A node that drains still answers everything, but asks to be left; one that closes
 * refuses what comes in over the connections it still has.
 */
export type Phase = "starting" | "ready" | "draining" | "closing"

/** Tells whether requests should be sent to this node. */
export class Readiness extends Context.Service<Readiness, {
  readonly phase: Effect.Effect<Phase>
  readonly enter: (phase: Phase) => Effect.Effect<void>
}>()("countersign/services/ground/platform/Readiness") {
  static readonly layer = Layer.effect(
    Readiness,
    Effect.gen(function*() {
      const ref = yield* Ref.make<Phase>("starting")
      return Readiness.of({ phase: Ref.get(ref), enter: (phase) => Ref.set(ref, phase) })
    })
  )
}

/** The media type of the Prometheus text format. */
export const metricsType = "text/plain; version=0.0.4; charset=utf-8"

/** The metrics of one moment, as they are sent to all who ask for them. */
export interface Exposition {
  /** The Prometheus text format, in UTF-8. */
  readonly text: Uint8Array
  /** The same compressed, once however many take it. */
  readonly gzip: Effect.Effect<Uint8Array>
}

/** The metrics of this process in the Prometheus text format; the runtime implements it. */
export class MetricsExposition extends Context.Service<MetricsExposition, {
  /** As they are now. They are read once for all who ask meanwhile, and at most for a fiftieth of the time. */
  readonly read: Effect.Effect<Exposition>
}>()("countersign/services/ground/platform/MetricsExposition") {}

/** The guides of docs/, as they were written; the runtime reads them from its files. */
export class Guides extends Context.Service<Guides, {
  /** The path of each below docs/, such as `webhooks.md`, in order of the alphabet. */
  readonly paths: ReadonlyArray<string>

  /** The Markdown of one of {@link paths}. */
  readonly read: (path: string) => Effect.Effect<string>
}>()("countersign/services/ground/platform/Guides") {}

/**
 * Compression; the runtime implements it. That of what is stored in pieces and read whole is synchronous: 64 KiB take
 * a tenth of a millisecond, less than a hop through a thread pool and back.
 */
export class Compression extends Context.Service<Compression, {
  /** Compresses as Brotli (RFC 7932), fast rather than small: text becomes a sixth to a tenth. In a buffer of its own. */
  readonly compress: (bytes: Uint8Array) => Uint8Array

  /** Compresses what is sent many times, for HTTP (RFC 9110 section 8.4.1): smaller than fast, on another thread. */
  readonly compressOnce: (bytes: Uint8Array<ArrayBuffer>, encoding: "br" | "gzip") => Effect.Effect<Uint8Array>

  /** The bytes that were compressed. Throws where they are not Brotli, or more than `most`. */
  readonly decompress: (bytes: Uint8Array, most: number) => Uint8Array
}>()("countersign/services/ground/platform/Compression") {}

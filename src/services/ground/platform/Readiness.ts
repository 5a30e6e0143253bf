import { Context, Effect, Layer, Ref } from "effect"

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

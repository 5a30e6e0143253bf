import { Context, Effect, Layer, Ref } from "effect"

/** Where the service stands in its life. */
export type Phase = "starting" | "ready" | "draining"

/** Says whether requests should be sent here. */
export class Readiness extends Context.Service<Readiness, {
  readonly phase: Effect.Effect<Phase>
  readonly enter: (phase: Phase) => Effect.Effect<void>
}>()("countersign/services/platform/Readiness") {
  static readonly layer = Layer.effect(
    Readiness,
    Effect.gen(function*() {
      const ref = yield* Ref.make<Phase>("starting")
      return Readiness.of({ phase: Ref.get(ref), enter: (phase) => Ref.set(ref, phase) })
    })
  )
}

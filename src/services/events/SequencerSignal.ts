import { Context, Effect, Latch, Layer } from "effect"

/**
 * Tells the sequencer of this process that events were committed. Only a hint: commits of other nodes, and hints lost
 * in a crash, are found by its polling.
 */
export class SequencerSignal extends Context.Service<SequencerSignal, {
  /** Hints that there is something to sequence. Hints coalesce. */
  readonly wake: Effect.Effect<void>
  /** Waits for a hint given since the last wait. */
  readonly await: Effect.Effect<void>
}>()("countersign/services/events/SequencerSignal") {
  static readonly layer = Layer.effect(
    SequencerSignal,
    Effect.gen(function*() {
      const latch = yield* Latch.make(false)
      return SequencerSignal.of({
        wake: Effect.asVoid(latch.open),
        await: Effect.andThen(latch.await, latch.close)
      })
    })
  )
}

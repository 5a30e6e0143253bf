import { Context, Effect, Layer } from "effect"
import { Hint } from "../ground/platform/Supervised.ts"

/**
 * Tells the sequencer that events were committed, on whichever node it runs. A hint that is lost costs a second, after
 * which the sequencer looks by itself.
 */
export class SequencerSignal extends Context.Service<SequencerSignal, {
  /** Announces that this node has committed events. */
  readonly committed: Effect.Effect<void>
  /** Announces that another node has committed events. */
  readonly committedElsewhere: Effect.Effect<void>
  /** Waits for an announcement since the last wait. */
  readonly await: Effect.Effect<void>
  /** Waits for a commit of this node while the sequencer runs on another one, which is to be told. */
  readonly awaitUnannounced: Effect.Effect<void>
  /** Marks that the sequencer runs on this node for as long as the effect does. */
  readonly attended: <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
}>()("countersign/services/log/SequencerSignal") {
  static readonly layer = Layer.effect(
    SequencerSignal,
    Effect.gen(function*() {
      const hint = yield* Hint.make
      const unannounced = yield* Hint.make
      let sequencers = 0
      return SequencerSignal.of({
        committed: Effect.suspend(() => sequencers > 0 ? hint.wake : unannounced.wake),
        committedElsewhere: hint.wake,
        await: hint.await,
        awaitUnannounced: unannounced.await,
        attended: (effect) =>
          Effect.acquireUseRelease(
            Effect.sync(() => {
              sequencers += 1
            }),
            () => effect,
            () =>
              Effect.sync(() => {
                sequencers -= 1
              })
          )
      })
    })
  )
}

import { Context, Effect, Latch, Layer } from "effect"

/**
 * Tells this process that the feed has grown. Only a hint: who waits for it also looks for himself now and then, so a
 * lost one costs time and never an event.
 */
export class FeedSignal extends Context.Service<FeedSignal, {
  /** The highest sequence heard of. */
  readonly head: Effect.Effect<number>
  /** Says that the feed reaches up to `sequence`. */
  readonly publish: (sequence: number) => Effect.Effect<void>
  /** Waits until a sequence above `sequence` was heard of, and answers it. */
  readonly beyond: (sequence: number) => Effect.Effect<number>
}>()("countersign/services/events/FeedSignal") {
  static readonly layer = Layer.effect(
    FeedSignal,
    Effect.sync(() => {
      let head = 0
      const grown = Latch.makeUnsafe(false)
      const beyond = (sequence: number): Effect.Effect<number> =>
        Effect.suspend(() => {
          if (head > sequence) return Effect.succeed(head)
          grown.closeUnsafe()
          return Effect.andThen(grown.await, beyond(sequence))
        })
      return FeedSignal.of({
        head: Effect.sync(() => head),
        publish: (sequence) =>
          Effect.sync(() => {
            if (sequence <= head) return
            head = sequence
            grown.openUnsafe()
          }),
        beyond
      })
    })
  )
}

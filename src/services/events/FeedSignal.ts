import { Context, Effect, Latch, Layer } from "effect"

/**
 * Tells this process that the feed has grown. It is only a hint: its readers also poll, so a lost hint costs time and
 * never an event.
 */
export class FeedSignal extends Context.Service<FeedSignal, {
  /** The highest sequence announced so far. */
  readonly head: Effect.Effect<number>
  /** Announces that the feed reaches up to `sequence`. */
  readonly publish: (sequence: number) => Effect.Effect<void>
  /** Waits until a sequence above `sequence` is announced, and returns it. */
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

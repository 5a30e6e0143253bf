import { Effect, Latch } from "effect"

/**
 * Tells a loop of this process that there is work for it. It is only a hint: work that other nodes left, and hints lost
 * in a crash, are found by the loop's own polling.
 */
export class Hint {
  readonly #latch = Latch.makeUnsafe(false)

  /** Says that there is something to do. Hints coalesce. */
  readonly wake: Effect.Effect<void> = Effect.asVoid(this.#latch.open)

  /** Waits for a hint given since the last wait. */
  readonly await: Effect.Effect<void> = Effect.asVoid(Effect.andThen(this.#latch.await, this.#latch.close))

  /** Makes one that no work is known for. */
  static readonly make: Effect.Effect<Hint> = Effect.sync(() => new Hint())
}

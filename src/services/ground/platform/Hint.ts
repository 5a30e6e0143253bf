import { Effect, Latch } from "effect"

/**
 * Tells a loop of this process that it has work. It is only a hint: the loop also polls, and so finds work of other
 * nodes and work whose hint was lost in a crash.
 */
export class Hint {
  readonly #latch = Latch.makeUnsafe(false)

  /** Signals that there is work. Hints coalesce. */
  readonly wake: Effect.Effect<void> = Effect.asVoid(this.#latch.open)

  /** {@link wake} for what is no effect. */
  wakeUnsafe(): void {
    this.#latch.openUnsafe()
  }

  /** Waits for a hint given since the last wait. */
  readonly await: Effect.Effect<void> = Effect.asVoid(Effect.andThen(this.#latch.await, this.#latch.close))

  /** Makes a hint that has not been given. */
  static readonly make: Effect.Effect<Hint> = Effect.sync(() => new Hint())
}

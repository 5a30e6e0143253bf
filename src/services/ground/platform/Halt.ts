import { Context, Data, Deferred, Effect, Layer } from "effect"

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

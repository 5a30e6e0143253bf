import { Context, Data, Deferred, Effect, Layer } from "effect"

/** The service must not go on. The message is for whoever runs it. */
export class Halted extends Data.TaggedError("Halted")<{ readonly message: string }> {}

/** Ends the service from within, where going on would do harm. */
export class Halt extends Context.Service<Halt, {
  readonly because: (message: string) => Effect.Effect<void>
  /** Fails when the service must end. */
  readonly awaited: Effect.Effect<never, Halted>
}>()("countersign/services/platform/Halt") {
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

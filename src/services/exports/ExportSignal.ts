import { Context, Effect, Latch, Layer } from "effect"

/**
 * Tells the export worker of this process that an export was asked for. Only a hint: those asked for on other nodes,
 * and those whose node ended, are found by its polling.
 */
export class ExportSignal extends Context.Service<ExportSignal, {
  readonly wake: Effect.Effect<void>
  /** Waits for a hint given since the last wait. */
  readonly await: Effect.Effect<void>
}>()("countersign/services/exports/ExportSignal") {
  static readonly layer = Layer.effect(
    ExportSignal,
    Effect.gen(function*() {
      const latch = yield* Latch.make(false)
      return ExportSignal.of({
        wake: Effect.asVoid(latch.open),
        await: Effect.andThen(latch.await, latch.close)
      })
    })
  )
}

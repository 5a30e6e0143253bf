import { Context, Effect, Layer, Schedule } from "effect"
import { supervised } from "../platform/Supervised.ts"
import { PurchaseRouter } from "./PurchaseRouter.ts"

/** The pause between sweeps: how late a purchase is whose hint was lost. */
const every = Schedule.spaced("1 second")

/** Finds events and purchases that nobody was told of, because a node died or a message was lost. */
export class PurchaseSweeper extends Context.Service<PurchaseSweeper, {
  readonly run: Effect.Effect<never>
}>()("countersign/services/purchases/PurchaseSweeper") {
  static readonly layer = Layer.effect(
    PurchaseSweeper,
    Effect.map(PurchaseRouter, ({ sweep }) =>
      PurchaseSweeper.of({
        run: supervised("A sweep of the purchases", sweep, every, { retry: Schedule.spaced("5 seconds") })
      }))
  )
}

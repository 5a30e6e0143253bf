import { Context, Effect, Layer } from "effect"
import { Agenda } from "../agenda/Agenda.ts"
import { Database } from "../persistence/Database.ts"
import { PurchaseRouter } from "./PurchaseRouter.ts"
import { purchasesDue } from "./PurchaseSql.ts"

/** Finds events and purchases that nobody was told of, because a node died or a message was lost. */
export class PurchaseSweeper extends Context.Service<PurchaseSweeper, {
  readonly run: Effect.Effect<never>
}>()("countersign/services/purchases/PurchaseSweeper") {
  static readonly layer = Layer.effect(
    PurchaseSweeper,
    Effect.gen(function*() {
      const sql = yield* Database
      const agenda = yield* Agenda
      const { sweep } = yield* PurchaseRouter
      return PurchaseSweeper.of({
        run: agenda.follow({
          name: "A sweep of the purchases",
          topic: "purchases",
          due: () => purchasesDue(sql),
          look: sweep,
          rest: "1 second",
          retry: "5 seconds"
        })
      })
    })
  )
}

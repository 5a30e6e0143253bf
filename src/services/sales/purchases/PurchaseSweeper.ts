import { Context, Effect, Layer, Metric, Schedule } from "effect"
import { Agenda } from "../../ground/agenda/Agenda.ts"
import { Database } from "../../ground/persistence/Database.ts"
import { fromStartBy } from "../../ground/platform/SeriesFromStart.ts"
import { supervised } from "../../ground/platform/Supervised.ts"
import { PurchaseRouter } from "./PurchaseRouter.ts"
import { countPurchasesByStatus, purchasesDue } from "./PurchaseSql.ts"

const statuses = ["waiting", "failed"] as const

const waiting = fromStartBy(statuses, (status) =>
  Metric.gauge("countersign_purchases_waiting", {
    description: "Purchases that wait for a decision, or have failed and are tried again.",
    attributes: { status }
  }))

const countEvery = Schedule.spaced("30 seconds")

/** Finds events and purchases that nobody was told of, because a node died or a message was lost, and counts what waits for people. */
export class PurchaseSweeper extends Context.Service<PurchaseSweeper, {
  readonly run: Effect.Effect<never>
}>()("countersign/services/sales/purchases/PurchaseSweeper") {
  static readonly layer = Layer.effect(
    PurchaseSweeper,
    Effect.gen(function*() {
      const sql = yield* Database
      const agenda = yield* Agenda
      const { sweep } = yield* PurchaseRouter

      const count = Effect.flatMap(
        countPurchasesByStatus(sql, statuses),
        (rows) =>
          Effect.forEach(
            statuses,
            (status) => Metric.update(waiting[status], Number(rows.find((row) => row.status === status)?.count ?? 0)),
            {
              discard: true
            }
          )
      )

      return PurchaseSweeper.of({
        run: Effect.raceFirst(
          agenda.follow({
            name: "A sweep of the purchases",
            topic: "purchases",
            due: () => purchasesDue(sql),
            look: sweep,
            rest: "1 second",
            retry: "5 seconds"
          }),
          supervised("Counting purchases", count, countEvery, { level: "Debug", retry: countEvery })
        )
      })
    })
  )
}

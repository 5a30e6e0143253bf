import { Context, Effect, Layer, Metric, Schedule } from "effect"
import type { PurchaseName } from "../../../domain/sales/providers/Fact.ts"
import { isBeginning, purchasesOf } from "../../../domain/sales/providers/ProviderEvent.ts"
import { Agenda } from "../../ground/agenda/Agenda.ts"
import { Database, inTransaction } from "../../ground/persistence/Database.ts"
import { Identifiers } from "../../ground/persistence/Identifiers.ts"
import { fromStartBy } from "../../ground/platform/SeriesFromStart.ts"
import { supervised } from "../../ground/platform/Supervised.ts"
import { swept } from "../../ground/platform/Sweeps.ts"
import { insertWork } from "../billing/ConnectionSql.ts"
import { InboxSignal } from "../billing/InboxSignal.ts"
import { PurchaseActor } from "./PurchaseActor.ts"
import { countPurchasesByStatus, listDue, purchasesDue } from "./PurchaseSql.ts"
import {
  insertPurchases,
  listLinksFrom,
  listObjects,
  listPurchaseIds,
  lockUnrouted,
  updateRouted
} from "./RoutingSql.ts"
import type { UnroutedEvent } from "./RoutingSql.ts"

/** How many events one transaction routes, and how many purchases a sweep wakes. */
const batch = 200

/**
 * The time from an event to the round of routing that begins with it. What comes meanwhile is routed together: a checkout is a
 * dozen events in a moment, and each look reads all of them.
 */
const gathering = "100 millis"

const atOnce = Schedule.spaced(0)

const retryAfterFailure = Schedule.spaced("500 millis")

/**
 * Finds the purchases that events are about, asks for a look at each, and wakes their actors. An event whose purchase is
 * not known yet is seen when the link comes that leads to it: a look reads all events that lead to its purchase.
 */
export class PurchaseRouter extends Context.Service<PurchaseRouter, {
  /** Routes one batch of events, and wakes the purchases that they are about; answers how many events there were. */
  readonly route: Effect.Effect<number>
  /** Routes what is left, and wakes every purchase that has work which is due; one round of the sweep of the cluster. */
  readonly sweep: Effect.Effect<void>
  /** Routes what this node receives, as it comes. */
  readonly run: Effect.Effect<never>
}>()("countersign/services/sales/purchases/PurchaseRouter") {
  static readonly layer = Layer.effect(
    PurchaseRouter,
    Effect.gen(function*() {
      const sql = yield* Database
      const actor = yield* PurchaseActor
      const identifiers = yield* Identifiers
      const signal = yield* InboxSignal

      /** The purchases of events of one connection. */
      const namesOf = Effect.fnUntraced(function*(connectionId: string, events: ReadonlyArray<UnroutedEvent>) {
        const objects = (yield* listObjects(sql, events.map(({ sequence }) => sequence))).map(({ object }) => object)
        const links = yield* listLinksFrom(sql, connectionId, objects)
        const named = (names: Iterable<PurchaseName>) =>
          [...names].map((name) => ({ connection_id: connectionId, name }))
        return {
          purchases: named(new Set(objects.flatMap((object) => purchasesOf(object, links)))),
          // An order that came before the subscription that it begins was taken for a purchase.
          beginnings: named(new Set(objects.filter((object) => isBeginning(object, links))))
        }
      })

      const routed = inTransaction(
        sql,
        Effect.gen(function*() {
          const events = yield* lockUnrouted(sql, batch)
          if (events.length === 0) return { count: 0, ids: [] }
          const byConnection = Map.groupBy(events, ({ connection_id }) => connection_id)
          const named = yield* Effect.forEach(byConnection, ([id, some]) => namesOf(id, some))
          const purchases = named.flatMap(({ purchases }) => purchases)
          yield* insertPurchases(sql, purchases.map((purchase) => ({ id: identifiers.next("pur"), ...purchase })))
          const known = purchases.concat(named.flatMap(({ beginnings }) => beginnings))
          const ids = (yield* listPurchaseIds(sql, known)).map(({ id }) => id)
          yield* insertWork(sql, ids)
          yield* updateRouted(sql, events.map(({ sequence }) => sequence))
          return { count: events.length, ids }
        })
      )

      const wake = (ids: ReadonlyArray<string>) => Effect.forEach(ids, actor.wake, { discard: true })

      const route = Effect.flatMap(routed, ({ count, ids }) => Effect.as(wake(ids), count))

      const routeAll = Effect.gen(function*() {
        while ((yield* route) >= batch);
      })

      const due = Effect.flatMap(listDue(sql, batch), (rows) => wake(rows.map(({ id }) => id)))

      return PurchaseRouter.of({
        route,
        sweep: swept("purchases", Effect.andThen(routeAll, due)),
        run: supervised(
          "Routing events of payment providers",
          Effect.andThen(signal.await, Effect.delay(routeAll, gathering)),
          atOnce,
          {
            retry: retryAfterFailure
          }
        )
      })
    })
  )

  /** Has every node route what it receives. */
  static readonly layerRunning = Layer.effectDiscard(
    Effect.flatMap(PurchaseRouter, ({ run }) => Effect.forkScoped(run))
  )
}

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

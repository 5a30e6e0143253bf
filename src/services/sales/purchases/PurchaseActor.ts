import { Context, Effect, Layer } from "effect"
import { ClusterSchema, Entity, Sharding } from "effect/cluster"
import { Rpc } from "effect/rpc"
import { Announcements } from "../../ground/agenda/Announcements.ts"
import { ofItself } from "../../log/Provenance.ts"
import { PurchaseWork } from "./PurchaseWork.ts"

/**
 * Hints that a purchase may have work. A hint may be lost: what must survive is a row of `purchase_work`, and a sweep finds
 * it. A second hint while the first is worked on waits in the mailbox, and finds nothing to do where the first saw it all.
 */
const Look = Rpc.make("Look").annotate(ClusterSchema.InterruptOnTermination, true)

const Purchase = Entity.make("Purchase", [Look])

/** An idle actor leaves memory after this time. */
const maxIdleTime = "5 seconds"

/**
 * One actor for each purchase that has work, and the model of an actor: ARCHITECTURE.md says where each step of a look is. Its
 * life:
 *
 * 1. Something writes a row that asks for it (a routed event, a mapping, a person), commits, and sends `Look`.
 * 2. The cluster places it on one node. It has no state that it must keep: it reads all from its rows.
 * 3. Each message is one look: events, fold, plan, and one transaction that does the commands and deletes the rows that
 *    asked. Messages are taken one at a time; the lock on the purchase's row holds even where two nodes act for a moment.
 * 4. When its node dies, the transaction is rolled back, the rows that asked are still there, and the sweep wakes it
 *    elsewhere. What it did is a license under a unique reference, so that a second look does nothing twice.
 */
export class PurchaseActor extends Context.Service<PurchaseActor, {
  /** Wakes the actor of a purchase, wherever it is. */
  readonly wake: (purchaseId: string) => Effect.Effect<void>
}>()("countersign/services/sales/purchases/PurchaseActor") {
  static readonly layer = Layer.effect(
    PurchaseActor,
    Effect.gen(function*() {
      const sharding = yield* Sharding.Sharding
      const announcements = yield* Announcements
      const { look } = yield* PurchaseWork

      const handlers = Effect.map(Entity.CurrentAddress, ({ entityId }) =>
        Purchase.of({
          Look: () =>
            ofItself(look(String(entityId))).pipe(
              Effect.catchCause((cause) => Effect.logWarning("A look at a purchase failed and is tried again", cause)),
              Effect.withTracerEnabled(false)
            )
        }))

      yield* sharding.registerEntity(Purchase, handlers, { maxIdleTime })
      const client = yield* Purchase.client
      const scope = yield* Effect.scope

      return PurchaseActor.of({
        // In a fiber of its own, so that an actor that is slow to start delays no other.
        wake: (id) =>
          client(id).Look(undefined, { discard: true }).pipe(
            Effect.catchCause((cause) => Effect.logDebug("A purchase could not be woken", cause)),
            Effect.withTracerEnabled(false),
            Effect.forkIn(scope),
            // The sweep makes up for a message that is lost: it goes on until there is no work.
            Effect.andThen(announcements.announce("purchases"))
          )
      })
    })
  )
}

import { Context, Effect, Layer } from "effect"
import { failing, NotFound, StateConflict } from "../../../domain/ground/wire/Errors.ts"
import type { ValidationError } from "../../../domain/ground/wire/Errors.ts"
import type { License } from "../../../domain/licensing/licenses/License.ts"
import { sameOwner } from "../../../domain/licensing/owners/Owner.ts"
import type { Purchase, PurchaseOwnerDecision } from "../../../domain/sales/billing/Purchase.ts"
import { purchaseOf } from "../../../domain/sales/billing/PurchaseView.ts"
import { Database, inTransaction } from "../../ground/persistence/Database.ts"
import { Licenses } from "../../licensing/licenses/Licenses.ts"
import { LicenseTransfers } from "../../licensing/lifecycle/LicenseTransfers.ts"
import { LicenseUpdates } from "../../licensing/lifecycle/LicenseUpdates.ts"
import { insertWork } from "../billing/ConnectionSql.ts"
import { PurchaseActor } from "./PurchaseActor.ts"
import { findPurchase } from "./PurchaseColumnsSql.ts"
import { deleteHolding, listHoldings, lockPurchase, updateApart, updateSaid } from "./PurchaseSql.ts"
import type { HeldPurchase, HoldingRow } from "./PurchaseSql.ts"

const missing = failing(NotFound, "No purchase has this id.")

const noOther = failing(StateConflict, "No license of the purchase waits for this decision.", { detail: "same_owner" })

/**
 * Decisions about licenses that belong to another owner than who pays for them by now, that another purchase of the customer pays for as
 * well, or that are not issued because another site seems to have issued them.
 */
export class PurchaseOwners extends Context.Service<PurchaseOwners, {
  /** Decides for all licenses of a purchase that wait, and has it looked at again, at once. Answers the purchase as it was before. */
  readonly decide: (
    id: string,
    decision: PurchaseOwnerDecision
  ) => Effect.Effect<Purchase, NotFound | StateConflict | ValidationError>
}>()("countersign/services/sales/purchases/PurchaseOwners") {
  static readonly layer = Layer.effect(
    PurchaseOwners,
    Effect.gen(function*() {
      const sql = yield* Database
      const actor = yield* PurchaseActor
      const licenses = yield* Licenses
      const transfers = yield* LicenseTransfers
      const updates = yield* LicenseUpdates

      /** The licenses that wait for a decision about their owner. */
      const differing = Effect.fnUntraced(function*(id: string, payer: string) {
        const rows = (yield* listHoldings(sql, id)).filter(({ is_adopted, said }) =>
          !is_adopted && said?.customer_id !== payer
        )
        const found = yield* licenses.getAll(rows.map(({ license_id }) => license_id))
        return rows.flatMap((row) => {
          const license = found.get(row.license_id)!
          return license.status === "revoked" || sameOwner(license, { customer_id: payer }) ? [] : [{ row, license }]
        })
      })

      /** Has the purchase have the licenses no more that another one pays for: others are issued in their place. Answers how many. */
      const letGo = Effect.fnUntraced(function*(id: string) {
        const rows = (yield* listHoldings(sql, id)).filter(({ is_adopted }) => is_adopted)
        yield* Effect.forEach(rows, ({ license_id }) => deleteHolding(sql, id, license_id), { discard: true })
        return rows.length
      })

      /** Has a purchase that waits get licenses of its own; answers for how many things it waited. */
      const issueFor = Effect.fnUntraced(function*({ holds, id }: HeldPurchase) {
        const waitsFor = (named: string) => holds.some(({ code }) => code === named)
        const isApart = waitsFor("sold_elsewhere")
        if (isApart) yield* updateApart(sql, id)
        return (isApart ? 1 : 0) + (waitsFor("paid_twice") ? yield* letGo(id) : 0)
      })

      const decideOne = Effect.fnUntraced(function*(
        purchaseId: string,
        payer: string,
        { license, row }: { readonly license: License; readonly row: HoldingRow },
        { owner }: PurchaseOwnerDecision
      ) {
        if (owner === "issue") {
          // It ends with what is paid, and stays its owner's: the purchase has nothing to do with it any more.
          if (license.follows_subscription === true) yield* updates.update(license.id, { follows_subscription: false })
          yield* deleteHolding(sql, purchaseId, license.id)
          return
        }
        if (owner === "follow") yield* transfers.transfer(license.id, { customer_id: payer })
        if (row.said !== null) {
          yield* updateSaid(sql, purchaseId, license.id, { ...row.said, customer_id: payer })
        }
      })

      /** Decides about each license that another one than the payer owns; answers how many there are. */
      const decideFor = Effect.fnUntraced(function*(id: string, payer: string, decision: PurchaseOwnerDecision) {
        const found = yield* differing(id, payer)
        yield* Effect.forEach(found, (one) => decideOne(id, payer, one, decision), { discard: true })
        return found.length
      })

      const decide = Effect.fn("PurchaseOwners.decide")((id: string, decision: PurchaseOwnerDecision) =>
        inTransaction(
          sql,
          Effect.gen(function*() {
            const [locked] = yield* lockPurchase(sql, id)
            const [shown] = yield* findPurchase(sql, id)
            if (locked === undefined || shown === undefined) return yield* missing
            const { customer_id: payer } = locked
            const issued = decision.owner === "issue" ? yield* issueFor(locked) : 0
            const decided = payer === null ? 0 : yield* decideFor(id, payer, decision)
            if (issued + decided === 0) return yield* noOther
            yield* insertWork(sql, [id])
            yield* sql.afterCommit(actor.wake(id))
            return purchaseOf(shown)
          })
          // The request names no state of a license.
        ).pipe(Effect.catchTag("PRECONDITION_FAILED", Effect.die))
      )

      return PurchaseOwners.of({ decide })
    })
  )
}

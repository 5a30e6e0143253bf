import { Effect } from "effect"
import type { Adoptable, Holding, Plan, Planned } from "../../../domain/sales/purchases/Command.ts"
import { choicesOf } from "../../../domain/sales/purchases/Mapping.ts"
import type { Mapping } from "../../../domain/sales/purchases/Mapping.ts"
import { planOf } from "../../../domain/sales/purchases/Plan.ts"
import type { PurchaseState } from "../../../domain/sales/purchases/PurchaseState.ts"
import { endedNear, planInPlaceOf } from "../../../domain/sales/purchases/Taking.ts"
import type { Customers } from "../../customers/Customers.ts"
import { CurrentReason } from "../../log/Provenance.ts"
import type { Licenses } from "../../licensing/licenses/Licenses.ts"
import type { MailQueue } from "../../mail/MailQueue.ts"
import type { Database } from "../../ground/persistence/Database.ts"
import { insertWorkOfNear, listUnused } from "./GoingOnSql.ts"
import { listAdoptable, listMovingIn } from "./MovingInSql.ts"
import { deleteHolding } from "./PurchaseSql.ts"
import type { HeldPurchase } from "./PurchaseSql.ts"
import { insertWorkOfUnits } from "./UnitsSql.ts"

/** A license that nobody has used, and the one that goes on in its place. */
interface Replaced {
  readonly license_id: string
  readonly by: string
}

/** A plan, and the licenses that others go on in the place of. */
export interface DecidedPlan extends Plan {
  readonly replaced?: ReadonlyArray<Replaced>
}

/** The instant at which a subscription ended, or was said not to be renewed. */
const endOf = (state: PurchaseState | null) =>
  state?.kind === "subscription" && (state.state === "canceled" || state.cancel_at !== undefined)
    ? state.canceled_at ?? state.ended_at
    : undefined

/** Finds what a purchase goes on with: licenses that were there before its connection, and those of subscriptions whose end is told late. */
export const makeGoingOn = (
  sql: Database,
  licenses: Licenses["Service"],
  customers: Customers["Service"],
  mails: MailQueue["Service"]
) => {
  /** The licenses of the customer, who is locked: two purchases that begin at once do not take over the same one. */
  const adoptableBy = Effect.fnUntraced(function*(purchase: HeldPurchase, { payer }: PurchaseState) {
    if (payer.id === undefined) return []
    const customer = yield* customers.lockNamed({ external_system: purchase.system, external_id: payer.id })
    if (customer === undefined) return []
    const rows = yield* listAdoptable(sql, {
      connectionId: purchase.connection_id,
      customerId: customer.id,
      purchaseId: purchase.id
    })
    const found = yield* licenses.getAll(rows.map(({ license_id }) => license_id))
    return rows.map(({ began_at, ended_at, is_ending, license_id, said }) => ({
      license: found.get(license_id)!,
      is_ending,
      began_at: began_at ?? undefined,
      ended_at: ended_at ?? undefined,
      said: said ?? undefined
    }))
  })

  /** The licenses of the records of a purchase that were there before its connection. */
  const movingIn = Effect.fnUntraced(function*({ id, system }: HeldPurchase, { commands }: Plan) {
    const records = commands.flatMap((command) => command.type === "issue" ? [command.record] : [])
    const rows = yield* listMovingIn(sql, { purchaseId: id, system, kind: records[0]!.kind, names: records })
    const found = yield* licenses.getAll(rows.map(({ license_id }) => license_id))
    return rows.map(({ external_id, license_id }) => ({ license: found.get(license_id)!, of_record: external_id }))
  })

  /** The same plan, with licenses of subscriptions that ended within a day in the place of those that nobody has used yet. */
  const replacing = Effect.fnUntraced(function*(
    { id }: HeldPurchase,
    state: PurchaseState,
    mapping: Mapping,
    { adoptableBy, plan, ...known }: Omit<Planned, "adoptable"> & {
      readonly plan: Plan
      readonly adoptableBy: Effect.Effect<ReadonlyArray<Adoptable>>
    }
  ) {
    const isOpen = state.kind === "subscription" && state.state !== "canceled"
    if (!isOpen || choicesOf(mapping).bought_again !== "continue") return plan
    if (known.holdings.length === 0 || (yield* listUnused(sql, id)).length === 0) return plan
    // The customer is locked before any license.
    const near = endedNear(state, yield* adoptableBy)
    if (near.length === 0) return plan
    for (const licenseId of known.holdings.map(({ license }) => license.id).toSorted()) {
      yield* Effect.orDie(licenses.hold(licenseId))
    }
    const unused = new Set((yield* listUnused(sql, id)).map(({ license_id }) => license_id))
    const isUnused = ({ license }: Holding) => unused.has(license.id)
    const planWithout = (holdings: ReadonlyArray<Holding>) =>
      planOf(state, mapping, { ...known, holdings, adoptable: near })
    return planInPlaceOf(known.holdings, isUnused, planWithout) ?? plan
  })

  /** Ends the licenses that nobody has used, and says which go on. Comes before the commands of the plan. */
  const end = (purchaseId: string, { replaced = [] }: DecidedPlan) =>
    Effect.forEach(replaced, ({ by, license_id }) =>
      deleteHolding(sql, purchaseId, license_id).pipe(
        Effect.andThen(Effect.provideService(
          Effect.orDie(licenses.revoke(license_id)),
          CurrentReason,
          `The license was not used, and the subscription before its own has ended: ${by} continues instead.`
        )),
        // The buyer is not left with a key that does not work.
        Effect.andThen(mails.continued({ licenseId: by, formerId: license_id }))
      ), { discard: true })

  /**
   * Has other purchases of a customer looked at again: subscriptions that began within a day of when this one is newly known to end, and units
   * that were bought before the licenses which are there by now.
   */
  const tell = Effect.fnUntraced(function*(
    { connection_id, customer_id, id, state: before }: HeldPurchase,
    state: PurchaseState,
    hasLicenses: boolean
  ) {
    if (customer_id === null) return
    if (hasLicenses) yield* insertWorkOfUnits(sql, customer_id)
    const endedAt = endOf(state)
    if (endedAt === undefined || endOf(before) === endedAt) return
    yield* insertWorkOfNear(sql, { purchaseId: id, connectionId: connection_id, customerId: customer_id, endedAt })
  })

  return { adoptableBy, movingIn, replacing, end, tell }
}

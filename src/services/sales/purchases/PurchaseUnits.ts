import { Context, Effect, Layer } from "effect"
import type {
  DomainError,
  IdempotencyConflict,
  NotFound,
  StateConflict,
  ValidationError
} from "../../../domain/ground/wire/Errors.ts"
import type { TellingEvent } from "../../../domain/sales/providers/ProviderEvent.ts"
import { wireTime } from "../../../domain/sales/providers/SourceTime.ts"
import type { Command, Hold } from "../../../domain/sales/purchases/Command.ts"
import { hold } from "../../../domain/sales/purchases/Holds.ts"
import type { Mapping } from "../../../domain/sales/purchases/Mapping.ts"
import { payerCommand } from "../../../domain/sales/purchases/Plan.ts"
import type { PurchaseState } from "../../../domain/sales/purchases/PurchaseState.ts"
import { unitsSold } from "../../../domain/sales/selling/SoldUnits.ts"
import type { SoldUnits } from "../../../domain/sales/selling/SoldUnits.ts"
import { endOf, keyOf, namedLicense, soldKey, unitSteps, unitTarget } from "../../../domain/sales/selling/UnitsPlan.ts"
import type { UnitsStep } from "../../../domain/sales/selling/UnitsPlan.ts"
import { Database } from "../../ground/persistence/Database.ts"
import { Grants } from "../../licensing/metering/Grants.ts"
import { CurrentReason } from "../../log/Provenance.ts"
import { lockObject } from "./PurchaseSql.ts"
import type { HeldPurchase } from "./PurchaseSql.ts"
import { findFeatureProduct, findUnitTargets, insertUnits, listGivenUnits, updateTaken } from "./UnitsSql.ts"
import type { GivenRow } from "./UnitsSql.ts"

/** The facts of a purchase that a look knows. */
interface LookedAt {
  readonly state: PurchaseState
  readonly mapping: Mapping
  readonly told: ReadonlyArray<TellingEvent>
  readonly now: Date
}

/** Steps about the units of a purchase, and what waits. */
export interface UnitsPlan {
  readonly steps: ReadonlyArray<UnitsStep>
  readonly given: ReadonlyArray<GivenRow>
  readonly holds: ReadonlyArray<Hold>
  /** Unix milliseconds. */
  readonly now: number
}

/** A purchase with the customer whose it is by now. */
type Owned = HeldPurchase & { readonly customer_id: string | null }

/** The hold of units that could not be given, with what the service said. */
const refused = ({ item }: SoldUnits, { fields = [], message }: DomainError["error"]): Hold => {
  const details = fields.map(({ message, path }) => `${path} ${message}`).join("; ")
  const said = hold("units_refused", item)
  return { ...said, message: `${said.message} ${details === "" ? message : details}` }
}

const iso = (millis: number | undefined) => millis === undefined ? {} : { expires_at: new Date(millis).toISOString() }

/** The commands of a look, with who pays where units are sold and no license is. */
export const withPayer = (
  state: PurchaseState,
  { steps }: UnitsPlan,
  commands: ReadonlyArray<Command>
): ReadonlyArray<Command> =>
  steps.some(({ type }) => type === "give") && !commands.some(({ type }) => type === "owner")
    ? [...payerCommand(state), ...commands]
    : commands

/** Gives and takes back the units that purchases have bought, by the services that do it for everybody. */
export class PurchaseUnits extends Context.Service<PurchaseUnits, {
  /** Plans what is to be done about the units of a locked purchase. Other connections that are told of the same payments wait from here on. */
  readonly plan: (purchase: HeldPurchase, looked: LookedAt) => Effect.Effect<UnitsPlan>
  /** Does it once the licenses of the purchase are as they should be; answers what was given, and what waits. */
  readonly run: (
    purchase: Owned,
    state: PurchaseState,
    plan: UnitsPlan
  ) => Effect.Effect<{ readonly given: ReadonlyArray<SoldUnits>; readonly waiting: ReadonlyArray<Hold> }>
}>()("countersign/services/sales/purchases/PurchaseUnits") {
  static readonly layer = Layer.effect(
    PurchaseUnits,
    Effect.gen(function*() {
      const sql = yield* Database
      const { ofCustomers: pools, ofLicenses: grants } = yield* Grants

      const plan = Effect.fnUntraced(function*(
        { holds, id, name, system }: HeldPurchase,
        { mapping, now, state, told }: LookedAt
      ) {
        const { awaitsPayment, awaitsPeriod, sold } = unitsSold(state, name, told, mapping)
        const waiting: ReadonlyArray<Hold> = [
          ...(awaitsPayment ? [hold("awaits_payment")] : []),
          ...(awaitsPeriod ? [hold("awaits_period")] : [])
        ]
        if (sold.length === 0) return { steps: [], given: [], holds: waiting, now: now.getTime() }
        yield* lockObject(sql, system, name)
        const given = yield* listGivenUnits(sql, system, [...new Set(sold.map(({ bill }) => bill))])
        const waited = new Set(holds.flatMap(({ price }) => price ?? []))
        const steps = unitSteps({ sold }, { given, purchaseId: id, waited, now: now.getTime() })
        return { steps, given, holds: waiting, now: now.getTime() }
      })

      /** The license for units, or why nobody can say which. */
      const targetOf = Effect.fnUntraced(function*(
        { connection_id, customer_id, id, name }: Owned,
        state: PurchaseState,
        sold: SoldUnits
      ) {
        const [feature] = yield* findFeatureProduct(sql, sold.entry.feature_id)
        if (feature === undefined) {
          return {
            ...hold("units_refused", sold.item),
            message: "The feature of the entry no longer exists: choose another one."
          }
        }
        const named = namedLicense(state.origin.metadata)
        const [found] = yield* findUnitTargets(sql, {
          purchaseId: id,
          connectionId: connection_id,
          name,
          productId: feature.product_id,
          customerId: customer_id,
          licenseId: named ?? null
        })
        return unitTarget(sold, { ...found!, named: named === undefined ? undefined : found!.named })
      })

      /** Gives units to a license or a customer, as those of a payment; `number` counts how often. Answers the ID of the grant or pool. */
      const giveTo = Effect.fnUntraced(function*(
        { entry, starts_at, ...sold }: SoldUnits,
        to: Pick<GivenRow, "license_id" | "customer_id">,
        { amount, end, now, number, reason }: {
          readonly amount: number
          readonly end: number | undefined
          readonly number: number
          readonly now: number
          readonly reason: string
        }
      ) {
        const starts = starts_at === undefined ? undefined : Date.parse(wireTime(starts_at))
        const input = {
          feature_id: entry.feature_id,
          amount,
          // Units of a period that has begun can be used at once.
          ...(starts !== undefined && starts > now ? { starts_at: new Date(starts).toISOString() } : {}),
          ...iso(end),
          ...(entry.priority === undefined ? {} : { priority: entry.priority }),
          reference: [sold.bill, sold.part, entry.feature_id, ...(number > 1 ? [number] : [])].join(" ")
        }
        const { max_per_license } = entry
        type Failure = IdempotencyConflict | NotFound | StateConflict | ValidationError
        const giving: Effect.Effect<{ readonly id: string }, Failure> = to.license_id === null
          ? pools.give(to.customer_id!, { ...input, ...(max_per_license === undefined ? {} : { max_per_license }) })
          : grants.give(to.license_id, { ...input, source: "purchase" })
        return (yield* Effect.provideService(giving, CurrentReason, reason)).id
      })

      /** The rest of a grant or a pool that was revoked, and its end. */
      const leftOf = ({ customer_id, grant_id, license_id }: GivenRow) =>
        Effect.orDie<{ readonly amount: number; readonly used: number; readonly expires_at?: string }, unknown, never>(
          license_id === null ? pools.get(customer_id!, grant_id) : grants.get(license_id, grant_id)
        )

      const take = Effect.fnUntraced(function*({ id, system }: Owned, row: GivenRow) {
        const { customer_id, grant_id, license_id } = row
        const taking: Effect.Effect<unknown, unknown> = license_id === null
          ? pools.revoke(customer_id!, grant_id)
          : grants.revoke(license_id, grant_id)
        yield* Effect.orDie(
          Effect.provideService(taking, CurrentReason, `The payment of purchase ${id} was refunded.`)
        )
        yield* updateTaken(sql, { ...row, system, taken_by: id })
      })

      const again = Effect.fnUntraced(function*({ id, system }: Owned, sold: SoldUnits, row: GivenRow, now: number) {
        const { amount, expires_at, used } = yield* leftOf(row)
        const end = expires_at === undefined ? undefined : Date.parse(expires_at)
        if (amount > used && (end === undefined || end > now)) {
          const number = row.number + 1
          const reason = `The refund of purchase ${id} failed.`
          const grant_id = yield* giveTo(sold, row, { amount: amount - used, end, number, now, reason })
          yield* insertUnits(sql, { ...row, grant_id, number, amount: amount - used, purchaseId: id, system })
        } else {
          yield* updateTaken(sql, { ...row, system, taken_by: null })
        }
      })

      const give = Effect.fnUntraced(function*(purchase: Owned, state: PurchaseState, sold: SoldUnits, now: number) {
        const { entry: { feature_id, to }, bill, part } = sold
        const { customer_id, id, system } = purchase
        if (to === "customer" && customer_id === null) return [hold("units_no_customer", sold.item)]
        const target = to === "customer" ? undefined : yield* targetOf(purchase, state, sold)
        if (typeof target === "object") return [target]
        const owner = target === undefined
          ? { license_id: null, customer_id }
          : { license_id: target, customer_id: null }
        const { amount } = sold
        const reason = `Bought by purchase ${id}.`
        const grant_id = yield* giveTo(sold, owner, { amount, end: endOf(sold), number: 1, now, reason })
        yield* insertUnits(sql, {
          bill,
          part,
          feature_id,
          number: 1,
          ...owner,
          grant_id,
          amount,
          purchaseId: id,
          system
        })
        return []
      })

      const run = Effect.fn("PurchaseUnits.run")(function*(
        purchase: Owned,
        state: PurchaseState,
        { given, holds, now, steps }: UnitsPlan
      ) {
        const rows = new Map(given.map((row) => [keyOf(row), row]))
        const done = yield* Effect.forEach(steps, (step) => {
          const row = rows.get(soldKey(step.sold))
          const doing = step.type === "give"
            ? give(purchase, state, step.sold, now)
            : Effect.as(step.type === "take" ? take(purchase, row!) : again(purchase, step.sold, row!, now), [])
          return doing.pipe(
            Effect.catch(({ error }) => Effect.succeed([refused(step.sold, error)])),
            Effect.map((waiting) => ({
              given: step.type === "give" && waiting.length === 0 ? [step.sold] : [],
              waiting
            }))
          )
        })
        return {
          given: done.flatMap(({ given }) => given),
          waiting: [...holds, ...done.flatMap(({ waiting }) => waiting)]
        }
      })

      return PurchaseUnits.of({ plan, run })
    })
  )
}

import { Cause, Context, Effect, Layer, Semaphore } from "effect"
import { isTooFarAhead } from "../../../domain/customers/SourceInstant.ts"
import { isSameJson } from "../../../domain/ground/wire/CanonicalJson.ts"
import { isDomainError } from "../../../domain/ground/wire/Errors.ts"
import type { PurchaseHold, PurchaseStatus } from "../../../domain/sales/billing/Purchase.ts"
import { eventDataOf, holdsOf, statusAfter } from "../../../domain/sales/billing/PurchaseLooked.ts"
import type { Adoptable, Command, Holding, Plan, Planned } from "../../../domain/sales/purchases/Command.ts"
import { fold, since } from "../../../domain/sales/purchases/Fold.ts"
import { hold } from "../../../domain/sales/purchases/Holds.ts"
import type { Mapping } from "../../../domain/sales/purchases/Mapping.ts"
import { choicesOf } from "../../../domain/sales/purchases/Mapping.ts"
import { planOf } from "../../../domain/sales/purchases/Plan.ts"
import type { PurchaseState } from "../../../domain/sales/purchases/PurchaseState.ts"
import { saidBefore } from "../../../domain/sales/purchases/Said.ts"
import { endedNear, mayGoOn, planInPlaceOf, takeableBy } from "../../../domain/sales/purchases/Taking.ts"
import type { SoldUnits } from "../../../domain/sales/selling/SoldUnits.ts"
import { Customers } from "../../customers/Customers.ts"
import { lockNamed } from "../../customers/CustomerSql.ts"
import { Database, inTransaction } from "../../ground/persistence/Database.ts"
import { Cryptography } from "../../ground/platform/Cryptography.ts"
import { Licenses } from "../../licensing/licenses/Licenses.ts"
import { Events } from "../../log/Events.ts"
import { CurrentReason } from "../../log/Provenance.ts"
import { MailQueue } from "../../mail/MailQueue.ts"
import { insertWork } from "../billing/ConnectionSql.ts"
import { ErasedMeanwhile, makeErasedPurchases } from "./ErasedPurchases.ts"
import { makeKnownEvents } from "./KnownEvents.ts"
import { PurchaseCommands } from "./PurchaseCommands.ts"
import type { Failure } from "./PurchaseCommands.ts"
import { PurchaseReading } from "./PurchaseReading.ts"
import {
  deleteHolding,
  deleteWork,
  findLookedBy,
  listAdoptable,
  listElsewhere,
  listHoldings,
  listMovingIn,
  lockMapping,
  lockObject,
  lockPurchase,
  updateFailed,
  updateLooked
} from "./PurchaseSql.ts"
import type { HeldPurchase } from "./PurchaseSql.ts"
import { PurchaseUnits, withPayer } from "./PurchaseUnits.ts"
import { insertWorkOfNear, listUnused, updateAhead, updateSettling } from "./SettlingSql.ts"
import { insertWorkOfUnits } from "./UnitsSql.ts"

/** A license that nobody has used, and the one that goes on in its place. */
interface Replaced {
  readonly license_id: string
  readonly by: string
}

/** A plan, and the licenses that others go on in the place of. */
interface DecidedPlan extends Plan {
  readonly replaced?: ReadonlyArray<Replaced>
}

/** The instant at which a subscription ended, or was said not to be renewed. */
const endOf = (state: PurchaseState | null) =>
  state?.kind === "subscription" && (state.state === "canceled" || state.cancel_at !== undefined)
    ? state.canceled_at ?? state.ended_at
    : undefined

/** Finds what a purchase goes on with: licenses that were there before its connection, and those of subscriptions whose end is told late. */
const makeGoingOn = (
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

/** The reason why a purchase could not be done, for people. A mistake of the service itself is for its operator alone. */
const failureOf = (cause: Cause.Cause<Failure>): { readonly code: string; readonly message: string } => {
  const error = Cause.squash(cause)
  if (!isDomainError(error)) return { code: "INTERNAL", message: "The service failed. Its log says why." }
  const { code, fields = [], message } = error.error
  const details = fields.map((field) => `${field.path} ${field.message}`).join("; ")
  return { code, message: details === "" ? message : `${message} ${details}` }
}

/**
 * How many purchases a node looks at at once. Each look has a connection of the pool meanwhile, and requests need the
 * others: above all those of providers, who must not wait for what follows from their events.
 */
const looksAtOnce = 3

/** The policies that decide: those of the mapping, and those that licenses were sold under before it was another. */
const policiesOf = (sql: Database, mapping: Mapping, holdings: ReadonlyArray<Holding>) => {
  const named = [
    ...mapping.prices.map(({ policy_id }) => policy_id),
    ...holdings.flatMap(({ said }) => said === undefined ? [] : [said.policy_id])
  ]
  return lockNamed(sql, "policies", [...new Set(named)], { limit: undefined })
}

const licensesOf = (sql: Database, purchaseId: string) =>
  Effect.map(listHoldings(sql, purchaseId), (rows) => rows.map(({ license_id }) => license_id))

/** The row of a connection, which is there for as long as a purchase of it is. */
const only = <Row>([row]: ReadonlyArray<Row>): Row => row!

/** The findings of a look, and its commands. */
export interface Looked {
  /** Undefined where nothing was looked at. */
  readonly state?: PurchaseState
  readonly commands: ReadonlyArray<Command>
  readonly holds: ReadonlyArray<PurchaseHold>
  /** Units that were given. */
  readonly units?: ReadonlyArray<SoldUnits>
}

const nothingSeen: Looked = { commands: [], holds: [] }

/** Has a purchase that will wait be looked at once more, where the mapping has meanwhile become another. */
const requeueOnNewMapping = Effect.fnUntraced(
  function*(sql: Database, { connection_id, id }: HeldPurchase, used: Mapping) {
    const { mapping } = only(yield* lockMapping(sql, connection_id))
    if (!isSameJson(mapping, used)) yield* insertWork(sql, [id])
  }
)

/**
 * Looks at a purchase: reads all of its events, folds them into one state, plans what is to be done, and does it in the
 * transaction that takes its work. So what was seen is done, and what came meanwhile is seen by the next look.
 */
export class PurchaseWork extends Context.Service<PurchaseWork, {
  /** Does what there is to do for a purchase. A failure is noted with its reason, and the work stays. */
  readonly look: (purchaseId: string) => Effect.Effect<void>
  /** The same in the surrounding transaction, which is rolled back, and without waiting for what may be told in a moment. */
  readonly foresee: (purchaseId: string) => Effect.Effect<Looked, Failure>
}>()("countersign/services/sales/purchases/PurchaseWork") {
  static readonly layer = Layer.effect(
    PurchaseWork,
    Effect.gen(function*() {
      const sql = yield* Database
      const commands = yield* PurchaseCommands
      const crypto = yield* Cryptography
      const events = yield* Events
      const licenses = yield* Licenses
      const known = makeKnownEvents(sql, crypto)
      const reading = yield* PurchaseReading
      const units = yield* PurchaseUnits
      const goingOn = makeGoingOn(sql, licenses, yield* Customers, yield* MailQueue)
      const erasing = yield* makeErasedPurchases
      const turns = Semaphore.makeUnsafe(looksAtOnce)

      const holdingsOf = Effect.fnUntraced(function*(
        { customer_id, id, state }: HeldPurchase,
        mapping: Mapping
      ) {
        const rows = yield* listHoldings(sql, id)
        const held = yield* licenses.getAll(rows.map(({ license_id }) => license_id))
        return rows.map(({ index, is_adopted, is_elsewhere, item, license_id, said, stopped }): Holding => {
          const license = held.get(license_id)!
          const before = { item, policy_id: license.policy_id, customer_id: customer_id ?? undefined }
          return {
            reference: { item, index },
            license,
            is_own: !is_adopted,
            is_elsewhere,
            stopped: stopped ?? undefined,
            said: said ?? (state === null ? undefined : saidBefore(state, mapping, before))
          }
        })
      })

      /** The facts that a look at a locked purchase begins with. */
      const begun = Effect.fnUntraced(function*(purchase: HeldPurchase) {
        const { is_erased, mapping, now } = only(yield* findLookedBy(sql, purchase.id))
        if (is_erased) yield* erasing.since(purchase, mapping)
        const holdings = yield* holdingsOf(purchase, mapping)
        return {
          mapping,
          holdings,
          policies: yield* policiesOf(sql, mapping, holdings),
          told: yield* known.about(purchase),
          now
        }
      })

      /**
       * The plan. Licenses that could be taken over matter only where one would be issued. Undefined where that waits for a moment.
       */
      const decidedFor = Effect.fnUntraced(function*(
        purchase: HeldPurchase,
        state: PurchaseState,
        mapping: Mapping,
        { mayWait, ...known }: Omit<Planned, "adoptable"> & { readonly mayWait: boolean }
      ) {
        const plan: DecidedPlan = planOf(state, mapping, { ...known, adoptable: [] })
        if (!plan.commands.some(({ type }) => type === "issue")) {
          const adoptable = goingOn.adoptableBy(purchase, state)
          return yield* goingOn.replacing(purchase, state, mapping, { ...known, plan, adoptableBy: adoptable })
        }
        yield* lockObject(sql, purchase.system, purchase.name)
        const found = [...yield* goingOn.movingIn(purchase, plan), ...yield* goingOn.adoptableBy(purchase, state)]
        const adoptable = takeableBy(mapping, found)
        if (adoptable.length === 0) return plan
        const decided = planOf(state, mapping, { ...known, adoptable })
        // The license that the customer has may end in this moment, and is gone on with then.
        return mayWait && mayGoOn(decided, adoptable) && (yield* updateSettling(sql, purchase.id)).length > 0
          ? undefined
          : decided
      })

      /** Tells the feed of a purchase, where people would see another one than before. */
      const publish = Effect.fnUntraced(function*(
        before: HeldPurchase & { readonly license_ids: ReadonlyArray<string> },
        after: Pick<HeldPurchase, "state" | "holds" | "failure"> & {
          readonly status: Exclude<PurchaseStatus, "new">
          readonly license_ids: ReadonlyArray<string>
        }
      ) {
        const data = eventDataOf({ ...before, ...after })
        const shown = eventDataOf(before)
        // Stored values come back with their members in an order of the database's own.
        if (before.status !== "new" && isSameJson(shown, data)) return
        yield* events.append({ type: `purchase.${after.status}`, resourceId: before.id, data })
      })

      /** Holds a purchase as a whole: until the time has come that its last event is of, or while it is another connection's. */
      const waitFor = Effect.fnUntraced(function*(
        code: "event_ahead" | "sold_elsewhere",
        purchase: HeldPurchase,
        state: PurchaseState,
        license_ids: ReadonlyArray<string>
      ) {
        const looked = { status: "waiting", state, holds: holdsOf([hold(code)]) } as const
        yield* updateLooked(sql, purchase.id, looked)
        if (code === "event_ahead") yield* updateAhead(sql, purchase.id, state.source_updated_at)
        yield* publish({ ...purchase, license_ids }, { ...looked, failure: null, license_ids })
        return { state, commands: [], holds: looked.holds } satisfies Looked
      })

      const lookAt = Effect.fnUntraced(function*(id: string, mayWait = true) {
        const [purchase] = yield* lockPurchase(sql, id)
        // Work is taken before anything is read: what comes in between is in both, and looked at once more.
        if (purchase === undefined || (yield* deleteWork(sql, id)).length === 0) return nothingSeen
        const { holdings, mapping, now, policies, told } = yield* begun(purchase)
        const state = since(fold(purchase.provider, purchase.name, told), purchase.state)
        const had = holdings.map(({ license }) => license.id)
        const isAhead = isTooFarAhead(state.source_updated_at, now.getTime())
        if (isAhead) return yield* waitFor("event_ahead", purchase, state, had)
        const isElsewhere = had.length === 0 && (yield* listElsewhere(sql, purchase, state)).length > 0
        if (isElsewhere) return yield* waitFor("sold_elsewhere", purchase, state, had)
        const decided = yield* decidedFor(purchase, state, mapping, { policies, holdings, mayWait })
        if (decided === undefined) return nothingSeen
        yield* goingOn.end(id, decided)
        const sold = yield* units.plan(purchase, { state, mapping, told, now })
        const { customer_id, differs } = yield* commands.run(
          purchase,
          withPayer(state, sold, decided.commands),
          holdings
        )
        yield* erasing.judgeOwner(purchase, customer_id)
        const owned = { ...purchase, customer_id: customer_id ?? purchase.customer_id }
        const { given, waiting } = yield* units.run(owned, state, sold)
        const holds = holdsOf([...decided.holds, ...waiting, ...(differs ? [hold("owner_differs")] : [])])
        const status = statusAfter(holds) === "done" ? "done" : "waiting"
        const hasOthers = decided.commands.some(({ type }) => type === "issue" || type === "adopt")
        const license_ids = hasOthers ? yield* licensesOf(sql, id) : had
        yield* updateLooked(sql, id, { status, state, holds, customer_id })
        yield* publish({ ...purchase, license_ids: had }, { status, state, holds, failure: null, license_ids })
        if (status !== "done") yield* requeueOnNewMapping(sql, purchase, mapping)
        yield* goingOn.tell(owned, state, hasOthers)
        return { state, commands: decided.commands, holds, units: given } satisfies Looked
      })

      const fail = Effect.fnUntraced(function*(id: string, cause: Cause.Cause<Failure>) {
        const failure = failureOf(cause)
        yield* inTransaction(
          sql,
          Effect.gen(function*() {
            const [purchase] = yield* lockPurchase(sql, id)
            if (purchase === undefined) return
            const { is_erased, mapping } = only(yield* findLookedBy(sql, id))
            if (is_erased) yield* erasing.since(purchase, mapping)
            yield* updateFailed(sql, id, failure)
            const before = { ...purchase, license_ids: yield* licensesOf(sql, id) }
            yield* publish(before, { ...before, status: "failed", failure })
          })
        )
      })

      /** Once more where the customer was erased meanwhile: the purchase is theirs then, and stays it. */
      const lookOnce = (id: string) =>
        inTransaction(sql, lookAt(id)).pipe(
          Effect.retry({ while: (error) => error instanceof ErasedMeanwhile, times: 1 }),
          Effect.catchTag("ErasedMeanwhile", Effect.die)
        )

      const look = Effect.fn("PurchaseWork.look")((id: string) =>
        Effect.catchCause(
          Effect.andThen(reading.read(id), turns.withPermit(lookOnce(id))),
          (cause) =>
            Cause.hasInterruptsOnly(cause) ? Effect.interrupt : Effect.andThen(
              isDomainError(Cause.squash(cause))
                ? Effect.void
                : Effect.logWarning("A purchase could not be done and is tried again", cause),
              fail(id, cause)
            )
        )
      )

      const foresee = Effect.fn("PurchaseWork.foresee")((id: string) =>
        Effect.catchTag(lookAt(id, false), "ErasedMeanwhile", Effect.die)
      )

      return PurchaseWork.of({ look, foresee })
    })
  )
}

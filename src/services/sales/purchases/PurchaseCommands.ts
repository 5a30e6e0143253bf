import { Context, Effect, Layer } from "effect"
import { failing, NotFound } from "../../../domain/ground/wire/Errors.ts"
import type {
  Conflict,
  PreconditionFailed,
  StateConflict,
  ValidationError
} from "../../../domain/ground/wire/Errors.ts"
import { otherOwner, sameOwner } from "../../../domain/licensing/owners/Owner.ts"
import type { Provider } from "../../../domain/sales/providers/Provider.ts"
import type { Command, Holding, RecordName, StopReason } from "../../../domain/sales/purchases/Command.ts"
import type { Said } from "../../../domain/sales/purchases/Said.ts"
import { Database, requireTransaction } from "../../ground/persistence/Database.ts"
import { Identifiers } from "../../ground/persistence/Identifiers.ts"
import { LicenseCreation } from "../../licensing/licenses/LicenseCreation.ts"
import { Licenses } from "../../licensing/licenses/Licenses.ts"
import { LicenseUpdates } from "../../licensing/lifecycle/LicenseUpdates.ts"
import { PolicyChanges } from "../../licensing/lifecycle/PolicyChanges.ts"
import { CurrentReason } from "../../log/Provenance.ts"
import { PurchaseRecords } from "./PurchaseRecords.ts"
import type { Owner } from "./PurchaseRecords.ts"
import {
  deleteHandedOn,
  findCustomerSystem,
  findSuspendedByPerson,
  insertHolding,
  listOwnRecords,
  lockRecords,
  updateAdopted,
  updateMovedIn,
  updateSaid,
  updateStopped
} from "./PurchaseSql.ts"

/** The reason why a command was not done. Nothing of its purchase is, then. */
export type Failure = NotFound | Conflict | PreconditionFailed | StateConflict | ValidationError

type IssueCommand = Extract<Command, { readonly type: "issue" }>
type AdoptCommand = Extract<Command, { readonly type: "adopt" }>

/** The purchase whose commands are done. */
export interface CommandedPurchase {
  readonly id: string
  readonly provider: Provider
  /** The system that its records are of: the provider, or a site of it. */
  readonly system: string
  /** The customer whose it is by now: where they were erased, its provider says no more who pays. */
  readonly customer_id: string | null
}

/** A saying with the customer who pays. */
const paidBy = (said: Said, { customer_id }: Owner): Said => customer_id === undefined ? said : { ...said, customer_id }

/** The reason that stands with a change by which a purchase takes the place of what a person had said. */
const replacesWord = "The purchase says something else since: it replaces what was changed by hand."

/** A change by a purchase, which says where it takes the place of what a person said. */
const replacing = <A, E, R>(
  command: { readonly replaces?: true },
  change: Effect.Effect<A, E, R>
): Effect.Effect<A, E, R> =>
  command.replaces === true ? Effect.provideService(change, CurrentReason, replacesWord) : change

const nameOf = ({ external_id, kind, product_id }: RecordName): string => `${kind}/${product_id}/${external_id}`

/**
 * Does what is to be done for a purchase, by the services that do it for everybody: each command is safe to be repeated,
 * and all of a plan are one transaction.
 */
export class PurchaseCommands extends Context.Service<PurchaseCommands, {
  /**
   * Does the commands of a locked purchase, in the surrounding transaction; answers who pays, and whether a license of it belongs to another
   * owner than who pays, which nobody has decided about.
   */
  readonly run: (
    purchase: CommandedPurchase,
    commands: ReadonlyArray<Command>,
    /** The licenses that it had before. */
    holdings: ReadonlyArray<Holding>
  ) => Effect.Effect<{ readonly customer_id?: string; readonly differs: boolean }, Failure>
}>()("countersign/services/sales/purchases/PurchaseCommands") {
  static readonly layer = Layer.effect(
    PurchaseCommands,
    Effect.gen(function*() {
      const sql = yield* Database
      const creation = yield* LicenseCreation
      const identifiers = yield* Identifiers
      const licenses = yield* Licenses
      const policies = yield* PolicyChanges
      const records = yield* PurchaseRecords
      const updates = yield* LicenseUpdates

      /**
       * Gives a license to who pays, where the purchase has named nobody before and nobody else is known to own it; answers whether it belongs
       * to another owner than who pays by now. Whom somebody gave it to since it was said who pays keeps it: paying is not owning.
       */
      const giveOne = Effect.fnUntraced(function*(
        purchaseId: string,
        { license: { id }, said }: Holding,
        payer: Owner & { readonly customer_id: string }
      ) {
        if (said?.customer_id === payer.customer_id) return false
        const license = (yield* licenses.getAll([id])).get(id)!
        if (said?.customer_id === undefined && license.customer_id === undefined && !otherOwner(license, payer)) {
          yield* updates.update(id, { customer_id: payer.customer_id })
        } else if (!sameOwner(license, payer)) {
          // The payer of before is kept: the purchase is the new payer's once this look ends.
          if (said !== undefined) yield* updateSaid(sql, purchaseId, id, said)
          return true
        }
        if (said !== undefined) yield* updateSaid(sql, purchaseId, id, { ...said, customer_id: payer.customer_id })
        return false
      })

      /** Gives each license of a purchase that nobody else owns to who pays; answers whether somebody else owns one. */
      const give = Effect.fnUntraced(function*(
        purchaseId: string,
        commands: ReadonlyArray<Command>,
        holdings: ReadonlyArray<Holding>,
        { customer_id }: Owner
      ) {
        if (customer_id === undefined) return false
        const email = commands.find((command) => command.type === "owner")?.email
        const payer = { customer_id, ...(email === undefined ? {} : { customer_email: email }) }
        const told = new Map(
          commands.flatMap((command) => command.type === "said" ? [[command.license_id, command.said] as const] : [])
        )
        const own = holdings.filter(({ is_own, license }) => is_own && license.status !== "revoked")
        const differing = yield* Effect.forEach(
          own,
          (holding) => giveOne(purchaseId, { ...holding, said: told.get(holding.license.id) ?? holding.said }, payer)
        )
        return differing.includes(true)
      })

      /** Notes a license under its reference, which is free, or whose license went to another slot. */
      const hold = (purchaseId: string, reference: AdoptCommand["reference"], licenseId: string, said: Said) =>
        Effect.andThen(
          deleteHandedOn(sql, { purchaseId, ...reference }),
          insertHolding(sql, { purchaseId, ...reference, licenseId, said })
        )

      const issue = Effect.fnUntraced(function*(
        purchase: CommandedPurchase,
        { overrides, policy_id, record, reference, said }: IssueCommand,
        recordId: string,
        owner: Owner
      ) {
        const id = identifiers.next("lic")
        yield* creation.create({
          product_id: record.product_id,
          policy_id,
          ...owner,
          ...(record.kind === "subscription"
            ? { subscription_id: recordId, follows_subscription: true }
            : { order_id: recordId }),
          ...(overrides === undefined ? {} : { overrides })
        }, { id, metadata: { purchase_id: purchase.id } })
        yield* hold(purchase.id, reference, id, paidBy(said, owner))
      })

      const adopt = Effect.fnUntraced(function*(
        purchase: CommandedPurchase,
        { is_moving_in, license_id, record, reference, said }: AdoptCommand,
        recordId: string,
        owner: Owner
      ) {
        if (record.kind === "subscription") {
          yield* updates.update(license_id, { subscription_id: recordId, follows_subscription: true })
        }
        if (is_moving_in === true) yield* updateMovedIn(sql, purchase.id)
        yield* hold(purchase.id, reference, license_id, paidBy(said, owner))
      })

      /**
       * Suspends a license, and notes that this purchase stopped it: also one that a person had suspended, who may then lift that against the
       * purchase's word.
       */
      const stop = Effect.fnUntraced(function*(purchaseId: string, licenseId: string, reason: StopReason) {
        const { license: { status, suspended_by } } = yield* licenses.hold(licenseId)
        const byPerson = status === "suspended" && suspended_by === undefined
        // One that has ended has nothing to stop: the next look stops it, where it works again by then.
        if (status === "revoked" || status === "expired" || (status === "suspended" && !byPerson)) return
        if (!byPerson) yield* licenses.suspend(licenseId)
        yield* updateStopped(sql, { purchaseId, licenseId, reason, byPerson })
      })

      /** Reinstates a license that this purchase stopped, unless a person suspended it, too: that stands until a person lifts it. */
      const resume = Effect.fnUntraced(function*(purchaseId: string, licenseId: string) {
        const { license: { status } } = yield* licenses.hold(licenseId)
        const [byPerson] = yield* findSuspendedByPerson(sql, purchaseId, licenseId)
        if (status === "suspended" && byPerson === undefined) yield* licenses.reinstate(licenseId)
        yield* updateStopped(sql, { purchaseId, licenseId, reason: null })
      })

      /** The system of each record: that of the connection, but for a record that the purchase has under the name of its provider. */
      const systemsOf = Effect.fnUntraced(function*({ id, provider, system }: CommandedPurchase) {
        const had = system === provider ? [] : yield* listOwnRecords(sql, id)
        const named = new Map(had.map((record) => [nameOf(record), record.external_system]))
        return (record: RecordName) => named.get(nameOf(record)) ?? system
      })

      const ownerOf = Effect.fnUntraced(function*(
        { customer_id, provider, system }: CommandedPurchase,
        commands: ReadonlyArray<Command>
      ) {
        const owner = commands.find((command) => command.type === "owner")
        if (customer_id !== null && owner?.external_id === undefined) return { customer_id } satisfies Owner
        if (owner === undefined) return {}
        const { external_id } = owner
        const isOfSite = system !== provider && customer_id !== null && external_id !== undefined
        const [named] = isOfSite ? yield* findCustomerSystem(sql, customer_id, external_id) : []
        return yield* records.owner(named?.external_system ?? system, owner)
      })

      /**
       * Locks all records that are to be written, before a license of the first one is: whoever gives that license to
       * another one of them holds this one, and waits for the license. One alone is locked when it is written.
       */
      const lockWritten = Effect.fnUntraced(function*(
        systemFor: (record: RecordName) => string,
        commands: ReadonlyArray<Command>
      ) {
        const names = commands.flatMap((command) =>
          command.type === "subscription" || command.type === "order" ? [command.record] : []
        )
        if (names.length < 2) return
        // A purchase is a subscription or an order, whatever the number of its records.
        yield* lockRecords(sql, {
          kind: names[0]!.kind,
          names: names.map((name) => ({
            product_id: name.product_id,
            external_id: name.external_id,
            external_system: systemFor(name)
          }))
        })
      })

      const run = Effect.fn("PurchaseCommands.run")(function*(
        purchase: CommandedPurchase,
        commands: ReadonlyArray<Command>,
        holdings: ReadonlyArray<Holding>
      ) {
        yield* requireTransaction(sql, "Doing what a purchase asks for")
        const written = new Map<string, string>()
        const owner = yield* ownerOf(purchase, commands)
        const systemFor = yield* systemsOf(purchase)
        yield* lockWritten(systemFor, commands)
        const recordOf = Effect.fnUntraced(function*(record: RecordName) {
          const id = written.get(nameOf(record)) ?? (yield* records.find(systemFor(record), record))
          return id ?? (yield* failing(NotFound, `The purchase has no ${record.kind} ${record.external_id} here.`))
        })
        // All that are taken over are let go first, because two may take one another's place.
        for (const command of commands) if (command.type === "adopt") yield* updateAdopted(sql, command.license_id)
        for (const command of commands) {
          switch (command.type) {
            case "owner":
              break
            case "subscription":
            case "order": {
              written.set(nameOf(command.record), yield* records.write(systemFor(command.record), command, owner))
              break
            }
            case "issue": {
              yield* issue(purchase, command, yield* recordOf(command.record), owner)
              break
            }
            case "adopt": {
              yield* adopt(purchase, command, yield* recordOf(command.record), owner)
              break
            }
            case "policy": {
              yield* replacing(
                command,
                policies.change(command.license_id, { policy_id: command.policy_id, devices: "keep" })
              )
              break
            }
            case "limits": {
              yield* replacing(command, updates.update(command.license_id, { overrides: command.overrides }))
              break
            }
            case "said": {
              yield* updateSaid(sql, purchase.id, command.license_id, command.said)
              break
            }
            case "stop": {
              yield* stop(purchase.id, command.license_id, command.reason)
              break
            }
            case "resume": {
              yield* resume(purchase.id, command.license_id)
              break
            }
          }
        }
        const differs = yield* give(purchase.id, commands, holdings, owner)
        return { ...(owner.customer_id === undefined ? {} : { customer_id: owner.customer_id }), differs }
      })

      return PurchaseCommands.of({ run })
    })
  )
}

import { Context, Effect, Layer } from "effect"
import type { Provider } from "../../domain/providers/Provider.ts"
import type { Command, Holding, RecordName } from "../../domain/purchases/Command.ts"
import { failing, NotFound } from "../../domain/wire/Errors.ts"
import type { Conflict, PreconditionFailed, StateConflict, ValidationError } from "../../domain/wire/Errors.ts"
import { LicenseCreation } from "../licenses/LicenseCreation.ts"
import { Licenses } from "../licenses/Licenses.ts"
import { LicenseUpdates } from "../lifecycle/LicenseUpdates.ts"
import { PolicyChanges } from "../lifecycle/PolicyChanges.ts"
import { Database } from "../persistence/Database.ts"
import { Identifiers } from "../persistence/Identifiers.ts"
import { requireTransaction } from "../persistence/Transaction.ts"
import { PurchaseRecords } from "./PurchaseRecords.ts"
import type { Owner } from "./PurchaseRecords.ts"
import { insertHolding, lockRecords, updateAdopted, updateStopped } from "./PurchaseSql.ts"

/** The reason why a command was not done. Nothing of its purchase is, then. */
export type Failure = NotFound | Conflict | PreconditionFailed | StateConflict | ValidationError

type IssueCommand = Extract<Command, { readonly type: "issue" }>
type AdoptCommand = Extract<Command, { readonly type: "adopt" }>

/** The purchase whose commands are done. */
export interface CommandedPurchase {
  readonly id: string
  readonly provider: Provider
  /** The customer whose it is by now: where they were erased, its provider says no more who pays. */
  readonly customer_id: string | null
}

const nameOf = ({ external_id, kind, product_id }: RecordName): string => `${kind}/${product_id}/${external_id}`

/**
 * Does what is to be done for a purchase, by the services that do it for everybody: each command is safe to be repeated,
 * and all of a plan are one transaction.
 */
export class PurchaseCommands extends Context.Service<PurchaseCommands, {
  /** Does the commands of a locked purchase, in the surrounding transaction; answers its owner. */
  readonly run: (
    purchase: CommandedPurchase,
    commands: ReadonlyArray<Command>,
    /** The licenses that it had before. */
    holdings: ReadonlyArray<Holding>
  ) => Effect.Effect<Owner, Failure>
}>()("countersign/services/purchases/PurchaseCommands") {
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

      /** The owner is the first one of licenses that have none. New ones have theirs from the start. */
      const give = Effect.fnUntraced(function*(holdings: ReadonlyArray<Holding>, { customer_id }: Owner) {
        const without = holdings.filter(({ is_own, license }) => is_own && license.customer_id === undefined)
        if (customer_id === undefined || without.length === 0) return
        for (const license of (yield* licenses.getAll(without.map(({ license }) => license.id))).values()) {
          if (license.customer_id === undefined) yield* updates.update(license.id, { customer_id })
        }
      })

      const issue = Effect.fnUntraced(function*(
        purchase: CommandedPurchase,
        { overrides, policy_id, record, reference }: IssueCommand,
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
        yield* insertHolding(sql, { purchaseId: purchase.id, ...reference, licenseId: id })
      })

      const adopt = Effect.fnUntraced(function*(
        purchase: CommandedPurchase,
        { license_id, reference }: AdoptCommand,
        recordId: string
      ) {
        yield* updates.update(license_id, { subscription_id: recordId, follows_subscription: true })
        yield* updateAdopted(sql, license_id)
        yield* insertHolding(sql, { purchaseId: purchase.id, ...reference, licenseId: license_id })
      })

      /** Suspends or reinstates a license, unless somebody else has meanwhile decided about it. */
      const steer = Effect.fnUntraced(function*(id: string, act: "suspend" | "reinstate") {
        const { license: { status } } = yield* licenses.hold(id)
        if (status === "revoked" || (status === "suspended") === (act === "suspend")) return false
        yield* licenses[act](id)
        return true
      })

      const ownerOf = Effect.fnUntraced(function*(
        { customer_id, provider }: CommandedPurchase,
        commands: ReadonlyArray<Command>
      ) {
        const owner = commands.find((command) => command.type === "owner")
        if (customer_id !== null && owner?.external_id === undefined) return { customer_id } satisfies Owner
        return owner === undefined ? {} : yield* records.owner(provider, owner)
      })

      /**
       * Locks all records that are to be written, before a license of the first one is: whoever gives that license to
       * another one of them holds this one, and waits for the license. One alone is locked when it is written.
       */
      const lockWritten = Effect.fnUntraced(function*(provider: Provider, commands: ReadonlyArray<Command>) {
        const names = commands.flatMap((command) =>
          command.type === "subscription" || command.type === "order" ? [command.record] : []
        )
        if (names.length < 2) return
        // A purchase is a subscription or an order, whatever the number of its records.
        yield* lockRecords(sql, { kind: names[0]!.kind, externalSystem: provider, names })
      })

      const run = Effect.fn("PurchaseCommands.run")(function*(
        purchase: CommandedPurchase,
        commands: ReadonlyArray<Command>,
        holdings: ReadonlyArray<Holding>
      ) {
        yield* requireTransaction(sql, "Doing what a purchase asks for")
        const written = new Map<string, string>()
        const owner = yield* ownerOf(purchase, commands)
        yield* lockWritten(purchase.provider, commands)
        const recordOf = Effect.fnUntraced(function*(record: RecordName) {
          const id = written.get(nameOf(record)) ?? (yield* records.find(purchase.provider, record))
          return id ?? (yield* failing(NotFound, `The purchase has no ${record.kind} ${record.external_id} here.`))
        })
        for (const command of commands) {
          switch (command.type) {
            case "owner": {
              break
            }
            case "subscription":
            case "order": {
              written.set(nameOf(command.record), yield* records.write(purchase.provider, command, owner))
              break
            }
            case "issue": {
              yield* issue(purchase, command, yield* recordOf(command.record), owner)
              break
            }
            case "adopt": {
              yield* adopt(purchase, command, yield* recordOf(command.record))
              break
            }
            case "policy": {
              yield* policies.change(command.license_id, { policy_id: command.policy_id, devices: "keep" })
              break
            }
            case "limits": {
              yield* updates.update(command.license_id, { overrides: command.overrides })
              break
            }
            case "stop": {
              const isStopped = yield* steer(command.license_id, "suspend")
              if (isStopped) yield* updateStopped(sql, purchase.id, command.license_id, command.reason)
              break
            }
            case "resume": {
              yield* steer(command.license_id, "reinstate")
              yield* updateStopped(sql, purchase.id, command.license_id, null)
              break
            }
          }
        }
        yield* give(holdings, owner)
        return owner
      })

      return PurchaseCommands.of({ run })
    })
  )
}

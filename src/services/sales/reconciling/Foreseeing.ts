import { Cause, Effect } from "effect"
import type { Foreseen } from "../../../domain/sales/billing/Reconciliation.ts"
import type { Provider } from "../../../domain/sales/providers/Provider.ts"
import type { DryReads } from "../../../domain/sales/reconciling/DryReads.ts"
import { isDomainError } from "../../../domain/ground/wire/Errors.ts"
import { ofItself } from "../../log/Provenance.ts"
import type { Database } from "../../ground/persistence/Database.ts"
import { Identifiers } from "../../ground/persistence/Identifiers.ts"
import { rehearsed } from "../../ground/persistence/Transaction.ts"
import { PurchaseSnapshots } from "../purchases/PurchaseSnapshots.ts"
import type { Compared } from "../purchases/PurchaseSnapshots.ts"
import { insertReadWork } from "../purchases/PurchaseSql.ts"
import { PurchaseWork } from "../purchases/PurchaseWork.ts"
import type { Looked } from "../purchases/PurchaseWork.ts"
import { insertPurchases, listPurchaseIds } from "../purchases/RoutingSql.ts"
import { listUnpaid } from "./ForeseeingSql.ts"
import type { ComparedName } from "./ReconciliationSql.ts"

/** The connection that was read by, and the system that its records are of. */
interface ForeseenConnection {
  readonly id: string
  readonly provider: Provider
  readonly system: string
}

/**
 * Foresees what would become of each purchase that a dry run has found: stores what was read of it and looks at it, as a
 * reconciliation does, in a transaction that is rolled back. What is foreseen is noted at once.
 */
export const makeForeseeing = Effect.fnUntraced(function*(sql: Database) {
  const identifiers = yield* Identifiers
  const snapshots = yield* PurchaseSnapshots
  const work = yield* PurchaseWork

  const seen = Effect.fnUntraced(function*(
    { system }: ForeseenConnection,
    { commands, holds, state, units = [] }: Looked
  ) {
    const taken = commands.flatMap((command) => command.type === "adopt" ? [command.license_id] : [])
    const issued = commands.flatMap((command) => command.type === "issue" ? [command.record.product_id] : [])
    const beside = issued.length === 0 ? [] : yield* listUnpaid(sql, [...new Set(issued)], {
      system,
      id: state?.payer.id,
      email: state?.payer.email
    })
    const outcome = beside.length > 0
      ? "doubles"
      : issued.length > 0
      ? "issues"
      : taken.length > 0
      ? "takes_over"
      : holds.length > 0
      ? "waits"
      : "nothing"
    return {
      outcome,
      license_ids: [...taken, ...beside.map(({ id }) => id)],
      issued: issued.length,
      ...(units.length === 0 ? {} : {
        units: units.map(({ amount, entry }) => ({ feature_id: entry.feature_id, amount, to: entry.to ?? "license" }))
      }),
      holds
    } satisfies Foreseen
  })

  const foresee = Effect.fnUntraced(function*(connection: ForeseenConnection, compared: Compared) {
    const named = { connection_id: connection.id, name: compared.name }
    yield* insertPurchases(sql, [{ id: identifiers.next("pur"), ...named }])
    yield* snapshots.store(connection.id, compared)
    const [purchase] = yield* listPurchaseIds(sql, [named])
    yield* insertReadWork(sql, [purchase!.id])
    return yield* seen(connection, yield* work.foresee(purchase!.id))
  })

  const foreseen = (connection: ForeseenConnection, compared: Compared): Effect.Effect<Foreseen> =>
    rehearsed(sql, ofItself(foresee(connection, compared))).pipe(
      Effect.catchCause((cause) => {
        const error = Cause.squash(cause)
        if (!isDomainError(error)) return Effect.failCause(cause as Cause.Cause<never>)
        const { code, message } = error.error
        return Effect.succeed<Foreseen>({
          outcome: "fails",
          license_ids: [],
          issued: 0,
          holds: [],
          failure: { code, message }
        })
      })
    )

  return Effect.fnUntraced(function*<E>(
    connection: ForeseenConnection,
    { about, from, missing }: DryReads,
    note: (found: ComparedName) => Effect.Effect<void, E>
  ) {
    for (const purchase of missing) {
      const all = yield* snapshots.compare(connection, about(purchase), from)
      const compared = all.find(({ finding, name }) => finding === "missing" && name === purchase)
      if (compared === undefined) continue
      const { finding, members, name } = compared
      yield* note({ finding, members, name, foreseen: yield* foreseen(connection, compared) })
    }
  })
})

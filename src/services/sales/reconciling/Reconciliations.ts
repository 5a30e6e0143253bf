import { Context, Effect, Layer } from "effect"
import { failing, NotFound, StateConflict } from "../../../domain/ground/wire/Errors.ts"
import { partsOf } from "../../../domain/sales/billing/PurchaseView.ts"
import { foreseenCounts, Reconciliation } from "../../../domain/sales/billing/Reconciliation.ts"
import type {
  ReconciliationCreate,
  ReconciliationFinding,
  ReconciliationShown
} from "../../../domain/sales/billing/Reconciliation.ts"
import type { PurchaseName } from "../../../domain/sales/providers/Fact.ts"
import { byText } from "../../../domain/sales/providers/SourceTime.ts"
import { providerApis } from "../../../domain/sales/reconciling/ProviderApis.ts"
import { Announcements } from "../../ground/agenda/Announcements.ts"
import { Database, inTransaction } from "../../ground/persistence/Database.ts"
import { Identifiers } from "../../ground/persistence/Identifiers.ts"
import { rowReader } from "../../ground/persistence/RowToWire.ts"
import { Vault } from "../../keys/security/Vault.ts"
import { CurrentActor } from "../../log/Provenance.ts"
import { listReceivers } from "../billing/ConnectionSql.ts"
import { openCredentials } from "../billing/SealedCredentials.ts"
import {
  countForeseen,
  deleteOlder,
  findReconciliation,
  insertReconciliation,
  listFindings,
  listReconciliations
} from "./ReconciliationSql.ts"
import type { FindingRow } from "./ReconciliationSql.ts"

/** How many findings are shown. */
const shownFindings = 500

const reconciliationOf = rowReader(Reconciliation)

const findingOf = ({ finding, foreseen, members, name, purchase_id }: FindingRow): ReconciliationFinding => ({
  finding,
  ...partsOf(name as PurchaseName),
  ...(purchase_id === null ? {} : { purchase_id }),
  fields: members,
  ...(foreseen === null ? {} : { foreseen })
})

const unknownConnection = () => failing(NotFound, "No billing connection has this id.")

/** Reconciliations as callers see them: asked for, followed, and what they found. */
export class Reconciliations extends Context.Service<Reconciliations, {
  /** Has a connection reconciled. The work is durable from here on. */
  readonly create: (
    connectionId: string,
    input: ReconciliationCreate
  ) => Effect.Effect<Reconciliation, NotFound | StateConflict>
  /** The last reconciliations of a connection, newest first. */
  readonly list: (connectionId: string) => Effect.Effect<ReadonlyArray<Reconciliation>, NotFound>
  readonly get: (id: string) => Effect.Effect<ReconciliationShown, NotFound>
}>()("countersign/services/sales/reconciling/Reconciliations") {
  static readonly layer = Layer.effect(
    Reconciliations,
    Effect.gen(function*() {
      const sql = yield* Database
      const identifiers = yield* Identifiers
      const announcements = yield* Announcements
      const vault = yield* Vault

      const find = Effect.fnUntraced(function*(id: string) {
        const [row] = yield* findReconciliation(sql, id)
        return row === undefined
          ? yield* failing(NotFound, "No reconciliation has this id.")
          : reconciliationOf(row)
      })

      const receiverOf = Effect.fnUntraced(function*(connectionId: string) {
        const [receiver] = yield* listReceivers(sql, [connectionId])
        return receiver === undefined ? yield* unknownConnection() : receiver
      })

      const create = Effect.fn("Reconciliations.create")(
        (connectionId: string, { dry_run = false }: ReconciliationCreate) =>
          inTransaction(
            sql,
            Effect.gen(function*() {
              const { credentials, provider } = yield* receiverOf(connectionId)
              const { api_key } = yield* openCredentials(vault, connectionId, credentials)
              if (api_key === undefined) {
                return yield* failing(StateConflict, "The billing connection has no API key to reconcile with.")
              }
              const actor = yield* CurrentActor
              const [made] = yield* insertReconciliation(sql, {
                id: identifiers.next("rcn"),
                connectionId,
                isDryRun: dry_run,
                paths: providerApis[provider].lists,
                createdBy: actor.id
              })
              if (made === undefined) {
                return yield* failing(StateConflict, "A reconciliation of the billing connection is under way.")
              }
              yield* deleteOlder(sql, connectionId)
              yield* sql.afterCommit(announcements.announce("reconciliations"))
              return yield* Effect.orDie(find(made.id))
            })
          )
      )

      const list = Effect.fn("Reconciliations.list")(function*(connectionId: string) {
        yield* receiverOf(connectionId)
        return (yield* listReconciliations(sql, connectionId)).map(reconciliationOf)
      })

      const get = Effect.fn("Reconciliations.get")(function*(id: string) {
        const reconciliation = yield* find(id)
        const rows = yield* listFindings(sql, id, shownFindings)
        const foreseen = yield* countForeseen(sql, id)
        return {
          ...reconciliation,
          ...(foreseen.length === 0 ? {} : { foreseen: foreseenCounts(foreseen) }),
          findings: rows.toSorted((a, b) => byText(a.name, b.name)).map(findingOf)
        }
      })

      return Reconciliations.of({ create, list, get })
    })
  )
}

import { Cause, Context, Data, Effect, Layer } from "effect"
import { isDomainError } from "../../../domain/ground/wire/Errors.ts"
import type { Foreseen, ReconciliationFailure } from "../../../domain/sales/billing/Reconciliation.ts"
import type { Provider } from "../../../domain/sales/providers/Provider.ts"
import { dryReads } from "../../../domain/sales/reconciling/DryReads.ts"
import type { DryReads } from "../../../domain/sales/reconciling/DryReads.ts"
import { mostTries, waitAfterTry } from "../../../domain/sales/reconciling/PageTries.ts"
import { providerApis } from "../../../domain/sales/reconciling/ProviderApis.ts"
import { Agenda } from "../../ground/agenda/Agenda.ts"
import { Database, inTransaction, rehearsed } from "../../ground/persistence/Database.ts"
import { Identifiers } from "../../ground/persistence/Identifiers.ts"
import { Vault } from "../../keys/security/Vault.ts"
import { ofItself } from "../../log/Provenance.ts"
import { listReceivers } from "../billing/ConnectionSql.ts"
import { InboxSignal } from "../billing/InboxSignal.ts"
import { NotRead, ProviderReader } from "../billing/ProviderReader.ts"
import type { ProviderQuestion } from "../billing/ProviderReader.ts"
import { openCredentials } from "../billing/SealedCredentials.ts"
import { PurchaseActor } from "../purchases/PurchaseActor.ts"
import { PurchaseSnapshots } from "../purchases/PurchaseSnapshots.ts"
import type { Compared } from "../purchases/PurchaseSnapshots.ts"
import { insertReadWork } from "../purchases/PurchaseSql.ts"
import { PurchaseWork } from "../purchases/PurchaseWork.ts"
import type { Looked } from "../purchases/PurchaseWork.ts"
import { insertPurchases, listPurchaseIds } from "../purchases/RoutingSql.ts"
import { listUnpaid } from "./ForeseeingSql.ts"
import {
  claimReconciliation,
  deleteSame,
  insertCompared,
  insertUnknown,
  lockClaimed,
  reconciliationsDue,
  updateEnded,
  updateExtended,
  updatePaths,
  updateQueuedAgain
} from "./ReconciliationSql.ts"
import type { ClaimedReconciliation, ComparedName } from "./ReconciliationSql.ts"

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
const makeForeseeing = Effect.fnUntraced(function*(sql: Database) {
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

/** The pause between two looks of a worker that finds nothing, whatever is announced. */
const rest = "50 millis"

const extendEvery = "5 seconds"

/** How long a page may take, in milliseconds. */
const pagePatience = 30_000

/** The most pages of one reconciliation: two million purchases, or lists that never end. */
const mostPages = 20_000

/** How many dry runs of this node are remembered that wait for their provider. */
const mostDryRuns = 4

/** The provider that is read from, and what it is read with. */
type Connected = Pick<ProviderQuestion, "provider" | "credentials">

/** The claim is lost: another node took the reconciliation, or its connection was deleted. */
class ClaimLost extends Data.TaggedError("ClaimLost")<{ readonly id: string }> {}

const gaveUp: ReconciliationFailure = {
  code: "internal",
  message: "The reconciliation failed several times with an internal error. The log of the service says why."
}

const tooLong: ReconciliationFailure = {
  code: "too_long",
  message: `The lists of the provider have more than ${mostPages} pages.`
}

/** The note about a list that was not read; undefined where it was. */
const left = (path: string, refusal: string | undefined): ReconciliationFailure | undefined =>
  refusal === undefined ? undefined : { code: "partly_read", message: `${refusal} Omitted: ${path.split("?")[0]}` }

/**
 * Reconciles: walks the lists of a provider page by page, compares each purchase with what is known of it, and stores what
 * was read of those that differ as events of the inbox. What is left to be read is written with each page, so that another
 * node goes on where one has ended. Each node makes one at a time.
 */
export class ReconciliationWorker extends Context.Service<ReconciliationWorker, {
  /** Claims one reconciliation, if there is one, and works on it; answers whether there was one. */
  readonly step: Effect.Effect<boolean>
  readonly run: Effect.Effect<never>
}>()("countersign/services/sales/reconciling/ReconciliationWorker") {
  static readonly layer = Layer.effect(
    ReconciliationWorker,
    Effect.gen(function*() {
      const sql = yield* Database
      const agenda = yield* Agenda
      const actor = yield* PurchaseActor
      const inbox = yield* InboxSignal
      const reader = yield* ProviderReader
      const snapshots = yield* PurchaseSnapshots
      const vault = yield* Vault
      const foresee = yield* makeForeseeing(sql)

      const held = <A>(claim: ClaimedReconciliation, rows: ReadonlyArray<A>) =>
        rows[0] === undefined ? Effect.fail(new ClaimLost({ id: claim.id })) : Effect.succeed(rows[0])

      /** Stores what was read of one purchase that is another one here, and that it was. */
      const mend = (claim: ClaimedReconciliation, compared: Compared) =>
        inTransaction(
          sql,
          Effect.gen(function*() {
            const { finding, members, name } = compared
            yield* held(claim, yield* lockClaimed(sql, claim))
            const ids = yield* snapshots.storeForLook(claim.connection_id, compared)
            yield* insertCompared(sql, claim.id, finding === "same" ? [] : [{ name, finding, members }])
            return ids
          })
        ).pipe(Effect.flatMap((ids) => Effect.forEach(ids, actor.wake, { discard: true })))

      /** By dry run: what it has read, which leads from what it reads next to purchases, and which it does not store. */
      const unstored = new Map<string, DryReads>()

      /** A dry run that another node has begun is begun anew: what that one knew is lost, and nothing was changed. */
      const begun = (claim: ClaimedReconciliation, provider: Provider): ClaimedReconciliation => {
        if (unstored.has(claim.id)) return claim
        const [oldest] = unstored.keys()
        if (unstored.size >= mostDryRuns && oldest !== undefined) unstored.delete(oldest)
        unstored.set(claim.id, dryReads())
        return { ...claim, paths: providerApis[provider].lists }
      }

      /** Whether a purchase that is the same here is noted as one that the provider has. */
      const isNoted = ({ finding, isRead }: Compared) => finding !== "same" || isRead

      const page = Effect.fnUntraced(function*(
        claim: ClaimedReconciliation,
        connection: Connected
      ) {
        const [path, ...rest] = claim.paths
        const { bodies, follow, refusal } = yield* reader.read({
          ...connection,
          path: path!,
          patienceMillis: pagePatience
        })
          .pipe(
            Effect.map((answer) => ({ ...answer, refusal: undefined })),
            // A key may be closed to one of the lists, and an object may have gone: the rest is read all the same.
            Effect.catchTag("NotRead", (failure) =>
              claim.pages > 0 && !failure.mayPass
                ? Effect.succeed({ bodies: [], follow: [], refusal: failure.message })
                : Effect.fail(failure))
          )
        const of = { id: claim.connection_id, provider: connection.provider }
        const compared = yield* snapshots.compare(of, bodies, unstored.get(claim.id)?.from)
        if (!claim.is_dry_run) {
          const stored = compared.filter(({ snapshots: read }) => read.length > 0)
          yield* Effect.forEach(stored, (one) => mend(claim, one), { discard: true })
          if (stored.length > 0) yield* inbox.wake
        } else {
          const reads = unstored.get(claim.id)
          reads?.add(snapshots.toldIn(of.provider, bodies))
          for (const { finding, name } of compared) if (finding === "missing") reads?.missing.add(name)
        }
        return yield* inTransaction(
          sql,
          Effect.gen(function*() {
            const next = yield* held(claim, yield* updatePaths(sql, claim, [...follow, ...rest], left(path!, refusal)))
            const noted = compared.filter(isNoted)
            yield* insertCompared(
              sql,
              claim.id,
              noted.map(({ finding, members, name }) => ({ finding, members, name }))
            )
            return next
          })
        )
      })

      const end = (claim: ClaimedReconciliation, failure?: ReconciliationFailure) =>
        inTransaction(
          sql,
          Effect.gen(function*() {
            yield* held(claim, yield* updateEnded(sql, claim, failure))
            if (failure === undefined) yield* insertUnknown(sql, claim.id)
            yield* deleteSame(sql, claim.id)
            unstored.delete(claim.id)
          })
        )

      const work = Effect.fnUntraced(function*(claimed: ClaimedReconciliation) {
        if (claimed.tries > mostTries) return yield* end(claimed, gaveUp)
        const [receiver] = yield* listReceivers(sql, [claimed.connection_id])
        if (receiver === undefined) return yield* new ClaimLost({ id: claimed.id })
        const credentials = yield* openCredentials(vault, claimed.connection_id, receiver.credentials)
        const connection = { provider: receiver.provider, credentials }
        let claim = claimed.is_dry_run ? begun(claimed, receiver.provider) : claimed
        while (claim.paths.length > 0) {
          if (claim.pages >= mostPages) return yield* end(claim, tooLong)
          claim = yield* page(claim, connection)
        }
        if (claim.is_dry_run) {
          const note = (found: ComparedName) =>
            Effect.andThen(
              Effect.flatMap(lockClaimed(sql, claim), (rows) => held(claim, rows)),
              insertCompared(sql, claim.id, [found])
            )
          yield* foresee(receiver, unstored.get(claim.id) ?? dryReads(), note)
        }
        return yield* end(claim)
      })

      const again = (claim: ClaimedReconciliation, failure: ReconciliationFailure, seconds: number) =>
        updateQueuedAgain(sql, claim, { failure, isCounted: true, seconds })

      const ended = Effect.fnUntraced(function*(claim: ClaimedReconciliation, cause: Cause.Cause<unknown>) {
        const error = Cause.squash(cause)
        if (error instanceof ClaimLost) {
          unstored.delete(claim.id)
          return yield* error
        }
        const [current] = yield* lockClaimed(sql, claim)
        if (current === undefined) return
        const { tries } = current
        const wait = waitAfterTry(tries, error instanceof NotRead ? error.retryAfter : undefined)
        if (error instanceof NotRead) {
          const { code, mayPass, message } = error
          const failure = { code, message }
          return mayPass && wait !== undefined ? yield* again(claim, failure, wait) : yield* end(claim, failure)
        }
        yield* Effect.logError(`Reconciliation ${claim.id} failed in try ${tries}`, cause)
        return wait === undefined ? yield* end(claim, gaveUp) : yield* again(claim, gaveUp, wait)
      })

      const keep = (claim: ClaimedReconciliation) =>
        Effect.sleep(extendEvery).pipe(
          Effect.andThen(Effect.flatMap(updateExtended(sql, claim), (rows) => held(claim, rows))),
          // A database that is away for a moment costs the claim only when it stays away.
          Effect.catchDefect((defect) => Effect.logWarning(`The claim on ${claim.id} could not be extended`, defect)),
          Effect.forever
        )

      const step = Effect.gen(function*() {
        const [claim] = yield* claimReconciliation(sql)
        if (claim === undefined) return false
        yield* Effect.raceFirst(work(claim), keep(claim)).pipe(
          Effect.onInterrupt(() =>
            Effect.ignore(
              updateQueuedAgain(sql, claim, { failure: undefined, isCounted: false, seconds: 0 })
            )
          ),
          Effect.catchCause((cause) => ended(claim, cause)),
          Effect.catchTag("ClaimLost", ({ id }) => Effect.logInfo(`Reconciliation ${id} is made elsewhere`)),
          Effect.annotateLogs({ reconciliation_id: claim.id })
        )
        return true
      }).pipe(Effect.withTracerEnabled(false))

      const run = agenda.follow({
        name: "Looking for reconciliations",
        topic: "reconciliations",
        due: () => reconciliationsDue(sql),
        look: Effect.repeat(step, { while: (found) => found }),
        rest,
        retry: "1 second"
      })

      return ReconciliationWorker.of({ step, run })
    })
  )

  /** A worker on this node, at work for as long as the service runs. */
  static readonly layerRunning = Layer.effectDiscard(
    Effect.flatMap(ReconciliationWorker, ({ run }) => Effect.forkScoped(run))
  ).pipe(Layer.provide(ReconciliationWorker.layer))
}

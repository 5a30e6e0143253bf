import { Context, Effect, Layer } from "effect"
import type { CustomerErasure, ErasedCounts } from "../../../domain/customers/CustomerErasure.ts"
import { erasedName } from "../../../domain/customers/CustomerErasure.ts"
import { failing, TokenProductDenied } from "../../../domain/ground/wire/Errors.ts"
import type { NotFound } from "../../../domain/ground/wire/Errors.ts"
import { Customers } from "../../customers/Customers.ts"
import { Database, inTransaction } from "../../ground/persistence/Database.ts"
import { CurrentProducts } from "../../ground/persistence/ProductLimit.ts"
import { Licenses } from "../../licensing/licenses/Licenses.ts"
import { LicenseUsers } from "../../licensing/licenses/LicenseUsers.ts"
import { deleteTransferRequestsOf } from "../../licensing/lifecycle/TransferRequestSql.ts"
import { Events } from "../../log/Events.ts"
import { deleteMailsOf } from "../../mail/MailSql.ts"
import { updateSuppressionsErased } from "../../mail/MailSuppressionSql.ts"
import type { Steps } from "../../people/access/Idempotency.ts"
import { lockErasing } from "../../people/approvals/ApprovalSql.ts"
import { makeErasedPurchases } from "../../sales/purchases/ErasedPurchases.ts"
import { deletePortalSessionsOf } from "../PortalSessionSql.ts"
import { deletePortalLinksOf } from "../PortalSql.ts"
import {
  countErasableRows,
  countValues,
  deleteViewsNaming,
  erasedAtOnce,
  findHead,
  findOtherProducts,
  listTrusting,
  lockLicensesOf,
  updateErased,
  updateEventsErased,
  updateReasonsErased,
  updateSomeDevices,
  updateSomeLicenses
} from "./ErasureSql.ts"
import { countErasable, listErasable, listErasableSince, listInheritedReasons } from "./OwnedSpanSql.ts"
import type { Erasable } from "./OwnedSpanSql.ts"
import { makeErasedApprovals, makeErasedExports, makeErasedJobs } from "./UserErasures.ts"

/** Events found by one query. */
const page = 50_000

/** Passes beyond those that the events at the start take, for what is written meanwhile. */
const lastPasses = 100

/**
 * The counts of what was erased before the last step, and the sequence up to which the feed holds no personal value of the customer.
 */
export interface ErasedBefore extends Pick<ErasedCounts, "licenses" | "devices" | "events" | "custom_field_values"> {
  readonly sequence: bigint
}

/** How many rows there are of each kind. */
const tallied = (rows: ReadonlyArray<{ readonly what: keyof ErasedCounts | "customers" }>) =>
(
  what: keyof ErasedCounts | "customers"
): number => rows.filter((row) => row.what === what).length

/** Erases the personal values of a customer from the service and its history. */
export class CustomerErasures extends Context.Service<CustomerErasures, {
  /**
   * Erases the name and address of a customer, of its licenses and devices, and every personal value in the events
   * about them, for as long as the licenses belonged to the customer. The commitments in the events stay, so the hash
   * chain and every proof still verify. The first step is many short transactions and resumes where an interrupted one
   * stopped. The last step is one short transaction: it erases what was written meanwhile and appends the event.
   *
   * A limited key erases only whom nothing of other products belongs to or ever belonged to. That is judged before each
   * step, and the last time under its locks.
   */
  readonly erase: (id: string) => Steps<ErasedBefore, CustomerErasure, NotFound | TokenProductDenied>
  /** The counts that {@link erase} would leave, as far as is written by now. Changes nothing. */
  readonly rehearse: (id: string) => Effect.Effect<CustomerErasure, NotFound | TokenProductDenied>
}>()("countersign/services/portal/privacy/CustomerErasures") {
  static readonly layer = Layer.effect(
    CustomerErasures,
    Effect.gen(function*() {
      const sql = yield* Database
      const customers = yield* Customers
      const events = yield* Events
      const licenses = yield* Licenses
      const users = yield* LicenseUsers
      const exports = makeErasedExports(sql)
      const purchases = yield* makeErasedPurchases
      const jobs = yield* makeErasedJobs
      const approvals = yield* makeErasedApprovals

      const eraseEvents = (found: ReadonlyArray<Erasable>) =>
        found.length === 0
          ? Effect.succeed({ events: 0, values: 0 })
          : Effect.map(updateEventsErased(sql, found), (rows) => {
            const of = tallied(rows)
            return { events: of("events"), values: of("custom_field_values") }
          })

      const inheritedReasons = (id: string) =>
        Effect.map(listInheritedReasons(sql, id), (rows) => rows.map((row) => row.id))

      const head = Effect.map(findHead(sql), ([row]) => row!.sequence)

      const judge = Effect.fnUntraced(function*(id: string) {
        const limit = yield* CurrentProducts
        if (limit === undefined) return
        const [row] = yield* findOtherProducts(sql, id, limit)
        if (row?.others === true) {
          return yield* failing(
            TokenProductDenied,
            "The customer has or had licenses of products that this API key does not cover.",
            { detail: limit.join(" ") }
          )
        }
      })

      const first = Effect.fn("CustomerErasures.first")(
        function*(id: string) {
          yield* customers.get(id)
          yield* judge(id)
          // While licenses still say what their owner is called.
          yield* deleteViewsNaming(sql, id)
          yield* updateSuppressionsErased(sql, id)
          // Before the customer is locked: a look at a purchase locks the purchase first.
          yield* purchases.makeAll(id)
          yield* inTransaction(sql, purchases.ofCustomer(id))
          yield* purchases.settle
          const erased = { licenses: 0, devices: 0, events: 0, custom_field_values: 0 }
          const updates = [
            ["licenses", updateSomeLicenses(sql, id, erasedAtOnce)],
            ["devices", updateSomeDevices(sql, id, erasedAtOnce)]
          ] as const
          for (const [what, update] of updates) {
            for (let count = erasedAtOnce; count === erasedAtOnce;) {
              count = (yield* update).length
              erased[what] += count
            }
          }
          // A pass takes a page of what is left, and only what is written meanwhile is new.
          const passes = Number(yield* head) / page + lastPasses
          for (let pass = 0; pass < passes; pass++) {
            // The head is read before the events, so that no event up to it is missed.
            const sequence = yield* head
            const found = yield* listErasable(sql, id, page)
            for (let at = 0; at < found.length; at += erasedAtOnce) {
              const { events, values } = yield* eraseEvents(found.slice(at, at + erasedAtOnce))
              erased.events += events
              erased.custom_field_values += values
            }
            // A slow pass is repeated, so that little is left for the last step.
            if (found.length < erasedAtOnce) return { ...erased, sequence }
          }
          return yield* Effect.die(new Error("An erasure does not end: events of the customer are written faster"))
        }
      )

      /** Has no license of the customer trust an issuer any more: whoever has an account there would take a seat anew. */
      const endTrust = Effect.fnUntraced(function*(id: string) {
        for (const trusting of yield* listTrusting(sql, id)) {
          // The licenses are locked, and none is ever deleted.
          const held = yield* Effect.orDie(licenses.hold(trusting.id))
          yield* licenses.write(held, { trusted_issuer: null }, { type: "license.updated" })
        }
      })

      const last = (id: string, before: ErasedBefore) =>
        inTransaction(
          sql,
          Effect.gen(function*() {
            yield* lockErasing(sql, id)
            const approved = yield* approvals.lock(id)
            const asked = yield* jobs.lock(id)
            // Once more, with what came meanwhile. Looks that follow see who was erased.
            const erasedPurchases = yield* purchases.ofCustomer(id)
            yield* customers.lock(id)
            yield* purchases.lookAtOthers(id, erasedPurchases)
            yield* lockLicensesOf(sql, id)
            yield* judge(id)
            yield* deleteViewsNaming(sql, id)
            // Before events are looked for: a mail that is being settled has its event by then, and others get none.
            yield* deleteMailsOf(sql, id)
            yield* updateSuppressionsErased(sql, id)
            yield* deletePortalLinksOf(sql, id)
            yield* deleteTransferRequestsOf(sql, id)
            yield* deletePortalSessionsOf(sql, id)
            const rows = yield* updateErased(sql, id)
            yield* users.endErased(id)
            yield* endTrust(id)
            const ofJobs = yield* jobs.erase(asked)
            const since = yield* eraseEvents(yield* listErasableSince(sql, id, before.sequence))
            const told = yield* eraseEvents(yield* jobs.erasable(asked))
            const approvalReasons = yield* approvals.erase(approved)
            const toldOfApprovals = yield* eraseEvents(yield* approvals.erasable(approved))
            // The exports of audits are found by the reasons that they show.
            const inherited = yield* inheritedReasons(id)
            const expired = yield* exports.expire(id, inherited)
            const reasons = yield* updateReasonsErased(sql, id, inherited)
            const of = tallied(rows)
            const counts: ErasedCounts = {
              events: before.events + since.events + told.events + toldOfApprovals.events,
              exports: expired,
              licenses: before.licenses + of("licenses"),
              devices: before.devices + of("devices"),
              users: of("users"),
              custom_field_values: before.custom_field_values + of("custom_field_values") + since.values,
              notes: of("notes"),
              jobs: ofJobs.jobs,
              reasons: ofJobs.reasons + approvalReasons + reasons.length
            }
            const customer = yield* customers.get(id)
            if (of("customers") > 0 || Object.values(counts).some((count) => count > 0)) {
              yield* events.append({
                type: "customer.erased",
                resourceId: id,
                data: customer,
                metadata: { events: counts.events, exports: counts.exports }
              })
            }
            return { customer, ...counts }
          }).pipe(Effect.withSpan("CustomerErasures.last"))
        )

      const rehearse = Effect.fn("CustomerErasures.rehearse")(function*(id: string) {
        const { email: _email, external_id: _id, external_system: _system, ...customer } = yield* customers.get(id)
        yield* judge(id)
        const sequence = yield* head
        const [placed] = yield* countErasable(sql, id)
        const waiting = yield* listErasableSince(sql, id, sequence)
        const [set] = yield* countValues(sql, waiting)
        const ofJobs = yield* jobs.count(id)
        const ofApprovals = yield* approvals.count(id)
        const inherited = yield* inheritedReasons(id)
        const [rows] = yield* countErasableRows(sql, id, inherited)
        return {
          customer: { ...customer, name: erasedName },
          ...rows!,
          events: placed!.events + waiting.length + ofJobs.events + ofApprovals.events,
          exports: yield* exports.count(id, inherited),
          custom_field_values: rows!.custom_field_values + placed!.values + set!.values,
          jobs: ofJobs.jobs,
          reasons: rows!.reasons + ofJobs.reasons + ofApprovals.reasons
        }
      })

      return CustomerErasures.of({
        rehearse,
        erase: (id) => ({
          judge: Effect.andThen(customers.get(id), judge(id)),
          first: first(id),
          last: (before) => last(id, before)
        })
      })
    })
  )
}

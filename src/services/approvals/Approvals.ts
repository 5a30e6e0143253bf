import { Context, Effect, Layer } from "effect"
import type { Approval, ApprovalFailure, ApprovalState } from "../../domain/approvals/Approval.ts"
import type { ApprovalReach } from "../../domain/approvals/ApprovalReach.ts"
import type { Scope } from "../../domain/security/ManagementKey.ts"
import type { ApprovableOperation } from "../../domain/security/SecondLook.ts"
import { failing, NotFound, StateConflict, TokenScopeDenied } from "../../domain/wire/Errors.ts"
import type { InvalidCursor } from "../../domain/wire/Errors.ts"
import type { Page, PageRequest } from "../../domain/wire/Page.ts"
import { Events } from "../events/Events.ts"
import { CurrentActor, CurrentReason, CurrentSecondPerson } from "../events/Provenance.ts"
import type { Actor } from "../events/Provenance.ts"
import { holdRights, standingRights } from "../people/StandingRights.ts"
import { Database } from "../persistence/Database.ts"
import { Identifiers } from "../persistence/Identifiers.ts"
import { sortedPage } from "../persistence/KeysetPagination.ts"
import { CurrentProducts } from "../persistence/ProductLimit.ts"
import { inTransaction, rehearsed } from "../persistence/Transaction.ts"
import { approvalInEvent, readApproval } from "./ApprovalEvents.ts"
import {
  findApproval,
  findToDecide,
  findWaiting,
  insertApproval,
  isAbout,
  isAwaiting,
  isInState,
  isSeen,
  listApprovals,
  lockWaiting,
  updateDecided,
  updateFailed
} from "./ApprovalSql.ts"
import type { Party } from "./ApprovalSql.ts"

/** Filters of the list. */
export interface ApprovalFilters {
  readonly state?: ApprovalState
  /** Only those about a license or a customer. */
  readonly resource_id?: string
  /** Only those that wait for the decision of the caller. */
  readonly awaiting_me?: boolean
}

/** A request that is to wait for a second person. It was judged as the operation judges it. */
interface AskedRequest {
  readonly operation: ApprovableOperation
  readonly params: Readonly<Record<string, string>>
  readonly body: string | undefined
  readonly ifMatch: string | undefined
  readonly reason: string
}

/** A request that waits, with its body as it was written. */
interface WaitingRequest {
  readonly approval: Approval
  readonly body: string | undefined
}

/** Both people of an approval, with the rights that they had when it was judged. */
export interface BothPeople {
  readonly requester: Actor
  readonly approver: Actor
}

const missing = () => failing(NotFound, "No approval has this id.")

const ended = () => failing(StateConflict, "The request no longer waits: it was decided, or its time is over.")

const changed = () => failing(StateConflict, "The rights of one of the two people have changed meanwhile. Try again.")

/** The person who acts. An API key speaks for nobody: who holds it could approve what he has asked for himself. */
const actingPerson: Effect.Effect<Party, TokenScopeDenied> = Effect.flatMap(
  CurrentActor,
  ({ id, person }) =>
    person === undefined
      ? Effect.fail(
        failing(TokenScopeDenied, "Only a person who is signed in asks for approvals and decides them, and no API key.")
      )
      : Effect.succeed({ id, name: person.name, roles: person.roles })
)

/** The license or customer that a request is about. */
const resourceOf = ({ operation, params: { id } }: AskedRequest): string | undefined =>
  operation === "revokeLicense" || operation === "rotateLicenseKey" || operation === "eraseCustomer" ? id : undefined

/** Requests that wait for a second person. */
export class Approvals extends Context.Service<Approvals, {
  readonly list: (
    filters: ApprovalFilters,
    page: PageRequest,
    reach: ApprovalReach
  ) => Effect.Effect<Page<Approval>, InvalidCursor>
  readonly get: (id: string, reach: ApprovalReach) => Effect.Effect<Approval, NotFound>
  /** Fails where no person acts. */
  readonly checkPerson: Effect.Effect<void, TokenScopeDenied>
  /** Runs what a request would do, of which nothing stays: nobody is asked for it. */
  readonly rehearse: <A, E, R>(work: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
  /** Lets a request wait; the same one of the same person that waits already is answered again. */
  readonly ask: (request: AskedRequest) => Effect.Effect<Approval, TokenScopeDenied>
  /** A request that waits for the decision of the caller. */
  readonly toDecide: (
    id: string,
    reach: ApprovalReach
  ) => Effect.Effect<WaitingRequest, NotFound | StateConflict | TokenScopeDenied>
  /** Both people with the rights that an operation needs, as they are now. */
  readonly bothPeople: (
    approval: Approval,
    needed: ReadonlyArray<Scope>
  ) => Effect.Effect<BothPeople, StateConflict | TokenScopeDenied>
  /**
   * Does what is approved, in one transaction with the approval: once, with the rights of both people read anew and held, in the name
   * of whoever asked. The reason for the decision is that of the request.
   */
  readonly settle: <A, E, R>(
    id: string,
    judged: BothPeople & { readonly needed: ReadonlyArray<Scope>; readonly reason: string },
    work: Effect.Effect<A, E, R>
  ) => Effect.Effect<A, E | StateConflict | TokenScopeDenied, R>
  /** Says why the operation was refused. The request goes on waiting. */
  readonly noteFailure: (id: string, failure: ApprovalFailure) => Effect.Effect<void>
  readonly decline: (
    id: string,
    reach: ApprovalReach
  ) => Effect.Effect<Approval, NotFound | StateConflict | TokenScopeDenied>
  /** Cancels a request of the caller. */
  readonly cancel: (
    id: string,
    reach: ApprovalReach
  ) => Effect.Effect<Approval, NotFound | StateConflict | TokenScopeDenied>
}>()("countersign/services/approvals/Approvals") {
  static readonly layer = Layer.effect(
    Approvals,
    Effect.gen(function*() {
      const sql = yield* Database
      const events = yield* Events
      const identifiers = yield* Identifiers

      const get = Effect.fn("Approvals.get")(function*(id: string, reach: ApprovalReach) {
        const [row] = yield* findApproval(sql, id, reach)
        return row === undefined ? yield* missing() : readApproval(row)
      })

      const told = Effect.fnUntraced(
        function*(change: "requested" | "approved" | "declined" | "canceled", row: object | undefined) {
          if (row === undefined) return yield* ended()
          const approval = readApproval(row)
          const data = approvalInEvent(approval)
          yield* events.append({ type: `approval.${change}`, resourceId: approval.id, data })
          return approval
        }
      )

      const ask = Effect.fn("Approvals.ask")((request: AskedRequest) =>
        inTransaction(
          sql,
          Effect.gen(function*() {
            const requester = yield* actingPerson
            const [waiting] = yield* findWaiting(sql, { ...request, requester })
            if (waiting !== undefined) return readApproval(waiting)
            const [row] = yield* insertApproval(sql, {
              ...request,
              id: identifiers.next("apr"),
              resourceId: resourceOf(request),
              requester
            })
            return yield* Effect.orDie(told("requested", row))
          })
        )
      )

      const toDecide = Effect.fnUntraced(function*(id: string, reach: ApprovalReach) {
        const { id: me } = yield* actingPerson
        const approval = yield* get(id, reach)
        const [row] = yield* findToDecide(sql, id, reach)
        if (approval.requested_by.id === me) {
          return yield* failing(StateConflict, "You cannot decide your own request. Another person has to.")
        }
        if (row?.waits !== true) return yield* ended()
        if (!row.awaiting) {
          return yield* failing(TokenScopeDenied, "Your roles do not allow the operation that is to be approved.")
        }
        return { approval, body: row.body ?? undefined }
      })

      const bothPeople = Effect.fnUntraced(function*(approval: Approval, needed: ReadonlyArray<Scope>) {
        const approver = yield* CurrentActor
        return {
          requester: yield* Effect.catchTag(
            standingRights(sql, approval.requested_by, needed),
            "TOKEN_SCOPE_DENIED",
            ({ error }) => Effect.fail(failing(StateConflict, error.message, { detail: error.detail ?? "rights" }))
          ),
          approver: yield* standingRights(sql, { type: "person", id: approver.id }, needed)
        }
      })

      const settle: Approvals["Service"]["settle"] = (id, { approver, needed, reason, requester }, work) =>
        inTransaction(
          sql,
          Effect.gen(function*() {
            if ((yield* lockWaiting(sql, id)).length === 0) return yield* ended()
            yield* holdRights(sql, [requester.id, approver.id])
            const first = yield* standingRights(sql, { type: "person", id: requester.id }, needed)
            const second = yield* standingRights(sql, { type: "person", id: approver.id }, needed)
            if (!hasSameProducts(first, requester) || !hasSameProducts(second, approver)) return yield* changed()
            const { name = "", roles = [] } = second.person ?? {}
            const answer = yield* work.pipe(
              Effect.provideService(CurrentActor, first),
              Effect.provideService(CurrentProducts, first.products),
              Effect.provideService(CurrentSecondPerson, { approvalId: id, id: second.id, name })
            )
            const decider = { id: second.id, name, roles }
            const [row] = yield* updateDecided(sql, id, { state: "approved", decider, reason })
            yield* told("approved", row).pipe(
              Effect.provideService(CurrentActor, second),
              Effect.provideService(CurrentReason, reason)
            )
            return answer
          })
        )

      const decline = Effect.fn("Approvals.decline")((id: string, reach: ApprovalReach) =>
        inTransaction(
          sql,
          Effect.gen(function*() {
            yield* toDecide(id, reach)
            const [row] = yield* updateDecided(sql, id, {
              state: "declined",
              decider: yield* actingPerson,
              reason: yield* CurrentReason
            })
            return yield* told("declined", row)
          })
        )
      )

      const cancel = Effect.fn("Approvals.cancel")((id: string, reach: ApprovalReach) =>
        inTransaction(
          sql,
          Effect.gen(function*() {
            const { id: me } = yield* actingPerson
            const approval = yield* get(id, reach)
            if (approval.requested_by.id !== me) {
              return yield* failing(TokenScopeDenied, "Only the person who asked may cancel a request.")
            }
            if (approval.state === "canceled") return approval
            const [row] = yield* updateDecided(sql, id, { state: "canceled" })
            return yield* told("canceled", row)
          })
        )
      )

      return Approvals.of({
        list: (filters, page, reach) =>
          sortedPage({
            sql,
            list: "approvals",
            products: "not-limited",
            filters,
            page,
            conditions: [
              isSeen(sql, reach),
              ...(filters.state === undefined ? [] : [isInState(sql, filters.state)]),
              ...(filters.resource_id === undefined ? [] : [isAbout(sql, filters.resource_id)]),
              ...(filters.awaiting_me === true ? [isAwaiting(sql, reach)] : [])
            ],
            rows: (clauses, limit) => listApprovals(sql, clauses, limit),
            read: readApproval
          }),
        get,
        checkPerson: Effect.asVoid(actingPerson),
        rehearse: (work) =>
          Effect.flatMap(
            CurrentActor,
            ({ id }) =>
              Effect.provideService(rehearsed(sql, work), CurrentSecondPerson, {
                approvalId: "rehearsal",
                id,
                name: ""
              })
          ),
        ask,
        toDecide,
        bothPeople,
        settle,
        noteFailure: (id, failure) => Effect.asVoid(updateFailed(sql, id, failure)),
        decline,
        cancel
      })
    })
  )
}

/** Whether somebody is limited to the same products as when it was judged. */
const hasSameProducts = (now: Actor, before: Actor): boolean =>
  JSON.stringify(now.products?.toSorted()) === JSON.stringify(before.products?.toSorted())

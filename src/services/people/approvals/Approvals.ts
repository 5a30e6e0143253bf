import { Context, Effect, Layer } from "effect"
import type { Approval, ApprovalFailure, ApprovalState } from "../../../domain/people/approvals/Approval.ts"
import type { ApprovalReach } from "../../../domain/people/approvals/ApprovalReach.ts"
import type { ApprovableOperation } from "../../../domain/log/SecondLook.ts"
import { failing, NotFound, StateConflict, TokenScopeDenied } from "../../../domain/ground/wire/Errors.ts"
import type { InvalidCursor } from "../../../domain/ground/wire/Errors.ts"
import type { Page, PageRequest } from "../../../domain/ground/wire/Page.ts"
import { Events } from "../../log/Events.ts"
import { askingNobody, CurrentActor, CurrentReason } from "../../log/Provenance.ts"
import { Database } from "../../ground/persistence/Database.ts"
import { Identifiers } from "../../ground/persistence/Identifiers.ts"
import { sortedPage } from "../../ground/persistence/KeysetPagination.ts"
import { inTransaction, rehearsed } from "../../ground/persistence/Transaction.ts"
import { approvalInEvent, readApproval } from "./ApprovalEvents.ts"
import {
  countWaiting,
  findApproval,
  findToDecide,
  findWaiting,
  insertApproval,
  isAbout,
  isAwaiting,
  isInState,
  isSeen,
  listApprovals,
  lockAsking,
  updateDecided,
  updateFailed
} from "./ApprovalSql.ts"
import type { Party } from "./ApprovalSql.ts"
import { ended, makeSettlements } from "./Settlements.ts"
import type { Settlements } from "./Settlements.ts"

/** How many requests of one person wait at a time: what waits is to be read by others. */
const mostWaiting = 100

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
  /** The licenses that the filter of a job matches at this moment, by ID; undefined where it has none. */
  readonly selected?: ReadonlyArray<string> | undefined
}

/** A request that waits, with its body as it was written. */
interface WaitingRequest {
  readonly approval: Approval
  readonly body: string | undefined
}

const missing = () => failing(NotFound, "No approval has this id.")

const tooMany = () =>
  failing(
    StateConflict,
    `You have ${mostWaiting} requests that wait for a second person. Cancel some, or let them be decided.`,
    { detail: String(mostWaiting) }
  )

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

const ofResource: ReadonlySet<ApprovableOperation> = new Set([
  "revokeLicense",
  "rotateLicenseKey",
  "transferLicense",
  "updateLicense",
  "updateCustomer",
  "eraseCustomer",
  "eraseLicenseUser"
])

/** The license or customer that a request is about. */
const resourceOf = ({ operation, params: { id } }: AskedRequest): string | undefined =>
  ofResource.has(operation) ? id : undefined

/** Requests that wait for a second person. */
export class Approvals extends Context.Service<
  Approvals,
  Settlements & {
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
    readonly ask: (request: AskedRequest) => Effect.Effect<Approval, StateConflict | TokenScopeDenied>
    /** A request that waits for the decision of the caller. */
    readonly toDecide: (
      id: string,
      reach: ApprovalReach
    ) => Effect.Effect<WaitingRequest, NotFound | StateConflict | TokenScopeDenied>
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
  }
>()("countersign/services/people/approvals/Approvals") {
  static readonly layer = Layer.effect(
    Approvals,
    Effect.gen(function*() {
      const sql = yield* Database
      const events = yield* Events
      const identifiers = yield* Identifiers
      const settlements = yield* makeSettlements

      const get = Effect.fn("Approvals.get")(function*(id: string, reach: ApprovalReach) {
        const [row] = yield* findApproval(sql, id, reach)
        return row === undefined ? yield* missing() : readApproval(row)
      })

      const told = Effect.fnUntraced(
        function*(change: "requested" | "declined" | "canceled", row: object | undefined) {
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
            yield* lockAsking(sql, requester.id)
            const [same] = yield* findWaiting(sql, { ...request, requester })
            if (same !== undefined) return readApproval(same)
            const [count] = yield* countWaiting(sql, requester.id)
            if (count!.waiting >= mostWaiting) return yield* tooMany()
            const [row] = yield* insertApproval(sql, {
              ...request,
              id: identifiers.next("apr"),
              resourceId: resourceOf(request),
              jobId: request.operation === "retryJob" ? request.params["id"] : undefined,
              requester
            })
            return yield* Effect.orDie(told("requested", row))
          })
        )
      )

      const toDecide = Effect.fnUntraced(function*(id: string, reach: ApprovalReach) {
        const { id: me } = yield* actingPerson
        const { openedBy } = yield* CurrentActor
        const approval = yield* get(id, reach)
        const [row] = yield* findToDecide(sql, id, reach)
        // A person who invites a colleague may sign in by the invitation, and would be the second person as well.
        if (approval.requested_by.id === me || approval.requested_by.id === openedBy?.id) {
          return yield* failing(StateConflict, "You cannot decide your own request. Another person has to.")
        }
        if (row?.waits !== true) return yield* ended()
        if (!row.awaiting) {
          return yield* failing(TokenScopeDenied, "Your roles do not allow the operation that is to be approved.")
        }
        return { approval, body: row.body ?? undefined }
      })

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
        rehearse: (work) => askingNobody(rehearsed(sql, work)),
        ask,
        toDecide,
        ...settlements,
        noteFailure: (id, failure) => Effect.asVoid(updateFailed(sql, id, failure)),
        decline,
        cancel
      })
    })
  )
}

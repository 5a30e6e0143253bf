import { Context, Effect, Layer } from "effect"
import { isSameJson } from "../../../domain/ground/wire/CanonicalJson.ts"
import { failing, NotFound, StateConflict, TokenScopeDenied } from "../../../domain/ground/wire/Errors.ts"
import type { InvalidCursor } from "../../../domain/ground/wire/Errors.ts"
import type { Page, PageRequest } from "../../../domain/ground/wire/Page.ts"
import type { Scope } from "../../../domain/keys/security/ManagementKey.ts"
import type { ApprovableOperation } from "../../../domain/log/SecondLook.ts"
import { secondLooks } from "../../../domain/log/SecondLook.ts"
import type { Approval, ApprovalFailure, ApprovalState } from "../../../domain/people/approvals/Approval.ts"
import type { ApprovalReach } from "../../../domain/people/approvals/ApprovalReach.ts"
import { Database, inTransaction, rehearsed } from "../../ground/persistence/Database.ts"
import { Identifiers } from "../../ground/persistence/Identifiers.ts"
import { sortedPage } from "../../ground/persistence/KeysetPagination.ts"
import { CurrentProducts } from "../../ground/persistence/ProductLimit.ts"
import { Events } from "../../log/Events.ts"
import { askingNobody, CurrentActor, CurrentReason, CurrentSecondPerson, RequestOrigin } from "../../log/Provenance.ts"
import type { Actor } from "../../log/Provenance.ts"
import { holdRights, makeStandingRights } from "../StandingRights.ts"
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
  lockErasing,
  lockWaiting,
  updateBegun,
  updateDecided,
  updateFailed
} from "./ApprovalSql.ts"
import type { Party } from "./ApprovalSql.ts"
import { approvalInEvent, readApproval } from "./ApprovalSweeper.ts"

/** Both people of an approval, with the rights that they had when it was judged. */
interface BothPeople {
  readonly requester: Actor
  readonly approver: Actor
}

/** The grounds of an approval: both people, the scopes that both need, and the reason of the second. */
interface Judged extends BothPeople {
  readonly needed: ReadonlyArray<Scope>
  readonly reason: string
}

/** How what was approved is done. */
interface Settlements {
  /** Both people with the rights that an operation needs, as they are now. */
  readonly bothPeople: (
    approval: Approval,
    needed: ReadonlyArray<Scope>
  ) => Effect.Effect<BothPeople, StateConflict | TokenScopeDenied>
  /**
   * Says, in a transaction of its own, that an approved operation of several steps begins: its first step is never undone. From then on
   * the request is neither declined nor canceled. Where the work is interrupted, approving once more goes on with it.
   */
  readonly begin: (approval: Approval, judged: Judged) => Effect.Effect<void, StateConflict | TokenScopeDenied>
  /**
   * Does what is approved, in one transaction with the approval: once, with the rights of both people read anew and held, in the name
   * of whoever asked. What has begun was judged by {@link begin}. The reason for the decision is that of the request.
   */
  readonly settle: <A, E, R>(
    approval: Approval,
    judged: Judged,
    work: Effect.Effect<A, E, R>
  ) => Effect.Effect<A, E | StateConflict | TokenScopeDenied, R>
}

/** The refusal of a request that no longer waits. */
const ended = () => failing(StateConflict, "The request no longer waits: it was decided, or its time is over.")

const changed = () => failing(StateConflict, "The rights of one of the two people have changed meanwhile. Try again.")

/** The person or the role that an operation changes: locked with the rights, since such an operation locks more of them later. */
const changedBy = ({ operation, params: { id } }: Approval) => {
  const action = secondLooks[operation]
  return action === "change_people" ? { person: id } : action === "change_roles" ? { role: id } : {}
}

const partyOf = ({ id, person }: Actor): Party => ({ id, name: person?.name ?? "", roles: person?.roles ?? [] })

/** Makes how what was approved is done. */
const makeSettlements = Effect.gen(function*() {
  const sql = yield* Database
  const events = yield* Events
  const standingRights = yield* makeStandingRights

  const bothPeople: Settlements["bothPeople"] = Effect.fnUntraced(function*(approval, needed) {
    const approver = yield* CurrentActor
    return {
      requester: yield* Effect.catchTag(
        standingRights(approval.requested_by, needed),
        "TOKEN_SCOPE_DENIED",
        ({ error }) =>
          hasBegun(approval)
            ? Effect.succeed(asJudged(approval, needed))
            : Effect.fail(failing(StateConflict, error.message, { detail: error.detail ?? "rights" }))
      ),
      approver: yield* standingRights({ type: "person", id: approver.id }, needed)
    }
  })

  /** Both people with their rights, which nobody changes until the transaction ends. */
  const held = Effect.fnUntraced(function*(approval: Approval, { approver, needed, requester }: Judged) {
    yield* holdRights(sql, [requester.id, approver.id], changedBy(approval))
    const first = yield* standingRights({ type: "person", id: requester.id }, needed)
    const second = yield* standingRights({ type: "person", id: approver.id }, needed)
    if (!hasSameProducts(first, requester) || !hasSameProducts(second, approver)) return yield* changed()
    return { requester: first, approver: second }
  })

  const begin: Settlements["begin"] = (approval, judged) =>
    inTransaction(
      sql,
      Effect.gen(function*() {
        const [waiting] = yield* lockWaiting(sql, approval.id)
        if (waiting === undefined) return yield* ended()
        const { approver } = waiting.is_begun ? judged : yield* held(approval, judged)
        yield* updateBegun(sql, approval.id, partyOf(approver), judged.reason)
      })
    )

  const settle: Settlements["settle"] = (approval, judged, work) =>
    inTransaction(
      sql,
      Effect.gen(function*() {
        const { id } = approval
        const { reason } = judged
        // Two erasures of a customer would each lock the request of the other: both lock all requests about the customer.
        if (approval.operation === "eraseCustomer") yield* lockErasing(sql, approval.params["id"] ?? "")
        const [waiting] = yield* lockWaiting(sql, id)
        if (waiting === undefined) return yield* ended()
        const { approver, requester } = waiting.is_begun ? judged : yield* held(approval, judged)
        const decider = partyOf(approver)
        const answer = yield* work.pipe(
          Effect.provideService(CurrentActor, requester),
          Effect.provideService(CurrentProducts, requester.products),
          // The address is that of the second person, and these events are those of the first one.
          Effect.provideService(RequestOrigin, { ...(yield* RequestOrigin), ipAddress: undefined }),
          Effect.provideService(CurrentSecondPerson, {
            approvalId: id,
            id: decider.id,
            name: decider.name,
            selected: waiting.selected ?? undefined
          })
        )
        const [row] = yield* updateDecided(sql, id, { state: "approved", decider, reason })
        if (row === undefined) return yield* ended()
        const settled = readApproval(row)
        yield* events.append({ type: "approval.approved", resourceId: id, data: approvalInEvent(settled) }).pipe(
          Effect.provideService(CurrentActor, approver),
          Effect.provideService(CurrentReason, reason)
        )
        return answer
      })
    )

  return { bothPeople, begin, settle } satisfies Settlements
})

/** Whether somebody is limited to the same products as when it was judged. */
const hasSameProducts = (now: Actor, before: Actor): boolean =>
  isSameJson(now.products?.toSorted(), before.products?.toSorted())

/** Whether the first step was done, which is never undone: then it is known who decided, though the request is pending. */
const hasBegun = ({ decided_by, state }: Approval): boolean => state === "pending" && decided_by !== undefined

/** The person who asked, with the rights by which the operation began: it is finished although they were lost since. */
const asJudged = ({ requested_by: { id, name, roles } }: Approval, needed: ReadonlyArray<Scope>): Actor => ({
  type: "person",
  id,
  scopes: needed,
  person: { name: name ?? "", roles: roles ?? [], sessionId: "none" }
})

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

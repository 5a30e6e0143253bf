import { Effect } from "effect"
import type { Approval } from "../../../domain/people/approvals/Approval.ts"
import type { Scope } from "../../../domain/keys/security/ManagementKey.ts"
import { secondLooks } from "../../../domain/log/SecondLook.ts"
import { isSameJson } from "../../../domain/ground/wire/CanonicalJson.ts"
import { failing, StateConflict } from "../../../domain/ground/wire/Errors.ts"
import type { TokenScopeDenied } from "../../../domain/ground/wire/Errors.ts"
import { Events } from "../../log/Events.ts"
import { CurrentActor, CurrentReason, CurrentSecondPerson, RequestOrigin } from "../../log/Provenance.ts"
import type { Actor } from "../../log/Provenance.ts"
import { holdRights, makeStandingRights } from "../StandingRights.ts"
import { Database } from "../../ground/persistence/Database.ts"
import { CurrentProducts } from "../../ground/persistence/ProductLimit.ts"
import { inTransaction } from "../../ground/persistence/Transaction.ts"
import { approvalInEvent, readApproval } from "./ApprovalEvents.ts"
import { lockErasing, lockWaiting, updateBegun, updateDecided } from "./ApprovalSql.ts"
import type { Party } from "./ApprovalSql.ts"

/** Both people of an approval, with the rights that they had when it was judged. */
interface BothPeople {
  readonly requester: Actor
  readonly approver: Actor
}

/** The grounds of an approval: both people, the scopes that both need, and the reason of the second. */
export interface Judged extends BothPeople {
  readonly needed: ReadonlyArray<Scope>
  readonly reason: string
}

/** How what was approved is done. */
export interface Settlements {
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
export const ended = () => failing(StateConflict, "The request no longer waits: it was decided, or its time is over.")

const changed = () => failing(StateConflict, "The rights of one of the two people have changed meanwhile. Try again.")

/** The person or the role that an operation changes: locked with the rights, since such an operation locks more of them later. */
const changedBy = ({ operation, params: { id } }: Approval) => {
  const action = secondLooks[operation]
  return action === "change_people" ? { person: id } : action === "change_roles" ? { role: id } : {}
}

const partyOf = ({ id, person }: Actor): Party => ({ id, name: person?.name ?? "", roles: person?.roles ?? [] })

/** Makes how what was approved is done. */
export const makeSettlements = Effect.gen(function*() {
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

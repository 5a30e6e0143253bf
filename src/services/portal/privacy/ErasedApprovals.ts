import { Effect } from "effect"
import { parseMembers } from "../../../domain/ground/parsing/JsonMembers.ts"
import { Database } from "../../ground/persistence/Database.ts"
import { listApprovalsOf, lockApprovalsOf, updateApprovalsErased } from "./ErasedApprovalSql.ts"
import { countReasons, listErasableOf, updateReasonsErased } from "./ErasedReasonSql.ts"

/** A request for a second person, and its body. */
interface AskedRequest {
  readonly id: string
  readonly operation: string
  readonly body: string | null
}

/** The operations whose bodies name customers. */
const ofCustomers: ReadonlySet<string> = new Set(["updateCustomer", "updateLicense", "transferLicense"])

/**
 * A request whose body has no reason. All else of it stays as it is written: by that, a request is known when it is sent again. A body that
 * names a customer goes, and what was asked for with it can no longer be done.
 */
const withoutReason = ({ body, id, operation }: AskedRequest): Omit<AskedRequest, "operation"> => {
  if (body === null || ofCustomers.has(operation)) return { id, body: null }
  const { reason, ...rest } = parseMembers(body)
  if (reason === undefined) return { id, body }
  return { id, body: Object.keys(rest).length === 0 ? null : JSON.stringify(rest) }
}

/** The requests for a second person that are about an erased customer. All of it is part of the last step of an erasure. */
export const makeErasedApprovals = Effect.gen(function*() {
  const sql = yield* Database

  return {
    /** Locks them. */
    lock: (customerId: string) => lockApprovalsOf(sql, customerId),
    /** How many reasons and events of them {@link erase} and an erasure of events would take. */
    count: Effect.fnUntraced(function*(customerId: string) {
      const ids = (yield* listApprovalsOf(sql, customerId)).map(({ id }) => id)
      const [activities] = yield* countReasons(sql, "approval", ids)
      return { reasons: activities!.reasons, events: (yield* listErasableOf(sql, ids)).length }
    }),
    /** Takes their reasons; answers how many activities there were. */
    erase: Effect.fnUntraced(function*(asked: ReadonlyArray<AskedRequest>) {
      yield* updateApprovalsErased(sql, asked.map(withoutReason))
      return (yield* updateReasonsErased(sql, "approval", asked.map(({ id }) => id))).length
    }),
    /** Their events that still have a reason. */
    erasable: (asked: ReadonlyArray<AskedRequest>) => listErasableOf(sql, asked.map(({ id }) => id))
  }
})

import { Effect } from "effect"
import { Database } from "../persistence/Database.ts"
import {
  countApprovalReasons,
  listApprovalsOf,
  listErasableOfApprovals,
  lockApprovalsOf,
  updateApprovalReasonsErased,
  updateApprovalsErased
} from "./ErasedApprovalSql.ts"

/** The requests for a second person that are about an erased customer. All of it is part of the last step of an erasure. */
export const makeErasedApprovals = Effect.gen(function*() {
  const sql = yield* Database

  return {
    /** Locks them, and answers their IDs. */
    lock: (customerId: string) => Effect.map(lockApprovalsOf(sql, customerId), (rows) => rows.map(({ id }) => id)),
    /** How many reasons and events of them {@link erase} and an erasure of events would take. */
    count: Effect.fnUntraced(function*(customerId: string) {
      const ids = (yield* listApprovalsOf(sql, customerId)).map(({ id }) => id)
      const [activities] = yield* countApprovalReasons(sql, ids)
      return { reasons: activities!.reasons, events: (yield* listErasableOfApprovals(sql, ids)).length }
    }),
    /** Takes their reasons; answers how many activities there were. */
    erase: Effect.fnUntraced(function*(ids: ReadonlyArray<string>) {
      yield* updateApprovalsErased(sql, ids)
      return (yield* updateApprovalReasonsErased(sql, ids)).length
    }),
    /** Their events that still have a reason. */
    erasable: (ids: ReadonlyArray<string>) => listErasableOfApprovals(sql, ids)
  }
})

import { Context, Effect, Layer } from "effect"
import { Approval } from "../../../domain/people/approvals/Approval.ts"
import type { ApprovalInEvent } from "../../../domain/people/approvals/Approval.ts"
import { Agenda } from "../../ground/agenda/Agenda.ts"
import { Database, inTransaction } from "../../ground/persistence/Database.ts"
import { rowReader } from "../../ground/persistence/RowToWire.ts"
import { swept } from "../../ground/platform/Sweeps.ts"
import { Events } from "../../log/Events.ts"
import { approvalsDue, deleteOldApprovals, updateExpired } from "./ApprovalSql.ts"

/** Reads a row as the request that it is. */
export const readApproval = rowReader(Approval)

/** A request as its events tell of it. */
export const approvalInEvent = (
  { created_at, decided_at, decided_by, expires_at, id, operation, params, requested_by, state }: Approval
): ApprovalInEvent => ({
  id,
  operation,
  params,
  state,
  requested_by: requested_by.id,
  ...(decided_by === undefined ? {} : { decided_by: decided_by.id }),
  created_at,
  expires_at,
  ...(decided_at === undefined ? {} : { decided_at })
})

/** Ends requests that nobody decided in time, and deletes those that were decided long ago. */
export class ApprovalSweeper extends Context.Service<ApprovalSweeper, {
  /** Ends and deletes all whose time has come. */
  readonly sweep: Effect.Effect<void>
  readonly run: Effect.Effect<never>
}>()("countersign/services/people/approvals/ApprovalSweeper") {
  static readonly layer = Layer.effect(
    ApprovalSweeper,
    Effect.gen(function*() {
      const sql = yield* Database
      const agenda = yield* Agenda
      const events = yield* Events

      const expireSome = inTransaction(
        sql,
        Effect.gen(function*() {
          const expired = yield* updateExpired(sql)
          yield* events.appendAll(expired.map((row) => {
            const approval = readApproval(row)
            return { type: "approval.expired", resourceId: approval.id, data: approvalInEvent(approval) } as const
          }))
          return expired.length
        })
      )
      const expire = Effect.asVoid(Effect.repeat(expireSome, { until: (expired) => expired === 0 }))
      const sweep = Effect.asVoid(Effect.andThen(expire, deleteOldApprovals(sql)))

      return ApprovalSweeper.of({
        sweep,
        run: agenda.follow({
          name: "A sweep of the approvals",
          topic: "approvals",
          due: () => approvalsDue(sql),
          look: swept("approvals", sweep),
          rest: "1 second",
          retry: "5 seconds"
        })
      })
    })
  )
}

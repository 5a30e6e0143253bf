import { Clock, Context, Effect, Layer } from "effect"
import { counted, noRefusals } from "../../domain/people/RefusedSignIn.ts"
import type { RefusedMethod } from "../../domain/people/RefusedSignIn.ts"
import { Events } from "../log/Events.ts"
import { Database } from "../ground/persistence/Database.ts"
import { inTransaction } from "../ground/persistence/Transaction.ts"
import { callingFrom } from "./SignInAdmission.ts"

/** The events of refused sign-ins are about no session. */
const nobody = "none"

const hourMillis = 3_600_000

/** Sign-ins that were refused, told by events: few for each network, because strangers write them. */
export class RefusedSignIns extends Context.Service<RefusedSignIns, {
  /** Tells of a refusal, unless its network or all have had theirs for the hour. It never fails. */
  readonly note: (method: RefusedMethod, reason: string) => Effect.Effect<void>
}>()("countersign/services/people/RefusedSignIns") {
  static readonly layer = Layer.effect(
    RefusedSignIns,
    Effect.gen(function*() {
      const sql = yield* Database
      const events = yield* Events
      let hour = noRefusals

      const note = Effect.fn("RefusedSignIns.note")(function*(method: RefusedMethod, reason: string) {
        const now = Math.floor((yield* Clock.currentTimeMillis) / hourMillis)
        const { after, isWritten, unrecorded } = counted(hour, yield* callingFrom, now)
        hour = after
        if (!isWritten) return
        const data = { sign_in_method: method, reason, ...(unrecorded === 0 ? {} : { unrecorded }) }
        yield* inTransaction(sql, events.append({ type: "session.refused", resourceId: nobody, data })).pipe(
          Effect.catchCause((cause) => Effect.logWarning("A refused sign-in was not written down", cause))
        )
      })

      return RefusedSignIns.of({ note })
    })
  )
}

import { Clock, Context, Data, Effect, Layer } from "effect"
import { networkOf } from "../../domain/ground/admission/DoorLimits.ts"
import { SessionInEvent } from "../../domain/people/Session.ts"
import { counted, noRefusals } from "../../domain/people/SignInFlow.ts"
import type { RefusedMethod } from "../../domain/people/SignInFlow.ts"
import type { RateLimits } from "../ground/admission/RateLimits.ts"
import { Database, inTransaction } from "../ground/persistence/Database.ts"
import { rowReader } from "../ground/persistence/RowToWire.ts"
import { Events } from "../log/Events.ts"
import { RequestOrigin } from "../log/Provenance.ts"
import type { Actor } from "../log/Provenance.ts"
import {
  deleteFormer,
  deleteInvitationOf,
  deleteInvitationsOfRole,
  deleteInvitedOfRole,
  deleteSessionsOf
} from "./SessionSql.ts"

/** The address that the current request is counted under. */
export const callingFrom = Effect.map(RequestOrigin, ({ ipAddress = "" }) => networkOf(ipAddress))

/**
 * The keyed hash of the secret of the session that the browser had when a sign-in began; undefined where it had none. A new session of the
 * same person takes its place.
 */
export const FormerSession = Context.Reference<Uint8Array | undefined>("countersign/services/people/FormerSession", {
  defaultValue: () => undefined
})

/**
 * Charges a sign-in that is begun to its address: nobody is known yet. There is no limit of all, which a few networks would use up to
 * keep everybody else out. What is begun is with the browser, so that it costs no memory and no row here.
 */
export const chargeSignIn = (limits: RateLimits["Service"]) =>
  Effect.flatMap(callingFrom, (address) => limits.request("sign_ins", address))

/**
 * Nobody is let in. `again`: another attempt may succeed; `refused`: the account itself is not let in; `away`: the identity provider
 * does not respond. The message is for whoever tries.
 */
export class SignInRefused extends Data.TaggedError("SignInRefused")<{
  readonly kind: "again" | "refused" | "away"
  readonly message: string
}> {}

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

/** The purpose of the sealed ID token of a session, by which its browser signs out at the provider. It is kept as an answer is. */
export const idTokenPurpose = (sessionId: string) => `idempotency:id-token/${sessionId}` as const

const readOpened = rowReader(SessionInEvent)

/** Tells of sessions that were ended, by their rows. */
export const toldEnded = (events: Events["Service"], ended: ReadonlyArray<object>) =>
  events.appendAll(
    ended.map(readOpened).map((session) => ({ type: "session.ended" as const, resourceId: session.id, data: session }))
  )

/** Makes what ends all sessions of a person. */
export const endingSessions = (sql: Database, events: Events["Service"]) => (id: string) =>
  Effect.flatMap(deleteSessionsOf(sql, id), (ended) => toldEnded(events, ended))

/** Makes what ends all sessions of a person, and takes an invitation that was not spent. */
export const signingOut = (sql: Database, events: Events["Service"]) => (id: string) =>
  Effect.andThen(deleteInvitationOf(sql, id), endingSessions(sql, events)(id))

/** Makes what ends the session that the browser had, where it is of the person who signs in again and acts. */
export const endingFormer = (sql: Database, events: Events["Service"]) =>
  Effect.fnUntraced(function*(actor: Actor) {
    const former = yield* FormerSession
    const ended = former === undefined ? [] : yield* deleteFormer(sql, actor.id, former)
    yield* events.appendAll(
      ended.map(readOpened).map((session) => ({
        type: "session.ended" as const,
        resourceId: session.id,
        data: session,
        actor
      }))
    )
  })

/**
 * Makes what voids invitations of people with a role, and sessions that invitations have opened: whoever made one had the rights of
 * the role as it was.
 */
export const voidingInvitations = (sql: Database, events: Events["Service"]) =>
  Effect.fnUntraced(function*(role: string) {
    yield* deleteInvitationsOfRole(sql, role)
    yield* toldEnded(events, yield* deleteInvitedOfRole(sql, role))
  })

import { Effect } from "effect"
import { SessionInEvent } from "../../domain/people/Session.ts"
import type { Database } from "../ground/persistence/Database.ts"
import { rowReader } from "../ground/persistence/RowToWire.ts"
import type { Events } from "../log/Events.ts"
import type { Actor } from "../log/Provenance.ts"
import { FormerSession } from "./RefusedSignIns.ts"
import {
  deleteFormer,
  deleteInvitationOf,
  deleteInvitationsOfRole,
  deleteInvitedOfRole,
  deleteSessionsOf
} from "./SessionSql.ts"

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

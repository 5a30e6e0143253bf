import { Context, Effect, Layer, Result } from "effect"
import { networkOf } from "../../domain/ground/admission/DoorLimits.ts"
import {
  failing,
  NotFound,
  PersonMismatch,
  StateConflict,
  TokenExpired,
  TokenScopeDenied,
  Unauthenticated
} from "../../domain/ground/wire/Errors.ts"
import type { InvalidCursor, RateLimited } from "../../domain/ground/wire/Errors.ts"
import type { Page, PageRequest } from "../../domain/ground/wire/Page.ts"
import type { Scope } from "../../domain/keys/security/ManagementKey.ts"
import { coversScope } from "../../domain/keys/security/ScopeRule.ts"
import { mayEnter } from "../../domain/people/Rights.ts"
import { Session, SessionInEvent } from "../../domain/people/Session.ts"
import type { AskingPage, SignInMethod } from "../../domain/people/Session.ts"
import { formatSessionToken, isInvitation, isSessionToken } from "../../domain/people/SessionCookie.ts"
import { CurrentShare, FairShares } from "../ground/admission/FairShare.ts"
import { KnownCredentials } from "../ground/admission/KnownCredentials.ts"
import { Database, databaseOf, inTransaction } from "../ground/persistence/Database.ts"
import { Identifiers } from "../ground/persistence/Identifiers.ts"
import { sortedPage } from "../ground/persistence/KeysetPagination.ts"
import { rowReader } from "../ground/persistence/RowToWire.ts"
import { Cryptography } from "../ground/platform/Cryptography.ts"
import { QuestionSql } from "../ground/platform/DatabaseHealthSql.ts"
import { Settings } from "../ground/platform/Settings.ts"
import { Vault } from "../keys/security/Vault.ts"
import { Events } from "../log/Events.ts"
import { bootstrapActor, CurrentActor, RequestOrigin } from "../log/Provenance.ts"
import type { Actor, Opener } from "../log/Provenance.ts"
import type { ProviderAccount } from "./IdentityProvider.ts"
import { invitationPurpose, People } from "./People.ts"
import { invitingIn, openerIn, personActor } from "./PersonActor.ts"
import { endingFormer, idTokenPurpose } from "./RefusedSignIns.ts"
import {
  deleteExpiredInvitations,
  deleteInvitation,
  deleteOver,
  deleteSession,
  findInvitation,
  findSession,
  goesOn,
  insertSession,
  isOf,
  listSessions,
  lockSession,
  updateLastUsed
} from "./SessionSql.ts"
import { sharing } from "./StandingRights.ts"

const sessionPurpose = "person-session"

const readSession = rowReader(Session)
const readOpened = rowReader(SessionInEvent)

/** How much of what a browser calls itself is kept, in characters. */
const longestUserAgent = 255

/**
 * The people, each of whom what is listed must be of: the one who is asked for, and the caller, unless this one may read people. None:
 * all are seen.
 */
export const seenBy = (personId: string | undefined): Effect.Effect<ReadonlyArray<string>> =>
  Effect.map(CurrentActor, ({ id, products, scopes }) => [
    ...(personId === undefined ? [] : [personId]),
    ...(products === undefined && coversScope(scopes, "people:read") ? [] : [id])
  ])

const missing = () => failing(NotFound, "No session has this id.")

/** How somebody signed in: by which way, and with which passkey. */
export interface SignedInBy {
  readonly method: SignInMethod
  readonly passkeyId?: string
  /** The maker of the invitation that opens the session. */
  readonly opener?: Pick<Opener, "id" | "type"> | undefined
  /** The account at the identity provider, whose end there ends the session. */
  readonly provider?: Pick<ProviderAccount, "idToken" | "issuer" | "providerSession" | "subject">
}

/** A session that was opened, and the secret of it. */
export interface Opened {
  readonly session: SessionInEvent
  readonly token: string
}

/** People who are signed in. They are those of the live environment, also in those beside it. There is no cache: what ends a session, or changes a role, is effective at once on every node. */
export class Sessions extends Context.Service<Sessions, {
  /** Signs a person in by an invitation, which is spent. */
  readonly open: (
    invitation: string,
    userAgent: string | undefined
  ) => Effect.Effect<Opened, RateLimited | Unauthenticated>
  /** Opens a session of a person who was recognized, in the surrounding transaction. */
  readonly openFor: (
    personId: string,
    by: SignedInBy,
    userAgent: string | undefined
  ) => Effect.Effect<Opened>
  /** Answers who acts by the secret of a session, or why not: also where it is of another person than the page is of. */
  readonly authorize: (
    token: string,
    scopes: ReadonlyArray<Scope>,
    address: string,
    page?: AskingPage
  ) => Effect.Effect<Actor, PersonMismatch | RateLimited | TokenExpired | TokenScopeDenied | Unauthenticated>
  /** The sessions of the caller; all of them for one who may read people, or those of one person. */
  readonly list: (page: PageRequest, personId?: string) => Effect.Effect<Page<Session>, InvalidCursor>
  /** The {@link FormerSession} of a browser that has this secret. */
  readonly formerOf: (token: string) => Uint8Array
  /** Whether the secret is of a session that goes on. */
  readonly goesOn: (token: string, address: string) => Effect.Effect<boolean>
  /** Ends a session of the caller, `current` for the one that asks; of another, for one who may change people. It takes no right: the person signs in again. */
  readonly end: (id: string) => Effect.Effect<void, NotFound>
  /** Tells everybody with access that somebody signed in to the console with the admin token. */
  readonly noteAdmin: Effect.Effect<void, StateConflict>
}>()("countersign/services/people/Sessions") {
  static readonly layer = Layer.effect(
    Sessions,
    Effect.gen(function*() {
      const sql = yield* Database
      const questions = databaseOf(yield* QuestionSql)
      const crypto = yield* Cryptography
      const events = yield* Events
      const identifiers = yield* Identifiers
      const vault = yield* Vault
      const known = yield* KnownCredentials
      const shares = yield* FairShares
      const people = yield* People
      const { sessionHours, sessionIdleMinutes } = yield* Settings

      const endFormer = endingFormer(sql, events)
      const refused = (message: string) => failing(Unauthenticated, message)

      const openFor = Effect.fnUntraced(function*(
        personId: string,
        by: SignedInBy,
        userAgent: string | undefined
      ) {
        const { ipAddress } = yield* RequestOrigin
        const token = formatSessionToken(crypto.randomBytes(32))
        yield* deleteOver(sql, personId, sessionIdleMinutes)
        yield* deleteExpiredInvitations(sql)
        const id = identifiers.next("ses")
        const [row] = yield* insertSession(sql, {
          id,
          hash: vault.keyedHash(sessionPurpose, token),
          personId,
          ...by,
          sealedIdToken: by.provider === undefined
            ? undefined
            : vault.seal(idTokenPurpose(id), new TextEncoder().encode(by.provider.idToken)),
          ipAddress,
          userAgent: userAgent?.slice(0, longestUserAgent).toWellFormed().replaceAll("\u0000", ""),
          hours: sessionHours
        })
        const session = readOpened(row!)
        const person = yield* Effect.orDie(people.get(personId))
        const actor: Actor = {
          type: "person",
          id: personId,
          scopes: [],
          person: { name: person.name, roles: person.roles, sessionId: session.id },
          ...(by.opener === undefined ? {} : { openedBy: by.opener })
        }
        yield* endFormer(actor)
        yield* events.append({ type: "session.opened", resourceId: session.id, data: session, actor })
        return { session, token }
      })

      const open = Effect.fn("Sessions.open")(function*(invitation: string, userAgent: string | undefined) {
        const { ipAddress = "" } = yield* RequestOrigin
        const from = networkOf(ipAddress)
        const unknown = Effect.andThen(
          known.signIns.malformed(from),
          Effect.fail(refused("This invitation is unknown, was used, or has expired. Ask for a new one."))
        )
        if (!isInvitation(invitation)) return yield* unknown
        const found = yield* inTransaction(
          sql,
          Effect.gen(function*() {
            const hash = vault.keyedHash(invitationPurpose, invitation)
            // The person first, as whoever changes it does.
            const [shown] = yield* findInvitation(sql, hash)
            const person = shown === undefined ? undefined : yield* Effect.orDie(people.lock(shown.person_id))
            if (person === undefined || !mayEnter(person)) return undefined
            const [spent] = yield* deleteInvitation(sql, hash)
            return spent === undefined
              ? undefined
              : yield* openFor(spent.person_id, { method: "invitation", opener: invitingIn(spent) }, userAgent)
          })
        )
        return found ?? (yield* unknown)
      })

      const authorize = Effect.fnUntraced(function*(
        token: string,
        scopes: ReadonlyArray<Scope>,
        address: string,
        { expected, isPoll = false }: AskingPage = {}
      ) {
        const from = networkOf(address)
        const unknown = refused("This session is unknown or was ended. Sign in again.")
        if (!isSessionToken(token)) return yield* Effect.andThen(known.malformed(from), Effect.fail(unknown))
        const hash = vault.keyedHash(sessionPurpose, token)
        const find = shares.questions.run(findSession(questions, hash, sessionIdleMinutes)).pipe(
          Effect.orDie,
          Effect.map(([row]) => row),
          Effect.provideService(CurrentShare, {
            address: from,
            principal: known.ownerOf(hash) ?? "unknown",
            license: undefined
          })
        )
        const row = yield* known.attempt(hash, from, find)
        if (row === undefined || row.status === "removed") return yield* unknown
        known.learn(hash, row.person_id)
        if (row.ended) return yield* failing(TokenExpired, "This session has ended. Sign in again.")
        // Before the rights are judged: what the page of one person asks for is no refusal of another.
        if (expected !== undefined && expected !== row.person_id) {
          return yield* failing(
            PersonMismatch,
            "Another person is signed in to this browser now, so the service did nothing.",
            {
              detail: row.name
            }
          )
        }
        const actor = personActor({ ...row, id: row.person_id }, scopes, row.id)
        if (Result.isFailure(actor)) {
          return yield* failing(TokenScopeDenied, "Your roles do not have the scope that the operation needs.", {
            detail: actor.failure.join(" ")
          })
        }
        if (row.stale && !isPoll) yield* Effect.forkDetach(Effect.ignore(updateLastUsed(sql, row.id).fallible))
        const openedBy = openerIn(row)
        return openedBy === undefined ? actor.success : { ...actor.success, openedBy }
      })

      const authorizeHere = yield* sharing(sql, authorize)

      const isGoing = (token: string, address: string) =>
        Effect.match(authorizeHere(token, [], address), { onFailure: () => false, onSuccess: () => true })

      const list = Effect.fn("Sessions.list")(function*(page: PageRequest, personId?: string) {
        const { person } = yield* CurrentActor
        const of = yield* seenBy(personId)
        return yield* sortedPage({
          sql,
          list: "person_sessions",
          products: "not-limited",
          filters: of.length === 0 ? {} : { of: of.join(" ") },
          page,
          conditions: [goesOn(sql, sessionIdleMinutes), ...of.map((id) => isOf(sql, id))],
          rows: (clauses, limit) => listSessions(sql, clauses, { current: person?.sessionId, limit }),
          read: readSession
        })
      })

      const end = Effect.fn("Sessions.end")((named: string) =>
        inTransaction(
          sql,
          Effect.gen(function*() {
            const actor = yield* CurrentActor
            const id = named === "current" ? actor.person?.sessionId ?? named : named
            const [locked] = yield* lockSession(sql, id)
            const isOwn = locked?.person_id === actor.id
            const mayOthers = actor.products === undefined && coversScope(actor.scopes, "people:write")
            if (locked === undefined || (!isOwn && !mayOthers)) return yield* missing()
            const [row] = yield* deleteSession(sql, id)
            yield* events.append({ type: "session.ended", resourceId: id, data: readOpened(row!) })
          })
        )
      )

      const noteAdmin = Effect.gen(function*() {
        const { id } = yield* CurrentActor
        if (id !== bootstrapActor.id) {
          return yield* failing(StateConflict, "Only a sign-in with the admin token is written down like this.")
        }
        yield* inTransaction(sql, events.append({ type: "api_key.signed_in", resourceId: id, data: { id } }))
      })

      return Sessions.of({
        open,
        openFor,
        formerOf: (token) => vault.keyedHash(sessionPurpose, token),
        authorize: authorizeHere,
        goesOn: isGoing,
        list,
        end,
        noteAdmin
      })
    })
  )
}

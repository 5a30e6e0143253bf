import { Context, Effect, Layer } from "effect"
import { failing, NotFound, StateConflict, Unauthenticated } from "../../../domain/ground/wire/Errors.ts"
import type { InvalidCursor, RateLimited, TokenScopeDenied } from "../../../domain/ground/wire/Errors.ts"
import type { Page, PageRequest } from "../../../domain/ground/wire/Page.ts"
import { coversScope } from "../../../domain/keys/security/ScopeRule.ts"
import { Passkey } from "../../../domain/people/Passkey.ts"
import type { PasskeyCreate, PasskeyCreation, PasskeyUpdate } from "../../../domain/people/Passkey.ts"
import type { KeptFlow } from "../../../domain/people/PasskeyFlow.ts"
import { countedOwner, mayEnter, ownersBeside, statusWith, takesLastOwner } from "../../../domain/people/Rights.ts"
import { SessionInEvent } from "../../../domain/people/Session.ts"
import { Database, inTransaction } from "../../ground/persistence/Database.ts"
import { sortedPage } from "../../ground/persistence/KeysetPagination.ts"
import { rowReader } from "../../ground/persistence/RowToWire.ts"
import { Settings } from "../../ground/platform/Settings.ts"
import { Events } from "../../log/Events.ts"
import { CurrentActor } from "../../log/Provenance.ts"
import { People } from "../People.ts"
import { countPasskeysOf, lockWithOwners, updatePerson } from "../PersonSql.ts"
import { makeGranters } from "../Roles.ts"
import { seenBy } from "../Sessions.ts"
import { deleteSessionsBy, lockMethod } from "../SessionSql.ts"
import { believed, makePasskeyChallenges, makePasskeyEnrolment, PasskeyVerifier } from "./PasskeyChallenges.ts"
import { deletePasskey, findHolder, isHeldBy, listPasskeys, updateName } from "./PasskeySql.ts"

const readPasskey = rowReader(Passkey)
const readEnded = rowReader(SessionInEvent)

const missing = () => failing(NotFound, "No passkey has this id.")

/** Passkeys of people, as they see to them when they are signed in. */
export class Passkeys extends Context.Service<Passkeys, {
  /** The passkeys of the caller; all of them for one who may read people, or those of one person. */
  readonly list: (page: PageRequest, personId?: string) => Effect.Effect<Page<Passkey>, InvalidCursor>
  /** Offers the caller, who is a person, another passkey; answers what the browser keeps meanwhile, too. */
  readonly begin: Effect.Effect<{ readonly creation: PasskeyCreation; readonly flow: KeptFlow }, StateConflict>
  /** Gives the caller the passkey that a browser has made. */
  readonly create: (
    flow: string | undefined,
    answer: PasskeyCreate
  ) => Effect.Effect<Passkey, RateLimited | StateConflict | Unauthenticated>
  /** Renames a passkey of the caller. */
  readonly rename: (id: string, changes: PasskeyUpdate) => Effect.Effect<Passkey, NotFound>
  /**
   * Removes a passkey of the caller; of another, for one who may change people and has all rights of that person. What was opened
   * with it ends, but for the session that asks.
   */
  readonly remove: (
    id: string
  ) => Effect.Effect<void, NotFound | StateConflict | TokenScopeDenied>
}>()("countersign/services/people/passkeys/Passkeys") {
  static readonly layer = Layer.effect(
    Passkeys,
    Effect.gen(function*() {
      const sql = yield* Database
      const events = yield* Events
      const people = yield* People
      const verifier = yield* PasskeyVerifier
      const { openIdConnect, sessionIdleMinutes } = yield* Settings
      const issuer = openIdConnect?.issuer
      const granters = yield* makeGranters
      const challenges = yield* makePasskeyChallenges
      const enrolment = yield* makePasskeyEnrolment

      /** The person who is signed in. What a session of an invitation alone may do ends with it: it adds no way in. */
      const caller = Effect.gen(function*() {
        const { id, person } = yield* CurrentActor
        if (person === undefined) {
          return yield* failing(StateConflict, "Passkeys are of people who are signed in. An API key has none.")
        }
        const [session] = yield* lockMethod(sql, person.sessionId, sessionIdleMinutes)
        if (session === undefined || session.sign_in_method === "invitation") {
          return yield* failing(
            StateConflict,
            "This session has ended, or was opened by an invitation alone. Sign in again, or open a new invitation and join with a passkey."
          )
        }
        return id
      })

      const begin = Effect.gen(function*() {
        const { id: rpId } = yield* challenges.wanted
        const personId = yield* caller
        const challenged = yield* challenges.begin("add", { personId })
        const person = yield* Effect.orDie(people.get(personId))
        return { creation: yield* enrolment.offer(person, rpId, challenged), flow: challenged.flow }
      })

      const create = Effect.fn("Passkeys.create")(function*(text: string | undefined, answer: PasskeyCreate) {
        const personId = yield* caller
        const { asked, flow } = yield* challenges.read(text, "add")
        if (flow.personId !== personId) {
          return yield* failing(Unauthenticated, "This passkey was begun by another person.")
        }
        const verified = yield* believed(verifier.created(answer, asked))
        return yield* inTransaction(
          sql,
          Effect.gen(function*() {
            const person = yield* Effect.orDie(people.lock(personId))
            // The session may have ended, and the roles may be gone, since the request was let in.
            yield* caller
            if (!mayEnter(person)) return yield* failing(Unauthenticated, "You have no role here.")
            yield* challenges.spend(flow)
            return yield* enrolment.enrol(person, verified, answer)
          })
        )
      })

      const rename = Effect.fn("Passkeys.rename")((id: string, { name }: PasskeyUpdate) =>
        inTransaction(
          sql,
          Effect.gen(function*() {
            const [holder] = yield* findHolder(sql, id)
            if (holder === undefined || holder.person_id !== (yield* CurrentActor).id) return yield* missing()
            const [row] = yield* updateName(sql, id, name)
            if (row === undefined) return yield* missing()
            const passkey = readPasskey(row)
            yield* events.append({ type: "passkey.updated", resourceId: id, data: passkey })
            return passkey
          })
        )
      )

      /** Writes the status of a locked person who has one way to sign in less. */
      const settle = Effect.fnUntraced(function*(personId: string, otherOwners: number) {
        const person = yield* Effect.orDie(people.get(personId))
        const { email = null, identities, name, roles } = person
        if (person.status !== "active") return
        const [left] = yield* countPasskeysOf(sql, personId)
        const after = { name, email, roles, status: statusWith(identities.length + left!.passkeys) }
        const issuers = identities.map((identity) => identity.issuer)
        const counted = countedOwner(after, { issuers, passkeys: left!.passkeys }, issuer)
        if (takesLastOwner(person, counted, otherOwners)) {
          return yield* failing(
            StateConflict,
            "This is the last way in of the last owner who can sign in. Add another passkey first."
          )
        }
        if (after.status === person.status) return
        yield* updatePerson(sql, personId, after)
        yield* events.append({
          type: "person.updated",
          look: "none",
          resourceId: personId,
          data: yield* Effect.orDie(people.get(personId))
        })
      })

      const remove = Effect.fn("Passkeys.remove")((id: string) =>
        inTransaction(
          sql,
          Effect.gen(function*() {
            const actor = yield* CurrentActor
            const [holder] = yield* findHolder(sql, id)
            const isOwn = holder?.person_id === actor.id
            const mayOthers = actor.products === undefined && coversScope(actor.scopes, "people:write")
            if (holder === undefined || (!isOwn && !mayOthers)) return yield* missing()
            const locked = yield* lockWithOwners(sql, holder.person_id)
            if (!isOwn) {
              const person = yield* Effect.orDie(people.get(holder.person_id))
              yield* granters.check({ scopes: yield* people.scopesOf(person), isGiven: false })
            }
            const [row] = yield* deletePasskey(sql, id)
            if (row === undefined) return yield* missing()
            const otherOwners = ownersBeside(locked, holder.person_id, issuer)
            yield* settle(holder.person_id, otherOwners)
            const ended = (yield* deleteSessionsBy(sql, id, actor.person?.sessionId)).map(readEnded)
            yield* events.append({
              type: "passkey.deleted",
              resourceId: id,
              data: readPasskey(row),
              ...(isOwn ? { look: "none" as const } : {})
            })
            yield* events.appendAll(
              ended.map((session) => ({ type: "session.ended" as const, resourceId: session.id, data: session }))
            )
          })
        )
      )

      return Passkeys.of({
        list: Effect.fn("Passkeys.list")(function*(page, personId) {
          const of = yield* seenBy(personId)
          return yield* sortedPage({
            sql,
            list: "passkeys",
            products: "not-limited",
            filters: { of: of.join(" ") },
            page,
            conditions: of.map((id) => isHeldBy(sql, id)),
            rows: (clauses, limit) => listPasskeys(sql, clauses, limit),
            read: readPasskey
          })
        }),
        begin,
        create: (text, answer) =>
          Effect.catchTag(create(text, answer), "SignInRefused", ({ message }) => failing(Unauthenticated, message)),
        rename,
        remove
      })
    })
  )
}

import { Context, Effect, Layer } from "effect"
import type { JsonObject } from "../../domain/ground/wire/CanonicalJson.ts"
import { Conflict, failing, NotFound, StateConflict, TokenScopeDenied } from "../../domain/ground/wire/Errors.ts"
import type { InvalidCursor, PreconditionFailed, ValidationError } from "../../domain/ground/wire/Errors.ts"
import { invalidRequest } from "../../domain/ground/wire/FieldFindings.ts"
import type { Page, PageRequest } from "../../domain/ground/wire/Page.ts"
import type { Scope } from "../../domain/keys/security/ManagementKey.ts"
import { coversScope } from "../../domain/keys/security/ScopeRule.ts"
import { Person } from "../../domain/people/Person.ts"
import type { Identity, PeopleFilters, PersonCreate, PersonUpdate, ScopeGranters } from "../../domain/people/Person.ts"
import {
  countedOwner,
  neededToIdentify,
  ownersBeside,
  scopesOfRoles,
  statusWith,
  takesLastOwner
} from "../../domain/people/Rights.ts"
import { builtInRole } from "../../domain/people/Role.ts"
import type { Invitation } from "../../domain/people/Session.ts"
import { formatInvitation } from "../../domain/people/SessionCookie.ts"
import { CurrentEnvironment } from "../ground/environments/CurrentEnvironment.ts"
import { Database, inTransaction } from "../ground/persistence/Database.ts"
import { Identifiers } from "../ground/persistence/Identifiers.ts"
import { sortedPage } from "../ground/persistence/KeysetPagination.ts"
import { makeEntityTags } from "../ground/persistence/Precondition.ts"
import { rowReader } from "../ground/persistence/RowToWire.ts"
import { Cryptography } from "../ground/platform/Cryptography.ts"
import { Settings } from "../ground/platform/Settings.ts"
import { Vault } from "../keys/security/Vault.ts"
import { Events } from "../log/Events.ts"
import { CurrentActor } from "../log/Provenance.ts"
import { deleteOwnViews, listLeft } from "./access/ManagementKeySql.ts"
import type { LeftViews } from "./access/ManagementKeySql.ts"
import { openerBy } from "./PersonActor.ts"
import {
  countPasskeysOf,
  deleteOtherIdentities,
  findPerson,
  hasStatus,
  insertIdentities,
  insertPerson,
  isCalled,
  listOthersIdentities,
  listPeople,
  lockWithOwners,
  updatePerson
} from "./PersonSql.ts"
import type { PersonValues } from "./PersonSql.ts"
import { signingOut } from "./RefusedSignIns.ts"
import { makeGranters } from "./Roles.ts"
import { lockGiven } from "./RoleSql.ts"
import { deleteExpiredInvitations, insertInvitation } from "./SessionSql.ts"
import { grantersOf } from "./StandingRights.ts"

const readPerson = rowReader(Person)

const missing = () => failing(NotFound, "No person has this id.")

/** People who work with the service, their roles, and the accounts by which they are recognized. */
export class People extends Context.Service<People, {
  readonly list: (filters: PeopleFilters, page: PageRequest) => Effect.Effect<Page<Person>, InvalidCursor>
  /** Never with more rights than the caller has. */
  readonly create: (input: PersonCreate) => Effect.Effect<Person, Conflict | TokenScopeDenied | ValidationError>
  readonly get: (id: string) => Effect.Effect<Person, NotFound>
  /** Like `get`, and locks the person against changes until the surrounding transaction ends. */
  readonly lock: (id: string) => Effect.Effect<Person, NotFound>
  /** The people who can give somebody a scope, by name: for a person who is signed in, or who may read people. */
  readonly granters: (scope: Scope) => Effect.Effect<ScopeGranters, TokenScopeDenied>
  /** All scopes that a person has by roles. */
  readonly scopesOf: (person: Pick<Person, "roles">) => Effect.Effect<ReadonlyArray<Scope>>
  /** The caller needs the rights that the person has before and after. The last owner stays one. */
  readonly update: (
    id: string,
    changes: PersonUpdate
  ) => Effect.Effect<
    Person,
    Conflict | NotFound | PreconditionFailed | StateConflict | TokenScopeDenied | ValidationError
  >
  /** Takes all roles, and keeps the record and the identities, so that nobody comes in by them again. Repeating it succeeds. */
  readonly remove: (
    id: string
  ) => Effect.Effect<void, NotFound | PreconditionFailed | StateConflict | TokenScopeDenied>
  /** Reinstates a removed person, without roles. Repeating it succeeds. */
  readonly reinstate: (id: string) => Effect.Effect<Person, NotFound>
}>()("countersign/services/people/People") {
  static readonly layer = Layer.effect(
    People,
    Effect.gen(function*() {
      const sql = yield* Database
      const events = yield* Events
      const identifiers = yield* Identifiers
      const granters = yield* makeGranters
      const signOut = signingOut(sql, events)
      const identify = identifying(sql)
      const issuer = (yield* Settings).openIdConnect?.issuer
      const tags = yield* makeEntityTags<Person>((person) => person)

      const get = Effect.fn("People.get")(function*(id: string) {
        const [row] = yield* findPerson(sql, id)
        if (row === undefined) return yield* missing()
        const person = readPerson(row)
        yield* tags.note(person)
        return person
      })

      /** The event of a change, with the person as it left him or her. */
      const told = Effect.fnUntraced(function*(
        change: "created" | "updated" | "removed" | "reinstated",
        id: string,
        metadata?: JsonObject
      ) {
        const person = yield* Effect.orDie(get(id))
        yield* events.append({
          type: `person.${change}`,
          resourceId: id,
          data: person,
          ...(metadata === undefined ? {} : { metadata })
        })
        return person
      })

      /** A person who is locked for a change, and what keeps the last owner. */
      const held = Effect.fnUntraced(function*(id: string) {
        const locked = yield* lockWithOwners(sql, id)
        const ways = locked.find((row) => row.id === id)
        if (ways === undefined) return yield* missing()
        const person = yield* get(id)
        yield* tags.judgeOnce(id, Effect.succeed(person))
        /** Fails where a change would leave no owner who can sign in. */
        const keepsOwner = (after: PersonValues, issuers = ways.issuers) =>
          checkOwners(
            countedOwner(person, ways, issuer),
            countedOwner(after, { issuers, passkeys: ways.passkeys }, issuer),
            ownersBeside(locked, id, issuer)
          )
        return { person, keepsOwner }
      })

      /** The rights that a person has by roles, and findings about those of the `asked` that there are not. */
      const rightsOf = Effect.fnUntraced(function*(had: ReadonlyArray<string>, asked: ReadonlyArray<string>) {
        const own = yield* lockGiven(sql, [...had, ...asked].filter((id) => builtInRole(id) === undefined))
        const roleOf = (id: string) => builtInRole(id) ?? own.find((role) => role.id === id)
        const unknown = asked.flatMap((id, index) =>
          roleOf(id) === undefined ? [{ path: `roles.${index}`, code: "not_found", message: "names no role" }] : []
        )
        if (unknown.length > 0) return yield* invalidRequest(unknown)
        return scopesOfRoles([...had, ...asked].flatMap((id) => roleOf(id) ?? []))
      })

      const lock = Effect.fn("People.lock")(function*(id: string) {
        const locked = yield* lockWithOwners(sql, id)
        return locked.some((row) => row.id === id) ? yield* get(id) : yield* missing()
      })

      const scopesOf = ({ roles }: Pick<Person, "roles">) => Effect.orDie(rightsOf(roles, []))

      const create = Effect.fn("People.create")((input: PersonCreate) =>
        inTransaction(
          sql,
          Effect.gen(function*() {
            const { email, identities = [], name, roles = [] } = input
            const scopes = [...yield* rightsOf([], roles), ...neededToIdentify([], identities)]
            yield* granters.check({ scopes, isGiven: true })
            const id = identifiers.next("per")
            yield* insertPerson(sql, id, { name, email: email ?? null, roles, status: statusWith(identities.length) })
            yield* identify(id, identities)
            return yield* told("created", id)
          })
        )
      )

      const write = Effect.fnUntraced(function*(id: string, changes: PersonUpdate) {
        const { keepsOwner, person } = yield* held(id)
        if (person.status === "removed") {
          return yield* failing(StateConflict, "This person was removed. Reinstate them first.")
        }
        const { email = person.email ?? "", identities, name = person.name, roles = person.roles } = changes
        yield* granters.check({
          scopes: [
            ...yield* rightsOf(person.roles, roles),
            ...neededToIdentify(person.identities, identities ?? [])
          ],
          isGiven: changes.roles !== undefined || identities !== undefined
        })
        const status = identities === undefined ? person.status : yield* statusOf(sql, id, identities.length)
        const after = { name, email: email || null, roles, status }
        yield* keepsOwner(after, identities?.map((identity) => identity.issuer))
        yield* updatePerson(sql, id, after)
        if (identities !== undefined) yield* identify(id, identities)
        if (changes.roles !== undefined || identities !== undefined) yield* signOut(id)
        return yield* told("updated", id)
      })

      const remove = Effect.fn("People.remove")((id: string) =>
        inTransaction(
          sql,
          Effect.gen(function*() {
            const { keepsOwner, person } = yield* held(id)
            if (person.status === "removed") return
            yield* granters.check({ scopes: yield* scopesOf(person), isGiven: false })
            const { email = null, name } = person
            const after: PersonValues = { name, email, roles: [], status: "removed" }
            yield* keepsOwner(after)
            yield* updatePerson(sql, id, after)
            yield* signOut(id)
            const [views] = yield* deleteOwnViews(sql, { type: "person", id })
            yield* told("removed", id, leftBy(views!, yield* listLeft(sql, id, mostKeysTold)))
          })
        )
      )

      const reinstate = Effect.fn("People.reinstate")((id: string) =>
        inTransaction(
          sql,
          Effect.gen(function*() {
            const person = yield* lock(id)
            if (person.status !== "removed") return person
            const { email = null, identities, name } = person
            const status = yield* statusOf(sql, id, identities.length)
            yield* updatePerson(sql, id, { name, email, roles: [], status })
            return yield* told("reinstated", id)
          })
        )
      )

      return People.of({
        list: (filters, page) =>
          sortedPage({
            sql,
            list: "people",
            products: "not-limited",
            filters,
            page,
            conditions: [
              ...(filters.q === undefined ? [] : [isCalled(sql, filters.q.trim())]),
              ...(filters.status === undefined ? [] : [hasStatus(sql, filters.status)])
            ],
            rows: (clauses, limit) => listPeople(sql, clauses, limit),
            read: readPerson
          }),
        create,
        get,
        lock,
        granters: (scope) => grantersFor(sql, scope),
        scopesOf,
        update: Effect.fn("People.update")((id, changes) => inTransaction(sql, write(id, changes))),
        remove,
        reinstate
      })
    })
  )
}

/** The people who can give a scope, for a caller who may know them. */
const grantersFor = Effect.fn("People.granters")(function*(sql: Database, scope: Scope) {
  const { person, products, scopes } = yield* CurrentActor
  if (person === undefined && (products !== undefined || !coversScope(scopes, "people:read"))) {
    return yield* failing(TokenScopeDenied, "An API key needs the scope for people to ask who can give rights.", {
      detail: "people:read"
    })
  }
  return yield* grantersOf(sql, scope)
})

/** Makes what gives a person exactly these identities, where they are nobody else's. */
const identifying = (sql: Database) =>
  Effect.fnUntraced(function*(id: string, identities: ReadonlyArray<Identity>) {
    yield* deleteOtherIdentities(sql, id, identities)
    yield* insertIdentities(sql, id, identities)
    const others = yield* listOthersIdentities(sql, id, identities)
    if (others.length === 0) return
    return yield* failing(Conflict, "Another person is recognized by this account.", {
      detail: others.map(({ issuer, subject }) => `${subject} at ${issuer}`).join("; ")
    })
  })

type SignInRights = Pick<Person, "roles" | "status">

/** Fails where a change would leave no owner who can sign in. */
const checkOwners = (before: SignInRights, after: SignInRights, otherOwners: number) =>
  takesLastOwner(before, after, otherOwners)
    ? Effect.fail(
      failing(StateConflict, "This is the last owner who can sign in. Make another person an owner first.")
    )
    : Effect.void

/** The status of a person who is not removed and has some accounts, and perhaps passkeys. */
const statusOf = (sql: Database, id: string, accounts: number) =>
  Effect.map(countPasskeysOf(sql, id), ([row]) => statusWith(accounts + row!.passkeys))

/** How many API keys the event of a removal names at most. */
const mostKeysTold = 100

/** The counts of the saved views of a removed person, where there are any, and the API keys that continue to work. */
const leftBy = ({ deleted, kept }: LeftViews, keys: ReadonlyArray<{ readonly id: string }>): JsonObject => ({
  ...(deleted + kept === 0 ? {} : { views_deleted: deleted, shared_views: kept }),
  api_keys_kept: keys.map(({ id }) => id)
})

/** The purpose under which an invitation is hashed. */
export const invitationPurpose = "person-invitation"

/** How long an invitation is good, in minutes. */
const goodForMinutes = 60

/** Invitations, by which people sign in once. */
export class Invitations extends Context.Service<Invitations, {
  /**
   * Takes the place of any invitation before. The caller needs all rights of the person. A colleague who can sign in is invited by nobody
   * else: what is done in a session of such an invitation would be told as the colleague's.
   */
  readonly create: (personId: string) => Effect.Effect<Invitation, NotFound | StateConflict | TokenScopeDenied>
}>()("countersign/services/people/Invitations") {
  static readonly layer = Layer.effect(
    Invitations,
    Effect.gen(function*() {
      const sql = yield* Database
      const crypto = yield* Cryptography
      const environment = yield* CurrentEnvironment
      const events = yield* Events
      const vault = yield* Vault
      const people = yield* People
      const granters = yield* makeGranters

      const create = Effect.fn("Invitations.create")((personId: string) =>
        inTransaction(
          sql,
          Effect.gen(function*() {
            const person = yield* people.lock(personId)
            if (environment !== "live") {
              return yield* failing(StateConflict, "People sign in to the live environment. Invite them there.")
            }
            const actor = yield* CurrentActor
            const isOwn = actor.id === personId
            if (person.status === "active" && !isOwn) {
              return yield* failing(
                StateConflict,
                "This person has a way to sign in, and colleagues do not sign in for each other. If it was lost, remove the passkeys and " +
                  "accounts of the person first.",
                { detail: "active" }
              )
            }
            if (person.status === "removed") {
              return yield* failing(StateConflict, "This person was removed. Reinstate them first.")
            }
            yield* granters.check({ scopes: yield* people.scopesOf(person), isGiven: true })
            const invitation = formatInvitation(crypto.randomBytes(32))
            const hash = vault.keyedHash(invitationPurpose, invitation)
            // As whoever links an account by hand: it signs in with all that the person is given later.
            const linksAccount = (yield* granters.lacking({ scopes: ["admin"], isGiven: true })).length === 0
            yield* deleteExpiredInvitations(sql)
            const [row] = yield* insertInvitation(sql, {
              hash,
              personId,
              minutes: goodForMinutes,
              linksAccount,
              invitedBy: actor.person?.name,
              opener: isOwn ? actor.openedBy : openerBy(actor)
            })
            yield* events.append({ type: "person.invited", resourceId: personId, data: person })
            return {
              person_id: personId,
              invitation,
              links_account: linksAccount,
              expires_at: row!.expires_at.toISOString()
            }
          })
        )
      )

      return Invitations.of({ create })
    })
  )
}

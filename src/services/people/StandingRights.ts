import { Effect, Result } from "effect"
import { failing, TokenScopeDenied } from "../../domain/ground/wire/Errors.ts"
import { missingScopes } from "../../domain/keys/security/ManagementKey.ts"
import type { Scope } from "../../domain/keys/security/ManagementKey.ts"
import type { Author } from "../../domain/people/notes/Note.ts"
import { maximumGranters, Person } from "../../domain/people/Person.ts"
import type { ScopeGranters } from "../../domain/people/Person.ts"
import { builtInRoles } from "../../domain/people/Role.ts"
import { Database } from "../ground/persistence/Database.ts"
import { rowReader } from "../ground/persistence/RowToWire.ts"
import { bootstrapActor } from "../log/Provenance.ts"
import type { Actor } from "../log/Provenance.ts"
import { makePeopleOfLive, offerPeople } from "./access/LivePeople.ts"
import type { AuthorizePerson } from "./access/LivePeople.ts"
import { personActor } from "./PersonActor.ts"
import { findPerson, lockWithOwners } from "./PersonSql.ts"
import {
  findGoodKey,
  findWithRoles,
  listWithScope,
  lockPeople,
  lockRolesOf,
  lockRoleWithThoseOf
} from "./SessionSql.ts"

/** Work that goes on after its request is of no session. */
const noSession = "none"

/** The scopes with which roles are given, and the most people with them who are looked at. */
const givingScopes: ReadonlyArray<Scope> = ["people:write", "admin"]
const mostGivers = 200

const lost = (detail: string) => failing(TokenScopeDenied, "The author of this has lost the right to it.", { detail })

/**
 * The rights that somebody has at this moment, without a request of theirs: for what goes on after it. Where a session began or a
 * key is allowed from was judged by the request.
 */
export const standingRights = Effect.fnUntraced(function*(
  sql: Database,
  { id, type }: Pick<Author, "id" | "type">,
  needed: ReadonlyArray<Scope>
): Effect.fn.Return<Actor, TokenScopeDenied> {
  if (type === "person") {
    const [person] = yield* findWithRoles(sql, id)
    if (person === undefined) return yield* lost("The person was removed.")
    const actor = personActor(person, needed, noSession)
    return Result.isSuccess(actor) ? actor.success : yield* lost(actor.failure.join(" "))
  }
  if (id === bootstrapActor.id) return bootstrapActor
  const [key] = yield* findGoodKey(sql, id)
  if (key === undefined) return yield* lost("The API key was revoked or has expired.")
  const lacking = missingScopes(key.scopes, needed)
  if (lacking.length > 0) return yield* lost(lacking.join(" "))
  return { type: "api_key", id, scopes: key.scopes, ...(key.product_ids === null ? {} : { products: key.product_ids }) }
})

/** Makes {@link standingRights} in an environment: people are those of live, and API keys those of its own. */
export const makeStandingRights = Effect.gen(function*() {
  const sql = yield* Database
  const peopleOfLive = yield* makePeopleOfLive
  return (
    author: Pick<Author, "id" | "type">,
    needed: ReadonlyArray<Scope>
  ): Effect.Effect<Actor, TokenScopeDenied> => {
    const people = author.type === "person" ? peopleOfLive() : undefined
    return people === undefined ? standingRights(sql, author, needed) : people.standing(author.id, needed)
  }
})

const readPerson = rowReader(Person)

/** Offers the people of live to the environments beside it; answers who judges sessions here, which is live. */
export const sharing = Effect.fnUntraced(function*(sql: Database, authorize: AuthorizePerson) {
  yield* offerPeople({
    authorize,
    standing: (id, needed) => standingRights(sql, { type: "person", id }, needed),
    emailOf: (id) => Effect.map(findPerson(sql, id), ([row]) => row === undefined ? undefined : readPerson(row).email)
  })
  const peopleOfLive = yield* makePeopleOfLive
  const authorizeHere: AuthorizePerson = (...args) => (peopleOfLive()?.authorize ?? authorize)(...args)
  return authorizeHere
})

/** The people who can give somebody a scope at this moment: they may change people, and have the scope themselves, for all products. */
export const grantersOf = Effect.fnUntraced(function*(
  sql: Database,
  scope: Scope
): Effect.fn.Return<ScopeGranters> {
  const builtIn = builtInRoles.filter(({ scopes }) => givingScopes.some((giving) => scopes.includes(giving)))
  const found = yield* listWithScope(sql, {
    builtIn: builtIn.map(({ id }) => id),
    scopes: givingScopes,
    limit: mostGivers
  })
  const names = found.filter((person) => {
    const actor = personActor(person, ["people:write", scope], noSession)
    return Result.isSuccess(actor) && actor.success.products === undefined
  }).map(({ name }) => name)
  return { scope, names: names.slice(0, maximumGranters), has_more: names.length > maximumGranters }
})

/** The person or the role that a transaction goes on to change. */
interface ChangedRights {
  readonly person?: string | undefined
  readonly role?: string | undefined
}

/**
 * Holds the rights of people as they are until the surrounding transaction ends: who they are, and the roles that they have. It holds
 * nobody in an environment beside live, whose people stand in another database: nothing there is of customers. What the transaction goes on to change it locks at once as a change does, with all owners: two that share a lock and both want more of it
 * would wait for each other.
 */
export const holdRights = Effect.fnUntraced(function*(
  sql: Database,
  people: ReadonlyArray<string>,
  { person, role }: ChangedRights = {}
) {
  yield* person === undefined ? lockPeople(sql, people) : lockWithOwners(sql, person, people)
  yield* role === undefined ? lockRolesOf(sql, people) : lockRoleWithThoseOf(sql, role, people)
})

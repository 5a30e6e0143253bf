import { Effect, Result } from "effect"
import { claimedRoles, followingClaims, isSameRoles } from "../../domain/people/ClaimRules.ts"
import type { Claims } from "../../domain/people/ClaimRules.ts"
import { introducedBy, maximumIdentities } from "../../domain/people/Person.ts"
import type { Identity } from "../../domain/people/Person.ts"
import { isOwner, mayEnter, statusWith, takesLastOwner } from "../../domain/people/Rights.ts"
import { builtInRole, ownerRole } from "../../domain/people/Role.ts"
import { Events } from "../events/Events.ts"
import { Database } from "../persistence/Database.ts"
import { Identifiers } from "../persistence/Identifiers.ts"
import { Settings } from "../platform/Settings.ts"
import type { ProviderAccount } from "./IdentityProvider.ts"
import { findIdentified, updateClaimed } from "./IdentitySql.ts"
import { People } from "./People.ts"
import { insertIdentities, insertPerson, lockWithOwners, updatePerson } from "./PersonSql.ts"
import { lockGiven } from "./RoleSql.ts"
import { deleteInvitation, findInvitation } from "./SessionSql.ts"
import { signingOut } from "./SigningOut.ts"
import { SignInRefused } from "./SignInRefused.ts"

const refused = (message: string) => new SignInRefused({ kind: "refused", message })

const stranger = refused("This account is not known here. Ask an owner to invite you.")
const taken = refused("This account is linked to another person.")
const spent = refused("This invitation is unknown, was used, or has expired. Ask for a new one.")
const unlinking = refused(
  "This invitation links no account: its maker lacks `admin`. Sign in with it alone, or ask an owner to invite you."
)
const crowded = refused(`A person has at most ${maximumIdentities} accounts, and this one has as many.`)

/** Makes what finds out, or decides, who somebody is that an identity provider vouches for. All of it runs in a transaction. */
export const makeNewcomers = Effect.gen(function*() {
  const sql = yield* Database
  const events = yield* Events
  const identifiers = yield* Identifiers
  const people = yield* People
  const signOut = signingOut(sql, events)
  const rules = (yield* Settings).openIdConnect?.rules ?? []

  const told = Effect.fnUntraced(function*(change: "created" | "updated", id: string) {
    const person = yield* Effect.orDie(people.get(id))
    yield* events.append({ type: `person.${change}`, resourceId: id, data: person })
  })

  /** Roles that exist among those of rules, locked. */
  const existing = Effect.fnUntraced(function*(roles: ReadonlyArray<string>) {
    const own = yield* lockGiven(sql, roles.filter((role) => builtInRole(role) === undefined))
    return roles.filter((role) => builtInRole(role) !== undefined || own.some(({ id }) => id === role))
  })

  /** Spends an invitation, and links an account to its person. */
  const linked = Effect.fnUntraced(
    function*(invitationHash: Uint8Array, identity: Identity, owner: string | undefined) {
      const [shown] = yield* findInvitation(sql, invitationHash)
      if (shown === undefined) return yield* spent
      const { email = null, identities, name, roles } = yield* Effect.orDie(people.lock(shown.person_id))
      const [invited] = yield* deleteInvitation(sql, invitationHash)
      if (invited === undefined) return yield* spent
      const { links_account, person_id } = invited
      if (owner !== undefined) return owner === person_id ? owner : yield* taken
      if (!links_account) return yield* unlinking
      if (identities.length >= maximumIdentities) return yield* crowded
      if ((yield* insertIdentities(sql, person_id, [identity])).length === 0) return yield* taken
      yield* updatePerson(sql, person_id, { name, email, roles, status: statusWith(identities.length + 1) })
      yield* signOut(person_id)
      yield* told("updated", person_id)
      return person_id
    }
  )

  /** Adds a person whom nobody has invited, where a claim gives a role. */
  const joined = Effect.fnUntraced(function*(identity: Identity, claims: Claims) {
    if (rules.length === 0) return yield* stranger
    const given = claimedRoles(rules, claims)
    if (Result.isFailure(given)) return yield* refused(given.failure)
    const roles = yield* existing(given.success)
    if (roles.length === 0) return yield* stranger
    const id = identifiers.next("per")
    yield* insertPerson(sql, id, { ...introducedBy(claims, identity.subject), roles, status: statusWith(1) })
    yield* updateClaimed(sql, id, { roles, claimed: roles })
    // Another sign-in of the account, at the same moment, has made a person of it.
    if ((yield* insertIdentities(sql, id, [identity])).length === 0) return yield* taken
    yield* told("created", id)
    return id
  })

  /** Gives and takes the roles that come by claims; answers whether the person may still come in. */
  const follows = Effect.fnUntraced(function*(id: string, claims: Claims) {
    const locked = yield* lockWithOwners(sql, id)
    const person = yield* Effect.orDie(people.get(id))
    if (person.status === "removed") return yield* stranger
    const claimed = person.claimed_roles
    const given = claimedRoles(rules, claims)
    if (Result.isFailure(given)) return claimed.length > 0 ? yield* refused(given.failure) : mayEnter(person)
    const next = followingClaims({ roles: person.roles, claimed }, yield* existing(given.success))
    const otherOwners = locked.filter((row) => row.id !== id && isOwner(row)).length
    const after = takesLastOwner(person, { ...person, roles: next.roles }, otherOwners)
      ? { roles: [...next.roles, ownerRole], claimed: [...next.claimed, ownerRole] }
      : next
    if (!isSameRoles(after.claimed, claimed) || !isSameRoles(after.roles, person.roles)) {
      yield* updateClaimed(sql, id, after)
      yield* signOut(id)
      yield* told("updated", id)
    }
    return mayEnter({ status: person.status, roles: after.roles })
  })

  return {
    /** The person that an account is of, and whether this one may come in with the roles that are left. */
    recognize: Effect.fnUntraced(function*(
      { claims, issuer, subject }: ProviderAccount,
      invitationHash: Uint8Array | undefined
    ) {
      const identity = { issuer, subject }
      const [found] = yield* findIdentified(sql, identity)
      const id = invitationHash === undefined
        ? found?.person_id ?? (yield* joined(identity, claims))
        : yield* linked(invitationHash, identity, found?.person_id)
      return { id, mayEnter: yield* follows(id, claims) }
    })
  }
})

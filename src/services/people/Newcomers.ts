import { Effect } from "effect"
import { claimedNow, followingClaims, isSameRoles } from "../../domain/people/ClaimRules.ts"
import type { Claims } from "../../domain/people/ClaimRules.ts"
import { introducedBy, maximumIdentities } from "../../domain/people/Person.ts"
import type { Identity } from "../../domain/people/Person.ts"
import { mayEnter, ownersBeside, statusWith, takesLastOwner } from "../../domain/people/Rights.ts"
import { builtInRole, ownerRole } from "../../domain/people/Role.ts"
import { Events } from "../log/Events.ts"
import { Database } from "../ground/persistence/Database.ts"
import { Identifiers } from "../ground/persistence/Identifiers.ts"
import { Settings } from "../ground/platform/Settings.ts"
import { findIdentified, updateClaimed } from "./IdentitySql.ts"
import { People } from "./People.ts"
import { insertIdentities, insertPerson, lockWithOwners, updatePerson } from "./PersonSql.ts"
import { lockGiven } from "./RoleSql.ts"
import { deleteInvitation, findInvitation } from "./SessionSql.ts"
import { endingSessions, signingOut } from "./SigningOut.ts"
import { SignInRefused } from "./SignInRefused.ts"

const refused = (message: string) => new SignInRefused({ kind: "refused", message })

const stranger = refused(
  "This account is not known here. Ask an owner to invite you: an invitation also links an account again whose `sub` the identity " +
    "provider has changed, as some do with another client."
)
const roleless = refused("The identity provider no longer gives this account a role here.")
const taken = refused("This account is linked to another person.")
/** Another sign-in of the account has made a person of it at the same moment: the next attempt finds this one. */
export const overtaken = refused("This account was signed in by another tab at the same moment. Begin again.")
const spent = refused("This invitation is unknown, was used, or has expired. Ask for a new one.")
const unlinking = refused(
  "This invitation links no account: its maker lacks `admin`. Sign in with it alone, or ask an owner to invite you."
)
const crowded = refused(`A person has at most ${maximumIdentities} accounts, and this one has as many.`)

/** An account whose claims were asked for. */
export interface AskedAccount extends Identity {
  readonly claims: Claims
  /** The reason why claims that give roles could not be asked for, where some are missing by that. */
  readonly unread?: SignInRefused | undefined
}

/** Makes what finds out, or decides, who somebody is that an identity provider vouches for. All of it runs in a transaction. */
export const makeNewcomers = Effect.gen(function*() {
  const sql = yield* Database
  const events = yield* Events
  const identifiers = yield* Identifiers
  const people = yield* People
  const signOut = signingOut(sql, events)
  const endSessions = endingSessions(sql, events)
  const { emptyClaims, issuer: configured, rules } = (yield* Settings).openIdConnect ??
    { emptyClaims: [], issuer: undefined, rules: [] }

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

  /** The roles by claims now. A claim that could not be asked for is missing, and not empty. */
  const toldBy = ({ claims, unread }: AskedAccount) => {
    const { given, problem, untold } = claimedNow(rules, claims, unread === undefined ? emptyClaims : [])
    return { given, untold, refusal: problem === undefined ? undefined : unread ?? refused(problem) }
  }

  /** Adds a person whom nobody has invited, where a claim gives a role. */
  const joined = Effect.fnUntraced(function*(identity: Identity, account: AskedAccount) {
    const { given, refusal } = toldBy(account)
    const roles = yield* existing(given)
    if (roles.length === 0) return yield* refusal ?? stranger
    const id = identifiers.next("per")
    yield* insertPerson(sql, id, { ...introducedBy(account.claims, identity.subject), roles, status: statusWith(1) })
    yield* updateClaimed(sql, id, { roles, claimed: roles })
    if ((yield* insertIdentities(sql, id, [identity])).length === 0) return yield* overtaken
    yield* told("created", id)
    return id
  })

  /**
   * Gives and takes the roles that come by claims; answers why the person may not come in. Where nothing else lets the person in, roles
   * of which nothing is told stay, and only the sessions end: otherwise nobody comes in by a role that was not told.
   */
  const follows = Effect.fnUntraced(function*(id: string, account: AskedAccount) {
    const locked = yield* lockWithOwners(sql, id)
    const person = yield* Effect.orDie(people.get(id))
    if (person.status === "removed") return yield* stranger
    const claimed = person.claimed_roles
    const { given, refusal, untold } = toldBy(account)
    const confirmed = yield* existing(given)
    const open = untold.filter((role) => claimed.includes(role))
    if (refusal !== undefined && open.length > 0) {
      if (account.unread !== undefined) return refusal
      const isOtherwiseIn = confirmed.length > 0 || person.roles.some((role) => !claimed.includes(role))
      if (!isOtherwiseIn) {
        yield* endSessions(id)
        return refusal
      }
    }
    const next = followingClaims({ roles: person.roles, claimed }, confirmed)
    const otherOwners = ownersBeside(locked, id, configured)
    const after = takesLastOwner(person, { ...person, roles: next.roles }, otherOwners)
      ? { roles: [...next.roles, ownerRole], claimed: [...next.claimed, ownerRole] }
      : next
    if (!isSameRoles(after.claimed, claimed) || !isSameRoles(after.roles, person.roles)) {
      yield* updateClaimed(sql, id, after)
      yield* signOut(id)
      yield* told("updated", id)
    }
    if (mayEnter({ status: person.status, roles: after.roles })) return undefined
    return refusal === undefined ? roleless : refused(`${roleless.message} ${refusal.message}`)
  })

  /** The person of an account. One that was linked by the issuer as it is configured, without its slash or with one, is found, too. */
  const owner = Effect.fnUntraced(function*({ issuer, subject }: Identity) {
    const [found] = yield* findIdentified(sql, { issuer, subject })
    if (found !== undefined || configured === undefined || configured === issuer) return found?.person_id
    const [named] = yield* findIdentified(sql, { issuer: configured, subject })
    return named?.person_id
  })

  return {
    owner,
    /** The person that an account is of, and why this one may not come in with the roles that are left. */
    recognize: Effect.fnUntraced(function*(account: AskedAccount, invitationHash: Uint8Array | undefined) {
      const identity = { issuer: account.issuer, subject: account.subject }
      const found = yield* owner(identity)
      const id = invitationHash === undefined
        ? found ?? (yield* joined(identity, account))
        : yield* linked(invitationHash, identity, found)
      return { id, refusal: yield* follows(id, account) }
    })
  }
})

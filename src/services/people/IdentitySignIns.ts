import { Clock, Context, Effect, Layer, Result } from "effect"
import * as Base64Url from "effect/encoding/Base64Url"
import { failing, StateConflict, Unauthenticated, Unavailable } from "../../domain/ground/wire/Errors.ts"
import type { RateLimited, ValidationError } from "../../domain/ground/wire/Errors.ts"
import { finding, invalidRequest } from "../../domain/ground/wire/FieldFindings.ts"
import { answeredBy, claimedNow, followingClaims, isSameRoles, joinedClaims } from "../../domain/people/ClaimRules.ts"
import type { Claims } from "../../domain/people/ClaimRules.ts"
import { introducedBy, maximumIdentities } from "../../domain/people/Person.ts"
import type { Identity } from "../../domain/people/Person.ts"
import { mayEnter, ownersBeside, statusWith, takesLastOwner } from "../../domain/people/Rights.ts"
import { builtInRole, ownerRole } from "../../domain/people/Role.ts"
import type { SignInStart } from "../../domain/people/Session.ts"
import { isInvitation } from "../../domain/people/SessionCookie.ts"
import { flowSeconds, readFlow, returnPath, writeFlow } from "../../domain/people/SignInFlow.ts"
import type { SignInFlow, SignInTest } from "../../domain/people/SignInFlow.ts"
import { KnownCredentials } from "../ground/admission/KnownCredentials.ts"
import { RateLimits } from "../ground/admission/RateLimits.ts"
import { Database, inTransaction } from "../ground/persistence/Database.ts"
import { Identifiers } from "../ground/persistence/Identifiers.ts"
import { Cryptography } from "../ground/platform/Cryptography.ts"
import { Settings } from "../ground/platform/Settings.ts"
import { Vault } from "../keys/security/Vault.ts"
import { Events } from "../log/Events.ts"
import { IdentityProvider } from "./IdentityProvider.ts"
import type { AnswerRefused, ProviderAccount, ProviderAway, SignInSecrets } from "./IdentityProvider.ts"
import { invitationPurpose, People } from "./People.ts"
import {
  findIdentified,
  insertIdentities,
  insertPerson,
  insertSpent,
  lockWithOwners,
  updateClaimed,
  updatePerson
} from "./PersonSql.ts"
import {
  callingFrom,
  chargeSignIn,
  endingSessions,
  FormerSession,
  signingOut,
  SignInRefused
} from "./RefusedSignIns.ts"
import { lockGiven } from "./RoleSql.ts"
import { Sessions } from "./Sessions.ts"
import type { Opened } from "./Sessions.ts"
import { deleteInvitation, findInvitation } from "./SessionSql.ts"

const refused = (message: string) => new SignInRefused({ kind: "refused", message })

const stranger = refused(
  "This account is not known here. Ask an owner to invite you: an invitation also links an account again whose `sub` the identity " +
    "provider has changed, as some do with another client."
)
const roleless = refused("The identity provider no longer gives this account a role here.")
const taken = refused("This account is linked to another person.")
/** Another sign-in of the account has made a person of it at the same moment: the next attempt finds this one. */
const overtaken = refused("This account was signed in by another tab at the same moment. Begin again.")
const spent = refused("This invitation is unknown, was used, or has expired. Ask for a new one.")
const unlinking = refused(
  "This invitation links no account: its maker lacks `admin`. Sign in with it alone, or ask an owner to invite you."
)
const crowded = refused(`A person has at most ${maximumIdentities} accounts, and this one has as many.`)

/** An account whose claims were asked for. */
interface AskedAccount extends Identity {
  readonly claims: Claims
  /** The reason why claims that give roles could not be asked for, where some are missing by that. */
  readonly unread?: SignInRefused | undefined
}

/** Makes what finds out, or decides, who somebody is that an identity provider vouches for. All of it runs in a transaction. */
const makeNewcomers = Effect.gen(function*() {
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

/** For how long a finished sign-in is remembered beyond its end, in seconds: clocks of nodes and database may differ. */
const marginSeconds = 3600

/** A sign-in that was begun. */
interface Begun {
  /** The address that the browser goes to. */
  readonly url: string
  /** The text that the browser keeps meanwhile. */
  readonly flow: string
  /** Comes back in the address. */
  readonly state: string
  readonly expiresAt: Date
}

/** A sign-in that was finished. */
interface Finished extends Opened {
  readonly returnTo: string
}

const none = failing(StateConflict, "This service has no identity provider. COUNTERSIGN_OIDC_ISSUER sets one.")

const stale = new SignInRefused({
  kind: "again",
  message:
    "This sign-in was not begun in this browser, was finished already, or took longer than 10 minutes. Begin again."
})

const logged = <A, E extends SignInRefused>(attempt: Effect.Effect<A, E>) =>
  Effect.tapError(attempt, ({ message }) => Effect.logWarning(`A sign-in was refused: ${message}`))

/** Answers of the provider, whose failures are told whoever tries. */
const refusing = <A>(answer: Effect.Effect<A, AnswerRefused | ProviderAway>) =>
  Effect.catchTags(answer, {
    AnswerRefused: ({ problem }) => new SignInRefused({ kind: "again", message: problem }),
    ProviderAway: ({ problem }) =>
      Effect.andThen(
        Effect.logWarning(`The identity provider cannot be used: ${problem}`),
        new SignInRefused({ kind: "away", message: "The identity provider does not respond. Begin again." })
      )
  })

/** People who sign in at an identity provider. What is under way is with the browser; only its end is written down. */
export class IdentitySignIns extends Context.Service<IdentitySignIns, {
  /** Begins a sign-in. `asksAccount`: the provider asks for the account, because somebody has signed out in this browser. */
  readonly begin: (
    input: SignInStart,
    options: { readonly asksAccount: boolean }
  ) => Effect.Effect<Begun, RateLimited | StateConflict | Unauthenticated | Unavailable | ValidationError>
  /** Asks the provider for all that a sign-in asks without a person, and says what is wrong. */
  readonly test: Effect.Effect<SignInTest, RateLimited | StateConflict>
  /** Ends a sign-in with what its browser kept and the query that it came back with. */
  readonly finish: (
    flow: string | undefined,
    query: string,
    userAgent: string | undefined
  ) => Effect.Effect<Finished, RateLimited | SignInRefused>
}>()("countersign/services/people/IdentitySignIns") {
  static readonly layer = Layer.effect(
    IdentitySignIns,
    Effect.gen(function*() {
      const sql = yield* Database
      const crypto = yield* Cryptography
      const vault = yield* Vault
      const known = yield* KnownCredentials
      const limits = yield* RateLimits
      const provider = yield* IdentityProvider
      const sessions = yield* Sessions
      const newcomers = yield* makeNewcomers
      const { openIdConnect } = yield* Settings

      const mac = (text: string) => vault.keyedHash("sign-in-flow", text)
      const secretsOf = ({ seed }: SignInFlow): SignInSecrets => {
        const derived = (purpose: string) => Base64Url.encode(vault.keyedHash(purpose, Base64Url.encode(seed)))
        return {
          state: derived("sign-in-state"),
          nonce: derived("sign-in-nonce"),
          verifier: derived("sign-in-verifier")
        }
      }
      const nowSeconds = Effect.map(Clock.currentTimeMillis, (millis) => Math.floor(millis / 1000))

      const test = Effect.gen(function*() {
        if (openIdConnect === undefined) return yield* none
        yield* chargeSignIn(limits)
        const { issuer } = openIdConnect
        return yield* Effect.match(provider.test, {
          onFailure: ({ problem }) => ({ issuer, works: false, problem }),
          onSuccess: () => ({ issuer, works: true })
        })
      })

      const begin = Effect.fn("IdentitySignIns.begin")(function*(
        { invitation, return_to }: SignInStart,
        options: { readonly asksAccount: boolean }
      ) {
        if (openIdConnect === undefined) return yield* none
        const returnTo = returnPath(return_to)
        if (returnTo === undefined) {
          return yield* invalidRequest([
            finding(["return_to"], "invalid_value", "must be a path of the console, such as /console/licenses")
          ])
        }
        if (invitation !== undefined && !isInvitation(invitation)) {
          yield* known.signIns.malformed(yield* callingFrom)
          return yield* failing(Unauthenticated, "This is no invitation. Copy it again, whole.")
        }
        yield* chargeSignIn(limits)
        const expiresAt = (yield* nowSeconds) + flowSeconds
        const flow: SignInFlow = {
          seed: crypto.randomBytes(32),
          expiresAt,
          invitationHash: invitation === undefined ? undefined : vault.keyedHash(invitationPurpose, invitation),
          formerHash: yield* FormerSession,
          returnTo
        }
        const secrets = secretsOf(flow)
        const url = yield* provider.begin(secrets, options).pipe(
          Effect.tapError(({ problem }) => Effect.logWarning(`The identity provider cannot be used: ${problem}`)),
          Effect.mapError(() => failing(Unavailable, "The identity provider does not respond. Try again."))
        )
        return { url, flow: writeFlow(flow, mac), state: secrets.state, expiresAt: new Date(expiresAt * 1000) }
      })

      /** The account of a flow whose browser came back. */
      const redeemed = Effect.fnUntraced(function*(flow: SignInFlow, query: string) {
        const secrets = secretsOf(flow)
        // Judged before the sign-in is spent: whoever sends its browser here with another state would spend it.
        if (new URLSearchParams(query).get("state") !== secrets.state) return yield* stale
        const spent = yield* insertSpent(
          sql,
          vault.keyedHash("sign-in-spent", secrets.state),
          flowSeconds + marginSeconds
        )
        if (spent.length === 0) return yield* stale
        return yield* logged(refusing(provider.finish(query, secrets)))
      })

      /** The account with the claims that its sign-in needs. Userinfo decides over nobody of whom the ID token says all that is needed. */
      const asked = Effect.fnUntraced(function*(flow: SignInFlow, account: ProviderAccount) {
        const { claims: token, issuer, subject } = account
        const isKnown = flow.invitationHash !== undefined || (yield* newcomers.owner(account)) !== undefined
        const answered = answeredBy(openIdConnect?.rules ?? [], token, isKnown)
        if (answered === "all") return { issuer, subject, claims: token } satisfies AskedAccount
        const userinfo = yield* Effect.result(refusing(account.userinfo))
        if (Result.isSuccess(userinfo)) {
          return { issuer, subject, claims: joinedClaims(token, userinfo.success) } satisfies AskedAccount
        }
        const unread = answered === "all but a name" ? undefined : userinfo.failure
        return { issuer, subject, claims: token, unread } satisfies AskedAccount
      })

      const entered = Effect.fnUntraced(
        function*(flow: SignInFlow, account: ProviderAccount, userAgent: string | undefined) {
          const claimed = yield* asked(flow, account)
          const opened = yield* inTransaction(
            sql,
            Effect.gen(function*() {
              const { id, refusal } = yield* newcomers.recognize(claimed, flow.invitationHash)
              if (refusal !== undefined) return refusal
              return yield* sessions.openFor(id, { method: "openid_connect", provider: account }, userAgent)
            })
          ).pipe(Effect.retry({ times: 1, while: (refusal) => refusal === overtaken }))
          // The roles that went, and the sessions that ended, are written all the same.
          return opened instanceof SignInRefused ? yield* opened : opened
        }
      )

      const finish = Effect.fn("IdentitySignIns.finish")(
        function*(text: string | undefined, query: string, userAgent: string | undefined) {
          const address = yield* callingFrom
          const now = yield* nowSeconds
          const flow = text === undefined || openIdConnect === undefined
            ? undefined
            : readFlow(text, now, (parts, given) => crypto.timingSafeEqual(mac(parts), given))
          if (flow === undefined) {
            yield* known.signIns.malformed(address)
            return yield* stale
          }
          const outcome = yield* Effect.result(
            Effect.flatMap(redeemed(flow, query), (account) =>
              logged(entered(flow, account, userAgent)).pipe(
                Effect.provideService(FormerSession, flow.formerHash),
                Effect.annotateLogs({ issuer: account.issuer, subject: account.subject })
              ))
          )
          if (Result.isFailure(outcome)) {
            // Judged before it is counted: failures of others at the address refuse no right answer. Each flow is answered once.
            if (outcome.failure.kind !== "away") yield* known.signIns.malformed(address)
            return yield* outcome.failure
          }
          return { ...outcome.success, returnTo: flow.returnTo }
        }
      )

      return IdentitySignIns.of({
        begin,
        test,
        finish
      })
    })
  )
}

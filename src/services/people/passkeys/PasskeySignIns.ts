import { Context, Effect, Layer, Result } from "effect"
import { decodeBase64Url } from "../../../domain/ground/parsing/StrictBytes.ts"
import { failing, StateConflict, TokenScopeDenied, Unauthenticated } from "../../../domain/ground/wire/Errors.ts"
import type { RateLimited } from "../../../domain/ground/wire/Errors.ts"
import type { InvitationShown, PasskeyChallenge, PasskeyCreate, PasskeySignIn } from "../../../domain/people/Passkey.ts"
import { passkeySeconds } from "../../../domain/people/PasskeyFlow.ts"
import type { KeptFlow, PasskeyFlow } from "../../../domain/people/PasskeyFlow.ts"
import { mayEnter } from "../../../domain/people/Rights.ts"
import { builtInRole } from "../../../domain/people/Role.ts"
import { isInvitation } from "../../../domain/people/SessionCookie.ts"
import { CurrentShare, FairShares } from "../../ground/admission/FairShare.ts"
import { KnownCredentials } from "../../ground/admission/KnownCredentials.ts"
import { Database, inTransaction } from "../../ground/persistence/Database.ts"
import { Vault } from "../../keys/security/Vault.ts"
import { Events } from "../../log/Events.ts"
import { CurrentActor } from "../../log/Provenance.ts"
import { invitationPurpose, People } from "../People.ts"
import { invitingIn } from "../PersonActor.ts"
import { callingFrom, signingOut, SignInRefused } from "../RefusedSignIns.ts"
import { listNames } from "../RoleSql.ts"
import { Sessions } from "../Sessions.ts"
import type { Opened } from "../Sessions.ts"
import { deleteInvitation, findInvitation } from "../SessionSql.ts"
import {
  believed,
  handleOf,
  makePasskeyChallenges,
  makePasskeyEnrolment,
  PasskeyVerifier
} from "./PasskeyChallenges.ts"
import type { Asked } from "./PasskeyChallenges.ts"
import { findCredential, updateSignedIn } from "./PasskeySql.ts"

type Refusal = RateLimited | StateConflict | TokenScopeDenied | Unauthenticated

const unknownInvitation = failing(
  Unauthenticated,
  "This invitation is unknown, was used, or has expired. Ask for a new one."
)
const roleless = new SignInRefused({ kind: "refused", message: "You have no role here. Ask an owner to give you one." })
/** Nobody is asked at the provider while somebody comes in another way: a dismissal there would not be noticed. */
const claimed = new SignInRefused({
  kind: "refused",
  message: "Your roles come from the identity provider. Sign in there."
})
const unlinking = failing(
  StateConflict,
  "This invitation adds no passkey: its maker lacks `admin`. Sign in with it alone, or ask an owner to invite you."
)

const unknownPasskey = new SignInRefused({
  kind: "again",
  message: "This passkey is not known here, or was removed. Use another way, or ask an owner to invite you again."
})
const copied = new SignInRefused({
  kind: "again",
  message:
    "The counter of this passkey is not higher than before: there may be a copy of it. Remove it, and add another."
})

const overtaken = new SignInRefused({
  kind: "again",
  message: "This passkey signed in elsewhere after this sign-in was begun. Begin again."
})

/** Whether a passkey signed in after a flow was begun: its counter has gone on, and an older answer says nothing of a copy. */
const wasUsedSince = ({ expiresAt }: PasskeyFlow, lastUsed: Date | undefined): boolean =>
  lastUsed !== undefined && lastUsed.getTime() >= (expiresAt - passkeySeconds) * 1000

const logged = (personId: string) => <A, E>(attempt: Effect.Effect<A, E>) =>
  attempt.pipe(
    Effect.tapError((error) => Effect.logWarning("A sign-in with a passkey was refused", error)),
    Effect.annotateLogs({ person: personId })
  )

/** A refusal as the error that whoever signs in is told. */
const told = ({ kind, message }: SignInRefused): Effect.Effect<never, TokenScopeDenied | Unauthenticated> =>
  Effect.fail(kind === "refused" ? failing(TokenScopeDenied, message) : failing(Unauthenticated, message))

/** People who come in with a passkey: one that they have, or the one that an invitation lets them make. */
export class PasskeySignIns extends Context.Service<PasskeySignIns, {
  /** The reason, in words, that people do not sign in with passkeys here; undefined where they do. */
  readonly problem: string | undefined
  readonly begin: Effect.Effect<
    { readonly challenge: PasskeyChallenge; readonly flow: KeptFlow },
    RateLimited | StateConflict
  >
  readonly finish: (
    flow: string | undefined,
    answer: PasskeySignIn,
    userAgent: string | undefined
  ) => Effect.Effect<Opened, Refusal>
  /** Shows an invitation, and spends nothing. With a passkey to make, there is what the browser keeps meanwhile. */
  readonly look: (
    invitation: string
  ) => Effect.Effect<
    { readonly shown: InvitationShown; readonly flow: KeptFlow | undefined },
    RateLimited | Unauthenticated
  >
  /** Spends the invitation, gives its person the passkey, and opens a session. */
  readonly join: (
    flow: string | undefined,
    answer: PasskeyCreate,
    userAgent: string | undefined
  ) => Effect.Effect<Opened, Refusal>
}>()("countersign/services/people/passkeys/PasskeySignIns") {
  static readonly layer = Layer.effect(
    PasskeySignIns,
    Effect.gen(function*() {
      const sql = yield* Database
      const vault = yield* Vault
      const known = yield* KnownCredentials
      const shares = yield* FairShares
      const people = yield* People
      const sessions = yield* Sessions
      const verifier = yield* PasskeyVerifier
      const challenges = yield* makePasskeyChallenges
      const enrolment = yield* makePasskeyEnrolment
      const signOut = signingOut(sql, yield* Events)

      const begin = Effect.gen(function*() {
        yield* challenges.charge
        const { id } = yield* challenges.wanted
        const { challenge, expiresAt, flow } = yield* challenges.begin("sign-in")
        const timing = { timeout_ms: passkeySeconds * 1000, expires_at: expiresAt.toISOString() }
        return { challenge: { challenge, rp_id: id, ...timing }, flow }
      })

      /** Judges an answer before its failure is counted: failures of others at the address refuse no right passkey. */
      const tried = <A, E>(work: Effect.Effect<A, E>) =>
        Effect.tapError(work, () => Effect.flatMap(callingFrom, known.signIns.malformed))

      const signedIn = Effect.fnUntraced(function*(
        flow: PasskeyFlow,
        asked: Asked,
        answer: PasskeySignIn,
        userAgent: string | undefined
      ) {
        const credential = decodeBase64Url(answer.credential) ?? new Uint8Array()
        // In the turn of the address: an answer is judged before its failures are counted.
        const [held] = yield* shares.reads.run(findCredential(sql, credential)).pipe(
          Effect.orDie,
          Effect.provideService(CurrentShare, {
            address: yield* callingFrom,
            principal: "unknown",
            license: undefined
          })
        )
        if (held === undefined) return yield* unknownPasskey
        // No signature covers the handle, and some authenticators leave it empty: the credential says whose it is.
        const { user_handle: handle = "" } = answer
        if (handle !== "" && handle !== handleOf(held.person_id)) return yield* unknownPasskey
        const counter = yield* believed(verifier.signed(answer, asked, held.public_key))
        return yield* inTransaction(
          sql,
          Effect.gen(function*() {
            const person = yield* Effect.orDie(people.lock(held.person_id))
            yield* challenges.spend(flow)
            if (person.status === "removed") return yield* unknownPasskey
            if (!mayEnter(person)) return yield* roleless
            if (person.claimed_roles.length > 0) return yield* claimed
            if ((yield* updateSignedIn(sql, held.id, counter)).length === 0) {
              const [now] = yield* findCredential(sql, credential)
              return yield* wasUsedSince(flow, now?.last_used_at ?? undefined) ? overtaken : copied
            }
            return yield* sessions.openFor(person.id, { method: "passkey", passkeyId: held.id }, userAgent)
          })
        ).pipe(logged(held.person_id))
      })

      const finish = Effect.fn("PasskeySignIns.finish")(
        function*(text: string | undefined, answer: PasskeySignIn, userAgent: string | undefined) {
          const { asked, flow } = yield* challenges.read(text, "sign-in")
          return yield* tried(signedIn(flow, asked, answer, userAgent))
        }
      )

      const look = Effect.fn("PasskeySignIns.look")(function*(invitation: string) {
        yield* challenges.charge
        const hash = vault.keyedHash(invitationPurpose, invitation)
        const [found] = isInvitation(invitation) ? yield* findInvitation(sql, hash) : []
        if (found === undefined) {
          yield* known.signIns.malformed(yield* callingFrom)
          return yield* unknownInvitation
        }
        const { expires_at, invited_by, links_account, person_id } = found
        const person = yield* Effect.orDie(people.get(person_id))
        const own = yield* listNames(sql, person.roles)
        const shown = {
          person_name: person.name,
          ...(invited_by === null ? {} : { invited_by }),
          roles: person.roles.flatMap((id) => builtInRole(id)?.name ?? own.find((role) => role.id === id)?.name ?? []),
          links_account,
          expires_at: expires_at.toISOString()
        }
        const hasPasskey = links_account && mayEnter(person) && person.claimed_roles.length === 0
        if (!hasPasskey || Result.isFailure(challenges.party)) return { shown, flow: undefined }
        const challenged = yield* challenges.begin("join", { personId: person_id, invitationHash: hash })
        const passkey = yield* enrolment.offer(person, challenges.party.success.id, challenged)
        return { shown: { ...shown, passkey }, flow: challenged.flow }
      })

      const joined = Effect.fnUntraced(function*(
        flow: PasskeyFlow,
        asked: Asked,
        answer: PasskeyCreate,
        userAgent: string | undefined
      ) {
        const verified = yield* believed(verifier.created(answer, asked))
        return yield* inTransaction(
          sql,
          Effect.gen(function*() {
            // The person first, as whoever changes it does, and then the invitation.
            const person = yield* Effect.mapError(people.lock(flow.personId), () => unknownInvitation)
            yield* challenges.spend(flow)
            const [invited] = yield* deleteInvitation(sql, flow.invitationHash ?? new Uint8Array())
            if (invited === undefined) return yield* unknownInvitation
            if (!invited.links_account) return yield* unlinking
            if (!mayEnter(person)) return yield* roleless
            if (person.claimed_roles.length > 0) return yield* claimed
            yield* signOut(person.id)
            const opener = invitingIn(invited)
            const actor = {
              type: "person" as const,
              id: person.id,
              scopes: [],
              person: { ...person, sessionId: "" },
              ...(opener === undefined ? {} : { openedBy: opener })
            }
            const passkey = yield* Effect.provideService(enrolment.enrol(person, verified, answer), CurrentActor, actor)
            return yield* sessions.openFor(person.id, { method: "passkey", passkeyId: passkey.id, opener }, userAgent)
          })
        ).pipe(logged(flow.personId))
      })

      const join = Effect.fn("PasskeySignIns.join")(
        function*(text: string | undefined, answer: PasskeyCreate, userAgent: string | undefined) {
          const { asked, flow } = yield* challenges.read(text, "join")
          return yield* tried(joined(flow, asked, answer, userAgent))
        }
      )

      return PasskeySignIns.of({
        problem: Result.isFailure(challenges.party) ? challenges.party.failure : undefined,
        begin,
        finish: (text, answer, userAgent) => Effect.catchTag(finish(text, answer, userAgent), "SignInRefused", told),
        look,
        join: (text, answer, userAgent) => Effect.catchTag(join(text, answer, userAgent), "SignInRefused", told)
      })
    })
  )
}

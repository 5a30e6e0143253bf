import { Clock, Context, Data, Effect, Result } from "effect"
import * as Base64Url from "effect/encoding/Base64Url"
import { failing, StateConflict } from "../../../domain/ground/wire/Errors.ts"
import { maximumPasskeys, Passkey } from "../../../domain/people/Passkey.ts"
import type { PasskeyAlgorithm, PasskeyCreate, PasskeyCreation, PasskeySignIn } from "../../../domain/people/Passkey.ts"
import {
  passkeySeconds,
  readPasskeyFlow,
  relyingPartyOf,
  writePasskeyFlow
} from "../../../domain/people/PasskeyFlow.ts"
import type { KeptFlow, PasskeyFlow, RelyingParty } from "../../../domain/people/PasskeyFlow.ts"
import type { Person } from "../../../domain/people/Person.ts"
import { statusWith } from "../../../domain/people/Rights.ts"
import { KnownCredentials } from "../../ground/admission/KnownCredentials.ts"
import { RateLimits } from "../../ground/admission/RateLimits.ts"
import { CurrentEnvironment } from "../../ground/environments/CurrentEnvironment.ts"
import { Database } from "../../ground/persistence/Database.ts"
import { Identifiers } from "../../ground/persistence/Identifiers.ts"
import { rowReader } from "../../ground/persistence/RowToWire.ts"
import { Cryptography } from "../../ground/platform/Cryptography.ts"
import { Settings } from "../../ground/platform/Settings.ts"
import { Vault } from "../../keys/security/Vault.ts"
import { Events } from "../../log/Events.ts"
import { People } from "../People.ts"
import { insertSpent, updatePerson } from "../PersonSql.ts"
import { callingFrom, chargeSignIn, SignInRefused } from "../RefusedSignIns.ts"
import { insertPasskey, listCredentials } from "./PasskeySql.ts"

/** An answer of a browser that cannot be believed. The problem is for the log. */
export class PasskeyRefused extends Data.TaggedError("PasskeyRefused")<{ readonly problem: string }> {}

/** The question that an answer must be to. */
export interface Asked {
  /** The challenge, in base64url. */
  readonly challenge: string
  readonly party: RelyingParty
}

/** A passkey that was verified as it was made. */
interface VerifiedPasskey {
  readonly credentialId: Uint8Array
  /** COSE key. */
  readonly publicKey: Uint8Array
  readonly counter: number
  readonly isSynced: boolean
}

/** Verifies what browsers answer to challenges (Web Authentication). */
export class PasskeyVerifier extends Context.Service<PasskeyVerifier, {
  /** The algorithms of keys that are taken, the best first. */
  readonly algorithms: ReadonlyArray<PasskeyAlgorithm>
  readonly created: (answer: PasskeyCreate, asked: Asked) => Effect.Effect<VerifiedPasskey, PasskeyRefused>
  /** Answers the counter of the authenticator. */
  readonly signed: (
    answer: PasskeySignIn,
    asked: Asked,
    publicKey: Uint8Array
  ) => Effect.Effect<number, PasskeyRefused>
}>()("countersign/services/people/passkeys/PasskeyVerifier") {}

/** For how long an answered challenge is remembered beyond its end, in seconds: clocks of nodes and database may differ. */
const marginSeconds = 3600

/** A challenge that was made for a browser. */
interface Challenged {
  readonly challenge: string
  /** The flow, which the browser keeps meanwhile. */
  readonly flow: KeptFlow
  readonly expiresAt: Date
}

/** The refusal of an answer to no challenge that waits. */
const stale = new SignInRefused({
  kind: "again",
  message: "This was not begun in this browser, was finished already, or took longer than 5 minutes. Begin again."
})

const invalid = new SignInRefused({ kind: "again", message: "This passkey is not valid here. Begin again." })

/** A verification, whose failure is logged and told as a refusal. What is wrong is nothing for whoever tries. */
export const believed = <A>(verification: Effect.Effect<A, PasskeyRefused>): Effect.Effect<A, SignInRefused> =>
  verification.pipe(
    Effect.tapError(({ problem }) => Effect.logWarning(`A passkey was refused: ${problem}`)),
    Effect.mapError(() => invalid)
  )

/** Makes what gives challenges to browsers and takes their answers. Nothing is written down before an answer is verified. */
export const makePasskeyChallenges = Effect.gen(function*() {
  const sql = yield* Database
  const crypto = yield* Cryptography
  const vault = yield* Vault
  const known = yield* KnownCredentials
  const limits = yield* RateLimits
  const environment = yield* CurrentEnvironment
  const { publicUrl } = yield* Settings

  const mac = (text: string) => vault.keyedHash("passkey-flow", text)
  const challengeOf = ({ seed }: Pick<PasskeyFlow, "seed">) =>
    Base64Url.encode(vault.keyedHash("passkey-challenge", Base64Url.encode(seed)))
  const nowSeconds = Effect.map(Clock.currentTimeMillis, (millis) => Math.floor(millis / 1000))

  const party = environment === "live"
    ? relyingPartyOf(publicUrl)
    : Result.fail("People sign in to the live environment.")

  return {
    /** For whom passkeys are here, or why there are none. */
    party,
    /** The same, as it fails an operation. */
    wanted: Effect.fromResult(party).pipe(Effect.mapError((problem) => failing(StateConflict, problem))),
    charge: chargeSignIn(limits),
    begin: Effect.fnUntraced(function*(
      purpose: PasskeyFlow["purpose"],
      about: Partial<Pick<PasskeyFlow, "personId" | "invitationHash">> = {}
    ) {
      const expiresAt = (yield* nowSeconds) + passkeySeconds
      const flow: PasskeyFlow = {
        purpose,
        seed: crypto.randomBytes(32),
        expiresAt,
        personId: about.personId ?? "",
        invitationHash: about.invitationHash
      }
      const challenge = challengeOf(flow)
      return {
        challenge,
        flow: { challenge, text: writePasskeyFlow(flow, mac) },
        expiresAt: new Date(expiresAt * 1000)
      } satisfies Challenged
    }),
    /** The flow of a browser, and the challenge that its answer must be to. What is none counts as a failure of the address. */
    read: Effect.fnUntraced(function*(text: string | undefined, purpose: PasskeyFlow["purpose"]) {
      const flow = text === undefined || Result.isFailure(party)
        ? undefined
        : readPasskeyFlow(
          text,
          purpose,
          yield* nowSeconds,
          (parts, given) => crypto.timingSafeEqual(mac(parts), given)
        )
      if (flow === undefined || Result.isFailure(party)) {
        yield* known.signIns.malformed(yield* callingFrom)
        return yield* stale
      }
      return { flow, asked: { challenge: challengeOf(flow), party: party.success } }
    }),
    /** Takes a challenge as answered, once on all nodes; in the transaction of what the answer does. */
    spend: Effect.fnUntraced(function*({ seed }: PasskeyFlow) {
      const hash = vault.keyedHash("passkey-spent", Base64Url.encode(seed))
      if ((yield* insertSpent(sql, hash, passkeySeconds + marginSeconds)).length === 0) return yield* stale
    })
  }
})

const readPasskey = rowReader(Passkey)

/** The handle by which an authenticator knows a person. */
export const handleOf = (personId: string): string => Base64Url.encode(new TextEncoder().encode(personId))

/** Makes what offers passkeys to people, and gives them those that were made. */
export const makePasskeyEnrolment = Effect.gen(function*() {
  const sql = yield* Database
  const events = yield* Events
  const identifiers = yield* Identifiers
  const people = yield* People
  const { algorithms } = yield* PasskeyVerifier

  return {
    /** The options by which a browser makes a passkey of a person. */
    offer: Effect.fnUntraced(function*(
      { email, id, name }: Pick<Person, "id" | "name" | "email">,
      rpId: string,
      { challenge, expiresAt }: Challenged
    ) {
      const held = yield* listCredentials(sql, id)
      return {
        challenge,
        rp_id: rpId,
        user_id: handleOf(id),
        user_name: email ?? name,
        user_display_name: name,
        algorithms,
        exclude: held.map(({ credential_id, transports }) => ({ id: Base64Url.encode(credential_id), transports })),
        timeout_ms: passkeySeconds * 1000,
        expires_at: expiresAt.toISOString()
      } satisfies PasskeyCreation
    }),
    /** Gives a locked person a passkey, by which the person can sign in from now on. */
    enrol: Effect.fnUntraced(function*(person: Person, verified: VerifiedPasskey, answer: PasskeyCreate) {
      const { email = null, id: personId, name, roles, status } = person
      if ((yield* listCredentials(sql, personId)).length >= maximumPasskeys) {
        return yield* failing(
          StateConflict,
          `A person has at most ${maximumPasskeys} passkeys. Remove one that is not used.`
        )
      }
      const [row] = yield* insertPasskey(sql, {
        ...verified,
        id: identifiers.next("pky"),
        personId,
        name: answer.name ?? "Passkey",
        transports: answer.transports ?? []
      })
      if (row === undefined) return yield* failing(StateConflict, "This passkey is registered already.")
      const passkey = readPasskey(row)
      yield* events.append({ type: "passkey.created", resourceId: passkey.id, data: passkey })
      if (status === "invited") {
        yield* updatePerson(sql, personId, { name, email, roles, status: statusWith(1) })
        yield* events.append({
          type: "person.updated",
          // The person adds an own way in, and gets no right by it.
          look: "none",
          resourceId: personId,
          data: yield* Effect.orDie(people.get(personId))
        })
      }
      return passkey
    })
  }
})

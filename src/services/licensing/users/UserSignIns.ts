import { Context, Effect, Layer } from "effect"
import { Base64Url } from "effect/encoding"
import {
  failing,
  IdTokenInvalid,
  Unavailable,
  UserNotAllowed,
  UserSignInRequired
} from "../../../domain/ground/wire/Errors.ts"
import type {
  LicenseKeyInvalid,
  MailboxNotProven,
  RateLimited,
  UserLimitExceeded
} from "../../../domain/ground/wire/Errors.ts"
import { decide } from "../../../domain/licensing/entitlements/Decision.ts"
import type { Refusals } from "../../../domain/licensing/entitlements/DecisionInput.ts"
import { bindingOf } from "../../../domain/licensing/entitlements/DeviceBinding.ts"
import type { Snapshot } from "../../../domain/licensing/entitlements/Snapshot.ts"
import type { LicenseUser, TrustedIssuer } from "../../../domain/licensing/users/LicenseUser.ts"
import { formatRenewal, readRenewal, renewalDays } from "../../../domain/licensing/users/UserRenewal.ts"
import { signedInUntil, userSignIn } from "../../../domain/licensing/users/UserSignIn.ts"
import type {
  Account,
  UserIssuer,
  UserMailSignIn,
  UserMailSignInRequest,
  UserSignIn,
  UserSignInRequest
} from "../../../domain/licensing/users/UserSignIn.ts"
import { formatUserToken } from "../../../domain/licensing/users/UserToken.ts"
import { Database, inTransaction } from "../../ground/persistence/Database.ts"
import { Identifiers } from "../../ground/persistence/Identifiers.ts"
import { Cryptography } from "../../ground/platform/Cryptography.ts"
import { Signing } from "../../keys/security/Signing.ts"
import type { SignedAnswer } from "../../keys/security/Signing.ts"
import { Vault } from "../../keys/security/Vault.ts"
import { Events } from "../../log/Events.ts"
import { CurrentActor, licenseActor } from "../../log/Provenance.ts"
import { decided } from "../entitlements/DecisionMetrics.ts"
import { EntitlementState, licenseQuestion } from "../entitlements/EntitlementState.ts"
import type { RuntimeCredential } from "../entitlements/EntitlementState.ts"
import { readUser, userEvent } from "../licenses/LicenseUsers.ts"
import { userTokenPurpose } from "../standings/UserStandings.ts"
import { IdTokens, IssuerKeys } from "./IssuerKeys.ts"
import type { IdTokenRefused } from "./IssuerKeys.ts"
import { UserMailSignIns } from "./UserMailSignIns.ts"
import {
  countSeated,
  findRenewing,
  findTrustedIssuer,
  insertJoined,
  listCandidates,
  listMailboxes,
  updateJoined,
  updateSeen
} from "./UserMailSignInSql.ts"

/** The members of a response that say by what the sign-in is renewed. */
interface Renewal {
  readonly renewal_token: string
  readonly renewal_until: string
}

const refused = (detail: "expired" | "invalid" | "removed") =>
  failing(UserSignInRequired, "The person has to prove the mailbox again: begin a new sign-in by mail.", { detail })

/**
 * Makes and reads renewals of sign-ins by mail. Each is of one user and one machine, and stands in no table: it ends with the user, with the
 * time, and once the machine was released by somebody else, reset or blacklisted.
 */
const makeUserRenewals = Effect.gen(function*() {
  const sql = yield* Database
  const crypto = yield* Cryptography
  const vault = yield* Vault

  const macOf = (text: string) => vault.keyedHash("license-user-renewal", text)
  const machineOf = (bindingKey: string) => Base64Url.encode(vault.keyedHash("license-user-machine", bindingKey))

  const renewalOf = (token: string, expiresAt: number): Renewal => ({
    renewal_token: token,
    renewal_until: new Date(expiresAt * 1000).toISOString()
  })

  /** A renewal for a user who has proven a mailbox just now. */
  const made = ({ license_id, now }: Snapshot, userId: string, fingerprint: string): Renewal => {
    const expiresAt = Math.floor(now.getTime() / 1000) + renewalDays * 86_400
    const said = { licenseId: license_id, userId, expiresAt, machine: machineOf(bindingOf({ fingerprint }).key) }
    return renewalOf(formatRenewal(said, macOf), expiresAt)
  }

  /** The user of a renewal, who still has a seat, on the same machine. */
  const used = Effect.fnUntraced(function*({ license_id, now }: Snapshot, token: string, fingerprint: string) {
    const read = readRenewal(token)
    const bindingKey = bindingOf({ fingerprint }).key
    if (
      read === undefined || !crypto.timingSafeEqual(macOf(read.text), read.mac) || read.licenseId !== license_id ||
      read.machine !== machineOf(bindingKey)
    ) return yield* refused("invalid")
    if (read.expiresAt * 1000 <= now.getTime()) return yield* refused("expired")
    const { userId } = read
    const [user] = yield* findRenewing(sql, { licenseId: license_id, userId, bindingKey })
    if (user?.status !== "active") return yield* refused("removed")
    if (user.has_account || user.is_machine_out) return yield* refused("invalid")
    return { userId, renewal: renewalOf(token, read.expiresAt) }
  })

  return { made, used }
})

/** The reasons to refuse a sign-in. */
export type SignInRefusal =
  | Refusals["sign_in"]
  | IdTokenInvalid
  | LicenseKeyInvalid
  | MailboxNotProven
  | Unavailable
  | UserLimitExceeded
  | UserNotAllowed
  | UserSignInRequired

const noUsers = failing(UserNotAllowed, "The terms of the license have no users.", { detail: "no_users" })
const noIssuer = failing(UserNotAllowed, "The license trusts no identity provider.", { detail: "no_issuer" })
const hasIssuer = failing(UserNotAllowed, "The users of the license sign in at its identity provider.", {
  detail: "issuer"
})
const away = failing(Unavailable, "The identity provider of the license does not respond. Try again.", {
  detail: "identity_provider"
})

const refusedToken = ({ fault }: IdTokenRefused) =>
  failing(IdTokenInvalid, "The ID token does not sign anybody in to this license.", {
    detail: fault === "unknown_key" ? "signature" : fault
  })

/** How many users a license in force may have, and where they sign in; without an issuer by mails to their addresses. */
interface Admission {
  readonly limit: number
  /** Whether the terms hold the seats of those who were removed and can run offline. */
  readonly holdsSeats: boolean
  readonly trusted: TrustedIssuer | undefined
}

/** Signs people in to licenses: by ID tokens of the identity providers that the licenses trust, or else by mails. */
export class UserSignIns extends Context.Service<UserSignIns, {
  /** Where the users of a license in force sign in, signed. */
  readonly findIssuer: (
    credential: RuntimeCredential,
    nonce: string | undefined
  ) => Effect.Effect<SignedAnswer, LicenseKeyInvalid | Refusals["sign_in"] | UserNotAllowed>
  /** Begins a sign-in by mail, of a license that trusts no identity provider; the answer is the same for every address. */
  readonly beginByMail: (
    credential: RuntimeCredential,
    request: UserMailSignInRequest
  ) => Effect.Effect<SignedAnswer, LicenseKeyInvalid | RateLimited | Refusals["sign_in"] | UserNotAllowed>
  /**
   * The first sign-in takes a seat, if one is free: the row lock of the license makes k seats admit exactly k. The identity
   * provider is asked before the license is locked.
   */
  readonly signIn: (
    credential: RuntimeCredential,
    request: UserSignInRequest
  ) => Effect.Effect<SignedAnswer, SignInRefusal>
}>()("countersign/services/licensing/users/UserSignIns") {
  static readonly layer = Layer.effect(
    UserSignIns,
    Effect.gen(function*() {
      const sql = yield* Database
      const events = yield* Events
      const identifiers = yield* Identifiers
      const idTokens = yield* IdTokens
      const issuers = yield* IssuerKeys
      const mailed = yield* UserMailSignIns
      const renewals = yield* makeUserRenewals
      const signing = yield* Signing
      const states = yield* EntitlementState
      const vault = yield* Vault

      /** The limit of users, and the issuer, of a license that is in force. */
      const admission = Effect.fnUntraced(
        function*(snapshot: Snapshot): Effect.fn.Return<Admission, Refusals["sign_in"] | UserNotAllowed> {
          yield* Effect.fromResult(decide("sign_in", snapshot, {}))
          if (snapshot.max_users === undefined) return yield* noUsers
          const [row] = yield* findTrustedIssuer(sql, snapshot.license_id)
          return {
            limit: snapshot.max_users,
            holdsSeats: snapshot.hold_offline_seats === true,
            trusted: row?.trusted_issuer ?? undefined
          }
        }
      )

      const beginByMail = Effect.fn("UserSignIns.beginByMail")(
        function*(credential: RuntimeCredential, { email, nonce }: UserMailSignInRequest) {
          const snapshot = yield* states.read(licenseQuestion(credential))
          const { trusted } = yield* admission(snapshot)
          if (trusted !== undefined) return yield* hasIssuer
          const { expiresAt, reference, token } = yield* mailed.begin(snapshot.license_id, email)
          return yield* signing.signAnswer(
            snapshot.kid,
            {
              license_id: snapshot.license_id,
              sign_in_token: token,
              reference,
              issued_at: snapshot.now.toISOString(),
              valid_until: expiresAt.toISOString(),
              ...(nonce === undefined ? {} : { nonce })
            } satisfies UserMailSignIn
          )
        }
      )

      const findIssuer = Effect.fn("UserSignIns.findIssuer")(
        function*(credential: RuntimeCredential, nonce: string | undefined) {
          const snapshot = yield* states.read(licenseQuestion(credential))
          const { trusted } = yield* admission(snapshot)
          if (trusted === undefined) return yield* noIssuer
          const { audience, issuer } = trusted
          return yield* signing.signAnswer(
            snapshot.kid,
            {
              license_id: snapshot.license_id,
              issuer,
              audience,
              issued_at: snapshot.now.toISOString(),
              valid_until: signedInUntil(snapshot.now, snapshot.validation_interval_minutes).toISOString(),
              ...(nonce === undefined ? {} : { nonce })
            } satisfies UserIssuer
          )
        }
      )

      const accountOf = Effect.fnUntraced(
        function*({ audience, issuer }: TrustedIssuer, id_token: string, id_token_nonce: string | undefined) {
          const expected = { issuer, audience, nonce: id_token_nonce }
          const keys = yield* Effect.catchTag(issuers.keysOf(issuer), "IssuerAway", () => Effect.fail(away))
          const judged = idTokens.verify(id_token, { ...expected, keys })
          return yield* judged.pipe(
            // Keys that were changed since they were read.
            Effect.catchIf(({ fault }) => fault === "unknown_key", () =>
              Effect.flatMap(
                issuers.keysBeyond(issuer, keys),
                (newer) => idTokens.verify(id_token, { ...expected, keys: newer })
              )),
            Effect.mapError(refusedToken)
          )
        }
      )

      /** The person whom a request proves: at the issuer of the license, or by a mailbox where it trusts none. */
      const proven = ({ trusted }: Admission, licenseId: string, request: UserSignInRequest) => {
        if (request.id_token !== undefined) {
          return trusted === undefined
            ? Effect.fail(noIssuer)
            : accountOf(trusted, request.id_token, request.id_token_nonce)
        }
        return trusted === undefined
          ? mailed.prove(licenseId, { token: request.mail_sign_in_token ?? "", code: request.mail_code })
          : Effect.fail(hasIssuer)
      }

      /** Seats the account, on a license that is locked. */
      const seat = Effect.fnUntraced(function*(
        licenseId: string,
        account: Account,
        { holdsSeats, limit, trusted }: Admission
      ) {
        const candidates = yield* account.subject === undefined
          ? listMailboxes(sql, licenseId, account.email ?? "")
          : listCandidates(sql, licenseId, account)
        const [counted] = yield* countSeated(sql, licenseId, holdsSeats)
        const signedIn = yield* Effect.fromResult(userSignIn({
          account,
          admits: trusted?.admits ?? "invited",
          candidates,
          seats: { taken: counted!.taken, limit }
        }))
        if (signedIn.kind === "seated") return readUser((yield* updateSeen(sql, signedIn.id))[0]!)
        const [row] = yield* signedIn.kind === "new"
          ? insertJoined(sql, { id: identifiers.next("usr"), licenseId }, account)
          : updateJoined(sql, signedIn.id, account)
        const user = readUser(row!)
        yield* events.append(userEvent("license.user_joined")(user))
        return user
      })

      const answerOf = (
        snapshot: Snapshot,
        { email, id, name }: LicenseUser,
        { nonce, renewal }: { readonly nonce: string | undefined; readonly renewal: Renewal | undefined }
      ) => {
        const until = signedInUntil(snapshot.now, snapshot.validation_interval_minutes)
        const claims = {
          licenseId: snapshot.license_id,
          userId: id,
          expiresAt: until.getTime() / 1000
        }
        return signing.signAnswer(
          snapshot.kid,
          {
            license_id: snapshot.license_id,
            user_id: id,
            ...(email === undefined ? {} : { user_email: email }),
            ...(name === undefined ? {} : { user_name: name }),
            user_token: formatUserToken(claims, (text) => vault.keyedHash(userTokenPurpose, text)),
            ...renewal,
            issued_at: snapshot.now.toISOString(),
            valid_until: until.toISOString(),
            ...(nonce === undefined ? {} : { nonce })
          } satisfies UserSignIn
        )
      }

      const renew = Effect.fnUntraced(function*(snapshot: Snapshot, request: UserSignInRequest) {
        if ((yield* admission(snapshot)).trusted !== undefined) return yield* hasIssuer
        const { fingerprint = "", renewal_token = "" } = request
        const { renewal, userId } = yield* renewals.used(snapshot, renewal_token, fingerprint)
        const user = readUser((yield* updateSeen(sql, userId))[0]!)
        return yield* answerOf(snapshot, user, { nonce: request.nonce, renewal })
      })

      const signIn = Effect.fn("UserSignIns.signIn")(
        function*(credential: RuntimeCredential, request: UserSignInRequest) {
          const question = licenseQuestion(credential)
          const asked = yield* states.read(question)
          if (request.renewal_token !== undefined) return yield* renew(asked, request)
          const before = yield* admission(asked)
          const account = yield* proven(before, asked.license_id, request)
          const { snapshot, user } = yield* inTransaction(
            sql,
            Effect.gen(function*() {
              const snapshot = yield* states.readLocked(question)
              const { license_id } = snapshot
              const admitted = yield* admission(snapshot)
              // The license may trust another issuer by now.
              if (
                admitted.trusted?.issuer !== before.trusted?.issuer ||
                admitted.trusted?.audience !== before.trusted?.audience
              ) return yield* refusedToken({ fault: "issuer" } as IdTokenRefused)
              const user = yield* Effect.provideService(
                seat(license_id, account, admitted),
                CurrentActor,
                licenseActor(license_id)
              )
              return { snapshot, user }
            })
          )
          const renewal = request.fingerprint === undefined || account.subject !== undefined
            ? undefined
            : renewals.made(snapshot, user.id, request.fingerprint)
          return yield* answerOf(snapshot, user, { nonce: request.nonce, renewal })
        },
        decided("sign_in")
      )

      return UserSignIns.of({ findIssuer, beginByMail, signIn })
    })
  )
}

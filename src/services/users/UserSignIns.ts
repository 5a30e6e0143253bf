import { Context, Effect, Layer } from "effect"
import { decide } from "../../domain/entitlements/Decision.ts"
import type { Refusals } from "../../domain/entitlements/DecisionInput.ts"
import type { Snapshot } from "../../domain/entitlements/Snapshot.ts"
import type { LicenseUser } from "../../domain/users/LicenseUser.ts"
import type { TrustedIssuer } from "../../domain/users/TrustedIssuer.ts"
import type { UserIssuer } from "../../domain/users/UserIssuer.ts"
import { signedInUntil, userSignIn } from "../../domain/users/UserSignIn.ts"
import type { Account, UserSignIn, UserSignInRequest } from "../../domain/users/UserSignIn.ts"
import { formatUserToken } from "../../domain/users/UserToken.ts"
import { failing, IdTokenInvalid, Unavailable, UserNotAllowed } from "../../domain/wire/Errors.ts"
import type { LicenseKeyInvalid, UserLimitExceeded } from "../../domain/wire/Errors.ts"
import { decided } from "../entitlements/DecisionMetrics.ts"
import { EntitlementState, licenseQuestion } from "../entitlements/EntitlementState.ts"
import type { RuntimeCredential } from "../entitlements/EntitlementState.ts"
import { Events } from "../events/Events.ts"
import { CurrentActor, licenseActor } from "../events/Provenance.ts"
import { readUser, userEvent } from "../licenses/LicenseUsers.ts"
import { Database } from "../persistence/Database.ts"
import { Identifiers } from "../persistence/Identifiers.ts"
import { inTransaction } from "../persistence/Transaction.ts"
import { Signing } from "../security/Signing.ts"
import type { SignedAnswer } from "../security/Signing.ts"
import { Vault } from "../security/Vault.ts"
import { userTokenPurpose } from "../standings/UserStandings.ts"
import { IdTokens } from "./IdTokens.ts"
import type { IdTokenRefused } from "./IdTokens.ts"
import { IssuerKeys } from "./IssuerKeys.ts"
import {
  countSeated,
  findTrustedIssuer,
  insertJoined,
  listCandidates,
  updateJoined,
  updateSeen
} from "./UserSignInSql.ts"

/** The reasons to refuse a sign-in. */
export type SignInRefusal =
  | Refusals["sign_in"]
  | IdTokenInvalid
  | LicenseKeyInvalid
  | Unavailable
  | UserLimitExceeded
  | UserNotAllowed

const noUsers = failing(UserNotAllowed, "The terms of the license have no users.", { detail: "no_users" })
const noIssuer = failing(UserNotAllowed, "The license trusts no identity provider.", { detail: "no_issuer" })
const away = failing(Unavailable, "The identity provider of the license does not respond. Try again.", {
  detail: "identity_provider"
})

const refusedToken = ({ fault }: IdTokenRefused) =>
  failing(IdTokenInvalid, "The ID token does not sign anybody in to this license.", {
    detail: fault === "unknown_key" ? "signature" : fault
  })

/** Signs people in to licenses, by ID tokens of the identity providers that the licenses trust. */
export class UserSignIns extends Context.Service<UserSignIns, {
  /** Where the users of a license in force sign in, signed. */
  readonly findIssuer: (
    credential: RuntimeCredential,
    nonce: string | undefined
  ) => Effect.Effect<SignedAnswer, LicenseKeyInvalid | Refusals["sign_in"] | UserNotAllowed>
  /**
   * The first sign-in takes a seat, if one is free: the row lock of the license makes k seats admit exactly k. The identity
   * provider is asked before the license is locked.
   */
  readonly signIn: (
    credential: RuntimeCredential,
    request: UserSignInRequest
  ) => Effect.Effect<SignedAnswer, SignInRefusal>
}>()("countersign/services/users/UserSignIns") {
  static readonly layer = Layer.effect(
    UserSignIns,
    Effect.gen(function*() {
      const sql = yield* Database
      const events = yield* Events
      const identifiers = yield* Identifiers
      const idTokens = yield* IdTokens
      const issuers = yield* IssuerKeys
      const signing = yield* Signing
      const states = yield* EntitlementState
      const vault = yield* Vault

      /** The limit of users, and the issuer, of a license that is in force. */
      const admission = Effect.fnUntraced(function*(snapshot: Snapshot) {
        yield* Effect.fromResult(decide("sign_in", snapshot, {}))
        if (snapshot.max_users === undefined) return yield* noUsers
        const [row] = yield* findTrustedIssuer(sql, snapshot.license_id)
        const trusted = row?.trusted_issuer ?? undefined
        return trusted === undefined ? yield* noIssuer : { limit: snapshot.max_users, trusted }
      })

      const findIssuer = Effect.fn("UserSignIns.findIssuer")(
        function*(credential: RuntimeCredential, nonce: string | undefined) {
          const snapshot = yield* states.read(licenseQuestion(credential))
          const { trusted: { audience, issuer } } = yield* admission(snapshot)
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
        function*({ audience, issuer }: TrustedIssuer, { id_token, id_token_nonce }: UserSignInRequest) {
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

      /** Seats the account, on a license that is locked. */
      const seat = Effect.fnUntraced(function*(
        licenseId: string,
        account: Account,
        { limit, trusted }: { readonly limit: number; readonly trusted: TrustedIssuer }
      ) {
        const candidates = yield* listCandidates(sql, licenseId, account)
        const [counted] = yield* countSeated(sql, licenseId)
        const signedIn = yield* Effect.fromResult(userSignIn({
          account,
          admits: trusted.admits,
          candidates,
          seats: { taken: counted!.taken, limit }
        }))
        if (signedIn.kind === "seated") return readUser((yield* updateSeen(sql, signedIn.id))[0]!)
        const [row] = yield* signedIn.kind === "joins"
          ? updateJoined(sql, signedIn.id, account)
          : insertJoined(sql, { id: identifiers.next("usr"), licenseId }, account)
        const user = readUser(row!)
        yield* events.append(userEvent("license.user_joined")(user))
        return user
      })

      const answerOf = (snapshot: Snapshot, { email, id, name }: LicenseUser, nonce: string | undefined) => {
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
            issued_at: snapshot.now.toISOString(),
            valid_until: until.toISOString(),
            ...(nonce === undefined ? {} : { nonce })
          } satisfies UserSignIn
        )
      }

      const signIn = Effect.fn("UserSignIns.signIn")(
        function*(credential: RuntimeCredential, request: UserSignInRequest) {
          const question = licenseQuestion(credential)
          const before = yield* admission(yield* states.read(question))
          const account = yield* accountOf(before.trusted, request)
          const { snapshot, user } = yield* inTransaction(
            sql,
            Effect.gen(function*() {
              const snapshot = yield* states.readLocked(question)
              const { license_id } = snapshot
              const admitted = yield* admission(snapshot)
              // The license may trust another issuer by now.
              if (
                admitted.trusted.issuer !== before.trusted.issuer ||
                admitted.trusted.audience !== before.trusted.audience
              ) return yield* refusedToken({ fault: "issuer" } as IdTokenRefused)
              const user = yield* Effect.provideService(
                seat(license_id, account, admitted),
                CurrentActor,
                licenseActor(license_id)
              )
              return { snapshot, user }
            })
          )
          return yield* answerOf(snapshot, user, request.nonce)
        },
        decided("sign_in")
      )

      return UserSignIns.of({ findIssuer, signIn })
    })
  )
}

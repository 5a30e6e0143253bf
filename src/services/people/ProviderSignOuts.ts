import { Context, Effect, Layer } from "effect"
import type { NotFound, RateLimited } from "../../domain/ground/wire/Errors.ts"
import { logoutPath, signedOutPath } from "../../domain/people/SignInFlow.ts"
import { KnownCredentials } from "../ground/admission/KnownCredentials.ts"
import { Database, inTransaction } from "../ground/persistence/Database.ts"
import { Settings } from "../ground/platform/Settings.ts"
import { Vault } from "../keys/security/Vault.ts"
import { Events } from "../log/Events.ts"
import { CurrentActor } from "../log/Provenance.ts"
import { AnswerRefused, IdentityProvider } from "./IdentityProvider.ts"
import type { ProviderAway } from "./IdentityProvider.ts"
import { IdentitySignIns } from "./IdentitySignIns.ts"
import { insertSpent } from "./PersonSql.ts"
import { callingFrom, idTokenPurpose, toldEnded } from "./RefusedSignIns.ts"
import { Sessions } from "./Sessions.ts"
import { deleteEndedThere, findSignedIn } from "./SessionSql.ts"

/** For how long a logout token is remembered beyond its end, in seconds: clocks of provider, nodes and database differ. */
const marginSeconds = 3600

/** A session that its person ended. */
export interface SignedOut {
  /** Whether it was opened at the identity provider. */
  readonly wasAtProvider: boolean
  /** The address where the browser signs out at the provider; undefined where there is none to go to. */
  readonly url: string | undefined
}

/** The ends of sessions that were opened at the identity provider: here and there. */
export class ProviderSignOuts extends Context.Service<ProviderSignOuts, {
  /** Ends the session of the caller (OpenID Connect RP-Initiated Logout 1.0). It ends whether or not the provider responds. */
  readonly signOut: Effect.Effect<SignedOut, NotFound>
  /** Ends sessions by a logout token of the provider (OpenID Connect Back-Channel Logout 1.0), which is good once. */
  readonly endedThere: (logoutToken: string) => Effect.Effect<void, AnswerRefused | ProviderAway | RateLimited>
}>()("countersign/services/people/ProviderSignOuts") {
  static readonly layer = Layer.effect(
    ProviderSignOuts,
    Effect.gen(function*() {
      const sql = yield* Database
      const events = yield* Events
      const known = yield* KnownCredentials
      const provider = yield* IdentityProvider
      const sessions = yield* Sessions
      const vault = yield* Vault
      const { openIdConnect, publicUrl } = yield* Settings

      /** The address at the provider for a session that was opened there. What cannot be had is left out: the session has ended. */
      const addressFor = Effect.fnUntraced(
        function*(id: string, sealed: Uint8Array) {
          const idToken = new TextDecoder().decode(yield* vault.open(idTokenPurpose(id), sealed))
          return yield* provider.signOutAt(idToken, publicUrl + signedOutPath)
        },
        Effect.catchCause((cause) =>
          Effect.as(Effect.logWarning("A person is not signed out at the identity provider", cause), undefined)
        )
      )

      const signOut = Effect.gen(function*() {
        const { person } = yield* CurrentActor
        const id = person?.sessionId ?? "current"
        const [row] = yield* findSignedIn(sql, id)
        yield* sessions.end(id)
        const sealed = openIdConnect?.signsOutThere === true ? row?.sealed_id_token ?? undefined : undefined
        return {
          wasAtProvider: row?.sign_in_method === "openid_connect",
          url: sealed === undefined ? undefined : yield* addressFor(id, sealed)
        }
      })

      const endedThere = Effect.fn("ProviderSignOuts.endedThere")(function*(logoutToken: string) {
        const admission = yield* known.admit(vault.keyedHash("logout-token", logoutToken), yield* callingFrom)
        const ended = yield* Effect.tapError(
          provider.endedBy(logoutToken),
          ({ _tag }) => admission.settle(_tag === "AnswerRefused")
        )
        yield* admission.settle(false)
        yield* inTransaction(
          sql,
          Effect.gen(function*() {
            const hash = vault.keyedHash("logout-token", JSON.stringify([ended.issuer, ended.tokenId]))
            const spent = yield* insertSpent(sql, hash, ended.seconds + marginSeconds)
            if (spent.length === 0) return yield* new AnswerRefused({ problem: "The logout token was used before." })
            yield* toldEnded(events, yield* deleteEndedThere(sql, ended))
          })
        )
      }, Effect.tapError((failure) => Effect.logWarning(`A request to ${logoutPath} was refused: ${failure._tag}`)))

      return ProviderSignOuts.of({ signOut, endedThere })
    })
  )
}

/** Sign-ins at the identity provider, and what ends them. */
export const providerDoors = Layer.mergeAll(IdentitySignIns.layer, ProviderSignOuts.layer)

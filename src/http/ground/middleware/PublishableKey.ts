import { Effect, Layer } from "effect"
import { HttpServerRequest } from "effect/http"
import { PublishableCaller, PublishableKeyAuthorization } from "../../../api/ground/Middleware.ts"
import { networkOf } from "../../../domain/ground/admission/DoorLimits.ts"
import { failing, Unauthenticated } from "../../../domain/ground/wire/Errors.ts"
import { isPublishableKey } from "../../../domain/keys/security/Credential.ts"
import { refusedCredential } from "../../../domain/keys/security/CredentialHint.ts"
import { CurrentShare } from "../../../services/ground/admission/FairShare.ts"
import { KnownCredentials } from "../../../services/ground/admission/KnownCredentials.ts"
import { RateLimits } from "../../../services/ground/admission/RateLimits.ts"
import { CurrentEnvironment } from "../../../services/ground/environments/CurrentEnvironment.ts"
import { RequestOrigin } from "../../../services/log/Provenance.ts"
import { PublishableKeys } from "../../../services/people/access/PublishableKeys.ts"
import { notePrincipal } from "../edge/Exchanges.ts"

const revoked = failing(
  Unauthenticated,
  "The publishable key was revoked. A later version of the app has a new one."
)

/** Publishable keys. What is no such key, or mistyped, is refused before any query. */
export const layer = Layer.effect(
  PublishableKeyAuthorization,
  Effect.gen(function*() {
    const keys = yield* PublishableKeys
    const known = yield* KnownCredentials
    const limits = yield* RateLimits
    const environment = yield* CurrentEnvironment

    return PublishableKeyAuthorization.of({
      publishable: Effect.fnUntraced(function*(httpEffect) {
        const { ipAddress = "" } = yield* RequestOrigin
        const address = networkOf(ipAddress)
        yield* limits.request("address", address)
        const { authorization } = (yield* HttpServerRequest.HttpServerRequest).headers
        const sent = /^Bearer\s+(\S+)\s*$/i.exec(authorization ?? "")?.[1] ?? ""
        // Reads the credential again, to say what it is: not for whoever is over the limit.
        const unknown = Effect.suspend(() =>
          Effect.fail(refusedCredential(Unauthenticated, "publishable", authorization, environment))
        )
        if (!isPublishableKey(sent)) return yield* Effect.andThen(known.malformed(address), unknown)
        const hash = keys.hashOf(sent)
        const key = yield* known.attempt(hash, address, keys.find(hash))
        if (key === undefined) return yield* unknown
        known.learn(hash, key.id)
        yield* notePrincipal({ kind: "publishable_key", id: key.id })
        if (key.revoked_at !== undefined) return yield* revoked
        return yield* httpEffect.pipe(
          Effect.provideService(PublishableCaller, { key, address }),
          Effect.provideService(CurrentShare, { address, principal: key.id, license: undefined })
        )
      })
    })
  })
)

import { Effect, Layer, Redacted } from "effect"
import { parseLicenseKey } from "../../domain/Credential.ts"
import { failing, LicenseKeyInvalid } from "../../domain/Errors.ts"
import { licenseKeyPurpose } from "../../services/Licenses.ts"
import { RateLimits } from "../../services/RateLimits.ts"
import { CurrentActor, RequestOrigin } from "../../services/RequestContext.ts"
import { Scopes } from "../../services/Scopes.ts"
import { Vault } from "../../services/Vault.ts"
import { LicenseKeyAuthorization, Management, RuntimeCaller } from "../api/Middleware.ts"
import { declarationOf } from "../api/Operation.ts"

/** Management: the one place where scopes are checked, against the operation's own declaration. */
export const managementLayer = Layer.effect(
  Management,
  Effect.gen(function*() {
    const scopes = yield* Scopes
    return Management.of({
      bearer: Effect.fnUntraced(function*(httpEffect, { credential, endpoint }) {
        const { scope } = declarationOf(endpoint)
        const { ipAddress } = yield* RequestOrigin
        const actor = yield* scopes.authorize(
          Redacted.value(credential),
          scope === "license" || scope === "none" ? undefined : scope,
          ipAddress ?? ""
        )
        return yield* Effect.provideService(httpEffect, CurrentActor, actor)
      })
    })
  })
)

/**
 * Runtime: a key whose check character is wrong is refused before any query. Whether a license has the key is found
 * out by the operation's own query, which makes it one round trip.
 */
export const licenseKeyLayer = Layer.effect(
  LicenseKeyAuthorization,
  Effect.gen(function*() {
    const vault = yield* Vault
    const limits = yield* RateLimits
    const refused = Effect.gen(function*() {
      const { ipAddress } = yield* RequestOrigin
      yield* limits.failedAuthentication(ipAddress ?? "")
      return yield* failing(LicenseKeyInvalid, "Send the license key as `Authorization: License <license-key>`.")
    })
    return LicenseKeyAuthorization.of({
      license: (httpEffect, { credential }) => {
        const key = parseLicenseKey(Redacted.value(credential))
        return key === undefined
          ? refused
          : Effect.provideService(httpEffect, RuntimeCaller, {
            keyHash: vault.keyedHash(licenseKeyPurpose, key),
            licenseKey: Redacted.make(key)
          })
      }
    })
  })
)

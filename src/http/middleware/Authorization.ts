import { Cause, Effect, Layer, Redacted } from "effect"
import { parseLicenseKey } from "../../domain/Credential.ts"
import { failing, LicenseKeyInvalid } from "../../domain/Errors.ts"
import type { Scope } from "../../domain/ManagementKey.ts"
import { licenseKeyPurpose } from "../../services/Licenses.ts"
import { RateLimits } from "../../services/RateLimits.ts"
import { CurrentActor, RequestOrigin } from "../../services/RequestContext.ts"
import type { Actor } from "../../services/RequestContext.ts"
import { Scopes } from "../../services/Scopes.ts"
import { Vault } from "../../services/Vault.ts"
import { LicenseKeyAuthorization, Management, RuntimeCaller } from "../api/Middleware.ts"
import { declarationOf } from "../api/Operation.ts"
import { makeRefused } from "../Refused.ts"

/** What an operation raised: HttpApi puts it into an object of its own, to tell it from what a credential raises. */
const raised = (failure: unknown): unknown =>
  typeof failure === "object" && failure !== null && !("_tag" in failure) && "error" in failure
    ? failure.error
    : failure

/** Management: the one place where scopes are checked, against the operation's own declaration. */
export const managementLayer = Layer.effect(
  Management,
  Effect.gen(function*() {
    const scopes = yield* Scopes
    const refused = yield* makeRefused
    return Management.of({
      bearer: Effect.fnUntraced(function*(httpEffect, { credential, endpoint }) {
        const { scope } = declarationOf(endpoint)
        const { ipAddress } = yield* RequestOrigin
        const authorize = (scope: Scope | undefined) =>
          scopes.authorize(Redacted.value(credential), scope, ipAddress ?? "")
        const refuse = (cause: Cause.Cause<unknown>, actor: Actor) =>
          refused.management(endpoint.identifier, cause, actor)
        const actor = yield* authorize(scope === "license" || scope === "none" ? undefined : scope).pipe(
          // A key that may not do this has an owner all the same, who is asked for once more.
          Effect.catchTag("TOKEN_SCOPE_DENIED", (denial) =>
            Effect.andThen(
              Effect.flatMap(authorize(undefined), (actor) => refuse(Cause.fail(denial), actor)),
              Effect.fail(denial)
            ))
        )
        return yield* Effect.provideService(httpEffect, CurrentActor, actor).pipe(
          Effect.tapCause((cause) => refuse(Cause.map(cause, raised), actor))
        )
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

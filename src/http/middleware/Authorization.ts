import { Cause, Context, Effect, Layer, Redacted } from "effect"
import { HttpServerRequest } from "effect/http"
import type { HttpApiEndpoint } from "effect/http-api"
import type { SqlError } from "effect/sql"
import { networkOf } from "../../domain/admission/DoorLimits.ts"
import { parseLicenseKey } from "../../domain/security/Credential.ts"
import type { Scope } from "../../domain/security/ManagementKey.ts"
import { failing, LicenseKeyInvalid } from "../../domain/wire/Errors.ts"
import { Scopes } from "../../services/access/Scopes.ts"
import { CurrentShare, FairShares } from "../../services/admission/FairShare.ts"
import { KnownCredentials } from "../../services/admission/KnownCredentials.ts"
import { RateLimits } from "../../services/admission/RateLimits.ts"
import { CurrentActor, RequestOrigin } from "../../services/events/Provenance.ts"
import type { Actor } from "../../services/events/Provenance.ts"
import { licenseKeyPurpose } from "../../services/licenses/Licenses.ts"
import { Vault } from "../../services/security/Vault.ts"
import { LicenseKeyAuthorization, Management, RuntimeCaller } from "../api/Middleware.ts"
import { declarationOf } from "../api/Operation.ts"
import { makeRefused } from "../edge/Refused.ts"

/** The operation's own failure, unwrapped: HttpApi wraps it to tell it from a failure of the credential check. */
const raised = (failure: unknown): unknown =>
  typeof failure === "object" && failure !== null && !("_tag" in failure) && "error" in failure
    ? failure.error
    : failure

const licensePath = /^\/api\/v1\/licenses\/(lic_[a-z0-9]{1,64})(?:[/?]|$)/

/** Whether a management operation only reads. */
const onlyReads = (endpoint: HttpApiEndpoint.Top): boolean =>
  endpoint.method === "GET" || declarationOf(endpoint).action === "none"

/** Management: the only place where scopes are checked, against the operation's declaration. */
export const managementLayer = Layer.effect(
  Management,
  Effect.gen(function*() {
    const scopes = yield* Scopes
    const limits = yield* RateLimits
    const shares = yield* FairShares
    const refused = yield* makeRefused

    /** Reads take turns here; a write takes its turn when it begins a transaction. */
    const inTurn = <A, E, R>(work: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
      shares.reads.run(work).pipe(
        Effect.catchTag("SqlError" as never, (error: SqlError.SqlError) => Effect.die(error))
      ) as Effect.Effect<A, E, R>

    return Management.of({
      bearer: Effect.fnUntraced(function*(httpEffect, { credential, endpoint }) {
        const { scope } = declarationOf(endpoint)
        const { ipAddress = "" } = yield* RequestOrigin
        const address = networkOf(ipAddress)
        yield* limits.request("address", address)
        const authorize = (scope: Scope | undefined) => scopes.authorize(Redacted.value(credential), scope, ipAddress)
        const refuse = (cause: Cause.Cause<unknown>, actor: Actor) => refused.management(endpoint, cause, actor)
        const actor = yield* authorize(scope === "license" || scope === "none" ? undefined : scope).pipe(
          // A key without the scope still has an owner, who is looked up again for the record.
          Effect.catchTag("TOKEN_SCOPE_DENIED", (denial) =>
            Effect.andThen(
              Effect.flatMap(authorize(undefined), (actor) => refuse(Cause.fail(denial), actor)),
              Effect.fail(denial)
            ))
        )
        yield* limits.request("token", actor.id)
        const { url } = yield* HttpServerRequest.HttpServerRequest
        const reads = onlyReads(endpoint)
        const share = { address, principal: actor.id, license: reads ? undefined : licensePath.exec(url)?.[1] }
        return yield* (reads ? inTurn(httpEffect) : httpEffect).pipe(
          Effect.provideContext(Context.make(CurrentActor, actor).pipe(Context.add(CurrentShare, share))),
          Effect.tapCause((cause) => refuse(Cause.map(cause, raised), actor))
        )
      })
    })
  })
)

const isUnknownKey = (cause: Cause.Cause<unknown>): boolean =>
  cause.reasons.some((reason) => Cause.isFailReason(reason) && raised(reason.error) instanceof LicenseKeyInvalid)

/**
 * Runtime: a key with a wrong check character is refused before any query. The operation's own query finds out whether
 * a license has the key, which saves a round trip; an unknown key is counted when that query has answered.
 */
export const licenseKeyLayer = Layer.effect(
  LicenseKeyAuthorization,
  Effect.gen(function*() {
    const vault = yield* Vault
    const known = yield* KnownCredentials
    const limits = yield* RateLimits
    const invalid = failing(LicenseKeyInvalid, "Send the license key as `Authorization: License <license-key>`.")

    return LicenseKeyAuthorization.of({
      license: Effect.fnUntraced(function*(httpEffect, { credential, endpoint }) {
        const { ipAddress = "" } = yield* RequestOrigin
        const address = networkOf(ipAddress)
        yield* limits.request("address", address)
        const key = parseLicenseKey(Redacted.value(credential))
        if (key === undefined) return yield* Effect.andThen(known.malformed(address), Effect.fail(invalid))
        const keyHash = vault.keyedHash(licenseKeyPurpose, key)
        const admission = yield* known.admit(keyHash, address)
        const license = known.ownerOf(keyHash)
        if (license !== undefined) yield* limits.request("key", license)
        const context = Context.make(RuntimeCaller, { keyHash, licenseKey: Redacted.make(key) }).pipe(
          Context.add(CurrentShare, {
            address,
            principal: license ?? "unknown",
            license: declarationOf(endpoint).locks === "nothing"
              ? undefined
              : license ?? String.fromCharCode(...keyHash)
          })
        )
        const answer = yield* Effect.provideContext(httpEffect, context).pipe(
          Effect.catchCause((cause) => Effect.andThen(admission.settle(isUnknownKey(cause)), Effect.failCause(cause)))
        )
        yield* admission.settle(false)
        return answer
      })
    })
  })
)

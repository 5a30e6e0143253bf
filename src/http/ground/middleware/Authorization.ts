import { Cause, Effect, Layer, Redacted } from "effect"
import { HttpRouter, HttpServerRequest } from "effect/http"
import type { HttpApiEndpoint, HttpApiGroup } from "effect/http-api"
import type { SqlError } from "effect/sql"
import { LicenseKeyAuthorization, Management, RuntimeCaller } from "../../../api/ground/Middleware.ts"
import { declarationOf, productsOf, scopesOf } from "../../../api/ground/Operation.ts"
import { networkOf } from "../../../domain/ground/admission/DoorLimits.ts"
import { environmentOf } from "../../../domain/ground/environments/Environment.ts"
import type { EnvironmentName } from "../../../domain/ground/environments/EnvironmentName.ts"
import {
  failing,
  LicenseKeyInvalid,
  TokenProductDenied,
  TokenScopeDenied,
  Unauthenticated
} from "../../../domain/ground/wire/Errors.ts"
import type { NotFound, PersonMismatch, RateLimited } from "../../../domain/ground/wire/Errors.ts"
import { parseLicenseKey } from "../../../domain/keys/security/Credential.ts"
import { licenseKeyIn, refusedCredential } from "../../../domain/keys/security/CredentialHint.ts"
import type { Scope } from "../../../domain/keys/security/ManagementKey.ts"
import { resellerOperations } from "../../../domain/keys/security/ProductRule.ts"
import type { Reseller } from "../../../domain/keys/security/ProductRule.ts"
import { CurrentShare, FairShares } from "../../../services/ground/admission/FairShare.ts"
import type { Share } from "../../../services/ground/admission/FairShare.ts"
import { KnownCredentials, nameOf } from "../../../services/ground/admission/KnownCredentials.ts"
import type { CredentialTrial } from "../../../services/ground/admission/KnownCredentials.ts"
import { RateLimits } from "../../../services/ground/admission/RateLimits.ts"
import { CurrentEnvironment } from "../../../services/ground/environments/CurrentEnvironment.ts"
import { CurrentProducts } from "../../../services/ground/persistence/ProductLimit.ts"
import { Settings } from "../../../services/ground/platform/Settings.ts"
import { Vault } from "../../../services/keys/security/Vault.ts"
import { licenseKeyPurpose } from "../../../services/licensing/licenses/Licenses.ts"
import { CurrentActor, RequestOrigin } from "../../../services/log/Provenance.ts"
import type { Actor } from "../../../services/log/Provenance.ts"
import { ProductReach, Scopes } from "../../../services/people/access/Scopes.ts"
import type { Denial } from "../../../services/people/access/Scopes.ts"
import { RefusedSignIns } from "../../../services/people/RefusedSignIns.ts"
import { Sessions } from "../../../services/people/Sessions.ts"
import { CurrentExchange, notePrincipal } from "../edge/Exchanges.ts"
import type { Exchange, Principal } from "../edge/Exchanges.ts"
import { decodedPathOf } from "../edge/Refusal.ts"
import { makeRefused } from "../edge/Refused.ts"
import { CurrentHandover } from "../edge/Reply.ts"
import type { Handover } from "../edge/Reply.ts"
import { expectedPerson, isOwnPage, ownPage, pollHeader, sessionOf } from "./OwnPages.ts"

const beyondProducts = failing(
  TokenProductDenied,
  "This API key is limited to products, and the operation affects all products.",
  { detail: "An API key without product_ids can do it." }
)

const beyondResellers = failing(
  TokenScopeDenied,
  "This API key is a reseller's, and the operation is not for resellers.",
  { detail: "An API key without license_tag can do it." }
)

/**
 * Holds a limited key to the rule of the operation, before anything else of the request is looked at: to its products, and a
 * reseller to the operations for resellers and the licenses with the tag. `inTurn` runs the look into the database.
 */
const makeKeyReach = (inTurn: <A, E, R>(work: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>) =>
  Effect.map(ProductReach, (reach) =>
    Effect.fnUntraced(function*(
      endpoint: HttpApiEndpoint.Top,
      products: ReadonlyArray<string>,
      reseller: Reseller | undefined
    ) {
      if (reseller !== undefined && !resellerOperations.has(endpoint.identifier)) return yield* beyondResellers
      const rule = productsOf(declarationOf(endpoint)) ?? "refused"
      if (rule === "refused") return yield* beyondProducts
      if (typeof rule === "string") return
      const params = yield* HttpRouter.params
      const named = {
        of: rule.of,
        id: params["id"] ?? "",
        isOwner: !endpoint.path.endsWith("/:id"),
        whole: rule.whole === true
      }
      yield* inTurn(reach.check(named, products, reseller))
    }))

/** The groups of operations about people, who are those of the live environment in each environment. */
const aboutPeople: ReadonlySet<string> = new Set(["people", "roles", "sessions", "passkeys"])

const peopleOfLive = failing(
  TokenScopeDenied,
  "People, roles, sessions and passkeys are those of the live environment. Ask there: without the name of this one in the path."
)

/** Fails where a person asks an environment beside live about people: it has none of its own. */
const checkPlace = (environment: EnvironmentName, group: HttpApiGroup.Top, { person }: Actor) =>
  environment !== "live" && person !== undefined && aboutPeople.has(group.identifier)
    ? Effect.fail(peopleOfLive)
    : Effect.void

/** The operation's own failure, unwrapped: HttpApi wraps it to tell it from a failure of the credential check. */
const raised = (failure: unknown): unknown =>
  typeof failure === "object" && failure !== null && !("_tag" in failure) && "error" in failure
    ? failure.error
    : failure

const licensePath = /^\/api\/v1\/licenses\/(lic_[a-z0-9]{1,64})(?:\/|$)/

/** Whether a management operation only reads. */
const onlyReads = (endpoint: HttpApiEndpoint.Top): boolean =>
  endpoint.method === "GET" || declarationOf(endpoint).action === "none"

/** NOT_FOUND is declared by the operation, which a middleware cannot know. */
const asDeclared = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  effect as Effect.Effect<A, Exclude<E, NotFound>, Exclude<R, HttpRouter.RouteContext>>

const principalOf = ({ id, type }: Actor): Principal => ({ kind: type === "person" ? type : "api_key", id })

/**
 * Management: the only place where scopes are checked, and what a limited key may do, against the operation's
 * declaration.
 */
export const managementLayer = Layer.effect(
  Management,
  Effect.gen(function*() {
    const scopes = yield* Scopes
    const sessions = yield* Sessions
    const { publicUrl } = yield* Settings
    const limits = yield* RateLimits
    const shares = yield* FairShares
    const refused = yield* makeRefused
    const environment = yield* CurrentEnvironment
    const refusedSignIns = yield* RefusedSignIns

    /** Tells of a token that the console was given and that is not let in: its pages ask whose it is, and programs do not ask as pages. */
    const noteToken = Effect.fnUntraced(function*(endpoint: HttpApiEndpoint.Top, reason: string) {
      if (endpoint.identifier !== "getWhoami" || !(yield* isOwnPage(publicUrl))) return
      yield* refusedSignIns.note("token", reason)
    })

    /** Reads take turns here; a write takes its turn when it begins a transaction. */
    const inTurn = <A, E, R>(work: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
      shares.reads.run(work).pipe(
        Effect.catchTag("SqlError" as never, (error: SqlError.SqlError) => Effect.die(error))
      ) as Effect.Effect<A, E, R>

    const withinLimits = yield* makeKeyReach(inTurn)

    /** Makes a request that another one hands over, whose caller was let in. */
    const handedOver = Effect.fnUntraced(function*<A, E, R>(
      { authorize }: Handover,
      { endpoint, group }: { readonly endpoint: HttpApiEndpoint.Top; readonly group: HttpApiGroup.Top },
      operation: Effect.Effect<A, E, R>
    ) {
      const { actor, alsoWithin } = yield* authorize(scopesOf(declarationOf(endpoint)))
      yield* checkPlace(environment, group, actor)
      const limits = [...(actor.products === undefined ? [] : [actor.products]), ...alsoWithin]
      for (const products of limits) yield* withinLimits(endpoint, products, actor.reseller)
      return yield* operation.pipe(
        Effect.provideService(CurrentActor, actor),
        Effect.provideService(CurrentProducts, actor.products)
      )
    })

    return Management.of({
      bearer: Effect.fnUntraced(function*(httpEffect, { credential, endpoint, group }) {
        const handover = yield* CurrentHandover
        if (handover !== undefined) return yield* asDeclared(handedOver(handover, { endpoint, group }, httpEffect))
        const { ipAddress = "" } = yield* RequestOrigin
        const address = networkOf(ipAddress)
        yield* limits.request("address", address)
        const request = yield* HttpServerRequest.HttpServerRequest
        const session = sessionOf(request, publicUrl)
        if (session !== undefined) yield* ownPage(publicUrl)
        const authorize = (needed: ReadonlyArray<Scope>): Effect.Effect<Actor, Denial | PersonMismatch> =>
          session === undefined
            ? scopes.authorize(Redacted.value(credential), needed, ipAddress)
            : sessions.authorize(session, needed, ipAddress, {
              expected: request.headers[expectedPerson],
              isPoll: request.headers[pollHeader] !== undefined
            })
        const refuse = (cause: Cause.Cause<unknown>, actor: Actor) => refused.management(endpoint, cause, actor)
        const actor = yield* authorize(scopesOf(declarationOf(endpoint))).pipe(
          Effect.catchTags({
            UNAUTHENTICATED: (denial) =>
              Effect.fail(
                session === undefined
                  ? refusedCredential(Unauthenticated, "management", request.headers["authorization"], environment)
                  : denial
              ),
            // A key without the scope still has an owner, who is looked up again for the record.
            TOKEN_SCOPE_DENIED: (denial) =>
              Effect.andThen(
                Effect.flatMap(authorize([]), (actor) =>
                  Effect.andThen(notePrincipal(principalOf(actor)), refuse(Cause.fail(denial), actor))),
                Effect.fail(denial)
              )
          }),
          Effect.tapError((denial) =>
            session === undefined && denial._tag !== "RATE_LIMITED"
              ? noteToken(endpoint, denial.error.message)
              : Effect.void
          )
        )
        yield* notePrincipal(principalOf(actor))
        yield* Effect.tapCause(checkPlace(environment, group, actor), (cause) => refuse(cause, actor))
        yield* limits.request("token", actor.id)
        const reads = onlyReads(endpoint)
        const share = {
          address,
          principal: actor.id,
          license: reads ? undefined : licensePath.exec(decodedPathOf(request.url))?.[1]
        }
        const { products } = actor
        const operation = reads ? inTurn(httpEffect) : httpEffect
        // NOT_FOUND is declared by the operation, which a middleware cannot know.
        const limited = products === undefined ? operation : Effect.andThen(
          withinLimits(endpoint, products, actor.reseller) as Effect.Effect<
            void,
            TokenProductDenied | TokenScopeDenied,
            HttpRouter.RouteContext
          >,
          Effect.provideService(operation, CurrentProducts, products)
        ) as typeof operation
        return yield* limited.pipe(
          Effect.provideService(CurrentActor, actor),
          Effect.provideService(CurrentShare, share),
          Effect.tapCause((cause) => refuse(Cause.map(cause, raised), actor))
        )
      })
    })
  })
)

const isUnknownKey = (cause: Cause.Cause<unknown>): boolean =>
  cause.reasons.some((reason) => Cause.isFailReason(reason) && raised(reason.error) instanceof LicenseKeyInvalid)

/** A caller of the runtime API whose credential may be tried. */
interface AdmittedApp {
  /** The license key as it was issued, and its keyed hash. */
  readonly key: string
  readonly keyHash: Uint8Array
  readonly share: Share
  /** Runs the operation, and counts a license key that it found to be unknown. */
  readonly settling: <A, E, R>(operation: Effect.Effect<A, E, R>) => Effect.Effect<A, E | RateLimited, R>
}

/**
 * Lets a caller of the runtime API try its credential: a key with a wrong check character is refused before any query.
 * The operation's own query finds out whether a license has the key, which saves a round trip; an unknown key is
 * counted when that query has answered.
 */
export const makeAppAdmission = Effect.gen(function*() {
  const vault = yield* Vault
  const known = yield* KnownCredentials
  const limits = yield* RateLimits
  const environment = yield* CurrentEnvironment

  const admitted = (
    key: string,
    keyHash: Uint8Array,
    address: string,
    locks: boolean,
    trial: CredentialTrial,
    exchange: Exchange | undefined
  ) => {
    const license = known.ownerOf(keyHash)
    const noteLicense = (license: string | undefined) => {
      if (exchange !== undefined && license !== undefined) exchange.principal = { kind: "license", id: license }
    }
    noteLicense(license)
    // A license that was not known before is known when its own query has answered.
    const settle = (isUnknown: boolean) =>
      license === undefined
        ? Effect.tap(trial.settle(isUnknown), () => Effect.sync(() => noteLicense(known.ownerOf(keyHash))))
        : trial.settle(isUnknown)
    const app: AdmittedApp = {
      key,
      keyHash,
      share: {
        address,
        principal: license ?? "unknown",
        license: locks ? license ?? nameOf(keyHash) : undefined
      },
      settling: (operation) =>
        Effect.matchCauseEffect(operation, {
          onFailure: (cause) => Effect.andThen(settle(isUnknownKey(cause)), Effect.failCause(cause)),
          onSuccess: (answer) => Effect.as(settle(false), answer)
        })
    }
    return license === undefined ? Effect.succeed(app) : Effect.as(limits.request("key", license), app)
  }

  return (
    authorization: string | undefined,
    ipAddress: string,
    endpoint: HttpApiEndpoint.Top,
    exchange: Exchange | undefined
  ) => {
    // Reads the credential again, to say what it is: not for whoever is over the limit.
    const invalid = Effect.suspend(() =>
      Effect.fail(refusedCredential(LicenseKeyInvalid, "license", authorization, environment))
    )
    const address = networkOf(ipAddress)
    const locks = declarationOf(endpoint).locks !== "nothing"
    return Effect.andThen(
      limits.request("address", address),
      Effect.suspend((): Effect.Effect<AdmittedApp, LicenseKeyInvalid | RateLimited> => {
        const key = parseLicenseKey(licenseKeyIn(authorization))
        if (key === undefined) return Effect.andThen(known.malformed(address), invalid)
        // No license of this environment has it, and what is wrong is its place.
        if ((environmentOf(key) ?? environment) !== environment) return invalid
        const keyHash = vault.keyedHash(licenseKeyPurpose, key)
        const admitWith = (trial: CredentialTrial) => admitted(key, keyHash, address, locks, trial, exchange)
        return known.ownerOf(keyHash) === undefined
          ? Effect.flatMap(known.admit(keyHash, address), admitWith)
          : admitWith(known.admitKnown(keyHash, address))
      })
    )
  }
})

/** Runtime: license keys. */
export const licenseKeyLayer = Layer.effect(
  LicenseKeyAuthorization,
  Effect.gen(function*() {
    const admit = yield* makeAppAdmission

    return LicenseKeyAuthorization.of({
      license: Effect.fnUntraced(function*(httpEffect, { endpoint }) {
        const { ipAddress = "" } = yield* RequestOrigin
        const { headers } = yield* HttpServerRequest.HttpServerRequest
        const exchange = yield* CurrentExchange
        const { key, keyHash, settling, share } = yield* admit(headers["authorization"], ipAddress, endpoint, exchange)
        return yield* settling(httpEffect.pipe(
          Effect.provideService(RuntimeCaller, { keyHash, licenseKey: Redacted.make(key) }),
          Effect.provideService(CurrentShare, share)
        ))
      })
    })
  })
)

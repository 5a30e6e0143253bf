import { Effect, Layer } from "effect"
import { HttpRouter, HttpServerError, HttpServerRequest, HttpServerResponse } from "effect/http"
import { HttpApiBuilder } from "effect/http-api"
import { Api } from "../../api/composition/Api.ts"
import { DryRun } from "../../api/ground/Middleware.ts"
import { filtersOf, pageOf } from "../../api/ground/Parameters.ts"
import { networkOf } from "../../domain/ground/admission/DoorLimits.ts"
import { matchesEtag } from "../../domain/ground/wire/EntityTag.ts"
import { warningsAbout } from "../../domain/keys/security/ManagementKey.ts"
import { logoPath } from "../../domain/keys/settings/ServiceSettings.ts"
import { callbackPath, logoutPath, signedOutPath } from "../../domain/people/SignInFlow.ts"
import type { SignInSettings } from "../../domain/people/SignInFlow.ts"
import { RateLimits } from "../../services/ground/admission/RateLimits.ts"
import { Settings } from "../../services/ground/platform/Settings.ts"
import { Signing } from "../../services/keys/security/Signing.ts"
import { ServiceSettings } from "../../services/keys/settings/ServiceSettings.ts"
import { RequestOrigin } from "../../services/log/Provenance.ts"
import { MailQueue } from "../../services/mail/MailQueue.ts"
import { ManagementKeys } from "../../services/people/access/ManagementKeys.ts"
import { PublishableKeys } from "../../services/people/access/PublishableKeys.ts"
import { IdentitySignIns } from "../../services/people/IdentitySignIns.ts"
import { PasskeySignIns } from "../../services/people/passkeys/PasskeySignIns.ts"
import { one, page } from "../ground/edge/Reply.ts"

const operations = HttpApiBuilder.group(
  Api,
  "settings",
  Effect.fn(function*(handlers) {
    const settings = yield* ServiceSettings
    const { test } = yield* IdentitySignIns
    const mails = yield* MailQueue
    const { problem } = yield* PasskeySignIns
    const { openIdConnect, publicUrl, sessionHours, sessionIdleMinutes } = yield* Settings
    const signIn: SignInSettings = {
      ...(openIdConnect === undefined ? {} : {
        openid_connect: {
          issuer: openIdConnect.issuer,
          client_id: openIdConnect.clientId,
          redirect_uri: publicUrl + callbackPath,
          roles: openIdConnect.rules,
          empty_claims: openIdConnect.emptyClaims,
          signs_out_at_provider: openIdConnect.signsOutThere,
          post_logout_redirect_uri: publicUrl + signedOutPath,
          backchannel_logout_uri: publicUrl + logoutPath
        }
      }),
      passkeys: problem === undefined,
      ...(problem === undefined ? {} : { passkeys_problem: problem }),
      session_hours: sessionHours,
      session_idle_minutes: sessionIdleMinutes
    }
    return handlers.handleAll({
      getSettings: () => one(settings.get),
      updateSettings: ({ payload }) => one(settings.update(payload)),
      getSignInSettings: () => one(Effect.succeed(signIn)),
      getMailSettings: () => one(mails.settings),
      testSignIn: () => one(test)
    })
  })
)

/** The logo is an image and nothing else: a browser that opens it alone runs and loads nothing. */
const logoHeaders = {
  "cache-control": "no-cache",
  "content-security-policy": "default-src 'none'; frame-ancestors 'none'; sandbox"
}

/** The logo, which the sign-in page shows to everybody. */
const logo = HttpRouter.use(Effect.fnUntraced(function*(router) {
  const settings = yield* ServiceSettings
  const limits = yield* RateLimits
  yield* router.add(
    "GET",
    logoPath,
    Effect.gen(function*() {
      const request = yield* HttpServerRequest.HttpServerRequest
      yield* limits.request("address", networkOf((yield* RequestOrigin).ipAddress ?? ""))
      const found = yield* settings.logo
      if (found === undefined) {
        return yield* new HttpServerError.HttpServerError({ reason: new HttpServerError.RouteNotFound({ request }) })
      }
      const etag = `"${found.version}"`
      return matchesEtag(request.headers["if-none-match"], etag)
        ? HttpServerResponse.empty({ status: 304, headers: { etag } })
        : HttpServerResponse.uint8Array(found.bytes, { contentType: found.type, headers: { ...logoHeaders, etag } })
    })
  )
}))

export const serviceSettingsLayer = Layer.mergeAll(operations, logo)

export const signingKeysLayer = HttpApiBuilder.group(
  Api,
  "signing-keys",
  Effect.fn(function*(handlers) {
    const signing = yield* Signing
    return handlers.handleAll({
      listSigningKeys: ({ query }) => page(signing.list(pageOf(query))),
      rotateSigningKey: Effect.fnUntraced(function*() {
        // Nothing was created, which the status says.
        return (yield* DryRun)
          ? HttpServerResponse.jsonUnsafe(yield* one(signing.rehearseRotation))
          : yield* one(signing.rotate)
      }),
      revokeSigningKey: ({ params }) => one(signing.revoke(params.id))
    })
  })
)

export const publishableKeysLayer = HttpApiBuilder.group(
  Api,
  "publishable-keys",
  Effect.fn(function*(handlers) {
    const keys = yield* PublishableKeys
    return handlers.handleAll({
      listPublishableKeys: ({ params, query }) => page(keys.list(params.id, pageOf(query))),
      createPublishableKey: ({ params, payload }) => one(keys.create(params.id, payload)),
      revokePublishableKey: ({ params }) => keys.revoke(params.id)
    })
  })
)

export const managementKeysLayer = HttpApiBuilder.group(
  Api,
  "api-keys",
  Effect.fn(function*(handlers) {
    const keys = yield* ManagementKeys
    return handlers.handleAll({
      listAPIKeys: ({ query }) => page(keys.list(filtersOf(query), pageOf(query))),
      createAPIKey: ({ payload }) => one(keys.create(payload), () => warningsAbout(payload)),
      rotateAPIKey: ({ params, payload }) => one(keys.rotate(params.id, payload)),
      getAPIKey: ({ params }) => one(keys.get(params.id)),
      revokeAPIKey: ({ params }) => keys.revoke(params.id),
      getWhoami: () => one(keys.acting)
    })
  })
)

import { Effect, Layer } from "effect"
import { HttpServerRequest, HttpServerResponse } from "effect/http"
import { HttpApiBuilder } from "effect/http-api"
import { Api } from "../../api/composition/Api.ts"
import { pageOf } from "../../api/ground/Parameters.ts"
import { failing, Unauthenticated } from "../../domain/ground/wire/Errors.ts"
import type { Code, DomainError } from "../../domain/ground/wire/Errors.ts"
import type { SignInWays } from "../../domain/people/Session.ts"
import { sessionCookie } from "../../domain/people/SessionCookie.ts"
import { flowCookie, hasSignedOut, signedOutCookie } from "../../domain/people/SignInFlow.ts"
import type { RefusedMethod } from "../../domain/people/SignInFlow.ts"
import { CurrentEnvironment } from "../../services/ground/environments/CurrentEnvironment.ts"
import { Settings } from "../../services/ground/platform/Settings.ts"
import { ServiceSettings } from "../../services/keys/settings/ServiceSettings.ts"
import { CurrentActor, RequestOrigin } from "../../services/log/Provenance.ts"
import { IdentitySignIns } from "../../services/people/IdentitySignIns.ts"
import { PasskeySignIns } from "../../services/people/passkeys/PasskeySignIns.ts"
import { ProviderSignOuts } from "../../services/people/ProviderSignOuts.ts"
import { FormerSession, RefusedSignIns } from "../../services/people/RefusedSignIns.ts"
import { Sessions } from "../../services/people/Sessions.ts"
import type { Opened } from "../../services/people/Sessions.ts"
import { one, page } from "../ground/edge/Reply.ts"
import { expectedPerson, isOwnPage, isSecure, ownPage, sessionOf } from "../ground/middleware/OwnPages.ts"
import { answerKept, keptFlow } from "./People.ts"
import { layer as returns, withoutOldFlows } from "./SignInPages.ts"

/** The refusals that say of somebody that they are not let in, and not that too many try. */
const refusals: ReadonlySet<Code> = new Set<Code>(["STATE_CONFLICT", "TOKEN_SCOPE_DENIED", "UNAUTHENTICATED"])

/** Sessions end where they were opened. */
const elsewhere = failing(
  Unauthenticated,
  "Sessions are those of the live environment: POST /api/v1/sign-out ends this one."
)

const sessions = HttpApiBuilder.group(
  Api,
  "sessions",
  Effect.fn(function*(handlers) {
    const sessions = yield* Sessions
    return handlers.handleAll({
      listSessions: ({ query }) => page(sessions.list(pageOf(query), query.person_id)),
      endSession: ({ params }) => sessions.end(params.id),
      noteAdminSignIn: () => sessions.noteAdmin
    })
  })
)

const signIns = HttpApiBuilder.group(
  Api,
  "sign-ins",
  Effect.fn(function*(handlers) {
    const sessions = yield* Sessions
    const environment = yield* CurrentEnvironment
    const { openIdConnect, publicUrl, sessionHours } = yield* Settings
    const identitySignIns = yield* IdentitySignIns
    const signOuts = yield* ProviderSignOuts
    const passkeySignIns = yield* PasskeySignIns
    const settings = yield* ServiceSettings
    const { note } = yield* RefusedSignIns
    /** A sign-in whose refusal is told by an event. */
    const noted = <A, E extends DomainError, R>(method: RefusedMethod, attempt: Effect.Effect<A, E, R>) =>
      Effect.tapError(attempt, ({ _tag, error }) => refusals.has(_tag) ? note(method, error.message) : Effect.void)
    const secure = isSecure(publicUrl)
    /** An answer with the session that was opened in its cookie. */
    const entered = Effect.fnUntraced(function*({ session, token }: Opened) {
      return HttpServerResponse.jsonUnsafe(yield* one(Effect.succeed(session)), {
        status: 201,
        headers: { "set-cookie": sessionCookie(token, secure, sessionHours * 3600) }
      })
    })
    /** Whether the browser has a session that goes on. Pages of others are not told. */
    const isSignedIn = Effect.gen(function*() {
      const token = sessionOf(yield* HttpServerRequest.HttpServerRequest, publicUrl)
      if (token === undefined || !(yield* isOwnPage(publicUrl))) return false
      return yield* sessions.goesOn(token, (yield* RequestOrigin).ipAddress ?? "")
    })
    /** Runs a sign-in as one of a browser that may have a session: a new one of the same person takes its place. */
    const replacing = Effect.fnUntraced(function*<A, E, R>(attempt: Effect.Effect<A, E, R>) {
      const token = sessionOf(yield* HttpServerRequest.HttpServerRequest, publicUrl)
      return yield* Effect.provideService(attempt, FormerSession, token && sessions.formerOf(token))
    })
    const browser = Effect.map(HttpServerRequest.HttpServerRequest, ({ headers }) => headers["user-agent"])
    return handlers.handleAll({
      getSignInWays: () =>
        Effect.gen(function*() {
          const { problem } = passkeySignIns
          const signedIn = yield* isSignedIn
          const brand = yield* settings.brand
          return yield* one(Effect.succeed<SignInWays>({
            ...(openIdConnect === undefined ? {} : { openid_connect: { issuer: openIdConnect.issuer } }),
            passkeys: problem === undefined,
            ...(problem === undefined ? {} : { passkeys_problem: problem }),
            ...(signedIn ? { signed_in: true } : {}),
            ...(brand === undefined ? {} : { brand }),
            admin_token: true
          }))
        }),
      beginSignIn: ({ payload }) =>
        Effect.gen(function*() {
          yield* ownPage(publicUrl)
          const { cookie } = (yield* HttpServerRequest.HttpServerRequest).headers
          const begun = yield* replacing(
            identitySignIns.begin(payload, { asksAccount: hasSignedOut(cookie, secure) })
          )
          const started = { authorization_url: begun.url, expires_at: begun.expiresAt.toISOString() }
          return HttpServerResponse.jsonUnsafe(yield* one(Effect.succeed(started)), {
            status: 201,
            headers: { "set-cookie": flowCookie(begun, secure) }
          }).pipe(withoutOldFlows(cookie, secure))
        }),
      signOut: () =>
        Effect.gen(function*() {
          yield* ownPage(publicUrl)
          const request = yield* HttpServerRequest.HttpServerRequest
          const address = (yield* RequestOrigin).ipAddress ?? ""
          const token = sessionOf(request, publicUrl)
          if (token === undefined) return yield* failing(Unauthenticated, "This browser has no session.")
          if (environment !== "live") return yield* elsewhere
          const actor = yield* sessions.authorize(token, [], address, { expected: request.headers[expectedPerson] })
          const { url, wasAtProvider } = yield* Effect.provideService(signOuts.signOut, CurrentActor, actor)
          const signedOut = url === undefined ? {} : { provider_url: url }
          return HttpServerResponse.jsonUnsafe(yield* one(Effect.succeed(signedOut)), {
            headers: wasAtProvider ? { "set-cookie": signedOutCookie(secure) } : {}
          })
        }),
      signIn: ({ payload }) =>
        Effect.gen(function*() {
          yield* ownPage(publicUrl)
          return yield* entered(
            yield* noted("invitation", replacing(sessions.open(payload.invitation, yield* browser)))
          )
        }),
      beginPasskeySignIn: () =>
        Effect.gen(function*() {
          yield* ownPage(publicUrl)
          const { challenge, flow } = yield* passkeySignIns.begin
          return yield* answerKept(challenge, 201, flow, publicUrl)
        }),
      finishPasskeySignIn: ({ payload }) =>
        Effect.gen(function*() {
          yield* ownPage(publicUrl)
          const attempt = passkeySignIns.finish(yield* keptFlow(publicUrl, payload), payload, yield* browser)
          return yield* entered(yield* noted("passkey", replacing(attempt)))
        }),
      showInvitation: ({ payload }) =>
        Effect.gen(function*() {
          yield* ownPage(publicUrl)
          const { flow, shown } = yield* passkeySignIns.look(payload.invitation)
          return yield* answerKept(shown, 200, flow, publicUrl)
        }),
      joinWithPasskey: ({ payload }) =>
        Effect.gen(function*() {
          yield* ownPage(publicUrl)
          const attempt = passkeySignIns.join(yield* keptFlow(publicUrl, payload), payload, yield* browser)
          return yield* entered(yield* noted("passkey", replacing(attempt)))
        })
    })
  })
)

export const layer = Layer.mergeAll(sessions, signIns, returns)

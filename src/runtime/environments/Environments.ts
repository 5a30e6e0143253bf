import { Context, Effect, Scope } from "effect"
import type { Redacted } from "effect"
import { HttpServerRequest } from "effect/http"
import type { IncomingMessage } from "node:http"
import { namedEnvironments } from "../../domain/ground/environments/EnvironmentName.ts"
import type { EnvironmentName } from "../../domain/ground/environments/EnvironmentName.ts"
import { failing, RouteNotFound, Unavailable } from "../../domain/ground/wire/Errors.ts"
import type { App } from "../../http/ground/edge/Edge.ts"
import { Exchanges } from "../../http/ground/edge/Exchanges.ts"
import { Admission } from "../../services/ground/admission/Admission.ts"
import { AppConfig } from "../config/Config.ts"
import { environmentFor } from "../door/RequestHead.ts"
import { child } from "../processes/Child.ts"
import { makeEnvironmentApp } from "./EnvironmentApp.ts"
import { empty, targetOf, whyNone } from "./EnvironmentDatabase.ts"
import type { EnvironmentTarget } from "./EnvironmentDatabase.ts"
import { makeEnvironmentHost } from "./EnvironmentHost.ts"
import { turnedOff } from "./EnvironmentSettings.ts"
import { deliveryTurns, makePace } from "./Pace.ts"

/** How long a request, a slice of work in the background, and a delivery wait for live at most. */
const patience = {
  requests: { rest: "1 second", quiet: "100 millis" },
  slices: { rest: "200 millis", quiet: "20 millis" },
  deliveries: { rest: "200 millis", quiet: "20 millis" }
} as const

/**
 * The answer of a service without other environments than live. A URL is refused here; a credential by the operation
 * it was sent to, which knows which ones it accepts.
 */
const withoutOthers = (live: App, exchanges: Exchanges["Service"]): App =>
  Effect.flatMap(HttpServerRequest.HttpServerRequest, (request) => {
    const isAddressed = (exchanges.of(request.source)?.environment ?? "live") !== "live"
    const source = request.source as IncomingMessage
    return isAddressed && environmentFor(undefined, source) === "live"
      ? Effect.fail(failing(RouteNotFound, `${turnedOff}.`))
      : live
  })

/**
 * Routes each request to its environment. The live application handles its requests as if there were no others; other
 * environments start at their first request. To add an environment takes a row of `environments` and a database.
 */
export const makeEnvironments = Effect.fnUntraced(function*(live: App, liveUrl: Redacted.Redacted) {
  const { databaseUrl, testDatabaseUrl, testEnvironment } = yield* AppConfig
  if (testEnvironment === "off") return { route: withoutOthers(live, yield* Exchanges) }
  const admission = yield* Admission
  const exchanges = yield* Exchanges
  const context = yield* Effect.context<Effect.Services<ReturnType<typeof makeEnvironmentApp>>>()

  const targets = namedEnvironments.map((name) => targetOf(name, liveUrl, testDatabaseUrl))

  // One for all of them: live gives its time away once.
  const load = { begunLately: () => admission.begunLately("live"), quiet: admission.quiet("live") }
  const requests = makePace(load, patience.requests)
  const turns = {
    slices: makePace(load, patience.slices),
    deliveries: yield* deliveryTurns(makePace(load, patience.deliveries))
  }

  const hostOf = (target: EnvironmentTarget) =>
    makeEnvironmentHost({
      // Not in the context of the request that starts it: its parts would keep that request's origin and span.
      make: (events) =>
        Effect.flatMap(
          Effect.scope,
          (scope) =>
            Effect.updateContext(
              makeEnvironmentApp(target, { ...events, turns }),
              () => Context.add(context, Scope.Scope, scope)
            )
        ),
      empty: (incarnation) => empty(target, { incarnation }),
      pace: requests
    })

  const hosts = new Map(
    yield* Effect.forEach(targets, (target) => Effect.map(hostOf(target), (host) => [target.name, host] as const))
  )

  // Checked once in the background: the live environment is ready without the others. An embedded server needs no
  // check.
  if (databaseUrl !== undefined && (child?.number ?? 1) === 1) {
    yield* Effect.forEach(targets, whyNone).pipe(
      Effect.flatMap(Effect.forEach((reason) => reason === undefined ? Effect.void : Effect.logInfo(reason))),
      Effect.ignore,
      Effect.forkScoped
    )
  }

  const elsewhere = (name: EnvironmentName): App =>
    Effect.suspend(() => hosts.get(name)!.answer).pipe(
      Effect.catchTag("EnvironmentAway", ({ message }) =>
        Effect.andThen(
          Effect.logWarning(message),
          Effect.fail(failing(Unavailable, `The ${name} environment is not available. The log says why.`))
        ))
    )

  const route: App = Effect.flatMap(HttpServerRequest.HttpServerRequest, (request) => {
    const name = exchanges.of(request.source)?.environment ?? "live"
    return name === "live" ? live : elsewhere(name)
  })
  return { route }
})

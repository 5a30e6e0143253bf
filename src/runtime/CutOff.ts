import * as NodeHttpServerRequest from "@effect/platform-node/NodeHttpServerRequest"
import { Effect, Layer } from "effect"
import type { Fiber } from "effect"
import { HttpRouter, HttpServerRequest } from "effect/http"
import type { ServerResponse } from "node:http"
import { longestParameter } from "../api/ground/Parameters.ts"
import { failing, Unavailable } from "../domain/ground/wire/Errors.ts"
import type { App } from "../http/ground/edge/Edge.ts"
import { errorResponse } from "../http/ground/edge/Failures.ts"
import { makeAnswerHeaders } from "../http/ground/edge/SecurityHeaders.ts"
import { routes } from "../http/Http.ts"
import { Identifiers } from "../services/ground/persistence/Identifiers.ts"
import { Settings } from "../services/ground/platform/Settings.ts"
import * as Application from "./App.ts"

/** Every route, and the services behind it. `surroundings` are the database and what else is one environment's alone. */
export const applicationRoutes = <A, E, R>(surroundings: Layer.Layer<A, E, R>) =>
  routes.pipe(Layer.provide(Application.layer), Layer.provide(surroundings))

/** The HTTP application on a database. It is made once for each environment. */
export const httpApplication = <A, E, R>(surroundings: Layer.Layer<A, E, R>) =>
  HttpRouter.toHttpEffect(applicationRoutes(surroundings)).pipe(
    // Targets have one spelling, which the door has read. A route takes no parameter of more than 100 characters by itself.
    Effect.provideService(HttpRouter.RouterConfig, {
      caseSensitive: true,
      ignoreDuplicateSlashes: false,
      maxParamLength: longestParameter
    })
  )

/**
 * Tracks the requests in flight, so that a stop can end them. `watch` wraps the whole application; `enter` and
 * `leave` are for requests that bypass it. `all` answers 503 to every request without a response, closes the
 * connections of half-written responses, and interrupts the work. It writes directly to the socket, because the work
 * may never finish.
 */
export const makeCutOff = Effect.gen(function*() {
  const { publicUrl } = yield* Settings
  const identifiers = yield* Identifiers
  const answerHeaders = makeAnswerHeaders(publicUrl)
  const requests = new Map<Fiber.Fiber<unknown, unknown>, ServerResponse>()

  const watch = (app: App): App =>
    Effect.withFiber((fiber) =>
      Effect.flatMap(HttpServerRequest.HttpServerRequest, (request) => {
        requests.set(fiber, NodeHttpServerRequest.toServerResponse(request) as ServerResponse)
        return Effect.ensuring(app, Effect.sync(() => requests.delete(fiber)))
      })
    )

  const enter = (fiber: Fiber.Fiber<unknown, unknown>, response: ServerResponse): void => {
    requests.set(fiber, response)
  }

  const leave = (fiber: Fiber.Fiber<unknown, unknown>): void => {
    requests.delete(fiber)
  }

  const refuse = (raw: ServerResponse) => {
    if (raw.headersSent) return raw.destroy()
    const request_id = identifiers.next("req")
    const { body, headers, status } = errorResponse(
      failing(Unavailable, "The service is shutting down."),
      { request_id, timestamp: new Date().toISOString() },
      publicUrl,
      { connection: "close" }
    )
    return raw.writeHead(status, answerHeaders(request_id, headers, "document")).end(
      body._tag === "Uint8Array" ? body.body : undefined
    )
  }

  /** Ends every request in flight; returns their number. */
  const all = Effect.sync(() => {
    const cut = [...requests]
    for (const [, response] of cut) refuse(response)
    for (const [fiber] of cut) fiber.interruptUnsafe()
    return cut.length
  })

  return { watch, enter, leave, all }
})

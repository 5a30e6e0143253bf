import { Effect, Exit, Scope } from "effect"
import type { IncomingMessage, ServerResponse } from "node:http"
import { catalog } from "../../domain/ground/wire/Errors.ts"
import { Exchanges, hasBody } from "../../http/ground/edge/Exchanges.ts"
import { NodeReadiness } from "../../http/ground/edge/MetricsAnswer.ts"
import { prepareRefusal } from "../../http/ground/edge/Refusal.ts"
import { makeAnswerHeaders } from "../../http/ground/edge/SecurityHeaders.ts"
import { EventLoopTurns } from "../../services/ground/admission/QuestionGroups.ts"
import { Identifiers } from "../../services/ground/persistence/Identifiers.ts"
import { makeSingleFlight } from "../../services/ground/platform/DatabaseHealth.ts"
import { Settings } from "../../services/ground/platform/Settings.ts"
import { networkOfCaller, refuse, requestIdOf } from "./RequestHead.ts"
import type { OpenHandler } from "./Scrapes.ts"

const alive: ReadonlySet<string> = new Set(["/health", "/healthz"])
const ready = "/readyz"

/** For how long readiness is not looked at again, in milliseconds at most. */
const longestRest = 100

/**
 * Answers probes at the door. They are let in under any load, so that they must cost nobody anything, in any number: what they say is
 * prepared, readiness is looked at once for all who ask meanwhile, and the networks that ask take turns. The application is not involved.
 */
export const makeProbeHandler = Effect.gen(function*() {
  const exchanges = yield* Exchanges
  const identifiers = yield* Identifiers
  const turns = yield* EventLoopTurns
  const { publicUrl, trustedProxies } = yield* Settings
  const keeper = { exchanges, requestId: () => identifiers.next("req") }
  const fork = Effect.runForkWith(yield* Effect.context<never>())
  const answerHeaders = makeAnswerHeaders(publicUrl)
  const unread = prepareRefusal("INTERNAL", catalog.INTERNAL.meaning, publicUrl)
  const node = yield* NodeReadiness
  const prepared = Effect.suspend(() => node.answer()!).pipe(
    Effect.map(({ data, status }) => ({ status, data: JSON.stringify(data) }))
  )
  // A scope that is being closed begins nothing any more, and a node that drains goes on to say so.
  const scope = yield* Effect.acquireRelease(Scope.make(), Scope.close)
  const readiness = yield* Scope.provide(makeSingleFlight(prepared, { rest: 1, longestRest }), scope)
  const aliveData = JSON.stringify({ status: "ok" })

  const send = (request: IncomingMessage, response: ServerResponse, status: number, data: string): void => {
    if (response.destroyed) return
    const requestId = requestIdOf(keeper, request)
    const exchange = exchanges.of(request)
    if (exchange !== undefined) exchange.requestId = requestId
    const body = `{"data":${data},"meta":{"request_id":"${requestId}","timestamp":"${new Date().toISOString()}"}}`
    response.writeHead(status, {
      ...answerHeaders(requestId, { "content-type": "application/json" }, "document"),
      "content-length": Buffer.byteLength(body)
    })
    response.end(request.method === "HEAD" ? undefined : body)
  }

  const sendReadiness = (request: IncomingMessage, response: ServerResponse, lane: string): void => {
    const fiber = fork(readiness)
    fiber.addObserver((exit) =>
      turns.add(lane, () => {
        if (response.destroyed) return
        if (Exit.isSuccess(exit)) send(request, response, exit.value.status, exit.value.data)
        else refuse(keeper, request, response, unread)
      })
    )
  }

  return ((request, response, path) => {
    const { method } = request
    const isAlive = alive.has(path)
    if ((!isAlive && path !== ready) || (method !== "GET" && method !== "HEAD") || hasBody(request)) return false
    // The node starts: the application says so.
    if (!isAlive && node.answer() === undefined) return false
    const lane = networkOfCaller(request, trustedProxies)
    turns.add(lane, () => {
      if (response.destroyed) return
      if (isAlive) send(request, response, 200, aliveData)
      else sendReadiness(request, response, lane)
    })
    return true
  }) satisfies OpenHandler
})

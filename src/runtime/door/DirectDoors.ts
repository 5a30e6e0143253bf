import { Effect, Exit, Scope } from "effect"
import type { Context, Fiber } from "effect"
import { HttpServerError } from "effect/http"
import type { IncomingMessage, ServerResponse } from "node:http"
import type { Socket } from "node:net"
import { runtimeBodyLimit } from "../../domain/ground/admission/DoorLimits.ts"
import { catalog } from "../../domain/ground/wire/Errors.ts"
import type { HotResponse, HotRoutes, makeHotEdge } from "../../http/ground/edge/Edge.ts"
import { Exchanges, hasBody } from "../../http/ground/edge/Exchanges.ts"
import { noPlace, prepareRefusal } from "../../http/ground/edge/Refusal.ts"
import { makeAnswerHeaders } from "../../http/ground/edge/SecurityHeaders.ts"
import { encodingFor, NodeReadiness } from "../../http/ground/edge/StaticAnswer.ts"
import { Admission } from "../../services/ground/admission/Admission.ts"
import { EventLoopTurns } from "../../services/ground/admission/QuestionGroups.ts"
import { Identifiers } from "../../services/ground/persistence/Identifiers.ts"
import { makeSingleFlight } from "../../services/ground/platform/DatabaseHealth.ts"
import { MetricsExposition, metricsType } from "../../services/ground/platform/Ports.ts"
import type { Exposition } from "../../services/ground/platform/Ports.ts"
import { Settings } from "../../services/ground/platform/Settings.ts"
import { networkOfCaller, refuse, requestIdOf } from "./RequestHead.ts"

/** Handles a request that has a hot route and has arrived whole; answers whether it does. */
export type HotHandler = (request: IncomingMessage, response: ServerResponse, path: string) => boolean

/** The parts of the service that hot requests need. */
export interface HotKeeper {
  readonly routes: HotRoutes["Service"]
  readonly edge: Effect.Success<typeof makeHotEdge>
  readonly admission: Admission["Service"]
  readonly exchanges: Exchanges["Service"]
  /** The requests in flight. */
  readonly inFlight: {
    readonly enter: (fiber: Fiber.Fiber<unknown, unknown>, response: ServerResponse) => void
    readonly leave: (fiber: Fiber.Fiber<unknown, unknown>) => void
  }
  /** The input of a request's work. */
  readonly context: Context.Context<never>
}

const utf8 = new TextDecoder()

/** Reads a body that has arrived; undefined where there is none, or not all of it is there. */
const bodyOf = (request: IncomingMessage): Buffer | undefined => {
  const length = Number(request.headers["content-length"])
  if (!request.complete || !(length > 0 && length <= runtimeBodyLimit) || request.readableLength !== length) {
    return undefined
  }
  return request.read() as Buffer | null ?? undefined
}

// Node writes a head and the text after it as one, and a head and bytes as two. Each byte is a character in Latin-1.
const send = (response: ServerResponse, { body, headers, status }: HotResponse): void => {
  response.writeHead(status, { ...headers, "content-length": body?.length ?? 0 })
  if (body === undefined) response.end()
  else response.end(Buffer.from(body.buffer, body.byteOffset, body.byteLength).toString("latin1"), "latin1")
}

/** Handles requests of {@link HotRoutes} without the adapter of a general request. */
export const makeHotHandler = ({ admission, context, edge, exchanges, inFlight, routes }: HotKeeper): HotHandler => {
  const fork = Effect.runForkWith(context)
  return (request, response, path) => {
    const route = routes.find(path)
    // A target with a query, or in absolute form, is not the path itself.
    if (route === undefined || request.method !== "POST" || request.url !== path) return false
    // The routes are those of the live environment.
    if (exchanges.of(request)?.environment !== "live") return false
    const body = bodyOf(request)
    if (body === undefined) return false
    const fiber = fork(edge(route, {
      method: "POST",
      url: path,
      headers: request.headers as Readonly<Record<string, string | undefined>>,
      text: Effect.succeed(utf8.decode(body)),
      arrayBuffer: Effect.sync(() => Uint8Array.from(body).buffer),
      remoteAddress: request.socket.remoteAddress,
      exchange: exchanges.of(request)
    }))
    inFlight.enter(fiber, response)
    response.once("close", () => {
      if (!response.writableEnded) fiber.interruptUnsafe(undefined, HttpServerError.ClientAbort.annotation)
    })
    fiber.addObserver((exit) => {
      inFlight.leave(fiber)
      admission.leave(request, Exit.isSuccess(exit) ? exit.value.status : 0)
      if (response.destroyed || response.headersSent) return
      if (Exit.isSuccess(exit)) send(response, exit.value)
      else response.destroy()
    })
    return true
  }
}

/** Answers a request that is let in under any load and has no body; says whether it was one. */
export type OpenHandler = (request: IncomingMessage, response: ServerResponse, path: string) => boolean

/** The path that is scraped. */
const scraped = "/metrics"

/**
 * The interval at which waiting scrapers are answered, in milliseconds: a crowd that is answered at once delays all
 * other requests, and returns at once.
 */
const apart = 2

/** How many may take one reading uncompressed, which is ten times as long; others have to retry. */
const uncompressedAtOnce = 8

/** Scrapers do not accept Brotli. */
const encodings = ["gzip"] as const

/** A waiting request, and its network. */
interface Scrape {
  readonly request: IncomingMessage
  readonly response: ServerResponse
  readonly network: string
  readonly encoding: "gzip" | undefined
}

/** A request whose reading is ready. */
interface Answer extends Scrape {
  readonly bytes: Uint8Array
  /** The size of an uncompressed reading. */
  readonly whole: Exposition | undefined
}

/** Responses that are due, by network. Networks take turns, so that a crowd from one delays no scraper of another. */
class Line {
  private readonly networks = new Map<string, Array<Answer>>()

  add(answer: Answer): void {
    const known = this.networks.get(answer.network)
    if (known === undefined) this.networks.set(answer.network, [answer])
    else known.push(answer)
  }

  /** The next request whose caller still waits. */
  next(): Answer | undefined {
    for (const [network, answers] of this.networks) {
      let answer = answers.shift()
      while (answer?.response.destroyed === true) answer = answers.shift()
      // Moves the network to the end.
      this.networks.delete(network)
      if (answers.length > 0) this.networks.set(network, answers)
      if (answer !== undefined) return answer
    }
    return undefined
  }
}

/**
 * Answers requests for the metrics at the door. Anybody may send them, in any number and under overload, so a waiting
 * scraper costs little more than its connection, which may wait for one reading at a time. The application is not
 * involved.
 */
export const makeScrapeHandler = Effect.gen(function*() {
  const metrics = yield* MetricsExposition
  const admission = yield* Admission
  const exchanges = yield* Exchanges
  const identifiers = yield* Identifiers
  const turns = yield* EventLoopTurns
  const keeper = { exchanges, requestId: () => identifiers.next("req") }
  const { publicUrl, trustedProxies } = yield* Settings
  const fork = Effect.runForkWith(yield* Effect.context<never>())
  const answerHeaders = makeAnswerHeaders(publicUrl)
  const crowded = prepareRefusal(
    "UNAVAILABLE",
    `${noPlace} With Accept-Encoding: gzip there always is one.`,
    publicUrl
  )
  const unread = prepareRefusal("INTERNAL", catalog.INTERNAL.meaning, publicUrl)
  const uncompressed = new WeakMap<Exposition, number>()
  /** The waiting connections: node reads on while nothing is written, however many requests come in a row. */
  const scraping = new WeakSet<Socket>()
  const line = new Line()
  let isAnswering = false

  const refuseCrowd = (request: IncomingMessage, response: ServerResponse): void => {
    admission.count("large_answers")
    refuse(keeper, request, response, crowded)
  }

  /** Whether a reading may be sent uncompressed: it stays in memory until its peer has read it. */
  const takesPlace = (whole: Exposition, { network, response }: Answer): boolean => {
    const taken = uncompressed.get(whole) ?? 0
    const release = taken >= uncompressedAtOnce ? undefined : admission.large(network, "live")
    if (release === undefined) return false
    uncompressed.set(whole, taken + 1)
    response.once("close", release)
    return true
  }

  const send = (answer: Answer): void => {
    const { bytes, encoding, request, response, whole } = answer
    const isHead = request.method === "HEAD"
    if (whole !== undefined && !isHead && !takesPlace(whole, answer)) return refuseCrowd(request, response)
    const requestId = requestIdOf(keeper, request)
    const exchange = exchanges.of(request)
    if (exchange !== undefined) exchange.requestId = requestId
    const own = {
      "content-type": metricsType,
      vary: "accept-encoding",
      ...(encoding === undefined ? {} : { "content-encoding": encoding })
    }
    response.writeHead(200, { ...answerHeaders(requestId, own, "document"), "content-length": bytes.length })
    response.end(isHead ? undefined : bytes)
  }

  const answerNext = (): void => {
    const answer = line.next()
    isAnswering = answer !== undefined
    if (answer === undefined) return
    send(answer)
    setTimeout(answerNext, apart)
  }

  const answered = (answer: Answer): void => {
    line.add(answer)
    if (!isAnswering) answerNext()
  }

  return ((request, response, path) => {
    const { headers, method, socket } = request
    if (path !== scraped || (method !== "GET" && method !== "HEAD") || hasBody(request)) return false
    const network = networkOfCaller(request, trustedProxies)
    if (scraping.has(socket)) {
      // However many come in a row on one connection, their network has one refused at a time.
      turns.add(network, () => {
        if (!response.destroyed) refuseCrowd(request, response)
      })
      return true
    }
    scraping.add(socket)
    response.once("close", () => scraping.delete(socket))
    const accepted = headers["accept-encoding"]
    const scrape: Scrape = {
      request,
      response,
      network,
      encoding: encodingFor(Array.isArray(accepted) ? accepted.join(",") : accepted, encodings)
    }
    const fiber = fork(
      metrics.read.pipe(
        Effect.flatMap((reading): Effect.Effect<Answer> =>
          scrape.encoding === undefined
            ? Effect.succeed({ ...scrape, bytes: reading.text, whole: reading })
            : Effect.map(reading.gzip, (bytes) => ({ ...scrape, bytes, whole: undefined }))
        ),
        Effect.tapCause((cause) => Effect.logError("The metrics could not be read", cause))
      )
    )
    fiber.addObserver((exit) =>
      Exit.isSuccess(exit)
        ? answered(exit.value)
        : response.destroyed
        ? undefined
        : refuse(keeper, request, response, unread)
    )
    return true
  }) satisfies OpenHandler
})

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

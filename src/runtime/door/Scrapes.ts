import { Effect, Exit } from "effect"
import type { IncomingMessage, ServerResponse } from "node:http"
import type { Socket } from "node:net"
import { catalog } from "../../domain/ground/wire/Errors.ts"
import { Exchanges, hasBody } from "../../http/ground/edge/Exchanges.ts"
import { noPlace, prepareRefusal } from "../../http/ground/edge/Refusal.ts"
import { makeAnswerHeaders } from "../../http/ground/edge/SecurityHeaders.ts"
import { encodingFor } from "../../http/ground/edge/StaticAnswer.ts"
import { Admission } from "../../services/ground/admission/Admission.ts"
import { EventLoopTurns } from "../../services/ground/admission/QuestionGroups.ts"
import { Identifiers } from "../../services/ground/persistence/Identifiers.ts"
import { MetricsExposition, metricsType } from "../../services/ground/platform/Ports.ts"
import type { Exposition } from "../../services/ground/platform/Ports.ts"
import { Settings } from "../../services/ground/platform/Settings.ts"
import { networkOfCaller, refuse, requestIdOf } from "./RequestHead.ts"

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

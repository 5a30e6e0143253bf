import type { IncomingMessage, OutgoingHttpHeaders, ServerResponse } from "node:http"
import { STATUS_CODES } from "node:http"
import { inCidrs } from "../../domain/ground/admission/Address.ts"
import { bodyLimitOf, networkOf } from "../../domain/ground/admission/DoorLimits.ts"
import type { DoorLimits } from "../../domain/ground/admission/DoorLimits.ts"
import { besideLiveHint } from "../../domain/ground/environments/Environment.ts"
import type { EnvironmentName } from "../../domain/ground/environments/EnvironmentName.ts"
import { catalog } from "../../domain/ground/wire/Errors.ts"
import { environmentOfCredential } from "../../domain/keys/security/CredentialHint.ts"
import { headerText } from "../../domain/keys/security/PastedText.ts"
import { clientAddress } from "../../http/ground/edge/Exchanges.ts"
import type { Cors, Refusal, RequestTarget } from "../../http/ground/edge/Refusal.ts"
import { noPlace, offeredRequestId, prepareRefusal } from "../../http/ground/edge/Refusal.ts"
import { documentHeaders, securityHeaders } from "../../http/ground/edge/SecurityHeaders.ts"
import type { RefusalReason } from "../../services/ground/admission/Admission.ts"
import { note } from "../requests/Followed.ts"
import type { DoorKeeper } from "./DoorKeeper.ts"

/** A refusal with another status: the catalog has no code for some statuses of HTTP itself. */
const as = (status: number, refusal: Refusal): Refusal => ({ ...refusal, status })

/** The responses of the door itself. */
export type DoorRefusals = ReturnType<typeof prepareRefusals>

/** The name of a refusal of the door. */
export type DoorRefusal = keyof DoorRefusals

/** The headers of a redirect. */
export const movedHeaders = (publicUrl: string): Readonly<Record<string, string>> => ({
  "cache-control": "no-store",
  ...securityHeaders(publicUrl),
  ...documentHeaders
})

/** Prepares the refusals of the door, whose links lead to `publicUrl`. */
export const prepareRefusals = (publicUrl: string) => {
  const closing = { connection: "close" }
  return {
    // The connection stays open: a new one would cost more than the refusal.
    overloaded: prepareRefusal("UNAVAILABLE", "The service is overloaded.", publicUrl),
    crowded: prepareRefusal("UNAVAILABLE", "This address has too many connections open.", publicUrl, closing),
    placeless: prepareRefusal("UNAVAILABLE", noPlace, publicUrl),
    slow: prepareRefusal("REQUEST_TIMEOUT", "The request did not arrive in time.", publicUrl, closing),
    headers: prepareRefusal("HEADERS_TOO_LARGE", "The headers are larger than 16 KiB.", publicUrl, closing),
    chunks: prepareRefusal("PAYLOAD_TOO_LARGE", "The body's chunks carry too many extensions.", publicUrl, closing),
    malformed: prepareRefusal("INVALID_HEADER", "This is no well-formed HTTP request.", publicUrl, closing),
    host: prepareRefusal("INVALID_HEADER", "A request has exactly one Host header.", publicUrl, closing),
    expectation: as(
      417,
      prepareRefusal("INVALID_HEADER", "No expectation but 100-continue can be met.", publicUrl, closing)
    ),
    version: as(
      505,
      prepareRefusal("INVALID_HEADER", "HTTP/1.1 and HTTP/1.0 are spoken, and no other version.", publicUrl, closing)
    ),
    coding: as(
      501,
      prepareRefusal("INVALID_HEADER", "No transfer coding is read but chunked, and that once.", publicUrl, closing)
    ),
    method: as(501, prepareRefusal("INVALID_HEADER", "No path has a method of this name.", publicUrl, closing)),
    large: prepareRefusal("PAYLOAD_TOO_LARGE", catalog.PAYLOAD_TOO_LARGE.meaning, publicUrl, closing)
  }
}

/** The id of a request: its caller's own, or a new one. */
export const requestIdOf = ({ requestId }: Pick<DoorKeeper, "requestId">, { headers }: IncomingMessage): string =>
  offeredRequestId(headers["x-request-id"]) ?? requestId()

/** Answers with a refusal, past all operations. */
export const refuse = (
  keeper: Pick<DoorKeeper, "exchanges" | "requestId">,
  request: IncomingMessage,
  response: ServerResponse,
  refusal: Refusal
): void => {
  const requestId = requestIdOf(keeper, request)
  note(keeper.exchanges.of(request), refusal, requestId)
  const body = refusal.body(requestId, new Date().toISOString())
  response.writeHead(refusal.status, {
    ...refusal.headers,
    "x-request-id": requestId,
    "content-length": Buffer.byteLength(body)
  })
  response.end(body)
}

/** A refusal as a whole HTTP/1.1 message, for a socket whose request node has no response for. */
export const messageOf = (
  { body, headers, status }: Refusal,
  requestId: string,
  further: OutgoingHttpHeaders = {}
): string => {
  const text = body(requestId, new Date().toISOString())
  const lines = Object.entries({
    ...headers,
    ...further,
    "x-request-id": requestId,
    "content-length": String(Buffer.byteLength(text))
  }).map(([name, value]) => `${name}: ${value}\r\n`)
  return `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ""}\r\n${lines.join("")}\r\n${text}`
}

/** How many late bodies are ended at once: thousands would delay all other requests. */
const atOnce = 2

/** A body that is still arriving. */
interface Arrival {
  readonly response: ServerResponse
  readonly since: number
  /** The bytes received on the connection when the headers were complete. */
  readonly from: number
}

/** A body that did not arrive in time. */
interface LateBody {
  readonly request: IncomingMessage
  readonly response: ServerResponse
}

/** The bodies that are arriving, each with its deadline: the whole of it after a while, and a rate from half of that on. */
export class BodyDeadlines {
  /** Oldest first. */
  private readonly arrivals = new Map<IncomingMessage, Arrival>()
  private readonly wholeMillis: number
  private readonly bodyRate: number

  constructor({ arrivalSeconds, bodyRate }: Pick<DoorLimits, "arrivalSeconds" | "bodyRate">) {
    this.wholeMillis = arrivalSeconds * 1000
    this.bodyRate = bodyRate
  }

  get isEmpty(): boolean {
    return this.arrivals.size === 0
  }

  /** Waits for the rest of a body. */
  add(request: IncomingMessage, arrival: Arrival, onEnd: () => void): void {
    this.arrivals.set(request, arrival)
    request.once("end", () => {
      this.arrivals.delete(request)
      onEnd()
    })
  }

  /** Takes a few of those out that are late. `now` is in milliseconds. */
  takeLate(now: number): ReadonlyArray<LateBody> {
    const late: Array<LateBody> = []
    for (const [request, { from, response, since }] of this.arrivals) {
      const took = now - since
      if (took <= this.wholeMillis / 2 || late.length === atOnce) break
      if (request.complete || request.destroyed) {
        this.arrivals.delete(request)
      } else if (
        (took > this.wholeMillis || (request.socket.bytesRead - from) * 1000 < took * this.bodyRate) &&
        // A body that waits for us to read it is not late.
        request.readableLength < request.readableHighWaterMark
      ) {
        this.arrivals.delete(request)
        late.push({ request, response })
      }
    }
    return late
  }
}

/** A request that is neither admitted nor refused yet. */
export interface PendingRequest extends Arrival {
  readonly request: IncomingMessage
  readonly path: string
  readonly environment: EnvironmentName
  /** The name of node's event: `request`, or `checkContinue` if the caller waits for a 100 before it sends the body. */
  readonly event: string
}

/** The reason why a request is refused by its head alone, and the response. */
export interface WrongHead {
  readonly reason: RefusalReason
  readonly refusal: DoorRefusal
}

/**
 * The fault of a request's head, for any target (RFC 9110 and 9112): an unsupported version or transfer coding, no
 * Host field or two, or a body that is too long and waits for a 100.
 */
export const wrongHead = (request: IncomingMessage, path: string, event: string): WrongHead | undefined => {
  const { headers, httpVersion, rawHeaders } = request
  if (httpVersion !== "1.1" && httpVersion !== "1.0") return { reason: "malformed", refusal: "version" }
  const coding = headers["transfer-encoding"]
  if (coding !== undefined) {
    if (httpVersion === "1.0") return { reason: "malformed", refusal: "malformed" }
    if (coding.trim().toLowerCase() !== "chunked") return { reason: "malformed", refusal: "coding" }
  }
  const found = hosts(rawHeaders)
  if (found > 1 || (found === 0 && httpVersion === "1.1")) return { reason: "host", refusal: "host" }
  if (event === "checkContinue" && Number(headers["content-length"] ?? 0) > bodyLimitOf(path)) {
    return { reason: "body_too_large", refusal: "large" }
  }
  return undefined
}

const requestLine = /^[!#$%&'*+.^_`|~\w-]+ \S+ HTTP\/\d\.\d\r?\n/

/** The fault that node's parser found in a request line: an unknown method, HTTP/2, or no HTTP at all. */
const unparsedRefusal = (
  { code, rawPacket = new Uint8Array() }: NodeJS.ErrnoException & { readonly rawPacket?: Uint8Array }
): DoorRefusal => {
  const line = Buffer.from(rawPacket).toString("latin1", 0, 8192)
  if (line.startsWith("PRI * HTTP/2.0\r\n")) return "version"
  return code === "HPE_INVALID_METHOD" && requestLine.test(line) ? "method" : "malformed"
}

/** The reason and the refusal of a request that node's parser refused, or that exceeded node's timeouts. */
export const unreadableRefusal = (error: NodeJS.ErrnoException): readonly [RefusalReason, DoorRefusal] => {
  switch (error.code) {
    case "HPE_HEADER_OVERFLOW":
      return ["headers_too_large", "headers"]
    case "ERR_HTTP_REQUEST_TIMEOUT":
      return ["headers_too_slow", "slow"]
    case "HPE_CHUNK_EXTENSIONS_OVERFLOW":
      return ["body_too_large", "chunks"]
    default:
      return ["malformed", unparsedRefusal(error)]
  }
}

/** How many Host fields a request has. */
const hosts = (raw: ReadonlyArray<string>): number => {
  let count = 0
  for (let at = 0; at < raw.length; at += 2) {
    if (raw[at]!.length === 4 && raw[at]!.toLowerCase() === "host") count += 1
  }
  return count
}

/** Sets the CORS headers before anything else, so that every response has them. */
export const allowPages = (
  { headers, method }: IncomingMessage,
  response: ServerResponse,
  path: string,
  cors: Cors
): void => {
  // A preflight gets an answer that depends on what it asks for.
  if (method === "OPTIONS") return
  for (const [name, value] of Object.entries(cors.headersFor(path, headers.origin))) response.setHeader(name, value)
}

/** The network of a request's caller, which a trusted proxy may name. */
export const networkOfCaller = (
  { headers, socket }: IncomingMessage,
  trustedProxies: ReadonlyArray<string>
): string => {
  const forwarded = headers["x-forwarded-for"]
  const hops = Array.isArray(forwarded) ? forwarded.join(",") : forwarded
  return networkOf(clientAddress(socket.remoteAddress ?? "", hops, trustedProxies))
}

/**
 * Makes what tells, once, that `X-Forwarded-For` came from a peer that is no trusted proxy. Where that is a proxy of the operator all
 * callers count as one address, whose failures and requests are limited together.
 */
export const makeForwardingNotice = (trustedProxies: ReadonlyArray<string>, tell: (peer: string) => void) => {
  let isTold = false
  return ({ headers, socket }: IncomingMessage): void => {
    if (isTold || headers["x-forwarded-for"] === undefined || socket.remoteAddress === undefined) return
    const peer = clientAddress(socket.remoteAddress, undefined, [])
    if (inCidrs(peer, trustedProxies)) return
    isTold = true
    tell(peer)
  }
}

/** A credential behind its scheme, in an Authorization header. */
const credential = /^(?:Bearer|License)\s+(.*)$/is

/** The environment of a request: that of its credential, or else of its URL. */
export const environmentFor = (target: RequestTarget | undefined, { headers }: IncomingMessage): EnvironmentName => {
  const { authorization } = headers
  const ofPath = target?.environment ?? "live"
  // Few requests are for another environment than live, and reading a credential takes time.
  if (authorization === undefined || ofPath !== "live" || !besideLiveHint.test(authorization)) return ofPath
  return environmentOfCredential(credential.exec(headerText(authorization))?.[1]?.trim() ?? "") ?? ofPath
}

/**
 * Requests with a body, until the sockets of this turn of the event loop are read. In each turn those are judged whose body
 * has arrived, and one of the others. What is complete is counted at once: a turn may read hundreds of requests, and all
 * would find the same room. For the others there is no hurry. To begin a request costs an authorization; a thousand callers
 * that dial at once and send no body would otherwise be authorized in one turn, and delay whoever sent all of a request.
 */
export class AdmissionQueue {
  private readonly waiting: Array<PendingRequest> = []
  private readonly judge: (pending: PendingRequest, keeper: DoorKeeper) => void
  private readonly isGone: (pending: PendingRequest) => boolean
  private isScheduled = false

  /** `judge` admits a request or refuses it, unless it `isGone` meanwhile. */
  constructor(
    judge: (pending: PendingRequest, keeper: DoorKeeper) => void,
    isGone: (pending: PendingRequest) => boolean
  ) {
    this.judge = judge
    this.isGone = isGone
  }

  /** Has a request judged in this turn or in a later one. */
  add(pending: PendingRequest, keeper: DoorKeeper): void {
    this.waiting.push(pending)
    this.schedule(keeper)
  }

  private schedule(keeper: DoorKeeper): void {
    if (this.isScheduled || this.waiting.length === 0) return
    this.isScheduled = true
    keeper.turns.before(() => {
      this.isScheduled = false
      this.judgeWaiting(keeper)
      this.schedule(keeper)
    })
  }

  private judgeWaiting(keeper: DoorKeeper): void {
    let incomplete = 0
    for (const pending of this.waiting.splice(0)) {
      if (this.isGone(pending)) continue
      if (!pending.request.complete && incomplete++ > 0) this.waiting.push(pending)
      else this.judge(pending, keeper)
    }
  }
}

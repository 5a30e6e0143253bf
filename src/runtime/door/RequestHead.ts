import type { IncomingMessage, ServerResponse } from "node:http"
import { inCidrs } from "../../domain/ground/admission/Address.ts"
import { bodyLimitOf, networkOf } from "../../domain/ground/admission/DoorLimits.ts"
import { besideLiveHint } from "../../domain/ground/environments/Environment.ts"
import type { EnvironmentName } from "../../domain/ground/environments/EnvironmentName.ts"
import { environmentOfCredential } from "../../domain/keys/security/CredentialEnvironment.ts"
import { headerText } from "../../domain/keys/security/PastedText.ts"
import type { Cors } from "../../http/ground/edge/Cors.ts"
import { clientAddress } from "../../http/ground/edge/Exchange.ts"
import type { RequestTarget } from "../../http/ground/edge/RequestTarget.ts"
import type { RefusalReason } from "../../services/ground/admission/Admission.ts"
import type { Arrival } from "./BodyDeadlines.ts"
import type { DoorRefusal } from "./DoorRefusals.ts"

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

import { STATUS_CODES } from "node:http"
import type { IncomingMessage, OutgoingHttpHeaders, ServerResponse } from "node:http"
import { catalog } from "../../domain/ground/wire/Errors.ts"
import { noPlace, offeredRequestId, prepareRefusal } from "../../http/ground/edge/Refusal.ts"
import type { Refusal } from "../../http/ground/edge/Refusal.ts"
import { documentHeaders, securityHeaders } from "../../http/ground/edge/SecurityHeaders.ts"
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

import type { IncomingMessage, ServerResponse } from "node:http"
import type { Exchange, Exchanges } from "../../http/ground/edge/Exchanges.ts"
import type { Refusal } from "../../http/ground/edge/Refusal.ts"

/** The status of an answer that went past its response object, straight to the socket. */
const past = new WeakMap<ServerResponse, number>()

/** The bytes of the head of an answer, which node keeps as it was sent; none before it was. */
const headBytes = (response: ServerResponse): number => {
  const { _header } = response as { readonly _header?: string | null }
  return typeof _header === "string" ? _header.length : 0
}

/** The bytes of a body: declared by its framing (RFC 9112 section 6), or what came after the headers. */
const bodyBytes = ({ complete, headers, socket }: IncomingMessage, received: number): number =>
  complete && headers["transfer-encoding"] === undefined
    ? Number(headers["content-length"] ?? 0)
    : socket.bytesRead - received

/** Follows a request to the end of its answer, for the log and the metrics. */
export const follow = (
  exchanges: Exchanges["Service"],
  request: IncomingMessage,
  response: ServerResponse,
  path: string
): Exchange => {
  const { socket } = request
  const received = socket.bytesRead
  const sent = socket.bytesWritten
  const exchange = exchanges.begin(request, request.method ?? "", path)
  response.once("close", () =>
    exchanges.end(exchange, {
      status: past.get(response) ?? (response.headersSent ? response.statusCode : 0),
      bytesIn: bodyBytes(request, received),
      bytesOut: Math.max(0, socket.bytesWritten - sent - headBytes(response))
    }))
  return exchange
}

/** Notes with what a request is refused; `status` where the answer goes past `response`. */
export const note = (
  exchange: Exchange | undefined,
  { code }: Refusal,
  requestId: string,
  response?: ServerResponse,
  status?: number
): void => {
  if (response !== undefined && status !== undefined) past.set(response, status)
  if (exchange === undefined) return
  exchange.code = code
  exchange.requestId = requestId
}

import { joinedBytes } from "../../domain/ground/parsing/ByteTexts.ts"
import type { DeliveryHeaders } from "../verify/verifyDelivery.ts"
import { bodyParsed } from "./Receiver.ts"
import type { Receiver, ReceiverAnswer } from "./Receiver.ts"

/** The answer to what is no delivery. */
const notPost: ReceiverAnswer = { status: 405, body: "Deliveries are sent with POST." }

/** The bytes of a body, or undefined as soon as they are too many. */
const readAll = async (
  pieces: AsyncIterable<Uint8Array>,
  maxBytes: number
): Promise<Uint8Array | undefined> => {
  const kept: Array<Uint8Array> = []
  let length = 0
  for await (const piece of pieces) {
    length += piece.byteLength
    if (length > maxBytes) return undefined
    kept.push(piece)
  }
  return joinedBytes(kept)
}

/** A web stream, piece by piece. Not every browser iterates one by itself. */
async function* piecesOf(body: ReadableStream<Uint8Array> | null): AsyncGenerator<Uint8Array> {
  const reader = body?.getReader()
  if (reader === undefined) return
  try {
    for (;;) {
      const { done, value } = await reader.read()
      if (done) return
      yield value
    }
  } finally {
    // Not waited for: the rest of a body that is too large may never come, and some runtimes wait for it.
    reader.cancel().catch(() => undefined)
  }
}

/**
 * For servers of the Fetch API: Hono (`app.post("/hooks", (c) => handler(c.req.raw))`), Next.js (`export const POST =
 * handler`), Bun and Deno.
 */
export const fetchHandler = (receiver: Receiver) => async (request: Request): Promise<Response> => {
  const answer = async (): Promise<ReceiverAnswer> => {
    if (request.method !== "POST") return notPost
    if (request.bodyUsed) return receiver.refuse("body_parsed")
    const body = await readAll(piecesOf(request.body), receiver.maxBytes)
    return body === undefined ? receiver.refuse("too_large") : receiver.receive(body, request.headers)
  }
  const { body, status } = await answer()
  return new Response(status === 204 ? null : body, { status, headers: status === 405 ? { allow: "POST" } : {} })
}

/** The part of an Express request that is used: that of Node, with a body that earlier middleware may have read. */
export interface NodeRequest extends AsyncIterable<Uint8Array> {
  readonly method?: string | undefined
  readonly headers: DeliveryHeaders
  readonly readableEnded?: boolean
  readonly body?: unknown
  readonly rawBody?: unknown
}

/** The part of an Express response that is used. */
export interface NodeResponse {
  statusCode: number
  setHeader: (name: string, value: string) => unknown
  end: (text: string) => unknown
}

const isBytes = (value: unknown): value is Uint8Array | string =>
  typeof value === "string" || value instanceof Uint8Array

/**
 * For Express, Connect, Node's own server and API routes of Next.js (with `bodyParser: false`):
 * `app.post("/hooks", expressHandler(receiver))`, before `express.json()` or with `express.raw({ type: "application/json" })`.
 * A body that was parsed already cannot be verified: `next` is told, or `onError` where there is none.
 */
export const expressHandler =
  (receiver: Receiver) =>
  async (request: NodeRequest, response: NodeResponse, next?: (error: unknown) => void): Promise<void> => {
    const send = ({ body, status }: ReceiverAnswer): void => {
      response.statusCode = status
      if (status === 405) response.setHeader("allow", "POST")
      if (status !== 204) response.setHeader("content-type", "text/plain; charset=utf-8")
      response.end(body)
    }
    try {
      if (request.method !== "POST") return send(notPost)
      const given = [request.rawBody, request.body].find(isBytes)
      // A body that a parser left alone can still be read: `urlencoded()` of Express 4 leaves an empty object beside it.
      if (given === undefined && request.readableEnded === true) {
        // The server's own handler of errors tells of it.
        if (next !== undefined) throw new TypeError(bodyParsed)
        return send(receiver.refuse("body_parsed"))
      }
      const body = given ?? await readAll(request, receiver.maxBytes)
      send(body === undefined ? receiver.refuse("too_large") : await receiver.receive(body, request.headers))
    } catch (error) {
      if (next !== undefined) return next(error)
      send({ status: 500, body: "failed" })
    }
  }

/** The part of Fastify that is used. Its own types are richer, and differ between its versions. */
export interface FastifyLike {
  readonly removeContentTypeParser?: (type: string) => unknown
  // oxlint-disable-next-line typescript/no-explicit-any -- any parser of any version fits
  readonly addContentTypeParser: (type: string, options: any, parser: (...given: Array<any>) => any) => unknown
  // oxlint-disable-next-line typescript/no-explicit-any -- and any handler
  readonly post: (path: string, handler: (request: any, reply: any) => any) => unknown
}

/**
 * For Fastify: `app.register(fastifyPlugin(receiver, "/hooks"))`. JSON stays unparsed inside the plugin, and nowhere else,
 * also where the server has a parser of its own.
 */
export const fastifyPlugin = (receiver: Receiver, path: string) => async (fastify: FastifyLike): Promise<void> => {
  // The plugin has a copy of the parsers, and Fastify refuses a second one for a type.
  fastify.removeContentTypeParser?.("application/json")
  fastify.addContentTypeParser(
    "application/json",
    { parseAs: "buffer", bodyLimit: receiver.maxBytes },
    (_request: unknown, body: unknown, done: (error: null, body: unknown) => void) => done(null, body)
  )
  fastify.post(
    path,
    async (
      request: { readonly body: Uint8Array; readonly headers: DeliveryHeaders },
      reply: { readonly code: (status: number) => { readonly send: (body: string) => unknown } }
    ) => {
      const { body, status } = await receiver.receive(request.body ?? "", request.headers)
      return reply.code(status).send(body)
    }
  )
}

/**
 * The part of the event of an HTTP request that is used: of API Gateway with payload format 1.0 (REST) or 2.0 (HTTP APIs), a
 * function URL, or a load balancer. See "Working with AWS Lambda proxy integrations" of API Gateway.
 */
export interface LambdaRequest {
  readonly body?: string | null
  /** Whether `body` is base64 of the bytes: so it is for types that the gateway takes for binary. */
  readonly isBase64Encoded?: boolean
  readonly headers?: Readonly<Record<string, string | undefined>> | null
  /** In place of `headers` where a load balancer is told to send these. */
  readonly multiValueHeaders?: Readonly<Record<string, ReadonlyArray<string> | undefined>> | null
  /** The method in format 1.0 and of load balancers. */
  readonly httpMethod?: string
  readonly requestContext?: { readonly http?: { readonly method?: string } }
}

/** The response of a gateway, in both formats. */
export interface LambdaResponse {
  readonly statusCode: number
  readonly headers: Record<string, string>
  readonly body: string
  readonly isBase64Encoded: false
}

const bytesOf = (base64: string): Uint8Array => Uint8Array.from(atob(base64), (character) => character.charCodeAt(0))

/** For AWS Lambda: `export const handler = lambdaHandler(receiver)`, behind API Gateway, a function URL or a load balancer. */
export const lambdaHandler = (receiver: Receiver) => async (event: LambdaRequest): Promise<LambdaResponse> => {
  const text = event.body ?? ""
  const method = event.requestContext?.http?.method ?? event.httpMethod
  const { body, status } = method === undefined || method === "POST"
    ? await receiver.receive(
      event.isBase64Encoded === true ? bytesOf(text) : text,
      event.headers ?? event.multiValueHeaders ?? {}
    )
    : notPost
  const headers = {
    "content-type": "text/plain; charset=utf-8",
    ...(status === 405 ? { allow: "POST" } : {})
  }
  return { statusCode: status, headers, body, isBase64Encoded: false }
}

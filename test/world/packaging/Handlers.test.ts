import { assert, describe, it } from "@effect/vitest"
import { createHmac } from "node:crypto"
import { createServer } from "node:http"
import type { RequestListener } from "node:http"
import type { AddressInfo } from "node:net"
import { Readable } from "node:stream"
import {
  expressHandler,
  fastifyPlugin,
  fetchHandler,
  lambdaHandler,
  Receiver
} from "../../../src/client/webhooks/index.ts"
import { deliveryHeaders, signingKeys } from "../../../src/domain/delivery/webhooks/WebhookSignature.ts"
import { formatWebhookSecret } from "../../../src/domain/keys/security/WebhookSecret.ts"
import { runtimes } from "../../fixtures/Runtimes.ts"
import { atEnd } from "../../fixtures/Session.ts"

const secret = formatWebhookSecret(new Uint8Array(32).fill(1))
const handled: Array<string> = []
const receiver = new Receiver({ secrets: secret, handle: ({ id }) => void handled.push(id), maxBytes: 10_000 })
const { express, express4, fastify, Hono } = await runtimes.module("servers.mjs")

const listen = async (listener: RequestListener): Promise<string> => {
  const server = createServer(listener)
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  atEnd(async () => {
    server.close()
    server.closeAllConnections()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/hooks`
}

/** What a server of the Fetch API is, on Node. */
const onFetch = (handler: (request: Request) => Response | Promise<Response>) =>
  listen(async (incoming, outgoing) => {
    const body = incoming.method === "GET" ? null : Readable.toWeb(incoming) as ReadableStream<Uint8Array>
    const request = new Request(`http://127.0.0.1${incoming.url}`, {
      method: incoming.method ?? "GET",
      headers: Object.entries(incoming.headers).map(([name, value]): [string, string] => [name, String(value)]),
      body,
      duplex: "half"
    } as RequestInit)
    const answer = await handler(request)
    outgoing.writeHead(answer.status, Object.fromEntries(answer.headers)).end(await answer.text())
  })

const onExpress = (
  mount: (app: { readonly use: (middleware: unknown) => void }) => void,
  version: typeof express = express
) => {
  const app = version()
  mount(app)
  app.all("/hooks", expressHandler(receiver))
  return listen(app)
}

const onHono = () => {
  const app = new Hono()
  const handler = fetchHandler(receiver)
  app.all("/hooks", (context: { readonly req: { readonly raw: Request } }) => handler(context.req.raw))
  return onFetch(app.fetch)
}

/** What a gateway makes of a request, in the form that its function is called with, and of the answer. */
const onLambda = (eventOf: (method: string, headers: Record<string, string>, body: Buffer) => object) =>
  listen(async (incoming, outgoing) => {
    const body = Buffer.from(await new Response(Readable.toWeb(incoming) as ReadableStream<Uint8Array>).arrayBuffer())
    const headers = Object.fromEntries(
      Object.entries(incoming.headers).map(([name, value]): [string, string] => [name, String(value)])
    )
    const answer = await lambdaHandler(receiver)(eventOf(incoming.method!, headers, body))
    outgoing.writeHead(answer.statusCode, answer.headers).end(answer.body)
  })

const onFastify = async (prepare: (app: ReturnType<typeof fastify>) => void = () => {}) => {
  const app = fastify()
  prepare(app)
  app.register(fastifyPlugin(receiver, "/hooks"))
  app.post("/other", (request: { readonly body: unknown }) => request.body)
  await app.listen({ port: 0, host: "127.0.0.1" })
  atEnd(() => app.close())
  return `http://127.0.0.1:${app.server.address().port}/hooks`
}

const servers = [
  ["the Fetch API", () => onFetch(fetchHandler(receiver))],
  ["Hono", onHono],
  ["Node", () => listen(expressHandler(receiver))],
  ["Express", () => onExpress(() => {})],
  ["Express behind express.raw()", () => onExpress((app) => app.use(express.raw({ type: "application/json" })))],
  ["Express 4", () => onExpress(() => {}, express4)],
  [
    "Express 4 behind express.urlencoded()",
    () => onExpress((app) => app.use(express4.urlencoded({ extended: false })), express4)
  ],
  [
    "Express 4 behind express.raw()",
    () => onExpress((app) => app.use(express4.raw({ type: "application/json" })), express4)
  ],
  ["Express behind express.urlencoded()", () => onExpress((app) => app.use(express.urlencoded({ extended: false })))],
  ["Fastify", () => onFastify()],
  ["Fastify with a JSON parser of its own", () =>
    onFastify((app) =>
      app.addContentTypeParser(
        "application/json",
        { parseAs: "string" },
        (_request: unknown, body: string, done: (error: null, parsed: unknown) => void) => done(null, JSON.parse(body))
      )
    )],
  ["Lambda behind API Gateway, format 1.0", () =>
    onLambda((httpMethod, headers, body) => ({
      resource: "/hooks",
      path: "/hooks",
      httpMethod,
      headers,
      multiValueHeaders: Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, [value]])),
      requestContext: { httpMethod, stage: "prod" },
      body: body.length === 0 ? null : body.toString(),
      isBase64Encoded: false
    }))],
  ["Lambda behind API Gateway, format 2.0, which encodes bodies", () =>
    onLambda((method, headers, body) => ({
      version: "2.0",
      rawPath: "/hooks",
      headers,
      requestContext: { http: { method, path: "/hooks", protocol: "HTTP/1.1" } },
      ...(body.length === 0 ? {} : { body: body.toString("base64") }),
      isBase64Encoded: body.length > 0
    }))],
  ["Lambda behind a load balancer with headers of several values", () =>
    onLambda((httpMethod, headers, body) => ({
      httpMethod,
      path: "/hooks",
      multiValueHeaders: Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, [value]])),
      requestContext: { elb: {} },
      body: body.toString("base64"),
      isBase64Encoded: true
    }))]
] as const

let sequence = 0

/** A delivery that has never been made, with a text that only its exact bytes verify. */
const delivery = () => {
  sequence += 1
  const rawBody = `{"created_at":"2026-11-24T10:00:00.000Z","data":{"id":"lic_1","name":"Zoë  \\u00e9"},` +
    `"event_type":"license.created","id":"evt_${sequence}","sequence":${sequence},"type":"license.created"}`
  const timestamp = Math.floor(Date.now() / 1000)
  const headers = deliveryHeaders(
    {
      deliveryId: `dlv_${sequence}`,
      sequence,
      type: "license.created",
      timestamp,
      rawBody,
      keys: [signingKeys(secret)]
    },
    (key, data) => createHmac("sha256", key).update(data).digest(),
    { "content-type": "application/json" }
  )
  return { id: `evt_${sequence}`, body: rawBody, headers }
}

describe.each(servers)("on %s", (_name, start) => {
  it("a delivery is verified by its raw bytes and handled once; what is not one is refused", async () => {
    const url = await start()
    const { body, headers, id } = delivery()
    const from = handled.length
    for (let again = 0; again < 2; again++) {
      const answer = await fetch(url, { method: "POST", body, headers })
      assert.strictEqual(answer.status, 204)
      assert.strictEqual(await answer.text(), "")
    }
    assert.deepStrictEqual(handled.slice(from), [id])
    const forged = await fetch(url, { method: "POST", body: body.replace("lic_1", "lic_2"), headers })
    assert.deepStrictEqual([forged.status, await forged.text()], [400, "signature_mismatch"])
    const large = await fetch(url, { method: "POST", body: JSON.stringify("x".repeat(20_000)), headers })
    assert.strictEqual(large.status, 413)
    const got = await fetch(url)
    assert.include([404, 405], got.status)
    assert.deepStrictEqual(handled.slice(from), [id])
  })
})

describe("a body that something has parsed", () => {
  it("cannot be verified, and the program is told what to do", async () => {
    const app = express()
    app.use(express.json())
    app.post("/hooks", expressHandler(receiver))
    const failures: Array<unknown> = []
    app.use((error: unknown, _request: unknown, response: { sendStatus: (status: number) => void }, _next: unknown) => {
      failures.push(error)
      response.sendStatus(500)
    })
    const { body, headers } = delivery()
    const answer = await fetch(await listen(app), { method: "POST", body, headers })
    assert.strictEqual(answer.status, 500)
    assert.match(String(failures[0]), /mount the receiver before express\.json\(\)/)
  })

  it("is parsed as ever by other routes of a Fastify server", async () => {
    const url = (await onFastify()).replace("/hooks", "/other")
    const answer = await fetch(url, {
      method: "POST",
      body: JSON.stringify({ a: 1 }),
      headers: { "content-type": "application/json" }
    })
    assert.deepStrictEqual(await answer.json(), { a: 1 })
  })
})

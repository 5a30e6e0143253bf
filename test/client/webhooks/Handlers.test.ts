import { assert, describe, it } from "@effect/vitest"
import { createHmac } from "node:crypto"
import { createServer } from "node:http"
import type { RequestListener } from "node:http"
import type { AddressInfo } from "node:net"
import { Readable } from "node:stream"
import { expressHandler, fastifyPlugin, fetchHandler, Receiver } from "../../../src/client/webhooks/index.ts"
import { formatWebhookSecret } from "../../../src/domain/security/Credential.ts"
import { deliveryHeaders, signingKeys } from "../../../src/domain/webhooks/WebhookSignature.ts"
import { runtimes } from "../../fixtures/Runtimes.ts"
import { atEnd } from "../../fixtures/Session.ts"

const secret = formatWebhookSecret(new Uint8Array(32).fill(1))
const handled: Array<string> = []
const receiver = new Receiver({ secrets: secret, handle: ({ id }) => void handled.push(id), maxBytes: 10_000 })
const { express, fastify } = await runtimes.module("servers.mjs")

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
const onFetch = listen(async (incoming, outgoing) => {
  const body = incoming.method === "GET" ? null : Readable.toWeb(incoming) as ReadableStream<Uint8Array>
  const request = new Request(`http://127.0.0.1${incoming.url}`, {
    method: incoming.method ?? "GET",
    headers: Object.entries(incoming.headers).map(([name, value]): [string, string] => [name, String(value)]),
    body,
    duplex: "half"
  } as RequestInit)
  const answer = await fetchHandler(receiver)(request)
  outgoing.writeHead(answer.status, Object.fromEntries(answer.headers)).end(await answer.text())
})

const onExpress = (mount: (app: { readonly use: (middleware: unknown) => void }) => void) => {
  const app = express()
  mount(app)
  app.all("/hooks", expressHandler(receiver))
  return listen(app)
}

const onFastify = async () => {
  const app = fastify()
  app.register(fastifyPlugin(receiver, "/hooks"))
  app.post("/other", (request: { readonly body: unknown }) => request.body)
  await app.listen({ port: 0, host: "127.0.0.1" })
  atEnd(() => app.close())
  return `http://127.0.0.1:${app.server.address().port}/hooks`
}

const servers = [
  ["the Fetch API", () => onFetch],
  ["Node", () => listen(expressHandler(receiver))],
  ["Express", () => onExpress(() => {})],
  ["Express behind express.raw()", () => onExpress((app) => app.use(express.raw({ type: "application/json" })))],
  ["Fastify", onFastify]
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

// The address that the service is published under counts for sessions and for forms of the portal, whatever Host a proxy passes on.
import { assert, describe, it } from "@effect/vitest"
import { request } from "node:http"
import { freePort } from "../../fixtures/FreePort.ts"
import { startService } from "../../fixtures/Service.ts"
import type { Answer } from "../../fixtures/Service.ts"

type Headers = Readonly<Record<string, string>>

/** A port that is not the default one, and a path, which no browser's Origin has. */
const published = "https://licenses.example.com:8443"

const service = await startService({
  environment: {
    PORT: String(await freePort()),
    COUNTERSIGN_PUBLIC_URL: `${published}/base`,
    COUNTERSIGN_PORTAL: "on",
    COUNTERSIGN_TRUSTED_PROXIES: "127.0.0.0/8"
  }
})

const cookieOf = ({ headers }: Answer): string => String(headers["set-cookie"]).split(";")[0]!

const enter = async (headers: Headers): Promise<Answer> => {
  const { id } = await service.data("POST", "/api/v1/people", { name: "Ada", roles: ["support"] })
  const { invitation } = await service.data("POST", `/api/v1/people/${id}/invite`)
  return service.call("POST", "/api/v1/sign-in", { token: null, headers, body: { invitation } })
}

/** Sends the form of the portal, and answers its status: its answers are pages. */
const signInAtPortal = (headers: Headers, key: string): Promise<number> =>
  new Promise((resolve, reject) => {
    const body = `license_key=${key}`
    const outgoing = request(`${service.url}/portal/sign-in`, {
      method: "POST",
      headers: { "content-type": "application/x-www-form-urlencoded", "content-length": body.length, ...headers }
    }, (incoming) => {
      incoming.resume()
      incoming.once("end", () => resolve(incoming.statusCode ?? 0))
    })
    outgoing.once("error", reject)
    outgoing.end(body)
  })

describe("a service that is published at a port of its own", () => {
  it.each<readonly [string, Headers]>([
    ["nginx's $host, which has no port", { host: "licenses.example.com" }],
    ["nginx's $http_host, as the browser sent it", { host: "licenses.example.com:8443" }],
    ["the address of the upstream", { host: "10.0.0.11:8080" }],
    ["what a second proxy calls the first one", { host: "edge.internal", "x-forwarded-host": "other.example.com" }]
  ])("takes sign-ins, writes and forms of its pages behind %s", async (_title, { host, ...hop }) => {
    const page = { host: host!, ...hop, origin: published, "sec-fetch-site": "same-origin" }
    const entered = await enter(page)
    assert.strictEqual(entered.status, 201, entered.text)
    const write = await service.call("POST", "/api/v1/customers", {
      token: null,
      headers: { ...page, cookie: cookieOf(entered) },
      body: { name: "Acme", code: crypto.randomUUID() }
    })
    assert.strictEqual(write.status, 201, write.text)
    const { key } = await service.issue()
    assert.strictEqual(await signInAtPortal(page, key), 303)
  })

  it("refuses a page of another port, and names both addresses", async () => {
    const page = {
      host: "licenses.example.com",
      origin: "https://licenses.example.com:9443",
      "sec-fetch-site": "same-origin"
    }
    const answer = await enter(page)
    assert.strictEqual(answer.status, 401)
    assert.include(answer.body.error.message, `published at ${published} `)
    assert.include(
      answer.body.error.message,
      "a page of https://licenses.example.com:9443 with Host licenses.example.com."
    )
  })

  it("refuses a page of another site that writes the published address as its Host", async () => {
    const page = { host: "licenses.example.com:8443", origin: "https://evil.example", "sec-fetch-site": "cross-site" }
    assert.strictEqual((await enter(page)).status, 401)
    const { key } = await service.issue()
    assert.strictEqual(await signInAtPortal(page, key), 401)
  })
})

import { assert, beforeAll, describe, it } from "@effect/vitest"
import { connect } from "node:net"
import { text } from "node:stream/consumers"
import type { Issued, Service } from "../../fixtures/Service.ts"
import { refused, startService } from "../../fixtures/Service.ts"

/**
 * Router, limits, labels and proxies must not take one path for two. So each rule of the edge that goes by the path is
 * asked for by other spellings of its path, which must lead nowhere.
 */

let service: Service
let issued: Issued

beforeAll(async () => {
  service = await startService()
  issued = await service.issue()
})

interface Raw {
  readonly status: number
  readonly head: string
  readonly body: string
}

const host = "host: countersign\r\n"

/**
 * An answer to a target as it is. Nothing is ended here: to a node server the end of what a caller sends is its leaving,
 * and what it reads before the answer is written stays without one.
 */
const ask = async (target: string, method = "GET", more = ""): Promise<Raw> => {
  const socket = connect({ host: "127.0.0.1", port: Number(new URL(service.url).port) })
  socket.write(`${method} ${target} HTTP/1.1\r\n${host}connection: close\r\n${more}\r\n`, "latin1")
  const answer = await text(socket)
  const at = answer.indexOf("\r\n\r\n")
  return { status: Number(answer.slice(9, 12)), head: answer.slice(0, at), body: answer.slice(at + 4) }
}

/** The rules of the edge that go by a path, each with a path that it is about. */
const rules: ReadonlyArray<readonly [rule: string, method: string, path: string]> = [
  ["always open, and refused from outside by proxies", "GET", "/metrics"],
  ["always open", "GET", "/healthz"],
  ["always open", "GET", "/readyz"],
  ["bodies of at most 16 KiB, a question, a hot route", "POST", "/api/v1/license/validate"],
  ["bodies of at most 16 KiB, of apps", "POST", "/api/v1/license/activate"],
  ["read by pages, of apps", "GET", "/api/v1/system/public-keys"],
  ["read by pages, of apps", "GET", "/.well-known/jwks.json"],
  ["a large answer", "GET", "/api/v1/reports/exports/rex_none/download"],
  ["a turn of the license", "POST", "/api/v1/licenses/lic_none/suspend"],
  ["management", "GET", "/api/v1/products"],
  ["a page", "GET", "/docs/errors"]
]

const encoded = (character: string): string => `%${character.charCodeAt(0).toString(16)}`

/** Other spellings of a path. */
const spellings: Readonly<Record<string, (path: string) => string>> = {
  "two slashes at the beginning": (path) => `/${path}`,
  "two slashes within": (path) => path.replace(/.(?=[^/]+$)/, (slash) => `${slash}/`),
  "a capital letter": (path) => path.replace(/[a-z]/, (letter) => letter.toUpperCase()),
  "capital letters": (path) => path.toUpperCase(),
  "an encoded letter at the beginning": (path) => path.replace(/[a-z]/, encoded),
  "an encoded letter at the end": (path) => path.replace(/[a-z]$/, encoded),
  "an encoded slash": (path) => path.replace(/\/(?=[^/]+$)/, "%2f"),
  "a dot segment": (path) => path.replace(/\/(?=[^/]+$)/, "/./"),
  "an encoded dot segment": (path) => path.replace(/\/(?=[^/]+$)/, "/%2e/"),
  "two dots": (path) => `/docs/..${path}`,
  "encoded dots": (path) => `/docs/%2e%2e${path}`,
  "a dot segment at the end": (path) => `${path}/.`,
  "a backslash": (path) => path.replace(/\/(?=[^/]+$)/, "\\"),
  "an encoded backslash": (path) => path.replace(/\/(?=[^/]+$)/, "%5c"),
  "a matrix parameter": (path) => `${path};a=1`,
  "an encoded semicolon": (path) => `${path}%3ba`,
  "a fragment": (path) => `${path}#a`,
  "an encoded NUL": (path) => `${path}%00`,
  "an encoded blank": (path) => `${path}%20`,
  "what is no encoding": (path) => `${path}%zz`,
  "bytes that are not UTF-8": (path) => `${path}%ff`,
  "no slash": (path) => path.slice(1),
  "an authority without a path before it": (path) => `http://a?b=${path}`
}

describe.concurrent.each(rules)("the rule %s, %s %s", (_, method, path) => {
  it.each(Object.keys(spellings))("is passed by by no path with %s", async (name) => {
    const target = spellings[name]!(path)
    const { body, head, status } = await ask(target, method, "content-length: 0\r\n")
    // What is no target at all is refused by node's parser, before there is a path.
    if (!/^(\/|http:)/.test(target) && status === 400) return
    // Within a parameter it is a part of what may be any text, and of another operation.
    if (/_none%(2f|5c)/.test(target)) return assert.include([401, 405], status)
    assert.strictEqual(status, 404, `${target}: ${head}`)
    const { error } = JSON.parse(body)
    assert.include(["ROUTE_NOT_FOUND", "NOT_FOUND"], error.code)
    if (error.code === "NOT_FOUND") assert.match(path, /_none/, "only a parameter may be spelt like this")
  })

  it("leads from a slash at the end to itself, and nothing is done", async () => {
    const { body, head, status } = await ask(`${path}/?a=b`, method, "content-length: 0\r\n")
    assert.strictEqual(status, 308)
    assert.strictEqual(body, "")
    const location = /\r\nlocation: (\S+)/i.exec(head)?.[1]
    assert.strictEqual(new URL(location!, `http://countersign${path}/`).href, `http://countersign${path}?a=b`)
  })
})

describe("one spelling of a path", () => {
  it("has a body of the apps bounded, however it was asked for", async () => {
    const body = JSON.stringify({ fingerprint: "f", hostname: "x".repeat(17 * 1024) })
    const more = `authorization: License ${issued.key}\r\ncontent-type: application/json\r\n` +
      `content-length: ${body.length}\r\n`
    const { status } = await ask("//api/v1/license/validate", "POST", `${more}\r\n${body}`)
    assert.strictEqual(status, 404)
    assert.strictEqual((await ask("/api/v1/license/validate", "POST", `${more}\r\n${body}`)).status, 413)
  })

  it("labels no other with a route", async () => {
    await ask("//metrics")
    await ask("/METRICS")
    const { text: metrics } = await service.call("GET", "/metrics")
    const label = /http_request_method="GET",http_route="unmatched",http_response_status_code="404"\} ([1-9]\d*)/
    assert.match(metrics, label)
    const unauthorized = metrics.match(/http_route="\/metrics",http_response_status_code="404"/)
    assert.isNull(unauthorized)
  })

  it("is taken in absolute form, as RFC 9112 asks, and judged as itself", async () => {
    assert.strictEqual((await ask("http://countersign/healthz")).status, 200)
    assert.strictEqual((await ask("HTTPS://countersign:443/healthz?a")).status, 200)
    const { status } = await ask(
      "http://countersign/api/v1/license/validate",
      "POST",
      "content-type: application/json\r\ncontent-length: 20000\r\n"
    )
    assert.strictEqual(status, 401)
    assert.strictEqual((await ask("http://countersign//metrics")).status, 404)
  })

  it("may have what is encoded in a parameter", async () => {
    const { id } = issued.license
    const spelt = id.replace("_", "%5F").replace(/.$/, encoded)
    assert.strictEqual((await service.call("GET", `/api/v1/licenses/${spelt}`)).body.data.id, id)
    refused(await service.call("GET", "/api/v1/licenses/%C3%BC"), 404, "NOT_FOUND")
    refused(await service.call("GET", "/api/v1/licenses/a%2Fb"), 404, "NOT_FOUND")
    // An operation's own name is none.
    refused(await service.call("POST", "/api/v1/licenses/%6cookup", { body: {} }), 404, "ROUTE_NOT_FOUND")
  })

  it("is found again where capital letters were sent", async () => {
    const { message } = refused(await service.call("GET", "/API/V1/Products"), 404, "ROUTE_NOT_FOUND")
    assert.include(message, "Did you mean /api/v1/products?")
  })

  it("holds for HEAD, OPTIONS and methods that no path has", async () => {
    assert.strictEqual((await ask("/METRICS", "HEAD")).status, 404)
    assert.strictEqual((await ask("//metrics", "OPTIONS")).status, 404)
    assert.strictEqual((await ask("*", "OPTIONS")).status, 404)
    assert.strictEqual((await ask("/metrics", "DELETE")).status, 405)
    assert.strictEqual((await ask("//metrics", "DELETE")).status, 404)
  })

  it("has parameters of its query read by what they mean", async () => {
    const { data } = (await service.call("GET", "/api/v1/products?%6cimit=1")).body
    assert.lengthOf(data, 1)
    refused(await service.call("GET", "/api/v1/products?LIMIT=1"), 400, "INVALID_QUERY")
  })
})

// The CORS protocol of the Fetch standard, as a browser would see it: byte by byte, through the door.
import { assert, beforeAll, describe, it } from "@effect/vitest"
import { randomUUID } from "node:crypto"
import { connect, createServer } from "node:net"
import type { AddressInfo } from "node:net"
import { text } from "node:stream/consumers"
import { operations } from "../../../src/api/composition/docs/Operations.ts"
import { asking, electron, exposed, forApps, foreign, granted, named, readable, web } from "../../fixtures/CorsTable.ts"
import { freePort } from "../../fixtures/FreePort.ts"
import type { Answer, CallOptions, Issued } from "../../fixtures/Service.ts"
import { adminToken, refused, Service, startService } from "../../fixtures/Service.ts"
import { atEnd, eventually, holdLicense } from "../../fixtures/Session.ts"
import { someOf } from "../../fixtures/Share.ts"

/** Management requests answered at once; apps have room for half as many more. */
const inFlight = 8

const limits = {
  COUNTERSIGN_TRUSTED_PROXIES: "127.0.0.0/8",
  COUNTERSIGN_LIMIT_FAILED_CREDENTIALS: "3",
  COUNTERSIGN_LIMIT_ARRIVAL_SECONDS: "2",
  COUNTERSIGN_LIMIT_IN_FLIGHT: String(inFlight)
}

const naming = { ...limits, COUNTERSIGN_CORS_ORIGINS: `${web}, ${electron},null` }

/** It allows three origins, any, none. */
let service: Service
let open: Service
let closed: Service
let issued: Issued
let trialKey: string
const fingerprint = "b8e1c6f2d4"

beforeAll(async () => {
  service = await startService({ environment: naming })
  const { databaseUrl } = service
  ;[open, closed] = await Promise.all([
    startService({ databaseUrl, environment: { ...limits, COUNTERSIGN_CORS_ORIGINS: "*" } }),
    startService({ databaseUrl, environment: limits })
  ])
  issued = await service.issue({ policy: { self_service: true } })
  assert.strictEqual((await service.license("activate", issued.key, { fingerprint })).status, 200)
  const { product } = await service.issue()
  const policy = await service.data("POST", `/api/v1/products/${product.id}/policies`, {
    name: "Trial",
    code: "trial",
    license_type: "trial",
    duration: "P14D"
  })
  trialKey = (await service.data("POST", `/api/v1/products/${product.id}/publishable-keys`, {
    name: "App",
    policy_id: policy.id
  })).key
})

/** What an answer tells browsers and caches of origins. */
const told = ({ headers }: Answer): Readonly<Record<string, unknown>> =>
  Object.fromEntries(
    Object.entries(headers).filter(([name]) => name.startsWith("access-control-") || name === "vary")
  )

const from = (origin: string | undefined): Readonly<Record<string, string>> => origin === undefined ? {} : { origin }

const preflight = (to: Service, path: string, method: string, origin: string | undefined): Promise<Answer> =>
  to.call("OPTIONS", path, {
    token: null,
    headers: {
      ...from(origin),
      "access-control-request-method": method,
      "access-control-request-headers": "authorization,content-type,idempotency-key"
    }
  })

describe("preflights", () => {
  // What apps ask is asked from every origin, and anything else from one: test/http/ground/edge/Cors has all of them.
  const asked = operations.map(({ method, path }, at) => {
    const origins = forApps[path] === undefined ? [asking[at % asking.length]] : asking
    return [method, path, origins] as const
  })

  it.each(someOf("preflights", asked, 25))("%s %s", async (method, path, origins) => {
    const target = path.replace(/:[^/]+/g, "x")
    const methods = forApps[path]
    for (const origin of origins) {
      const answer = await preflight(service, target, method, origin)
      assert.notProperty(answer.headers, "access-control-allow-credentials")
      if (methods !== undefined && origin !== undefined && named.includes(origin)) {
        assert.strictEqual(`${answer.status} ${answer.text}`, "204 ", origin)
        const allowed = { "access-control-allow-origin": origin, vary: "Origin", ...granted(methods) }
        assert.deepStrictEqual(told(answer), allowed)
        assert.strictEqual(answer.headers["cache-control"], "no-store")
      } else {
        refused(answer, 405, "METHOD_NOT_ALLOWED")
        assert.deepStrictEqual(told(answer), {}, origin)
      }
    }
  })

  it("know every operation of apps", () => {
    assert.includeMembers(operations.map(({ path }) => path), Object.keys(forApps))
  })

  it("for what no operation does, or that ask for nothing, are as any other OPTIONS", async () => {
    const validate = "/api/v1/license/validate"
    for (const method of ["DELETE", "GET", "post", "*", ""]) {
      const answer = await preflight(service, validate, method, web)
      assert.strictEqual(refused(answer, 405, "METHOD_NOT_ALLOWED").message.includes("has POST"), true)
      assert.strictEqual(answer.headers["allow"], "POST")
      assert.deepStrictEqual(told(answer), {})
    }
    for (const path of ["/api/v1/license/nothing", "/api/v1/license", "/.well-known/nothing", "/"]) {
      const answer = await preflight(service, path, "POST", web)
      refused(answer, 404, "ROUTE_NOT_FOUND")
      assert.deepStrictEqual(told(answer), {})
    }
    const plain = await service.call("OPTIONS", validate, { headers: { origin: web } })
    refused(plain, 405, "METHOD_NOT_ALLOWED")
    assert.deepStrictEqual(told(plain), {})
  })

  it("for any origin name none", async () => {
    for (const origin of [web, foreign, "null"]) {
      const answer = await preflight(open, "/api/v1/license/validate", "POST", origin)
      assert.strictEqual(answer.status, 204)
      assert.deepStrictEqual(told(answer), { "access-control-allow-origin": "*", ...granted("POST") })
      const management = await preflight(open, "/api/v1/products", "GET", origin)
      refused(management, 405, "METHOD_NOT_ALLOWED")
      assert.deepStrictEqual(told(management), {})
    }
  })
})

interface Asked {
  readonly what: string
  readonly method: string
  readonly path: string
  readonly status: number
  readonly options?: () => CallOptions
  /** What the answer varies by of itself. */
  readonly vary?: string
}

const key = () => ({ "idempotency-key": randomUUID() })
const validating = "/api/v1/license/validate"
const revocations = "/api/v1/license/revocations"
const publicKeys = "/api/v1/system/public-keys"
const app = (body: unknown = { fingerprint }, licenseKey = issued.key): CallOptions => ({
  licenseKey,
  body,
  headers: key()
})

const ofApps: ReadonlyArray<Asked> = [
  { what: "a signed answer, on the hot path", method: "POST", path: validating, status: 200, options: app },
  {
    what: "a signed answer, in chunks",
    method: "POST",
    path: validating,
    status: 200,
    options: () => ({ ...app(), headers: { "transfer-encoding": "chunked" } })
  },
  {
    what: "a device that is unknown, on the hot path",
    method: "POST",
    path: validating,
    status: 404,
    options: () => app({ fingerprint: "other" })
  },
  { what: "no credential", method: "POST", path: validating, status: 401, options: () => ({ token: null, body: {} }) },
  {
    what: "a malformed key",
    method: "POST",
    path: validating,
    status: 401,
    options: () => app({ fingerprint }, "CS-no")
  },
  { what: "no body", method: "POST", path: validating, status: 422, options: () => ({ licenseKey: issued.key }) },
  {
    what: "no JSON",
    method: "POST",
    path: validating,
    status: 415,
    options: () => ({ licenseKey: issued.key, raw: "x", headers: { "content-type": "text/plain" } })
  },
  {
    what: "a large body",
    method: "POST",
    path: validating,
    status: 413,
    options: () => app({ fingerprint, hostname: "x".repeat(20_000) })
  },
  { what: "another method", method: "PUT", path: validating, status: 405 },
  { what: "a path that is none", method: "POST", path: "/api/v1/license/valdate", status: 404 },
  { what: "a write", method: "POST", path: "/api/v1/license/activate", status: 200, options: app },
  {
    what: "the devices",
    method: "GET",
    path: "/api/v1/license/devices",
    status: 200,
    options: () => ({ licenseKey: issued.key })
  },
  {
    what: "a device that is not there",
    method: "POST",
    path: "/api/v1/license/devices/dev_none/release",
    status: 404,
    options: () => app({})
  },
  {
    what: "a trial",
    method: "POST",
    path: "/api/v1/license/trials",
    status: 201,
    options: () => ({ token: trialKey, body: { fingerprint: randomUUID() }, headers: key() })
  },
  { what: "the revocation list", method: "GET", path: revocations, status: 200, vary: "accept-encoding, Origin" },
  {
    what: "the revocation list without its body",
    method: "HEAD",
    path: revocations,
    status: 200,
    vary: "accept-encoding, Origin"
  },
  { what: "public keys", method: "GET", path: publicKeys, status: 200 },
  { what: "public keys by another method", method: "POST", path: publicKeys, status: 405 },
  { what: "the key set", method: "GET", path: "/.well-known/jwks.json", status: 200 }
]

const ofManagement: ReadonlyArray<Asked> = [
  { what: "a list", method: "GET", path: "/api/v1/products", status: 200 },
  { what: "no credential", method: "GET", path: "/api/v1/products", status: 401, options: () => ({ token: null }) },
  {
    what: "an invalid body",
    method: "POST",
    path: "/api/v1/licenses",
    status: 422,
    options: () => ({ body: {}, headers: key() })
  },
  { what: "a method that is none", method: "PUT", path: "/api/v1/products", status: 405 },
  { what: "a path that is none", method: "GET", path: "/api/v1/nothing", status: 404 },
  { what: "signing keys", method: "GET", path: "/api/v1/signing-keys", status: 200 },
  { what: "health", method: "GET", path: "/healthz", status: 200 },
  { what: "metrics", method: "GET", path: "/metrics", status: 200 },
  { what: "a way round to management", method: "GET", path: "/api/v1/products?x=/api/v1/license/", status: 400 }
]

let address = 0

/** Each from an address of its own: wrong credentials are limited, and new trials. */
const ask = (to: Service, { method, options, path }: Asked, origin: string | undefined): Promise<Answer> => {
  const given = options?.() ?? {}
  const forwarded = `198.51.100.${++address % 256}`
  return to.call(method, path, {
    ...given,
    headers: { ...given.headers, ...from(origin), "x-forwarded-for": forwarded }
  })
}

describe.each(someOf("answers to apps", ofApps, 8))("$method $path, $what: $status", (asked) => {
  it.each([web, electron, "null"])("is for pages of %s", async (origin) => {
    const answer = await ask(service, asked, origin)
    assert.strictEqual(answer.status, asked.status, answer.text)
    assert.deepStrictEqual(told(answer), readable(origin, asked.vary))
  })

  it.each([foreign, `${web}:443`, `${web}/`, "app://acme.evil", undefined])(
    "is not for pages of %s",
    async (origin) => {
      const answer = await ask(service, asked, origin)
      assert.strictEqual(answer.status, asked.status, answer.text)
      assert.deepStrictEqual(told(answer), { vary: asked.vary ?? "Origin" })
    }
  )

  it.each([foreign, undefined])("is for any page where the service says so, such as of %s", async (origin) => {
    const answer = await ask(open, asked, origin)
    assert.strictEqual(answer.status, asked.status, answer.text)
    const { vary, ...headers } = told(answer)
    assert.deepStrictEqual(headers, { "access-control-allow-origin": "*", "access-control-expose-headers": exposed })
    assert.strictEqual(vary, asked.vary?.replace(", Origin", ""))
  })

  it.each([web, undefined])("says nothing of origins without the variable to %s", async (origin) => {
    const answer = await ask(closed, asked, origin)
    assert.strictEqual(answer.status, asked.status, answer.text)
    const own = asked.vary?.replace(", Origin", "")
    assert.deepStrictEqual(told(answer), own === undefined ? {} : { vary: own })
  })
})

describe.each(someOf("answers of management", ofManagement, 4))("$method $path, $what: $status", (asked) => {
  it("is for no page", async () => {
    for (const to of [service, open, closed]) {
      for (const origin of [web, foreign, undefined]) {
        const answer = await ask(to, asked, origin)
        assert.strictEqual(answer.status, asked.status, answer.text)
        const { vary, ...headers } = told(answer)
        assert.deepStrictEqual(headers, {})
        assert.notMatch(String(vary), /origin/i)
      }
    }
  })
})

describe("without the variable", () => {
  it("an OPTIONS is answered as it always was, whatever it asks for", async () => {
    for (const path of Object.keys(forApps)) {
      const answer = await preflight(closed, path.replace(/:[^/]+/g, "x"), forApps[path]!.split(",")[0]!, web)
      refused(answer, 405, "METHOD_NOT_ALLOWED")
      assert.deepStrictEqual(told(answer), {})
      assert.strictEqual(answer.headers["allow"], forApps[path])
    }
  })
})

describe("answers with headers that a page reads", () => {
  it("304 to a tag that was read", async () => {
    for (const path of [revocations, publicKeys]) {
      const { headers } = await service.call("GET", path, { headers: from(web) })
      const again = await service.call("GET", path, { headers: { ...from(web), "if-none-match": headers.etag! } })
      assert.strictEqual(again.status, 304)
      assert.deepStrictEqual(told(again), readable(web, path === revocations ? "accept-encoding, Origin" : "Origin"))
    }
  })

  it("429 says when to come back", async () => {
    const wrong = () =>
      service.call("POST", validating, {
        licenseKey: "CS-AAAAA-AAAAA-AAAAA-AAAAA-AAAAA",
        body: { fingerprint },
        headers: { ...from(electron), "x-forwarded-for": "203.0.113.9" }
      })
    const limited = await eventually("wrong keys are limited", async () => {
      const answer = await wrong()
      return answer.status === 429 && answer
    })
    assert.deepStrictEqual(told(limited), readable(electron))
    for (const name of ["retry-after", "ratelimit", "ratelimit-policy"]) assert.property(limited.headers, name)
  })
})

describe("what is refused before any operation is asked", () => {
  /** The answer to bytes as they are. */
  const say = async (bytes: string): Promise<string> => {
    const socket = connect({ host: "127.0.0.1", port: Number(new URL(service.url).port) })
    atEnd(async () => void socket.destroy())
    socket.write(bytes)
    return text(socket)
  }
  const head = (origin: string, path = validating, authorization = `License ${issued.key}`) =>
    `POST ${path} HTTP/1.1\r\nhost: countersign\r\norigin: ${origin}\r\ncontent-type: application/json\r\n` +
    `authorization: ${authorization}\r\n`
  const chunks = `transfer-encoding: chunked\r\n\r\n1;${"x".repeat(20_000)}\r\n{\r\n`

  it.each([
    ["a body that does not come", 408, "content-length: 100\r\n\r\n{"],
    ["chunks with long extensions", 413, chunks],
    ["two hosts", 400, "host: other\r\nconnection: close\r\n\r\n"]
  ])("%s: %i", async (_, status, rest) => {
    const allowed = await say(head(web) + rest)
    assert.match(allowed, new RegExp(`^HTTP/1\\.1 ${status} `))
    assert.match(allowed, new RegExp(`\r\naccess-control-allow-origin: ${web}\r\n`, "i"))
    assert.include(allowed.toLowerCase(), `\r\naccess-control-expose-headers: ${exposed.toLowerCase()}\r\n`)
    assert.match(allowed, /\r\nvary: origin\r\n/i)
    for (
      const bytes of [head(foreign), head(web, "/api/v1/products", `Bearer ${adminToken}`)].map((head) => head + rest)
    ) {
      const answer = await say(bytes)
      assert.match(answer, new RegExp(`^HTTP/1\\.1 ${status} `))
      assert.notMatch(answer, /access-control/i)
    }
  })

  it("more than there is room for: 503", async () => {
    const { key, license } = await service.issue()
    const lock = await holdLicense(service.databaseUrl, license.id)
    let answered = 0
    const activate = () => service.license("activate", key, { fingerprint }, { ...from(web) }).finally(() => answered++)
    const room = 1.5 * inFlight
    const requests = Array.from({ length: room + 4 }, activate)
    await eventually("four are refused", () => answered >= 4)
    await lock.release()
    const refusals = (await Promise.all(requests)).filter(({ status }) => status !== 200)
    assert.isAtLeast(refusals.length, 4)
    for (const answer of refusals) {
      refused(answer, 503, "UNAVAILABLE")
      assert.deepStrictEqual(told(answer), readable(web))
    }
  })
})

describe("a service that does not serve", { concurrent: true }, () => {
  /** What both have in common: a page may read that it is to come back. */
  const tellsPages = async (to: Service) => {
    const answer = await to.call("POST", validating, { licenseKey: issued.key, body: {}, headers: from(web) })
    refused(answer, 503, "UNAVAILABLE")
    assert.strictEqual(answer.headers["retry-after"], "1")
    assert.deepStrictEqual(told(answer), readable(web))
    assert.strictEqual((await preflight(to, validating, "POST", web)).status, 204)
    for (const [path, origin] of [[validating, foreign], ["/api/v1/products", web]] as const) {
      const answer = await preflight(to, path, "POST", origin)
      refused(answer, 503, "UNAVAILABLE")
      assert.deepStrictEqual(told(answer), {})
      assert.notProperty(told(await to.call("POST", path, { headers: from(origin) })), "access-control-allow-origin")
    }
  }

  it("yet", async () => {
    // A database that accepts connections and never says a word.
    const silent = createServer((socket) => socket.on("error", () => {}))
    await new Promise<void>((resolve) => silent.listen(0, "127.0.0.1", resolve))
    atEnd(async () => void silent.close())
    const port = await freePort()
    const url = `postgres://someone@127.0.0.1:${(silent.address() as AddressInfo).port}/none`
    const service = new Service(url, { ...naming, PORT: String(port) })
    service.launch()
    service.url = `http://127.0.0.1:${port}`
    await eventually("the port is open", () => service.call("GET", "/readyz").catch(() => undefined))
    await tellsPages(service)
    await service.kill("SIGKILL")
    // There is no database for the doctor.
    service.url = ""
  })

  it("any more", async () => {
    const leaving = await startService({ databaseUrl: service.databaseUrl, environment: naming, as: "program" })
    const { key, license } = await service.issue()
    const lock = await holdLicense(service.databaseUrl, license.id)
    const held = leaving.license("activate", key, { fingerprint }, { ...from(web) })
    await lock.blocked(1)
    leaving.signal("SIGTERM")
    // What is given up is told to the page too.
    assert.strictEqual(await leaving.ended(), 0)
    const cut = await held
    refused(cut, 503, "UNAVAILABLE")
    assert.deepStrictEqual(told(cut), readable(web))
    await lock.release()
  })
})

import { assert, beforeAll, describe, it } from "@effect/vitest"
import { randomUUID } from "node:crypto"
import { clientAddress } from "../../../src/http/ground/edge/Exchanges.ts"
import type { Issued, Service } from "../../fixtures/Service.ts"
import { refused, startService } from "../../fixtures/Service.ts"
import { eventually, hold, session } from "../../fixtures/Session.ts"
import { takeTurns } from "../../fixtures/Share.ts"

takeTurns()

let service: Service
let issued: Issued

/** How many management requests are answered at once: a thousand where nothing else is set. */
const inFlight = 100

beforeAll(async () => {
  service = await startService({
    environment: { COUNTERSIGN_TRUSTED_PROXIES: "127.0.0.0/8", COUNTERSIGN_LIMIT_IN_FLIGHT: String(inFlight) }
  })
  issued = await service.issue()
})

const device = () => ({ fingerprint: randomUUID() })

describe("request ids", () => {
  const answered = async (offered: string) =>
    (await service.call("GET", "/healthz", { headers: { "x-request-id": offered } })).headers["x-request-id"]

  it("are the caller's when they are 8 to 64 letters, digits, _ and -", async () => {
    for (const id of ["12345678", "Order_42-retry-1", "x".repeat(64)]) assert.strictEqual(await answered(id), id)
  })

  it("are replaced otherwise", async () => {
    for (const id of ["1234567", "x".repeat(65), "with space", "semi;colon1", "<script>alert", "12345678, 87654321"]) {
      assert.match(String(await answered(id)), /^req_[0-9a-z]{26}$/)
    }
  })

  it("ascend, differ, and stand on the events that the request caused", async () => {
    const first = await service.call("GET", "/healthz")
    const second = await service.call("GET", "/api/v1/nothing")
    assert.isTrue(String(first.headers["x-request-id"]) < String(second.headers["x-request-id"]))
    const id = `create-${randomUUID()}`
    const product = await service.data("POST", "/api/v1/products", { name: "a", code: id }, {
      headers: { "x-request-id": id, "x-forwarded-for": "203.0.113.9" }
    })
    const [event] = await service.feed(`&resource_id=${product.id}`)
    assert.strictEqual(event.request_id, id)
    assert.strictEqual(event.ip_address, "203.0.113.9")
    assert.deepStrictEqual(event.data, product)
  })
})

describe("a traceparent", () => {
  it("is kept on the event also when no traces are sent, and nothing that is none", async () => {
    const database = await session(service.databaseUrl)
    const genuine = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"
    for (
      const [sent, kept] of [
        [genuine, genuine],
        [`00-${"0".repeat(32)}-00f067aa0ba902b7-01`, null],
        ["'; DROP TABLE events; --", null],
        [undefined, null]
      ] as const
    ) {
      const { id } = await service.data("POST", "/api/v1/products", { name: "a", code: randomUUID() }, {
        headers: sent === undefined ? {} : { traceparent: sent }
      })
      await service.feed(`&resource_id=${id}`)
      const rows = await database.query("SELECT traceparent FROM events WHERE resource_id = $1", [id])
      assert.deepStrictEqual(rows, [{ traceparent: kept }])
    }
  })
})

describe("headers of every answer", () => {
  it("no-store, also on failures", async () => {
    for (const path of ["/healthz", "/readyz", "/metrics", "/api/v1/products", "/api/v1/nothing"]) {
      assert.strictEqual((await service.call("GET", path)).headers["cache-control"], "no-store", path)
    }
    const activated = await service.license("activate", issued.key, device())
    assert.strictEqual(activated.headers["cache-control"], "no-store")
  })

  it("HEAD answers as GET without a body", async () => {
    const get = await service.call("GET", "/healthz")
    const head = await service.call("HEAD", "/healthz")
    assert.deepInclude(head, { status: 200, text: "" })
    assert.strictEqual(head.headers["content-length"], get.headers["content-length"])
  })

  it("never 406, whatever is accepted", async () => {
    for (const path of ["/metrics", "/openapi.yaml", "/llms.txt", "/docs", "/docs/errors", "/api/v1/products"]) {
      const answer = await service.call("GET", path, { headers: { accept: "application/json" } })
      assert.strictEqual(answer.status, 200, path)
      assert.isNotEmpty(answer.text)
    }
  })
})

describe("clientAddress", () => {
  const proxies = ["10.0.0.0/8", "127.0.0.0/8", "fd00::/8"]
  it.each([
    { title: "no proxies are trusted", peer: "127.0.0.1", forwarded: "203.0.113.9", trusted: [], is: "127.0.0.1" },
    {
      title: "the peer is no proxy",
      peer: "198.51.100.7",
      forwarded: "203.0.113.9",
      trusted: proxies,
      is: "198.51.100.7"
    },
    { title: "nothing was forwarded", peer: "10.0.0.1", forwarded: undefined, trusted: proxies, is: "10.0.0.1" },
    { title: "one proxy", peer: "10.0.0.1", forwarded: "203.0.113.9", trusted: proxies, is: "203.0.113.9" },
    { title: "two proxies", peer: "10.0.0.1", forwarded: "203.0.113.9, 10.2.3.4", trusted: proxies, is: "203.0.113.9" },
    {
      title: "a caller who claims another address",
      peer: "10.0.0.1",
      forwarded: "1.1.1.1, 203.0.113.9",
      trusted: proxies,
      is: "203.0.113.9"
    },
    { title: "only proxies", peer: "10.0.0.1", forwarded: "10.9.9.9, 10.2.3.4", trusted: proxies, is: "10.9.9.9" },
    { title: "a mapped peer", peer: "::ffff:10.0.0.1", forwarded: "203.0.113.9", trusted: proxies, is: "203.0.113.9" },
    { title: "an IPv6 peer", peer: "fd00::1", forwarded: "2001:db8::7", trusted: proxies, is: "2001:db8::7" },
    { title: "a port", peer: "10.0.0.1", forwarded: "203.0.113.9:50123", trusted: proxies, is: "203.0.113.9" },
    {
      title: "ports everywhere",
      peer: "10.0.0.1",
      forwarded: "203.0.113.9:1, 10.2.3.4:2",
      trusted: proxies,
      is: "203.0.113.9"
    },
    { title: "brackets", peer: "fd00::1", forwarded: "[2001:DB8:0::7]", trusted: proxies, is: "2001:db8::7" },
    {
      title: "brackets and a port",
      peer: "fd00::1",
      forwarded: "[2001:db8::7]:443",
      trusted: proxies,
      is: "2001:db8::7"
    },
    { title: "a zone", peer: "10.0.0.1", forwarded: "fe80::1%eth0", trusted: proxies, is: "fe80::1" },
    { title: "a mapped hop", peer: "10.0.0.1", forwarded: "::ffff:203.0.113.9", trusted: proxies, is: "203.0.113.9" },
    { title: "no address", peer: "10.0.0.1", forwarded: "203.0.113.9, unknown", trusted: proxies, is: "10.0.0.1" },
    {
      title: "a proxy that knows nobody",
      peer: "10.0.0.1",
      forwarded: "_hidden, 10.2.3.4",
      trusted: proxies,
      is: "10.2.3.4"
    },
    { title: "a port that is none", peer: "10.0.0.1", forwarded: "203.0.113.9:port", trusted: proxies, is: "10.0.0.1" },
    { title: "empty hops", peer: "10.0.0.1", forwarded: " , ,", trusted: proxies, is: "10.0.0.1" }
  ])("$title: $is", ({ forwarded, is, peer, trusted }) => {
    assert.strictEqual(clientAddress(peer, forwarded, trusted), is)
  })
})

describe("500", () => {
  it("INTERNAL is opaque; the log has the cause under the request id", async () => {
    const sql = await session(service.databaseUrl)
    await sql.query("ALTER TABLE features RENAME TO features_away")
    const headers = { "x-request-id": `broken-${randomUUID()}` }
    const answer = await service.call("GET", "/api/v1/features/feat_none", { headers })
      .finally(() => sql.query("ALTER TABLE features_away RENAME TO features"))
    const error = refused(answer, 500, "INTERNAL")
    assert.sameMembers(Object.keys(error), ["code", "message", "doc_url"])
    assert.notMatch(answer.text, /features_away|relation|select|\.ts|\.js|node_modules|at /i)
    const line = service.logs().split("\n").find((line) => line.includes(headers["x-request-id"]))
    assert.isDefined(line)
    assert.match(line!, /"level":"ERROR"/)
    assert.match(line!, /SqlError/)
    assert.match(line!, /"method":"GET","path":"\/api\/v1\/features\/\{id\}","ms":\d+/)
    refused(await service.call("GET", "/api/v1/features/feat_none"), 404, "NOT_FOUND")
  })
})

describe("503", () => {
  it("UNAVAILABLE above so many requests in flight, while probes still answer; those in flight are answered", async () => {
    const lock = await hold(service.databaseUrl, "LOCK TABLE features IN ACCESS EXCLUSIVE MODE")
    let answered = 0
    const requests = Array.from(
      { length: inFlight + 40 },
      () => service.call("GET", "/api/v1/features/feat_none").finally(() => answered++)
    )
    try {
      await eventually("40 requests are refused", () => answered >= 40)
      assert.strictEqual((await service.call("GET", "/healthz")).status, 200)
      assert.strictEqual(answered, 40)
    } finally {
      await lock.release()
    }
    const answers = await Promise.all(requests)
    const refusals = answers.filter(({ status }) => status !== 404)
    assert.lengthOf(refusals, 40)
    for (const answer of refusals) {
      refused(answer, 503, "UNAVAILABLE")
      assert.strictEqual(answer.headers["retry-after"], "1")
      // A new connection would cost more than the refusal does.
      assert.strictEqual(answer.headers["connection"], "keep-alive")
    }
    for (const answer of answers) if (answer.status === 404) refused(answer, 404, "NOT_FOUND")
  })

  it("a statement that waits too long for a lock is UNAVAILABLE, not INTERNAL", async () => {
    const sql = await session(service.databaseUrl)
    const lock = await hold(service.databaseUrl, "LOCK TABLE features IN ACCESS EXCLUSIVE MODE")
    const waiting = service.call("GET", "/api/v1/features/feat_none")
    await lock.blocked(1)
    // What the server's own timeout does after 30 s.
    await sql.query(
      "SELECT pg_cancel_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'"
    )
    const answer = await waiting
    await lock.release()
    refused(answer, 503, "UNAVAILABLE")
    assert.strictEqual(answer.headers["retry-after"], "1")
  })
})

describe("the log", () => {
  it("has one line a second and cause in an outage, with how many there were, and no stack", async () => {
    const sql = await session(service.databaseUrl)
    const lock = await hold(service.databaseUrl, "LOCK TABLE products IN ACCESS EXCLUSIVE MODE")
    const before = service.logs().length
    const state = { answered: 0 }
    const began = performance.now()
    const requests = Array.from(
      { length: 60 },
      () => service.call("GET", "/api/v1/products/prod_none").finally(() => state.answered++)
    )
    await eventually("all are refused", async () => {
      await sql.query(
        "SELECT pg_cancel_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'"
      )
      return state.answered === requests.length
    })
    const seconds = (performance.now() - began) / 1000
    await lock.release()
    for (const answer of await Promise.all(requests)) refused(answer, 503, "UNAVAILABLE")
    const told = (message: RegExp) =>
      service.logs().slice(before).split("\n").filter((line) =>
        line.includes("\"code\":\"UNAVAILABLE\"") && message.test(line)
      )
    // Of the cause, and of the requests.
    for (const message of [/"requests? failed/, /"message":"request",.*"route":"\/api\/v1\/products\/\{id\}"/]) {
      const counts = () => told(message).map((line) => Number(/"count":(\d+)/.exec(line)?.[1] ?? 1))
      await eventually("all are counted", () => counts().reduce((sum, count) => sum + count, 0) === requests.length)
      assert.isAtMost(told(message).length, 2 * (seconds + 2))
      assert.isBelow(told(message).length, requests.length / 2)
      for (const line of told(message)) {
        assert.notMatch(line, / {4}at /)
        assert.isBelow(line.length, 1_000)
      }
    }
  })
})

// The last one: it uses up what this address may fail.
describe("429", () => {
  it("RATE_LIMITED after many bad credentials, while a right one still works", async () => {
    const bad = (index: number) =>
      index % 2 === 0
        ? service.call("GET", "/api/v1/products", { token: `guess-${index}` })
        : service.call("POST", "/api/v1/license/check", { licenseKey: `guess-${index}`, body: device() })
    const answers = await Promise.all(Array.from({ length: 100 }, (_, index) => bad(index)))
    const limited = answers.filter(({ status }) => status === 429)
    assert.isAbove(limited.length, 0)
    assert.isAbove(answers.length - limited.length, 0)
    for (const answer of limited) {
      refused(answer, 429, "RATE_LIMITED")
      assert.match(String(answer.headers["retry-after"]), /^[1-9]\d*$/)
      assert.match(String(answer.headers["ratelimit"]), /^"authentication";r=0;t=\d+$/)
      assert.match(String(answer.headers["ratelimit-policy"]), /^"authentication";q=\d+;w=\d+$/)
    }
    assert.strictEqual((await service.call("GET", "/api/v1/products")).status, 200)
    refused(await service.license("check", issued.key, device()), 404, "DEVICE_NOT_ACTIVATED")
  })
})

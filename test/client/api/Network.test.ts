import { assert, describe, it } from "@effect/vitest"
import { randomUUID } from "node:crypto"
import type { CountersignError } from "../../../src/client/api/index.ts"
import { Countersign } from "../../../src/client/api/index.ts"
import { hostileProxy } from "../../fixtures/HostileProxy.ts"
import { adminToken, startService } from "../../fixtures/Service.ts"

const service = await startService()
const proxy = await hostileProxy(service.url)
const client = new Countersign({ baseUrl: proxy.url, token: adminToken, maxRetries: 6 })

/** The requests that a call made. */
const during = async (call: () => Promise<unknown>) => {
  const from = proxy.seen.length
  const outcome = await call().then((data) => ({ data }), (error: unknown) => ({ error: error as CountersignError }))
  return { error: undefined, data: undefined, ...outcome, seen: proxy.seen.slice(from) }
}

const busy = (status: number, retryAfter = "0") => ({ status, headers: { "retry-after": retryAfter } })

const productsNamed = async (code: string): Promise<number> => {
  let found = 0
  for await (const product of client.products.list({ limit: 100 })) if (product.code === code) found += 1
  return found
}

describe("a write", () => {
  it.each([
    ["is dropped", ["drop", "drop"] as const],
    ["is answered, and the answer is lost", ["lose"] as const],
    ["is answered, and the answer is cut in the middle", ["cut", "lose", "cut"] as const],
    ["meets 429 and 503, of the service or of a proxy", [busy(429), busy(503), busy(502), { status: 504 }] as const],
    ["does not arrive in time", [busy(408), "lose"] as const]
  ])("that %s is sent again, the same, and takes effect once", async (_name, fates) => {
    const code = randomUUID()
    proxy.next(...fates)
    const { data, seen } = await during(() => client.products.create({ name: "Once", code }))
    assert.strictEqual((data as { readonly code: string }).code, code)
    assert.lengthOf(seen, fates.length + 1)
    assert.strictEqual(new Set(seen.map(({ headers }) => headers["idempotency-key"])).size, 1)
    assert.strictEqual(new Set(seen.map(({ body }) => body)).size, 1)
    assert.strictEqual(await productsNamed(code), 1)
  })

  it("has a key of its own, or the one that it is given", async () => {
    const own = await during(() => client.products.create({ name: "A", code: randomUUID() }))
    const other = await during(() => client.products.create({ name: "B", code: randomUUID() }))
    const [first, second] = [own, other].map(({ seen }) => seen[0]!.headers["idempotency-key"])
    assert.match(String(first), /^[0-9a-f-]{36}$/)
    assert.notStrictEqual(first, second)
    const idempotencyKey = randomUUID()
    const body = { name: "C", code: randomUUID() }
    const { data } = await during(() => client.products.create(body, { idempotencyKey }))
    const again = await client.products.create(body, { idempotencyKey }).withResponse()
    assert.deepStrictEqual(again.data, data)
    assert.strictEqual(again.response.headers.get("idempotency-replayed"), "true")
    const conflict = await client.products.create({ ...body, name: "D" }, { idempotencyKey }).result()
    assert.isTrue(!conflict.ok && conflict.error.code === "IDEMPOTENCY_CONFLICT")
    const { seen } = await during(() => client.products.list())
    assert.notProperty(seen[0]!.headers, "idempotency-key")
  })

  it("changes only what was read, when it is told so", async () => {
    const made = await client.products.create({ name: "A", code: randomUUID() })
    const read = await client.products.get(made.id).withResponse()
    const ifMatch = read.response.headers.get("etag")!
    const { data, seen } = await during(() => client.products.update(made.id, { name: "B" }, { ifMatch }))
    assert.strictEqual((data as { name: string }).name, "B")
    assert.strictEqual(seen[0]!.headers["if-match"], ifMatch)
    const late = await client.products.update(made.id, { name: "C" }, { ifMatch }).result()
    assert.isTrue(!late.ok && late.error.code === "PRECONDITION_FAILED")
    assert.strictEqual((await client.products.delete(made.id, { ifMatch }).result()).ok, false)
    assert.strictEqual((await client.products.get(made.id)).name, "B")
  })

  it("waits while an earlier attempt of it still runs", async () => {
    const inFlight = { code: "IDEMPOTENCY_IN_FLIGHT", message: "The first request still runs." }
    proxy.next({ status: 409, body: JSON.stringify({ error: inFlight, meta: {} }) })
    const { data, seen } = await during(() => client.products.create({ name: "E", code: randomUUID() }))
    assert.isDefined(data)
    assert.lengthOf(seen, 2)
  })
})

describe("a call", () => {
  it.each([
    ["refused by the service", () => client.products.get("prod_none"), "NOT_FOUND", 404],
    ["that makes no sense", () => client.products.create({ name: "", code: "" }), "VALIDATION_ERROR", 422]
  ])("that is %s is never sent again", async (_name, call, code, status) => {
    const { error, seen } = await during(call)
    assert.deepInclude(error, { code, status })
    assert.lengthOf(seen, 1)
  })

  it("of a failure inside the service is not sent again either", async () => {
    const failure = { code: "INTERNAL", message: "Something failed on our side." }
    proxy.next({ status: 500, body: JSON.stringify({ error: failure, meta: { request_id: "req_1" } }) })
    const { error, seen } = await during(() => client.products.list())
    assert.deepInclude(error, { code: "INTERNAL", status: 500, requestId: "req_1" })
    assert.lengthOf(seen, 1)
  })

  it("ends with what went wrong last when its retries are used up", async () => {
    proxy.next("drop", "drop", "drop")
    const lost = await during(() => client.products.list({}, { maxRetries: 2 }))
    assert.deepInclude(lost.error, { code: "NETWORK_ERROR", status: undefined })
    assert.lengthOf(lost.seen, 3)
    proxy.next(busy(503))
    const refused = await during(() => client.products.list({}, { maxRetries: 0 }))
    assert.deepInclude(refused.error, { code: "INVALID_ANSWER", status: 503, retryAfterMs: 0 })
    assert.lengthOf(refused.seen, 1)
  })

  it("comes back no sooner than Retry-After says, and not at all when that is too late", async () => {
    proxy.next(busy(429, "1"))
    const begun = performance.now()
    const { seen } = await during(() => client.products.list())
    assert.lengthOf(seen, 2)
    // A timer may be early by a millisecond.
    assert.isAbove(performance.now() - begun, 990)
    proxy.next(busy(503, "3600"))
    const late = await during(() => client.products.list())
    assert.strictEqual(late.error?.retryAfterMs, 3_600_000)
    assert.lengthOf(late.seen, 1)
    proxy.next(busy(429, "2"))
    assert.lengthOf((await during(() => client.products.list({}, { maxDelayMs: 1000 }))).seen, 1)
  })

  it("that takes too long ends in time, each attempt for itself", async () => {
    proxy.next("hang", "hang")
    const { error, seen } = await during(() => client.products.list({}, { timeoutMs: 50, maxRetries: 1 }))
    assert.deepInclude(error, { code: "TIMEOUT", status: undefined })
    assert.lengthOf(seen, 2)
    const code = randomUUID()
    proxy.next("hang")
    const { data } = await during(() => client.products.create({ name: "Late", code }, { timeoutMs: 2000 }))
    assert.isDefined(data)
    assert.strictEqual(await productsNamed(code), 1)
  })

  it("is given up at once when its signal aborts: before, during and between attempts", async () => {
    const reason = new Error("the user went away")
    const early = await during(() => client.products.list({}, { signal: AbortSignal.abort(reason) }))
    assert.strictEqual(early.error as unknown, reason)
    assert.lengthOf(early.seen, 0)
    /** Until another request has come. */
    const arrived = async (from: number) => {
      while (proxy.seen.length === from) await new Promise((resolve) => setTimeout(resolve, 5))
    }
    const controller = new AbortController()
    proxy.next("hang")
    const before = proxy.seen.length
    const sent = during(() => client.products.list({}, { signal: controller.signal }))
    await arrived(before)
    controller.abort(reason)
    assert.strictEqual((await sent).error as unknown, reason)
    const waiting = new AbortController()
    proxy.next(busy(503, "50"))
    const from = proxy.seen.length
    const between = during(() => client.products.list({}, { signal: waiting.signal }))
    await arrived(from)
    await new Promise((resolve) => setTimeout(resolve, 50))
    waiting.abort(reason)
    const { error, seen } = await between
    assert.strictEqual(error as unknown, reason)
    assert.lengthOf(seen, 1)
    const after = await client.products.list({}, { signal: new AbortController().signal })
    assert.isArray(after)
  })

  it("that something else answers says so", async () => {
    proxy.next({ status: 200, body: "<html>Please log in</html>" })
    assert.deepInclude((await during(() => client.products.list())).error, { code: "INVALID_ANSWER", status: 200 })
    proxy.next({ status: 403, body: "<html>Blocked</html>" })
    const blocked = await during(() => client.products.list())
    assert.deepInclude(blocked.error, { code: "INVALID_ANSWER", status: 403 })
    assert.lengthOf(blocked.seen, 1)
  })
})

describe("a list", () => {
  it("is gone through page by page, in order, each entry once, whatever the network does", async () => {
    const codes = Array.from({ length: 25 }, () => randomUUID())
    for (const code of codes) await client.customers.create({ name: "Listed", code })
    proxy.next("pass", "lose", busy(503), "pass", "cut")
    const found: Array<string | undefined> = []
    const { seen } = await during(async () => {
      for await (const { code } of client.customers.list({ name: "Listed", limit: 10, order: "asc" })) found.push(code)
    })
    assert.deepStrictEqual(found, codes)
    assert.lengthOf(seen, 3 + 3)
    const pages: Array<number> = []
    for await (const { data } of client.customers.list({ name: "Listed", limit: 10 }).pages()) pages.push(data.length)
    assert.deepStrictEqual(pages, [10, 10, 5])
  })

  it("asks for no page that nobody needs", async () => {
    const { seen } = await during(async () => {
      for await (const customer of client.customers.list({ name: "Listed", limit: 10 })) {
        assert.isString(customer.id)
        return
      }
    })
    assert.lengthOf(seen, 1)
    const first = await client.customers.list({ name: "Listed", limit: 10 }).withResponse()
    const { has_more, next_cursor } = first.page_info
    assert.isTrue(has_more)
    const rest = await client.customers.list({ name: "Listed", limit: 100, cursor: next_cursor! }).result()
    // A cursor belongs to its filters; another limit is another page of the same list.
    assert.isTrue(rest.ok && rest.data.length === 15)
  })
})

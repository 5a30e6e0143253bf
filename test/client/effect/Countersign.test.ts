import { assert, describe, it } from "@effect/vitest"
import { ConfigProvider, Effect, Layer, Redacted, Schedule, Stream } from "effect"
import { randomUUID } from "node:crypto"
import {
  asDryRun,
  Countersign,
  entries,
  withIdempotencyKey,
  withIfMatch,
  withLicenseKey,
  withReason
} from "../../../src/client/effect/index.ts"
import type { Errors, RetrySchedule } from "../../../src/client/effect/index.ts"
import { hostileProxy } from "../../fixtures/HostileProxy.ts"
import { adminToken, startService } from "../../fixtures/Service.ts"

const service = await startService()
const proxy = await hostileProxy(service.url)
const token = Redacted.make(adminToken)

const run = <A, E>(
  effect: Effect.Effect<A, E, Countersign>,
  layer = Countersign.layer({ baseUrl: proxy.url, token })
) => Effect.runPromise(Effect.provide(effect, layer))

const createProduct = (code: string) =>
  Effect.flatMap(Countersign, ({ products }) => products.createProduct({ payload: { name: "Once", code } }))

const busy = (status: number) => ({ status, headers: { "retry-after": "0" } })

const seenDuring = async (call: () => Promise<unknown>) => {
  const from = proxy.seen.length
  await call()
  return proxy.seen.slice(from)
}

describe("the client of effects", () => {
  it("has the errors of an operation in its error channel, by their tags", async () => {
    const product = Effect.flatMap(Countersign, ({ products }) => products.getProduct({ params: { id: "prod_none" } }))
    const handled: Effect.Effect<string, unknown, Countersign> = product.pipe(
      Effect.map(({ data }) => data.name),
      Effect.catchTags({
        NOT_FOUND: (error: Errors.NotFound) => Effect.succeed(`${error.error.code}: ${error.meta?.request_id}`),
        TOKEN_EXPIRED: () => Effect.succeed("expired")
      })
    )
    assert.match(await run(handled), /^NOT_FOUND: req_/)
    // @ts-expect-error The compiler knows what the operation cannot answer.
    void product.pipe(Effect.catchTag("FEATURE_QUOTA_EXCEEDED", () => Effect.void))
    const refused = await run(
      createProduct("").pipe(Effect.catchTag("VALIDATION_ERROR", ({ error }) => Effect.succeed(error.fields)))
    ).catch((error: unknown) => error)
    // What cannot be valid is refused before it is sent, or by the service.
    assert.isDefined(refused)
    const anonymous = Countersign.layer({ baseUrl: service.url })
    const nobody = createProduct("x").pipe(Effect.flip, Effect.map((error) => error._tag))
    assert.strictEqual(await run(nobody, anonymous), "UNAUTHENTICATED")
  })

  it.each([
    ["is dropped", ["drop", "drop"] as const],
    ["is lost", ["lose"] as const],
    ["is cut in its middle", ["cut", "lose"] as const],
    ["meets 429, 503 and 408", [busy(429), busy(503), busy(408)] as const]
  ])("sends a write again that %s: once under one key", async (_name, fates) => {
    const code = randomUUID()
    proxy.next(...fates)
    const seen = await seenDuring(async () => {
      const { data } = await run(createProduct(code))
      assert.strictEqual(data.code, code)
    })
    assert.lengthOf(seen, fates.length + 1)
    assert.strictEqual(new Set(seen.map(({ headers }) => headers["idempotency-key"])).size, 1)
    const { body } = await service.call("GET", "/api/v1/products?limit=200")
    assert.lengthOf(body.data.filter((product: { readonly code: string }) => product.code === code), 1)
  })

  it("waits while an earlier attempt still runs, and never repeats what was refused", async () => {
    const error = { code: "IDEMPOTENCY_IN_FLIGHT", message: "still running" }
    proxy.next({
      status: 409,
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ error, meta: {} })
    })
    assert.lengthOf(await seenDuring(() => run(createProduct(randomUUID()))), 2)
    const code = randomUUID()
    await run(createProduct(code))
    const conflict = createProduct(code).pipe(Effect.flip, Effect.map(({ _tag }) => _tag))
    const seen = await seenDuring(async () => assert.strictEqual(await run(conflict), "CONFLICT"))
    assert.lengthOf(seen, 1)
  })

  it("takes a key and a license key of the caller, a time limit and another schedule", async () => {
    const key = randomUUID()
    const code = randomUUID()
    const twice = await run(
      Effect.all([createProduct(code), createProduct(code)]).pipe(withIdempotencyKey(key))
    )
    assert.deepStrictEqual(twice[0], twice[1])
    const { key: licenseKey } = await service.issue()
    const activated = await run(
      Effect.flatMap(
        Countersign,
        ({ runtime }) => runtime.activateLicense({ payload: { fingerprint: "f" }, headers: {} })
      ).pipe(withLicenseKey(licenseKey))
    )
    assert.strictEqual(activated.data.status, "active")
    const once: RetrySchedule = Schedule.recurs(1)
    proxy.next("hang", "hang", "pass")
    const impatient = Countersign.layer({ baseUrl: proxy.url, token, timeout: "2 seconds", retry: once })
    const seen = await seenDuring(async () => {
      const failure = Effect.flatMap(Countersign, ({ products }) => products.listProducts({ query: {} })).pipe(
        Effect.flip
      )
      assert.strictEqual((await run(failure, impatient))._tag, "HttpClientError")
    })
    assert.lengthOf(seen, 2)
    await run(createProduct(randomUUID()))
  })

  it("changes only what was read, when it is told so", async () => {
    const { product } = await service.issue()
    const { headers } = await service.call("GET", `/api/v1/products/${product.id}`)
    const rename = (name: string) =>
      Effect.flatMap(
        Countersign,
        ({ products }) => products.updateProduct({ params: { id: product.id }, payload: { name } })
      ).pipe(withIfMatch(String(headers.etag)))
    assert.strictEqual((await run(rename("B"))).data.name, "B")
    assert.strictEqual((await run(Effect.flip(rename("C"))))._tag, "PRECONDITION_FAILED")
    const created = createProduct(randomUUID()).pipe(withIfMatch("*"), Effect.flip)
    assert.strictEqual((await run(created))._tag, "INVALID_HEADER")
  })

  it("says why an action is taken, and asks what it would do, with a payload and without", async () => {
    const { license } = await service.issue()
    const params = { id: license.id }
    const metadataOf = async (kind: string) =>
      (await service.feed(`&event_type=${kind}&resource_id=${license.id}`)).at(-1)?.metadata
    const licenses = Effect.map(Countersign, (client) => client.licenses)
    await run(Effect.flatMap(licenses, (client) => client.suspendLicense({ params })).pipe(withReason("chargeback")))
    assert.strictEqual((await metadataOf("license.suspended")).reason_given, "chargeback")
    const rotate = (payload: { readonly overlap_minutes?: number; readonly reason?: string }) =>
      Effect.flatMap(licenses, (client) => client.rotateLicenseKey({ params, payload }))
    const { data } = await run(rotate({ overlap_minutes: 5 }).pipe(withReason("asked"), asDryRun))
    assert.strictEqual(data.license_key, "")
    assert.isUndefined(await metadataOf("license.key_rotated"), "a question does nothing")
    await run(rotate({ overlap_minutes: 5 }).pipe(withReason("posted in a forum")))
    assert.strictEqual((await metadataOf("license.key_rotated")).reason_given, "posted in a forum")
    await run(rotate({ reason: "its own" }).pipe(withReason("of the whole")))
    assert.strictEqual((await metadataOf("license.key_rotated")).reason_given, "its own")
    // What cannot be asked is not done.
    const code = randomUUID()
    const asked = createProduct(code).pipe(asDryRun, Effect.flip, Effect.map((error) => error._tag))
    assert.strictEqual(await run(asked), "UNKNOWN_FIELD")
    assert.lengthOf(
      (await service.data("GET", "/api/v1/products")).filter((found: { code: string }) => found.code === code),
      0
    )
    // What reads is asked as it is.
    assert.isAbove(
      (await run(Effect.flatMap(licenses, (client) => client.listLicenses({ query: {} })).pipe(asDryRun))).data.length,
      0
    )
  })

  it("is configured by the environment", async () => {
    const environment = { COUNTERSIGN_URL: service.url, COUNTERSIGN_TOKEN: adminToken }
    const layer = Countersign.layerConfig.pipe(
      Layer.provide(ConfigProvider.layer(ConfigProvider.fromUnknown(environment)))
    )
    const whoami = Effect.flatMap(Countersign, ({ apiKeys }) => apiKeys.getWhoami({}))
    const { data } = await Effect.runPromise(whoami.pipe(Effect.provide(layer)))
    assert.include(data.scopes, "admin")
  })

  it("goes through a list as a stream, in order, page by page as it is read", async () => {
    const name = randomUUID()
    const codes = Array.from({ length: 25 }, () => randomUUID())
    for (const code of codes) await service.data("POST", "/api/v1/customers", { name, code })
    const listed = Stream.unwrap(
      Effect.map(
        Countersign,
        ({ customers }) =>
          entries((from) => customers.listCustomers({ query: { name, limit: 10, order: "asc", ...from } }))
      )
    )
    proxy.next("pass", "lose", busy(503))
    const seen = await seenDuring(async () => {
      const found = await run(Stream.runCollect(Stream.map(listed, ({ code }) => code)))
      assert.deepStrictEqual([...found], codes)
    })
    assert.lengthOf(seen, 3 + 2)
    assert.lengthOf(await seenDuring(() => run(Stream.runCollect(Stream.take(listed, 3)))), 1)
  })
})

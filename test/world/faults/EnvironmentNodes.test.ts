import { assert, describe, it } from "@effect/vitest"
import { randomUUID } from "node:crypto"
import { examine } from "../../fixtures/Doctor.ts"
import { startReceiver } from "../../fixtures/Receiver.ts"
import type { Answer, Service } from "../../fixtures/Service.ts"
import { startService } from "../../fixtures/Service.ts"
import { eventually } from "../../fixtures/Session.ts"
import type { Body } from "../../fixtures/Session.ts"
import { takeTurns } from "../../fixtures/Share.ts"
import { testDatabaseOf, testToken } from "../../fixtures/TestEnvironment.ts"

takeTurns()

// Two nodes with both environments.
const service = await startService()
const testDatabase = testDatabaseOf(service)
const other = await startService({ databaseUrl: service.databaseUrl })

const test = { token: testToken }
const reset = "/api/v1/environment/reset"
const clock = "/api/v1/environment/clock"

/** A management call in the test environment that must succeed; answers `data`. */
const inTest = (on: Service, method: string, path: string, body?: unknown): Promise<Body> =>
  on.data(method, path, body, test)

const makeProduct = (on: Service) =>
  on.call("POST", "/api/v1/products", { ...test, body: { name: "X", code: randomUUID() } })

const advance = (on: Service, span: string) => on.call("PUT", clock, { ...test, body: { advance: span } })

/** The id of the newest signing key, which is another one after each reset. */
const signingKey = async (on: Service): Promise<string> =>
  (await on.call("GET", "/test/api/v1/system/public-keys", { token: null })).body.data[0].kid

/** A license of the test environment for a year, with its key. */
const issueInTest = async (on: Service) => {
  const product = await inTest(on, "POST", "/api/v1/products", { name: "Acme Studio", code: randomUUID() })
  const policy = await inTest(on, "POST", `/api/v1/products/${product.id}/policies`, {
    name: "Annual",
    code: "annual",
    license_type: "subscription",
    duration: "P1Y",
    max_activations: 1000
  })
  const { license, license_key: key } = await inTest(on, "POST", "/api/v1/licenses", {
    product_id: product.id,
    policy_id: policy.id
  })
  return { product, license, key: String(key), device: { product_code: product.code, fingerprint: "f-1" } }
}

/** What a request may be answered while somebody resets the environment: that it was done, or that it may be tried again. */
const isPlain = ({ body, status }: Answer): boolean =>
  status < 300 || status === 404 || status === 503 && body.error.code === "UNAVAILABLE"

/** Asks again and again, with as many callers, until it is ended; answers what was answered otherwise than {@link isPlain}. */
const keepAsking = (callers: number, ask: (caller: number) => Promise<Answer>) => {
  const ending = new AbortController()
  const wrong: Array<string> = []
  const asked = Array.from({ length: callers }, async (_, caller) => {
    while (!ending.signal.aborted) {
      const answer = await ask(caller)
      if (!isPlain(answer)) wrong.push(answer.text)
    }
  })
  return async () => {
    ending.abort()
    await Promise.all(asked)
    return wrong
  }
}

describe("two nodes with a test environment", () => {
  it("answer by the clock from the first request after a move on the other, and by no time before it", async () => {
    const { device, key } = await issueInTest(service)
    assert.strictEqual((await other.license("activate", key, device)).status, 200)
    for (const [mover, follower] of [[service, other], [other, service], [service, other]] as const) {
      const moved = await inTest(mover, "PUT", clock, { advance: "P5M" })
      const answer = await follower.call("GET", "/api/v1/environment", test)
      assert.strictEqual(answer.body.data.clock_moved, true)
      for (const time of [answer.body.data.now, answer.body.meta.timestamp]) {
        assert.isAtLeast(Date.parse(time), Date.parse(moved.now))
      }
      const made = await inTest(follower, "POST", "/api/v1/products", { name: "Later", code: randomUUID() })
      assert.isAtLeast(Date.parse(made.created_at), Date.parse(moved.now))
      const { body } = await mover.call("GET", "/api/v1/products?limit=1", test)
      assert.strictEqual(body.data[0].id, made.id, "ids follow the clock, so the newest is the first of the list")
    }
    assert.strictEqual((await other.license("validate", key, device)).body.error.code, "LICENSE_EXPIRED")
  })

  it("make up for failed deliveries that are due by then, on whichever node their lanes are", async () => {
    const receiver = await startReceiver()
    receiver.respond = (response) => response.writeHead(500).end()
    for (let number = 0; number < 8; number++) {
      await inTest(service, "POST", "/api/v1/webhooks", {
        name: `${number}`,
        url: `${receiver.url}/${number}`,
        event_types: ["license.created"]
      })
    }
    await issueInTest(other)
    const attempts = () => new Set(receiver.received.map(({ path }) => path)).size
    await eventually("each endpoint has failed", () => attempts() === 8)
    const arrived = new Set<string>()
    receiver.respond = (response, { path }) => {
      arrived.add(path)
      response.writeHead(200).end()
    }
    await inTest(service, "PUT", clock, { advance: "P1D" })
    await eventually("each endpoint has it", () => arrived.size === 8)
  })

  it("add up moves that are made at the same time, and go back for none", async () => {
    const { now } = await inTest(service, "GET", "/api/v1/environment")
    const answers = await Promise.all([service, other, service, other].map((on) => advance(on, "P10D")))
    for (const { status, text } of answers) assert.strictEqual(status, 200, text)
    const after = await inTest(other, "GET", "/api/v1/environment")
    assert.isAtLeast(Date.parse(after.now) - Date.parse(now), 40 * 86_400_000)

    const at = (days: number) => new Date(Date.parse(after.now) + days * 86_400_000).toISOString()
    const [far, near] = await Promise.all([
      service.call("PUT", clock, { ...test, body: { now: at(30) } }),
      other.call("PUT", clock, { ...test, body: { now: at(10) } })
    ])
    assert.strictEqual(far!.status, 200, far!.text)
    assert.isAtLeast(Date.parse(far!.body.data.now), Date.parse(at(30)))
    // It came first and moved the clock to its own time, or it came second and would have moved it back.
    if (near!.status === 200) assert.isBelow(Date.parse(near!.body.data.now), Date.parse(at(30)))
    else assert.strictEqual(near!.status, 422, near!.text)
    assert.deepStrictEqual((await examine(testDatabase)).found, [])
  })

  it("know of a reset on the other from their first request on, though they serve while it happens", async () => {
    const { key, device, product } = await issueInTest(service)
    const before = await signingKey(other)
    const answered = new Map<string, number>()
    const stop = keepAsking(6, async (caller) => {
      if (caller === 0) return other.call("GET", `/api/v1/products/${product.id}`, test)
      if (caller === 1) {
        return other.license("activate", key, device).catch((error: Error) => {
          // The sessions that would have signed the verdict ended after it was reached: nothing signed, nothing decided.
          if (!error.message.includes("LICENSE_KEY_INVALID: meta.refusal")) throw error
          return { status: 404 } as Answer
        }).then((answer) => answer.status === 401 ? { ...answer, status: 404 } : answer)
      }
      const answer = await makeProduct(other)
      if (answer.status === 201) answered.set(answer.body.data.id, performance.now())
      return answer
    })
    let wrong: ReadonlyArray<string> = []
    const resets: Array<{ readonly sent: number; readonly done: number }> = []
    try {
      for (let round = 0; round < 2; round++) {
        const known = answered.size
        await eventually("the other node serves", () => answered.size > known + 10)
        const sent = performance.now()
        const answer = await service.call("POST", reset, test)
        assert.strictEqual(answer.status, 200, answer.text)
        resets.push({ sent, done: performance.now() })
        assert.notStrictEqual(await signingKey(other), before)
      }
    } finally {
      wrong = await stop()
    }
    assert.deepStrictEqual(wrong, [])
    const left = await inTest(other, "GET", "/api/v1/products?limit=200")
    const leftIds: ReadonlyArray<string> = left.map(({ id }: Body) => id)
    const last = resets.at(-1)!
    const gone = new Set([...answered].filter(([, at]) => at < last.sent).map(([id]) => id))
    assert.deepStrictEqual(leftIds.filter((id) => gone.has(id)), [], "nothing from before the reset is left")
    assert.strictEqual((await service.call("GET", `/api/v1/products/${product.id}`, test)).status, 404)
    assert.strictEqual(await signingKey(service), await signingKey(other))
    assert.deepStrictEqual((await examine(testDatabase)).found, [])
  })

  it("are empty after resets that were asked for at the same time, while the clock is moved", async () => {
    await issueInTest(service)
    const answers = await Promise.all([
      advance(service, "P2Y"),
      service.call("POST", reset, test),
      advance(other, "P1Y"),
      other.call("POST", reset, test),
      service.call("POST", reset, test)
    ])
    for (const answer of answers) assert.isTrue(isPlain(answer), answer.text)
    // Each may have ended the other; none is left half done.
    const done = await service.call("POST", reset, test)
    assert.strictEqual(done.status, 200, done.text)
    for (const on of [service, other]) {
      assert.deepStrictEqual((await on.call("GET", "/api/v1/products", test)).body.data, [])
      assert.strictEqual((await inTest(on, "GET", "/api/v1/environment")).clock_moved, false)
    }
    assert.deepStrictEqual((await examine(testDatabase)).found, [])
  })
})

describe("a reset of a node that is busy", () => {
  it("answers each of fifty requests in flight, leaves nothing of what was, and does not touch live", async () => {
    const { key, device, product } = await issueInTest(service)
    const live = await service.issue()
    const liveDevice = { product_code: live.product.code, fingerprint: "f-1" }
    assert.strictEqual((await service.license("activate", live.key, liveDevice)).status, 200)
    const liveWrong: Array<string> = []
    const liveStop = keepAsking(2, async () => {
      const answer = await service.license("validate", live.key, liveDevice)
      if (answer.status !== 200) liveWrong.push(answer.text)
      return { ...answer, status: 200 }
    })
    try {
      for (let round = 0; round < 2; round++) {
        const inFlight = Array.from({ length: 50 }, (_, number) => {
          if (number % 3 === 0) return makeProduct(service)
          if (number % 3 === 1) return service.call("GET", "/api/v1/products?limit=200", test)
          return service.license("activate", key, { ...device, fingerprint: `f-${number}` })
        })
        const answer = await service.call("POST", reset, test)
        assert.strictEqual(answer.status, 200, answer.text)
        const answers = await Promise.all(inFlight)
        const odd = answers.filter((one) => !isPlain(one) && one.status !== 401)
        assert.deepStrictEqual(odd.map(({ text }) => text), [])
      }
      assert.strictEqual((await service.call("GET", `/api/v1/products/${product.id}`, test)).status, 404)
      assert.strictEqual((await service.license("validate", key, device)).status, 401)
    } finally {
      await liveStop()
    }
    assert.deepStrictEqual(liveWrong, [])
    assert.deepStrictEqual((await examine(testDatabase)).found, [])
  })
})

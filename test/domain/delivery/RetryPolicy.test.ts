import { assert, describe, it } from "@effect/vitest"
import { Arbitrary, Schema } from "effect"
import * as RetryPolicy from "../../../src/domain/delivery/RetryPolicy.ts"

const seconds = [0, 5, 30, 120, 600, 1800, 3600, 7200, 14_400, 28_800, 43_200, 86_400, 86_400]
const hour = 3_600_000

describe("nextDelay", () => {
  it("follows the published steps: 13 attempts, about 76 hours", () => {
    assert.strictEqual(RetryPolicy.maximumAttempts, 13)
    const delays = seconds.map((_, attempts) => RetryPolicy.nextDelay(attempts, 0))
    assert.deepStrictEqual(delays, seconds.map((step) => step * 1000))
    const total = delays.reduce<number>((sum, delay) => sum + delay!, 0)
    assert.approximately(total / hour, 75.7, 0.05)
    for (const attempts of [13, 14, 1000]) assert.isUndefined(RetryPolicy.nextDelay(attempts, 0, hour))
  })

  const within = (minimum: number, maximum: number) =>
    Arbitrary.schema(Schema.Int.check(Schema.isBetween({ minimum, maximum })))

  it.prop(
    "is never early, at most a quarter late, and lengthened at most to a day",
    [within(0, 12), within(0, 999_999), within(0, 72 * hour)],
    ([attempts, millionths, retryAfter]) => {
      const step = seconds[attempts]! * 1000
      const u = millionths / 1_000_000
      const delay = RetryPolicy.nextDelay(attempts, u)!
      assert.isTrue(Number.isInteger(delay))
      assert.isAtLeast(delay, step)
      assert.isAtMost(delay, step * 1.25)
      const lengthened = RetryPolicy.nextDelay(attempts, u, retryAfter)!
      assert.strictEqual(lengthened, Math.max(delay, Math.min(retryAfter, 24 * hour)))
    }
  )

  it("spreads", () => {
    assert.strictEqual(RetryPolicy.nextDelay(1, 0.5), 5625)
    assert.strictEqual(RetryPolicy.nextDelay(12, 0.999_999_999_9), 24 * hour * 1.25)
  })
})

describe("classify", () => {
  it("delivers on 2xx alone", () => {
    for (const status of [200, 201, 202, 204, 299]) assert.strictEqual(RetryPolicy.classify({ status }), "delivered")
    for (const status of [100, 199, 300, 301, 304, 400, 401, 404, 409, 422, 500, 503, 599]) {
      assert.strictEqual(RetryPolicy.classify({ status, headers: {} }), "failed")
    }
  })

  it("takes 429, and 503 that says when to come again, for a wish for a slower pace", () => {
    assert.strictEqual(RetryPolicy.classify({ status: 429 }), "throttled")
    assert.strictEqual(RetryPolicy.classify({ status: 503, headers: { "retry-after": "7" } }), "throttled")
    assert.strictEqual(RetryPolicy.classify({ status: 500, headers: { "retry-after": "7" } }), "failed")
    assert.strictEqual(RetryPolicy.classify({ status: 429, headers: { "webhook-delivery": "disable" } }), "disable")
    assert.strictEqual(RetryPolicy.classify({ status: 429, headers: { "webhook-delivery": "abort-message" } }), "drop")
  })

  it("tries again after an error of the transport, even when a status had come", () => {
    assert.strictEqual(RetryPolicy.classify({ error: new Error("ECONNREFUSED") }), "failed")
    assert.strictEqual(RetryPolicy.classify({ error: "timeout", status: 200 }), "failed")
    assert.strictEqual(RetryPolicy.classify({}), "failed")
  })

  it("hears what the receiver asks for", () => {
    const ask = (status: number, wish: string | ReadonlyArray<string>) =>
      RetryPolicy.classify({ status, headers: { "webhook-delivery": wish } })
    assert.strictEqual(RetryPolicy.classify({ status: 410 }), "disable")
    assert.strictEqual(ask(500, "disable"), "disable")
    assert.strictEqual(ask(200, " Disable "), "disable")
    assert.strictEqual(ask(500, "abort-message"), "drop")
    assert.strictEqual(ask(400, ["other", "abort-message"]), "drop")
    assert.strictEqual(ask(200, "abort-message"), "delivered")
    assert.strictEqual(ask(500, "other"), "failed")
  })
})

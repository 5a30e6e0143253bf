import { assert, describe, it } from "@effect/vitest"
import { mayRetry, readRetryAfter, retryDelay } from "../../../src/client/transport/Retries.ts"

describe("what is sent again", () => {
  it.each([408, 429, 502, 503, 504])("%i was not decided", (status) => {
    assert.isTrue(mayRetry(status, "UNAVAILABLE"))
  })

  it.each([400, 401, 403, 404, 409, 410, 413, 415, 422, 500])("%i was", (status) => {
    assert.isFalse(mayRetry(status, "CONFLICT"))
  })

  it("an earlier attempt that still runs is waited for", () => {
    assert.isTrue(mayRetry(409, "IDEMPOTENCY_IN_FLIGHT"))
  })
})

describe("Retry-After", () => {
  const now = Date.parse("2026-11-24T10:00:00Z")

  it.each([
    ["0", 0],
    ["120", 120_000],
    [" 7 ", 7000],
    ["Tue, 24 Nov 2026 10:00:30 GMT", 30_000],
    ["Tue, 24 Nov 2026 09:00:00 GMT", 0],
    ["soon", undefined],
    ["-5x", undefined],
    [null, undefined]
  ])("%j is %j milliseconds", (value, expected) => {
    assert.strictEqual(readRetryAfter(value, now), expected)
  })
})

describe("the wait before an attempt", () => {
  const chances = [0, 0.25, 0.5, 0.999]

  it("doubles from a quarter of a second to eight seconds, and is spread over its upper half", () => {
    for (let retries = 0; retries < 40; retries++) {
      const whole = Math.min(8000, 250 * 2 ** retries)
      const waits = chances.map((random) => retryDelay(retries, undefined, random))
      assert.strictEqual(waits[0], whole / 2)
      assert.isBelow(waits.at(-1)!, whole)
      assert.deepStrictEqual(waits, waits.toSorted((a, b) => a - b))
    }
  })

  it("is never shorter than the service asks, and a quarter longer at most", () => {
    for (const asked of [1000, 5000, 60_000]) {
      for (const random of chances) {
        const wait = retryDelay(0, asked, random)
        assert.isAtLeast(wait, asked)
        assert.isAtMost(wait, asked * 1.25)
      }
    }
    // Those who may come at once do not come together.
    assert.isAbove(retryDelay(3, 0, 0.5), 0)
  })
})

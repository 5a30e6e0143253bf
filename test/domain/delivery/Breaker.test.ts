import { assert, describe, it } from "@effect/vitest"
import { Breaker, probeDelay } from "../../../src/domain/delivery/Breaker.ts"

const failing = (breaker: Breaker, count: number, now: number) => {
  for (let index = 0; index < count; index++) breaker.fail(breaker.begin(), now)
}

describe("Breaker", () => {
  it("opens at the tenth failure in a row, not at the ninth", () => {
    const breaker = new Breaker()
    failing(breaker, 9, 1000)
    assert.isTrue(breaker.allows(1000))
    failing(breaker, 1, 1000)
    assert.strictEqual(breaker.state, "open")
    assert.isFalse(breaker.allows(5999))
    assert.isTrue(breaker.allows(6000))
  })

  it("opens when half of 20 attempts in 60 s failed, though never ten in a row", () => {
    const breaker = new Breaker()
    for (let index = 0; index < 19; index++) {
      if (index % 2 === 0) breaker.succeed(false, 1000 + index)
      else assert.isFalse(breaker.fail(false, 1000 + index))
    }
    assert.strictEqual(breaker.state, "closed")
    assert.isTrue(breaker.fail(false, 2000))
  })

  it("forgets what is older than 60 s", () => {
    const breaker = new Breaker()
    for (let index = 0; index < 9; index++) breaker.fail(false, 0)
    breaker.succeed(false, 1)
    for (let index = 0; index < 9; index++) assert.isFalse(breaker.fail(false, 70_000))
    breaker.succeed(false, 70_001)
    // 9 of 10 in the last minute: fewer than 20 attempts tell nothing.
    assert.strictEqual(breaker.state, "closed")
  })

  it("lets one probe through at a time, 5 s doubling to 5 minutes", () => {
    const breaker = new Breaker()
    failing(breaker, 10, 0)
    let now = 0
    for (const expected of [5, 10, 20, 40, 80, 160, 300, 300]) {
      assert.strictEqual(breaker.probeAt - now, expected * 1000)
      now = breaker.probeAt
      assert.isTrue(breaker.allows(now))
      assert.isTrue(breaker.begin())
      assert.isFalse(breaker.allows(now), "a second attempt beside the probe")
      breaker.fail(true, now)
    }
    assert.strictEqual(probeDelay(100), 300_000)
  })

  it("closes when a probe succeeds and starts from nothing", () => {
    const breaker = new Breaker()
    failing(breaker, 10, 0)
    assert.isTrue(breaker.begin())
    assert.isTrue(breaker.succeed(true, 5000))
    failing(breaker, 9, 5001)
    assert.strictEqual(breaker.state, "closed")
  })

  it("ignores attempts that were under way when it opened", () => {
    const breaker = new Breaker()
    failing(breaker, 10, 0)
    breaker.fail(false, 4000)
    assert.strictEqual(breaker.probeAt, 5000)
    assert.isFalse(breaker.succeed(false, 4000))
    assert.strictEqual(breaker.state, "open")
  })

  it("makes a probe again that was given up, and one that a crash cut off", () => {
    const breaker = new Breaker()
    failing(breaker, 10, 0)
    assert.isTrue(breaker.begin())
    const revived = new Breaker(breaker.snapshot)
    breaker.abandon(true)
    assert.isTrue(breaker.allows(5000))
    assert.strictEqual(revived.state, "open")
    assert.isTrue(revived.allows(5000))
  })
})

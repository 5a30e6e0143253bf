import { assert, describe, it } from "@effect/vitest"
import { closedBreaker } from "../../../../src/domain/delivery/Breaker.ts"
import type { LaneItem } from "../../../../src/domain/delivery/LaneChange.ts"
import { LaneState } from "../../../../src/domain/delivery/LaneState.ts"
import { freeRate, LaneRate } from "../../../../src/domain/delivery/pacing/LaneRate.ts"
import { dice } from "../../../fixtures/Dice.ts"

interface TestEvent {
  readonly sequence: number
  readonly body: string
}

/** Answers how long a receiver asks to be left alone, in milliseconds, or undefined when it takes the delivery. */
type Limiter = (now: number) => number | undefined

/** So many in each second of the clock. */
const perWindow = (limit: number, retryAfter: number): Limiter => {
  let window = -1
  let count = 0
  return (now) => {
    if (Math.floor(now / 1000) !== window) {
      window = Math.floor(now / 1000)
      count = 0
    }
    count += 1
    return count <= limit ? undefined : retryAfter
  }
}

/** A bucket of tokens that fills at a rate. */
const bucket = (perSecond: number, size: number, retryAfter: number): Limiter => {
  let tokens = size
  let at = 0
  return (now) => {
    tokens = Math.min(size, tokens + (now - at) * perSecond / 1000)
    at = now
    if (tokens < 1) return retryAfter
    tokens -= 1
    return undefined
  }
}

/** Delivers `count` events that are there at once to a receiver; answers when each arrived, and what was refused. */
const deliver = (count: number, limiter: Limiter, latency = 20) => {
  const lane = new LaneState<TestEvent>(
    "whk_a",
    { cursor: 0, breaker: closedBreaker, rate: freeRate, failing: false, failingDeliveries: 0 },
    [],
    0
  )
  const flights: Array<
    { readonly item: LaneItem<TestEvent>; readonly ends: number; readonly requested: number | undefined }
  > = []
  const arrivals: Array<number> = []
  let refusals = 0
  let offered = 0
  let now = 0
  for (; arrivals.length < count && now < 600_000; now += 5) {
    for (let index = 0; index < flights.length;) {
      const { requested, ends, item } = flights[index]!
      if (ends > now) {
        index += 1
        continue
      }
      flights.splice(index, 1)
      if (requested === undefined) arrivals.push(now)
      else refusals += 1
      lane.settle(
        item,
        {
          outcome: requested === undefined ? "delivered" : "throttled",
          reason: "",
          status: requested === undefined ? 200 : 429,
          congested: false,
          retryAfter: requested === 0 ? undefined : requested
        },
        now,
        0.5
      )
    }
    const change = lane.takeChange(now)
    if (change !== undefined) lane.changeWritten(change)
    while (offered < count && lane.window.room > 0) {
      offered += 1
      lane.window.offer([{ sequence: offered, body: "{}" }], offered)
    }
    for (let item = lane.next(now); item !== undefined; item = lane.next(now)) {
      flights.push({ item, ends: now + latency, requested: limiter(now + latency / 2) })
    }
  }
  assert.strictEqual(lane.breaker.state, "closed")
  assert.strictEqual(lane.retries.size, 0)
  return { seconds: now / 1000, refusals, arrivals }
}

describe("LaneRate", () => {
  it.each([
    ["five in each second, and says 1 s", perWindow(5, 1_000), 5],
    ["five in each second, and says nothing", perWindow(5, 0), 5],
    ["a bucket of five", bucket(5, 5, 1_000), 5],
    ["a bucket of a hundred that says nothing", bucket(5, 100, 0), 5],
    ["50 in each second", perWindow(50, 1_000), 50],
    ["one in each second", perWindow(1, 1_000), 1]
  ])("comes close to what a receiver takes: %s", (name, limiter, perSecond) => {
    const count = perSecond * 40
    const { refusals, seconds } = deliver(count, limiter)
    assert.isBelow(seconds, 60, `${name}: 40 s at the receiver's own limit, ${refusals} refused`)
    assert.isBelow(refusals, 40, name)
  })

  it("is as free after a refusal as before, and a limit that was known is free again after a minute without any", () => {
    const rate = new LaneRate()
    rate.refuse({ startedAt: 0, now: 0, requested: undefined, u: 0 })
    assert.strictEqual(rate.nextAt, 1_000)
    rate.begin(1_000)
    assert.isUndefined(rate.perSecond(1_000))
    const limited = new LaneRate({ restUntil: 0, perSecond: 5, refusals: 0 })
    assert.strictEqual(limited.perSecond(0), 5)
    assert.isUndefined(limited.perSecond(60_000))
  })

  it("rests as told up to an hour, as long as a part of the outage where nothing is said, and not for what was under way", () => {
    const rate = new LaneRate()
    let now = 0
    for (let refusals = 0; refusals < 100; refusals++) {
      rate.refuse({ startedAt: now, now, requested: undefined, u: 0 })
      const rest = rate.nextAt - now
      assert.strictEqual(rest, Math.ceil(Math.min(Math.max(1_000, now / 8), 300_000)))
      rate.refuse({ startedAt: now - 1, now, requested: 0, u: 0 })
      assert.strictEqual(rate.nextAt - now, rest)
      now = rate.nextAt
    }
    assert.strictEqual(rate.nextAt - now, 0)
    rate.succeed(now)
    rate.refuse({ startedAt: now, now, requested: 7_000, u: 0 })
    assert.strictEqual(rate.nextAt - now, 7_000)
    rate.refuse({ startedAt: rate.nextAt, now: rate.nextAt, requested: 86_400_000, u: 0 })
    assert.strictEqual(rate.nextAt - now, 7_000 + 3_600_000)
  })

  it("asks a receiver that takes nothing more seldom than it says in the end, and as it says after one delivery", () => {
    const rate = new LaneRate()
    let now = 0
    while (now < 3_600_000) {
      rate.refuse({ startedAt: now, now, requested: 2_000, u: 0 })
      assert.strictEqual(rate.nextAt - now, Math.ceil(Math.min(Math.max(2_000, now / 8), 300_000)))
      now = rate.nextAt
    }
    rate.succeed(now)
    rate.refuse({ startedAt: now, now, requested: 2_000, u: 0 })
    assert.strictEqual(rate.nextAt - now, 2_000)
  })

  it.each([1_000, 10_000, 60_000, 600_000])(
    "an outage of %i ms lasts little longer for who waits for its end",
    (outage) => {
      const rate = new LaneRate()
      let now = 0
      for (; now < outage; now = rate.nextAt) rate.refuse({ startedAt: now, now, requested: undefined, u: 0.999 })
      assert.isAtMost(now, outage + Math.max(1_100, outage / 7))
      rate.succeed(now)
      assert.isTrue(rate.allows(now))
    }
  )

  it("goes on whatever a receiver answers, and when", () => {
    const roll = dice(11)
    for (let history = 0; history < 100; history++) {
      const rate = new LaneRate()
      const share = roll(100)
      const requested = [undefined, 0, 1_000, 3_000][roll(4)]
      let now = 0
      for (let step = 0; step < 300; step++) {
        // As many as ten at once are answered together.
        for (let flight = roll(10); flight >= 0 && rate.allows(now); flight--) {
          rate.begin(now)
          if (roll(100) < share) rate.refuse({ startedAt: now, now: now + 1, requested, u: 0 })
          else rate.succeed(now)
        }
        assert.isAtMost(rate.nextAt - now, 400_000, `history ${history}, step ${step}`)
        now = Math.max(now + 1, rate.nextAt)
      }
    }
  })
})

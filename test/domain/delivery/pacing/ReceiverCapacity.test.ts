import { assert, describe, inject, it } from "@effect/vitest"
import { dice } from "../../../fixtures/Dice.ts"
import { isLong } from "../../../fixtures/FaultForm.ts"
import type { Fared, Limits } from "../../../fixtures/PacedReceiver.ts"
import { sendFor, unlimited } from "../../../fixtures/PacedReceiver.ts"

/** Each day the same receivers; `npm run test:faults` takes others each time, and more of them. */
const seed = isLong ? Number(inject("seed")) : 49
const receivers = isLong ? 40 : 8
const tenMinutes = 600_000

/** How long a receiver takes that refuses by chance alone, in milliseconds: ten slots send a hundred a second each day, and five hundred. */
const latency = isLong ? unlimited.latency : 100

/** Uniform in [0, 1). */
const randomOf = (number: number, of = seed): () => number => {
  const roll = dice(of * 1_000 + number)
  // The first rolls of neighbours are alike.
  for (let count = 0; count < 3; count++) roll(1)
  return () => roll(1_000_000) / 1_000_000
}

/** Between both, each order of magnitude as likely. */
const between = (random: () => number, least: number, most: number): number => least * (most / least) ** random()

const oneOf = <A>(random: () => number, values: ReadonlyArray<A>): A => values[Math.floor(random() * values.length)]!

const truthful: ReadonlyArray<Limits["header"]> = ["honest", "none", 0, 1_000]
const lying: ReadonlyArray<Limits["header"]> = [{ times: 0.5 }, { times: 2 }, 3_000]

const bucket = (random: () => number): Limits => {
  const perSecond = between(random, 0.5, 200)
  const burst = Math.max(
    1,
    Math.round(oneOf(random, [1, perSecond * random(), perSecond, perSecond * 5, perSecond * 60]))
  )
  return { ...unlimited, latency: between(random, 1, 5_000), perSecond, burst }
}

/** By the minute. */
const windows = (random: () => number): Limits => {
  const burst = Math.round(60 * between(random, 0.5, 200))
  return { ...unlimited, latency: between(random, 1, 5_000), perSecond: burst / 60, burst, window: 60_000 }
}

/** As by day and by night. */
const changing = (random: () => number): Limits => {
  const limits = bucket(random)
  const perSecondAfter = Math.max(0.5, limits.perSecond * between(random, 0.1, 10))
  const burstAfter = Math.max(1, Math.round(limits.burst * perSecondAfter / limits.perSecond))
  return { ...limits, changesAt: tenMinutes / 2, perSecondAfter, burstAfter }
}

/** Faster ones take the test long, and are no other. */
const chance = (random: () => number): Limits => ({
  ...unlimited,
  latency: between(random, 20, 5_000),
  chance: random() / 2
})

const withChance = (make: (random: () => number) => Limits) => (random: () => number): Limits => ({
  ...make(random),
  chance: random() / 2
})

const mean = (values: ReadonlyArray<number>): number => values.reduce((sum, value) => sum + value, 0) / values.length

/** What part arrives of what would if the limits were known, in ten minutes. */
const partOf = (limits: Limits, number: number): { readonly part: number; readonly fared: Fared } => {
  const fared = sendFor(tenMinutes, limits, randomOf(number))
  const oracle = sendFor(tenMinutes, limits, randomOf(number + 500), true)
  return { part: Math.min(1, fared.delivered / Math.max(1, oracle.delivered)), fared }
}

/** On average, and at least. Where a limit and chance, or a header that lies, meet, less can be known: see controllers.md. */
describe("of what a receiver takes arrives in ten minutes", () => {
  it.each([
    ["a bucket", bucket, truthful, 0.92, 0.7],
    ["windows of a minute", windows, truthful, 0.97, 0.9],
    ["a bucket that changes", changing, truthful, 0.88, 0.55],
    ["chance", chance, truthful, 0.93, 0.8],
    ["a bucket and chance", withChance(bucket), truthful, 0.88, 0.5],
    ["windows and chance", withChance(windows), truthful, 0.92, 0.7],
    ["a bucket, and the header lies", bucket, lying, 0.86, 0.55],
    ["windows, and the header lies", windows, lying, 0.82, 0.4],
    ["chance, and the header lies", chance, lying, 0.9, 0.75]
  ])("nearly all: %s", (_name, make, headers, onAverage, atLeast) => {
    const all = Array.from({ length: receivers }, (_, number) => {
      const random = randomOf(number)
      const limits = { ...make(random), header: oneOf(random, headers) }
      return { limits, ...partOf(limits, number) }
    })
    const parts = all.map(({ part }) => part)
    const worst = all.toSorted((one, other) => one.part - other.part).slice(0, 3)
    const told = `seed ${seed}, parts ${parts.map((part) => part.toFixed(2)).join(" ")}: ${JSON.stringify(worst)}`
    assert.strictEqual(all.reduce((sum, { fared }) => sum + fared.early, 0), 0, `before Retry-After, ${told}`)
    assert.isAbove(mean(parts), onAverage, told)
    assert.isAtLeast(Math.min(...parts), atLeast, told)
  })

  it.each([["no header", "none"], ["Retry-After: 0", 0], ["Retry-After: 1", 1_000]] as const)(
    "nearly all where one in seventeen is refused by chance: %s",
    (_name, header) => {
      const parts = Array.from(
        { length: 4 },
        (_, number) => partOf({ ...unlimited, latency, chance: 1 / 17, header }, number).part
      )
      assert.isAbove(Math.min(...parts), 0.8, `seed ${seed}: ${parts.join(" ")}`)
    }
  )

  it("nearly all where refusals came in quick succession and no limit was likely", () => {
    const random = randomOf(20, 49)
    const limits = { ...withChance(windows)(random), header: oneOf(random, truthful) }
    assert.isAbove(sendFor(tenMinutes, limits, randomOf(20, 49)).delivered, 0.8 * tenMinutes / 1_000 * limits.perSecond)
  })

  it("all that ten slots allow while nothing is refused", () => {
    const { delivered } = sendFor(60_000, unlimited, randomOf(1))
    assert.isAtLeast(delivered, 60 * 500 - 10)
  })
})

describe("a limit", () => {
  it.each([2, 5, 20, 100])("refuses less than a tenth of what is sent: %s a second", (perSecond) => {
    for (const [number, header] of (["honest", 1_000] as const).entries()) {
      for (const burst of [1, perSecond, 5 * perSecond]) {
        const { attempts, limited } = sendFor(tenMinutes, { ...unlimited, perSecond, burst, header }, randomOf(number))
        assert.isBelow(limited / attempts, 0.1, `${header}, bursts of ${burst}, seed ${seed}`)
      }
    }
  })

  it.each([0.5, 2, 20, 100])("that was lifted is forgotten within a minute: %s a second", (perSecond) => {
    for (const [number, header] of (["honest", "none", 3_000] as const).entries()) {
      const limits = {
        ...unlimited,
        perSecond,
        burst: Math.max(1, perSecond),
        header,
        changesAt: 300_000 + 7_000 * number
      }
      const { afterChange } = sendFor(limits.changesAt + 120_000, limits, randomOf(number))
      // The second minute, at the 500 a second that ten slots of 20 ms allow.
      assert.isAbove(afterChange, 0.95 * 60 * 500, `${header}, seed ${seed}`)
    }
  })
})

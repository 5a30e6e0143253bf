// A thousand lives of customers by chance, and the smallest life of each kind of mistake that was found, each in six orders, judged by an
// oracle that knows no events. `PAID_LIFE` is the seed of one life, to repeat it alone.
import { assert, beforeAll, describe, it } from "@effect/vitest"
import { inject } from "vitest"
import { historyTimeout, isLong } from "../../fixtures/histories/HistoryForm.ts"
import type { Life } from "../../fixtures/paid/Life.ts"
import { reported } from "../../fixtures/paid/PaidFindings.ts"
import { livesInMemory } from "../../fixtures/paid/PaidMemory.ts"
import { playLives } from "../../fixtures/paid/PaidPlay.ts"
import type { Disagreement, Shop } from "../../fixtures/paid/PaidPlay.ts"
import { rowsOf } from "../../fixtures/paid/PaidRows.ts"
import { openPaidShop } from "../../fixtures/paid/PaidShop.ts"
import { tellers } from "../../fixtures/paid/Provided.ts"
import { buysAgain, lifeDays, randomLife } from "../../fixtures/paid/RandomLives.ts"
import { startService } from "../../fixtures/Service.ts"
import { someOf } from "../../fixtures/Share.ts"
import { inTestOf, testDatabaseOf } from "../../fixtures/TestEnvironment.ts"

/** How many lives are played beside one another on one clock. */
const beside = 20

let shop: Shop
let begun = Math.floor(Date.now() / 1000) + 60
let played = 0

beforeAll(async () => {
  const service = await startService()
  const databaseUrl = testDatabaseOf(service)
  shop = await openPaidShop(inTestOf(service, databaseUrl), databaseUrl)
})

/** Plays lives after those of before: the clock only goes forward. */
const play = async (lives: ReadonlyArray<Life>): Promise<ReadonlyArray<Disagreement>> => {
  played++
  const found = await playLives(shop, lives, { begun, name: `life${played}` })
  begun += (lifeDays + 16) * 86_400
  return found
}

const seeds = (): ReadonlyArray<string> => {
  const given = process.env["PAID_LIFE"]
  if (given !== undefined) return [given]
  // The short form plays the same lives each time, and the long form others.
  return Array.from({ length: isLong ? 200 : 2 }, (_, index) => `${isLong ? inject("seed") : "lives"}-${index}`)
}

/** The seeds of lives that are not as the oracle says. */
const named = (found: ReadonlyArray<Disagreement>): void => {
  if (!isLong) return
  for (const { provider, seed } of new Set(found.map(({ life }) => life))) {
    console.log(`PAID_LIFE="${seed}" of ${provider}`)
  }
}

describe("the licenses of a customer", () => {
  it.each(tellers)("at %s are what the oracle says of lives by chance, without a service", async (provider) => {
    const found = await livesInMemory(seeds().map((seed) => randomLife(seed, provider)))
    named(found)
    assert.isEmpty(found, reported(found))
  }, historyTimeout)

  it("are what the oracle says in the smallest life of each kind of mistake", async () => {
    // The service looks for what is gone on with; all else is decided without it, where `test/domain/sales/purchases/Lives` plays all rows.
    const lives = tellers.flatMap((provider) => rowsOf(provider).map(({ life }) => life))
      .filter((life) => isLong || buysAgain(life))
    const found = await play(someOf("smallest lives", lives, 8))
    assert.isEmpty(found, reported(found))
  }, historyTimeout)

  it("are what the oracle says in lives by chance, in whatever order these are told", async () => {
    const lives = seeds().flatMap((seed) => tellers.map((provider) => randomLife(seed, provider)))
    const found: Array<Disagreement> = []
    for (let from = 0; from < lives.length; from += beside) {
      const more = await play(lives.slice(from, from + beside))
      named(more)
      found.push(...more)
    }
    assert.isEmpty(found, reported(found))
  }, historyTimeout)
})

// Lives of customers, told over HTTP as five providers tell them, in six orders each, and judged by an oracle that knows no events. What
// decides about them is tried with many more in `test/domain/sales/purchases/Lives`: here are few, of each provider, above all those in which a
// customer buys again, because the service looks for what is gone on with.
import { assert, beforeAll, describe, it } from "@effect/vitest"
import { reported } from "../../fixtures/paid/PaidFindings.ts"
import { shortLooks } from "../../fixtures/paid/PaidOrders.ts"
import { playLives } from "../../fixtures/paid/PaidPlay.ts"
import type { Shop } from "../../fixtures/paid/PaidPlay.ts"
import { rowsOf } from "../../fixtures/paid/PaidRows.ts"
import { openPaidShop } from "../../fixtures/paid/PaidShop.ts"
import { tellers } from "../../fixtures/paid/Provided.ts"
import { buysAgain, randomLife } from "../../fixtures/paid/RandomLives.ts"
import { startService } from "../../fixtures/Service.ts"
import { inTestOf, testDatabaseOf } from "../../fixtures/TestEnvironment.ts"

/** Of each provider a short one by chance, and one of the rows in which a customer buys again. */
const lives = tellers.flatMap((provider, nth) => {
  const short = Array.from({ length: 60 }, (_, index) => randomLife(`daily ${index}`, provider))
    .filter((life) => life.entries.length > 6 && life.entries.length < 14)
  const again = rowsOf(provider).map(({ life }) => life).filter(buysAgain)
  return [
    ...short.filter((life) => !buysAgain(life)).slice(0, 1),
    ...again.filter((_, index) => index % tellers.length === nth)
  ]
})

let shop: Shop

beforeAll(async () => {
  const service = await startService()
  const databaseUrl = testDatabaseOf(service)
  shop = await openPaidShop(inTestOf(service, databaseUrl), databaseUrl)
})

describe("the licenses of a customer", () => {
  it("are what the oracle says, in whatever order their life is told", async () => {
    const again = new Set(
      tellers.flatMap((one) => rowsOf(one)).filter(({ life }) => buysAgain(life)).map(({ name }) => name)
    )
    assert.containsAllKeys(Object.fromEntries(lives.map(({ seed }) => [seed, true])), [...again])
    const found = await playLives(shop, lives, {
      begun: Math.floor(Date.now() / 1000) + 60,
      name: "daily",
      at: shortLooks
    })
    assert.isEmpty(found, reported(found))
  })
})

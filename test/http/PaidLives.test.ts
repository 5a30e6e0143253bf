// Lives of customers, told over HTTP as Stripe and Paddle tell them, in six orders each, and judged by an oracle that knows no events.
import { assert, beforeAll, describe, it } from "@effect/vitest"
import { day } from "../fixtures/paid/Life.ts"
import { reported } from "../fixtures/paid/PaidFindings.ts"
import { expectedAt, readings } from "../fixtures/paid/PaidOracle.ts"
import type { Expected } from "../fixtures/paid/PaidOracle.ts"
import { looks, shortLooks } from "../fixtures/paid/PaidOrders.ts"
import { playLives } from "../fixtures/paid/PaidPlay.ts"
import { rowsOf } from "../fixtures/paid/PaidRows.ts"
import { openPaidShop } from "../fixtures/paid/PaidShop.ts"
import { actsOf, buysAgain, randomLife } from "../fixtures/paid/RandomLives.ts"
import { startService } from "../fixtures/Service.ts"
import { inTestOf, testDatabaseOf } from "../fixtures/TestEnvironment.ts"

const rows = [...rowsOf("stripe"), ...rowsOf("paddle")]

/**
 * Short ones by chance beside the rows, and of each provider two in which a customer buys again; `test/world/histories/PaidLives` plays a
 * thousand of any length.
 */
const lives = [
  ...rowsOf("stripe").map(({ life }) => life),
  ...(["stripe", "paddle"] as const).flatMap((provider) => {
    const some = Array.from({ length: 60 }, (_, index) => randomLife(`daily ${index}`, provider))
      .filter((life) => life.entries.length > 6 && life.entries.length < 14)
    return some.filter(buysAgain).slice(0, 2).concat(some.filter((life) => !buysAgain(life)).slice(0, 3))
  })
]

let shop: Awaited<ReturnType<typeof openPaidShop>>

beforeAll(async () => {
  const service = await startService()
  const databaseUrl = testDatabaseOf(service)
  shop = await openPaidShop(inTestOf(service, databaseUrl), databaseUrl)
})

const spelled = ({ expiresAt, limits, status }: Expected): string => {
  const { devices, floating, policy } = limits![0]!
  const end = expiresAt === undefined ? "" : `, until ${Math.round(expiresAt / day)}`
  return `${policy}, ${devices}${floating === undefined ? "" : `+${floating}`}, ${status.join("|")}${end}`
}

describe("the oracle", () => {
  it.each(rows.map((row) => [`${row.life.provider}: ${row.name}`, row] as const))(
    "says of %s what a person would",
    (_, { life, says }) => {
      for (const [days, said] of Object.entries(says)) {
        const there = expectedAt(life, (Number(days) + 0.5) * day).filter(({ status }) => !status.includes("expired"))
        assert.deepStrictEqual(there.map(spelled).toSorted(), said, `day ${days}`)
      }
    }
  )

  it("is asked about lives in which everything happens that can", () => {
    const many = Array.from(
      { length: 300 },
      (_, index) => randomLife(`many ${index}`, index % 2 === 0 ? "stripe" : "paddle")
    )
    assert.deepStrictEqual(actsOf(many), [
      "begun",
      "billed",
      "bought",
      "cancels",
      "changed",
      "collects",
      "decided",
      "declined",
      "disputed",
      "ended",
      "paid",
      "refunded",
      "stands",
      "turned",
      "voided",
      "written off"
    ])
    const asked = many.flatMap((life) => looks.flatMap((days) => expectedAt(life, days * day)))
    assert.sameMembers([...new Set(asked.flatMap((one) => one.readings))], Object.keys(readings))
    const several = asked.filter(({ limits = [], status }) => status.length > 1 || limits.length > 1)
    assert.isEmpty(several.filter((one) => one.readings.length === 0), "more than one answer is a reading with a name")
    assert.isBelow(several.length, asked.length / 4, "most answers are sure")
  })
})

describe("the licenses of a customer", () => {
  it("are what the oracle says, in whatever order their life is told", async () => {
    assert.isAtLeast(lives.length, 20)
    assert.isAtLeast(lives.filter(buysAgain).length, 4)
    const found = await playLives(shop, lives, {
      begun: Math.floor(Date.now() / 1000) + 60,
      name: "daily",
      at: shortLooks
    })
    assert.isEmpty(found, reported(found))
  })
})

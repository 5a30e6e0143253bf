// Lives of customers at five providers, each told in six orders with repeats and losses to what decides about licenses, and judged by an oracle
// that knows no events. `test/world/http/PaidLives` tells some of them to the service, `test/world/histories/PaidLives` a thousand others.
import { assert, describe, it } from "@effect/vitest"
import { day } from "../../../fixtures/paid/Life.ts"
import { reported } from "../../../fixtures/paid/PaidFindings.ts"
import { livesInMemory } from "../../../fixtures/paid/PaidMemory.ts"
import { expectedAt, readings } from "../../../fixtures/paid/PaidOracle.ts"
import type { Expected } from "../../../fixtures/paid/PaidOracle.ts"
import { looks } from "../../../fixtures/paid/PaidOrders.ts"
import { rowsOf } from "../../../fixtures/paid/PaidRows.ts"
import { tellers } from "../../../fixtures/paid/Provided.ts"
import { actsOf, buysAgain, randomLife } from "../../../fixtures/paid/RandomLives.ts"
import { takesAll } from "../../../fixtures/Share.ts"

const rows = tellers.flatMap(rowsOf)

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
    const many = Array.from({ length: 400 }, (_, index) => randomLife(`many ${index}`, tellers[index % 5]!))
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
      "moved",
      "paid",
      "refunded",
      "remapped",
      "stands",
      "transferred",
      "turned",
      "voided",
      "written off"
    ])
    const asked = [...many, ...rows.map(({ life }) => life)].flatMap((life) =>
      looks.flatMap((days) =>
        (["in time", "soon", "at the end", "late"] as const).flatMap((told) => expectedAt(life, days * day, told))
      )
    )
    assert.sameMembers([...new Set(asked.flatMap((one) => one.readings))], Object.keys(readings))
    const several = asked.filter(({ limits = [], status }) => status.length > 1 || limits.length > 1)
    assert.isEmpty(several.filter((one) => one.readings.length === 0), "more than one answer is a reading with a name")
    assert.isBelow(several.length, asked.length / 4, "most answers are sure")
  })
})

describe("the licenses of a customer", () => {
  it.each(tellers)("at %s are what the oracle says, in whatever order their life is told", async (provider) => {
    const lives = [
      ...rowsOf(provider).map(({ life }) => life),
      ...Array.from({ length: takesAll ? 20 : 8 }, (_, index) => randomLife(`lives-${index}`, provider))
    ]
    assert.isAtLeast(lives.filter(buysAgain).length, 5)
    const found = await livesInMemory(lives)
    assert.isEmpty(found, reported(found))
  })
})

import { assert, describe, it } from "@effect/vitest"
import { periodOf, servedBy } from "../../../../src/domain/evidence/recording/DecidedUse.ts"

const terms = { quota: 100, overage: "deny", period: null }
const unlimited = { ...terms, quota: null }

describe("what a quota serves", () => {
  it.each([
    ["nothing changes", terms, {}, 100, 100],
    ["the quota changes", terms, { quota: 40 }, 100, 40],
    ["the quota becomes 0", terms, { quota: 0 }, 100, 0],
    ["the quota is taken away", terms, { quota: null }, 100, Infinity],
    ["a quota is set", unlimited, { quota: 40 }, Infinity, 40],
    ["nothing limits it before and after", unlimited, {}, Infinity, Infinity],
    ["the overage changes", terms, { overage: "10%" }, 100, 110],
    ["the overage is taken away", { ...terms, overage: "10%" }, { overage: null }, 110, 100],
    ["the overage stays under another quota", { ...terms, overage: "10%" }, { quota: 200 }, 110, 220]
  ])("where %s is known before and after", (_, before, change, actual, changed) => {
    assert.deepStrictEqual(servedBy(before, change), { actual, changed })
  })
})

describe("the period of a quota", () => {
  const now = Date.parse("2026-11-21T10:30:00Z")
  const start = Date.parse("2026-01-15T00:00:00Z")
  it.each(
    [
      ["month", "2026-11-01T00:00:00.000Z"],
      ["license_month", "2026-11-15T00:00:00.000Z"]
    ] as const
  )("of a %s begins at %s", (period, begins) => {
    assert.strictEqual(new Date(periodOf({ ...terms, period }, now, start)).toISOString(), begins)
  })

  it.each(["subscription", null] as const)("%s never begins again", (period) => {
    assert.strictEqual(periodOf({ ...terms, period }, now, start), 0)
  })
})

import { assert, describe, it } from "@effect/vitest"
import { plotsOf, year } from "../../../src/runtime/seed/Cast.ts"
import { acts } from "../../../src/runtime/seed/Seeding.ts"
import { plans, renewals, scenes } from "../../../src/runtime/seed/Story.ts"

describe("the lives of licenses", () => {
  it("are the same for the same text, and others for another", () => {
    const told = (seed: string) =>
      plotsOf(seed, 80).map(({ acts, customer, names, plan }) => [plan.policy.code, customer, names.name, acts])
    assert.deepStrictEqual(told("lumen"), told("lumen"))
    assert.notDeepEqual(told("lumen"), told("other"))
  })

  it("begin with how the license is had, and go on in the order of time within the year", () => {
    const plots = plotsOf("lumen", 300)
    assert.lengthOf(plots, 300)
    assert.deepStrictEqual(plots.map(({ number }) => number), Array.from({ length: 300 }, (_, index) => index + 1))
    for (const { acts: [first, ...rest], plan } of plots) {
      assert.strictEqual(first?.act, plan.sale === "trial" ? "open a trial" : "buy")
      const days = [first!, ...rest].map(({ day }) => day)
      assert.deepStrictEqual(days, days.toSorted((a, b) => a - b))
      assert.isAtLeast(days[0]!, 0)
      assert.isBelow(days.at(-1)!, year)
    }
  })

  it("are of every plan, however few there are", () => {
    assert.sameMembers(
      plotsOf("few", plans.length).map(({ plan }) => plan.policy.code),
      plans.map(({ policy }) => policy.code)
    )
  })

  it("have no act that nobody knows to play", () => {
    const named = [...scenes.map((scene) => scene.acts), ...renewals.map(([acts]) => acts)].flat().map(([act]) => act)
    assert.deepStrictEqual([...named, "buy", "open a trial", "use"].filter((act) => !(act in acts)), [])
  })
})

import { assert, describe, it } from "@effect/vitest"
import { RecentMap } from "../../../src/services/admission/RecentMap.ts"

describe("a map of what was used last", () => {
  it("keeps as many as its size, and at most twice as many", () => {
    const map = new RecentMap<number>(3)
    for (let value = 0; value < 100; value++) {
      map.set(`${value}`, value)
      const kept = Array.from({ length: value + 1 }, (_, name) => map.get(`${name}`)).filter((one) => one !== undefined)
      assert.isAtMost(kept.length, 6)
      assert.strictEqual(map.get(`${value}`), value)
    }
  })

  it("keeps what is asked for however much comes after it", () => {
    const map = new RecentMap<string>(2)
    map.set("used", "kept")
    map.set("unused", "forgotten")
    for (let value = 0; value < 50; value++) {
      map.set(`${value}`, "new")
      assert.strictEqual(map.get("used"), "kept")
    }
    assert.isUndefined(map.get("unused"))
  })

  it("forgets what is deleted, recent or not", () => {
    const map = new RecentMap<number>(2)
    for (const name of ["a", "b", "c"]) map.set(name, 1)
    for (const name of ["a", "c"]) {
      map.delete(name)
      assert.isUndefined(map.get(name))
    }
  })
})

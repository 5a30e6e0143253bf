import { assert, describe, it } from "@effect/vitest"
import {
  arrived,
  begun,
  continuing,
  failed,
  refreshing,
  reloading,
  retrying
} from "../../../../src/console/ground/lists/PageList.ts"
import type { PageList } from "../../../../src/console/ground/lists/PageList.ts"

const away = new Error("away")
const first = () => arrived(begun<string>(), begun().wanted, { rows: ["a", "b"], next: "c1" })
const come = (list: PageList<string>, rows: ReadonlyArray<string>, next: string | null) =>
  arrived(list, list.wanted, { rows, next })

describe("a list that is read page by page", () => {
  it("begins with the first page, and knows nothing before it came", () => {
    assert.deepStrictEqual(begun(), {
      rows: undefined,
      next: null,
      error: undefined,
      isLoading: true,
      wanted: { cursor: undefined, turn: 0, many: 0 }
    })
    assert.deepStrictEqual(first(), {
      rows: ["a", "b"],
      next: "c1",
      error: undefined,
      isLoading: false,
      wanted: { cursor: undefined, turn: 0, many: 0 }
    })
  })

  it("adds what comes next behind what is there, up to the end", () => {
    const asked = continuing(first())
    assert.deepStrictEqual([asked.isLoading, asked.wanted], [true, { cursor: "c1", turn: 1, many: 0 }])
    assert.deepStrictEqual(asked.rows, ["a", "b"])
    const second = come(asked, ["c"], null)
    assert.deepStrictEqual([second.rows, second.next], [["a", "b", "c"], null])
    assert.strictEqual(continuing(second), second)
  })

  it("asks for a page once, however often it is wanted meanwhile", () => {
    const asked = continuing(first())
    assert.strictEqual(continuing(asked), asked)
    assert.strictEqual(retrying(asked), asked)
  })

  it.each([["Show more", continuing], ["Try again", retrying]])(
    "asks again for the page that failed by %s, and loses and doubles nothing",
    (_, again) => {
      const asked = continuing(first())
      const broken = failed(asked, asked.wanted, away)
      assert.deepStrictEqual([broken.rows, broken.next, broken.error, broken.isLoading], [
        ["a", "b"],
        "c1",
        away,
        false
      ])
      const once = again(broken)
      assert.deepStrictEqual([once.isLoading, once.wanted], [true, { cursor: "c1", turn: 2, many: 0 }])
      const whole = come(once, ["c", "d"], null)
      assert.deepStrictEqual([whole.rows, whole.error, whole.isLoading], [["a", "b", "c", "d"], undefined, false])
    }
  )

  it("tries the first page again where that one failed", () => {
    const none = failed(begun<string>(), begun().wanted, away)
    assert.deepStrictEqual([none.rows, none.error, none.isLoading], [undefined, away, false])
    const again = retrying(none)
    assert.deepStrictEqual(again.wanted, { cursor: undefined, turn: 1, many: 0 })
    assert.deepStrictEqual(come(again, ["a"], null).rows, ["a"])
  })

  it("begins anew when it is reloaded, and shows what was there until then", () => {
    const whole = come(continuing(first()), ["c"], "c2")
    const again = reloading(whole)
    assert.deepStrictEqual([again.rows, again.isLoading, again.wanted], [["a", "b", "c"], true, {
      cursor: undefined,
      turn: 2,
      many: 0
    }])
    assert.deepStrictEqual(come(again, ["z"], null).rows, ["z"])
  })

  it("is asked for again as long as it was, and stays until then, also where that fails once", () => {
    const whole = come(continuing(first()), ["c"], "c2")
    const again = refreshing(whole)
    assert.deepStrictEqual([again.rows, again.wanted], [["a", "b", "c"], { cursor: undefined, turn: 2, many: 3 }])
    const broken = failed(again, again.wanted, away)
    assert.deepStrictEqual(broken.rows, ["a", "b", "c"])
    const once = retrying(broken)
    assert.deepStrictEqual(once.wanted, { cursor: undefined, turn: 3, many: 3 })
    assert.deepStrictEqual(come(once, ["a", "c", "d"], null).rows, ["a", "c", "d"])
  })

  it("drops what comes for an earlier wish", () => {
    const asked = continuing(first())
    const again = reloading(asked)
    assert.strictEqual(arrived(again, asked.wanted, { rows: ["c"], next: null }), again)
    assert.strictEqual(failed(again, asked.wanted, away), again)
  })
})

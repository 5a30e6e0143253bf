import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { makeProgress, progressLine } from "../../../src/runtime/terminal/Progress.ts"
import type { Screen } from "../../../src/runtime/terminal/Progress.ts"

/** A screen that keeps what was written to it. */
const makeScreen = (isTTY: boolean): Screen & { readonly written: Array<string> } => {
  const written: Array<string> = []
  return { isTTY, columns: 80, written, write: (text) => written.push(text) }
}

describe("a line of progress", () => {
  it("says what is done, of how much, how fast and for how long still", () => {
    assert.strictEqual(
      progressLine("Licenses", { done: 1_250, total: 5_000, seconds: 5 }, 100),
      "Licenses  [=======                       ]  25 %  1,250 of 5,000  250/s, 15 s left"
    )
    assert.strictEqual(
      progressLine("Licenses", { done: 5_000, total: 5_000, seconds: 100 }, 100),
      "Licenses  [==============================]  100 %  5,000 of 5,000  50/s"
    )
  })

  it("has no end where the total is not known, and is never wider than the terminal", () => {
    assert.strictEqual(
      progressLine("Events", { done: 1_250, total: undefined, seconds: 5 }, 80),
      "Events  1,250  250/s"
    )
    for (let columns = 1; columns < 120; columns++) {
      const line = progressLine("Licenses", { done: 1, total: 1_000_000, seconds: 10 }, columns)
      assert.isAtMost(line.length, columns)
      if (columns >= 45) assert.include(line, "1 of 1,000,000")
    }
  })

  it("is drawn from two seconds on, and erased at the end", () =>
    Effect.gen(function*() {
      const screen = makeScreen(true)
      yield* Effect.scoped(Effect.gen(function*() {
        const progress = yield* makeProgress("Rows", 10, screen)
        progress.advance(3)
        yield* TestClock.adjust("1999 millis")
        assert.deepStrictEqual(screen.written, [])
        yield* TestClock.adjust("1 millis")
        assert.lengthOf(screen.written, 1)
        assert.match(screen.written[0]!, /Rows .* 30 % {2}3 of 10 /)
        progress.reach(10, 10, "Last rows")
        yield* TestClock.adjust("125 millis")
        assert.match(screen.written[1]!, /Last rows .* 100 % /)
        progress.erase()
        progress.erase()
        assert.deepStrictEqual(screen.written.slice(2), ["\r\u001B[2K"], "a line may be printed")
        yield* TestClock.adjust("125 millis")
        assert.match(screen.written[3]!, / 100 % /)
      }))
      assert.strictEqual(screen.written.at(-1), "\r\u001B[2K")
    }).pipe(Effect.provide(TestClock.layer()), Effect.runPromise))

  it("is not drawn where there is no terminal", () =>
    Effect.gen(function*() {
      const screen = makeScreen(false)
      yield* Effect.scoped(Effect.andThen(makeProgress("Rows", 10, screen), TestClock.adjust("1 hour")))
      assert.deepStrictEqual(screen.written, [])
    }).pipe(Effect.provide(TestClock.layer()), Effect.runPromise))
})

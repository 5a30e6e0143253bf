import { assert, it } from "@effect/vitest"
import { mostTries, waitAfterTry } from "../../../../src/domain/sales/reconciling/PageTries.ts"

it("a page waits twice as long after each try, and the last one is the eighth", () => {
  const waits = Array.from({ length: mostTries }, (_, index) => waitAfterTry(index + 1))
  assert.deepStrictEqual(waits, [2, 4, 8, 16, 32, 64, 128, undefined])
  assert.isUndefined(waitAfterTry(mostTries, 1_000))
})

it("a provider that asks to wait is left alone for as long, and for an hour at most", () => {
  for (let tries = 1; tries < mostTries; tries++) {
    for (const seconds of [0, 1, 60, 299, 3_599, 3_600, 86_400, 1e9]) {
      const wait = waitAfterTry(tries, seconds * 1_000)
      assert.strictEqual(wait, Math.min(Math.max(seconds, 2 ** tries), 3_600))
    }
  }
  assert.strictEqual(waitAfterTry(1, 7_001), 8)
})

import { assert, it } from "@effect/vitest"
import { waitAfterEnd } from "../../../src/runtime/processes/Parent.ts"

it("a process that ends is started again ever later, up to half a minute, and at once again after half a minute of work", () => {
  let wait: number | undefined
  const waits: Array<number> = []
  for (let time = 0; time < 9; time++) waits.push(wait = waitAfterEnd(wait, 30_000))
  assert.deepStrictEqual(waits, [500, 1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000, 30_000])
  assert.strictEqual(waitAfterEnd(wait, 30_001), 500)
})

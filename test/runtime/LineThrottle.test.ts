import { assert, describe, it } from "@effect/vitest"
import { LineThrottle } from "../../src/runtime/LogFlood.ts"

const written = (
  lines: ReadonlyArray<readonly [kind: string, line: string]>,
  options?: ConstructorParameters<typeof LineThrottle<string>>[1]
) => {
  const found: Array<readonly [line: string, count: number | undefined]> = []
  const throttle = new LineThrottle<string>((line, count) => found.push([line, count]), options)
  for (const [kind, line] of lines) throttle.add(kind, line)
  const atOnce = found.length
  throttle.end()
  return { atOnce: found.slice(0, atOnce), later: found.slice(atOnce) }
}

describe("a throttle of lines", () => {
  it("writes the first line of a kind at once, and the last of the others with their count", () => {
    const { atOnce, later } = written([["a", "1"], ["b", "2"], ["a", "3"], ["a", "4"]])
    assert.deepStrictEqual(atOnce, [["1", undefined], ["2", undefined]])
    assert.deepStrictEqual(later, [["4", 2]])
  })

  it("joins what it holds as it is told", () => {
    const join = (before: string, line: string) => `${before}, ${line}`
    assert.deepStrictEqual(written([["a", "1"], ["a", "2"], ["a", "3"]], { join }).later, [["2, 3", 2]])
  })

  it("takes for one kind what is beyond those that it tells apart", () => {
    const { atOnce, later } = written([["a", "1"], ["b", "2"], ["c", "3"], ["a", "4"]], { mostKinds: 1 })
    assert.deepStrictEqual(atOnce, [["1", undefined], ["2", undefined]])
    assert.deepStrictEqual(later, [["4", 1], ["3", 1]])
  })
})

import { assert, describe, it } from "@effect/vitest"
import {
  candidateFor,
  changedComponents,
  isSameBy,
  sameDevice
} from "../../../../src/domain/licensing/licenses/Components.ts"
import type { Candidate, ComponentMatch } from "../../../../src/domain/licensing/licenses/Components.ts"
import type { Device } from "../../../../src/domain/licensing/licenses/Device.ts"

/** How many of the components of a device match, and for each rule whether that is enough. Written by hand. */
const table = `
  named | matched | any | most | all | 1   | 2   | 3   | 8
  0     | 0       | no  | no   | no  | no  | no  | no  | no
  1     | 0       | no  | no   | no  | no  | no  | no  | no
  1     | 1       | yes | yes  | yes | yes | no  | no  | no
  2     | 1       | yes | no   | no  | yes | no  | no  | no
  2     | 2       | yes | yes  | yes | yes | yes | no  | no
  3     | 1       | yes | no   | no  | yes | no  | no  | no
  3     | 2       | yes | yes  | no  | yes | yes | no  | no
  3     | 3       | yes | yes  | yes | yes | yes | yes | no
  4     | 2       | yes | no   | no  | yes | yes | no  | no
  4     | 3       | yes | yes  | no  | yes | yes | yes | no
  8     | 4       | yes | no   | no  | yes | yes | yes | no
  8     | 5       | yes | yes  | no  | yes | yes | yes | no
  8     | 8       | yes | yes  | yes | yes | yes | yes | yes
`
const [head = [], ...rows] = table.trim().split("\n").map((line) => line.split("|").map((cell) => cell.trim()))

describe("how many components must match", () => {
  it.each(rows)("of %s named, %s matched", (named, matched, ...cells) => {
    for (const [index, cell] of cells.entries()) {
      const rule = head[index + 2] as ComponentMatch
      const same = isSameBy(rule, { named: Number(named), matched: Number(matched) })
      assert.strictEqual(same ? "yes" : "no", cell, rule)
    }
  })
})

describe("which device it is", () => {
  const candidate = (id: string, change: Partial<Candidate>): Candidate => ({
    id,
    named: 4,
    matched: 3,
    isBlocked: false,
    lastSeen: 1000,
    ...change
  })
  const chosen = (rule: ComponentMatch, ...candidates: ReadonlyArray<Candidate>): string | undefined => {
    const [there, back] = [candidates, candidates.toReversed()].map((order) => sameDevice(rule, order)?.id)
    assert.strictEqual(there, back, "whatever their order")
    return there
  }

  it("is the one with the most matches, then one that is blocked, then the one that was seen last", () => {
    assert.isUndefined(chosen("any"))
    assert.isUndefined(chosen("all", candidate("a", {})))
    assert.strictEqual(chosen("any", candidate("a", {}), candidate("b", { matched: 4 })), "b")
    assert.strictEqual(chosen("any", candidate("a", {}), candidate("b", { lastSeen: 1001 })), "b")
    assert.strictEqual(chosen("any", candidate("a", { isBlocked: true }), candidate("b", { lastSeen: 1001 })), "a")
    assert.strictEqual(chosen("any", candidate("a", { isBlocked: true }), candidate("b", { matched: 4 })), "b")
    assert.strictEqual(chosen("any", candidate("b", {}), candidate("a", {})), "a")
  })

  it("is one with enough matches, even if another has more", () => {
    assert.strictEqual(
      chosen("most", candidate("a", { named: 8, matched: 4 }), candidate("b", { named: 2, matched: 2 })),
      "b"
    )
    assert.strictEqual(chosen("all", candidate("a", {}), candidate("b", { named: 1, matched: 1 })), "b")
  })
})

describe("a device as a candidate", () => {
  const device = { id: "dev_1", status: "active", last_seen_at: "2026-11-21T10:30:00.000Z" } as Device
  it.each([
    [{}, {}, 0, 0],
    [{ board: "a" }, {}, 0, 0],
    [{}, { board: "a" }, 1, 0],
    [{ board: "a", disk: "b" }, { board: "a", disk: "c", network: "d" }, 3, 1],
    // The same value by another name is another component.
    [{ board: "a" }, { disk: "a" }, 1, 0]
  ])("for one that names %j, with %j", (named, stored, count, matched) => {
    assert.deepStrictEqual(
      candidateFor(named as Record<string, string>, device, stored as Record<string, string>),
      { id: "dev_1", named: count, matched, isBlocked: false, lastSeen: Date.UTC(2026, 10, 21, 10, 30) }
    )
  })
})

describe("what changed", () => {
  it.each([
    [{}, {}, []],
    [{}, { board: "a", ant: "b" }, ["ant", "board"]],
    [{ board: "a", disk: "b" }, { board: "a", disk: "b" }, []],
    [{ board: "a", disk: "b" }, { board: "a", disk: "c" }, ["disk"]],
    [{ board: "a", disk: "b" }, { board: "b", network: "b" }, ["board", "disk", "network"]]
  ])("from %j to %j", (before, after, changed) => {
    assert.deepStrictEqual(
      changedComponents(before as Record<string, string>, after as Record<string, string>),
      changed
    )
  })
})

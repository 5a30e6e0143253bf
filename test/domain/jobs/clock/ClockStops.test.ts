import { assert, describe, it } from "@effect/vitest"
import { Arbitrary, Schema } from "effect"
import type { Deadlines } from "../../../../src/domain/jobs/clock/ClockStops.ts"
import { clockTarget, dueKinds, exactSteps, nextStop } from "../../../../src/domain/jobs/clock/ClockStops.ts"

const start = Date.UTC(2026, 0, 31)
const day = 86_400_000
const nothingDue: Deadlines = {
  leases: undefined,
  licenses: undefined,
  containers: undefined,
  warnings: undefined,
  retries: undefined
}

describe("a move of a clock", () => {
  it("leads to the instant that it names, or that lies a span later", () => {
    assert.strictEqual(clockTarget(start, { now: new Date(start + day).toISOString() }), start + day)
    assert.strictEqual(clockTarget(start, { advance: "P1M" }), Date.UTC(2026, 1, 28))
    assert.strictEqual(clockTarget(start, { now: new Date(start).toISOString() }), start)
    assert.strictEqual(clockTarget(start, { advance: "P10Y" }), Date.UTC(2036, 0, 31))
  })

  it("names its member where it makes no sense", () => {
    const wrong = [
      [{}, "now"],
      [{ now: new Date(start).toISOString(), advance: "P1D" }, "advance"],
      [{ now: new Date(start - 1).toISOString() }, "now"],
      [{ now: "9999-12-31T23:59:59.999Z" }, "now"],
      [{ advance: "P10Y1D" }, "advance"],
      [{ advance: "P4999Y" }, "advance"]
    ] as const
    for (const [move, path] of wrong) {
      const found = clockTarget(start, move)
      assert.strictEqual(typeof found === "number" ? found : found.path, path, JSON.stringify(move))
    }
  })

  it("looks after what is due at a stop, and after everything at its first stop and its last", () => {
    const target = start + 10 * day
    const deadlines = { ...nothingDue, leases: start + day, licenses: start + day, containers: start + 2 * day }
    const stopAt = (from: number, steps: number, known: Deadlines) =>
      nextStop({ start, from, steps, target, deadlines: known })
    assert.deepStrictEqual(stopAt(start, 0, deadlines), { at: start + day, due: dueKinds })
    assert.deepStrictEqual(stopAt(start, 1, deadlines), { at: start + day, due: ["leases", "licenses"] })
    assert.deepStrictEqual(stopAt(start + day, 2, { ...nothingDue, containers: start + 2 * day }), {
      at: start + 2 * day,
      due: ["containers"]
    })
    assert.deepStrictEqual(stopAt(start + 2 * day, 3, nothingDue), { at: target, due: dueKinds })
    assert.deepStrictEqual(stopAt(start, 1, { ...nothingDue, leases: target + day }), { at: target, due: dueKinds })
  })

  it.prop(
    "stops at each of the first deadlines, never goes back, and ends in a bounded number of steps",
    [
      Arbitrary.array(Arbitrary.schema(Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 400 * day }))), {
        maxLength: 50
      }),
      Arbitrary.schema(Schema.Literals([0, exactSteps - 10, exactSteps]))
    ],
    ([offsets, before]) => {
      const target = start + 400 * day
      const deadlines = offsets.map((offset) => start + offset)
      let at = start
      let steps = 0
      while (at < target) {
        const due = deadlines.filter((deadline) => deadline > at).toSorted((one, other) => one - other)[0]
        const { at: next, due: kinds } = nextStop({
          start,
          from: at,
          target,
          deadlines: { ...nothingDue, leases: due },
          steps: before + steps
        })
        assert.isAbove(next, at)
        assert.isAtMost(next, target)
        const far = Math.ceil((target - start) / exactSteps)
        if (due !== undefined) {
          assert.isAtMost(next - due, before + steps < exactSteps ? 0 : far)
          assert.include(kinds, "leases")
        }
        at = next
        steps += 1
      }
      assert.isAtMost(before + steps, 2 * exactSteps + 1)
    }
  )
})

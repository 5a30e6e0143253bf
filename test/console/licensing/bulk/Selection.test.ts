import { assert, describe, it } from "@effect/vitest"
import { jobView, scopeOf, ticked } from "../../../../src/console/licensing/bulk/JobView.ts"

const rows = ["a", "b", "c", "d"]

describe("a selection", () => {
  it("takes and leaves a row, and with one before all in between", () => {
    const one = ticked(new Set(), rows, "b", undefined)
    assert.deepStrictEqual([...one], ["b"])
    assert.deepStrictEqual([...ticked(one, rows, "d", "b")].toSorted(), ["b", "c", "d"])
    assert.deepStrictEqual([...ticked(new Set(rows), rows, "a", "c")], ["d"], "backwards, and off")
    assert.deepStrictEqual([...ticked(one, rows, "b", undefined)], [])
    assert.deepStrictEqual([...ticked(one, rows, "c", "gone")].toSorted(), ["b", "c"])
  })

  it("says its scope in words", () => {
    const ids = { kind: "ids", ids: new Set(rows) } as const
    assert.strictEqual(scopeOf(ids, 4, true), "4 on this page selected.")
    assert.strictEqual(scopeOf(ids, 4, false), "4 selected.")
    assert.strictEqual(scopeOf(ids, 5, true), "4 selected.")
    assert.include(scopeOf({ kind: "filter" }, 4, true), "All licenses that match")
  })
})

describe("a job", () => {
  const job = {
    id: "job_1",
    action: "suspend",
    selection: {},
    parameters: {},
    author: { type: "person", id: "per_1" },
    state: "running",
    total: 37,
    done: 20,
    skipped: 1,
    failed: 0,
    created_at: "2026-11-21T10:30:00.000Z"
  } as const

  it("says how far it is, and why it ended before its end", () => {
    assert.deepStrictEqual(jobView(job), {
      title: "Suspending 37 licenses",
      share: 21 / 37,
      progress: "21 of 37: 20 suspended, 1 skipped",
      ended: undefined
    })
    assert.strictEqual(jobView({ ...job, state: "stopped" }).ended, "Stopped. 16 were left as they were.")
    const failure = { code: "TOKEN_SCOPE_DENIED", message: "The right was lost." }
    assert.include(jobView({ ...job, state: "failed", failure }).ended, "The right was lost. 16 were left")
    assert.strictEqual(jobView({ ...job, total: 0, done: 0, skipped: 0 }).share, 1)
  })
})

import { assert, describe, it } from "@effect/vitest"
import {
  decidedDays,
  decidedUse,
  isOfLease,
  notEntitled,
  recordOf
} from "../../../../src/domain/evidence/recording/DecidedUse.ts"
import type { RecordedOperation } from "../../../../src/domain/evidence/recording/DecidedUse.ts"

const at = new Date("2026-11-21T10:34:56.789Z")
const [hour, minute] = ["2026-11-21T10:00:00.000Z", "2026-11-21T10:34:00.000Z"]

const operations: ReadonlyArray<readonly [RecordedOperation, boolean, string]> = [
  ["activate", false, hour],
  ["validate", false, hour],
  ["check", false, hour],
  ["consume", false, hour],
  ["deactivate", false, hour],
  ["checkout", true, minute],
  ["heartbeat", true, hour],
  ["checkin", true, minute]
]

describe("the record of a call", () => {
  it.each(operations)("to %s is about a floating seat or not, and is one for an hour or a minute", (...row) => {
    const [operation, isLease, record] = row
    assert.deepStrictEqual([isOfLease({ operation }), recordOf(operation, at)], [isLease, record])
  })

  it("stays for a day longer than the longest window of a rehearsal", () => {
    assert.strictEqual(decidedDays, 92 + 1)
  })
})

describe("the record of a use", () => {
  const asked = { feature_code: "pages", amount: 3, remaining: 7 }
  const feature = { enabled: true, meter: null, quota: 10, granted: undefined }
  it.each([
    ["a feature with a quota tells what is left", feature, asked],
    ["a feature without a quota tells of nothing left", { ...feature, quota: null }, {
      ...asked,
      remaining: undefined
    }],
    ["no feature at all is that of a license without it", undefined, { ...asked, remaining: notEntitled }],
    ["a feature that is off is that of a license without it", { ...feature, enabled: false }, {
      ...asked,
      remaining: notEntitled
    }],
    ["a feature with grants of its own is the same", { ...feature, granted: { pools: [] } }, asked],
    ["a feature with a pool depends on other licenses", { ...feature, granted: { pools: ["pool"] } }, undefined],
    ["a feature with a meter depends on how it measures", { ...feature, meter: "max" as const }, undefined]
  ])("of %s", (_, of, record) => {
    assert.deepStrictEqual(decidedUse(asked, of), record)
  })

  it("tells of a license without the feature by a number that nothing can have left", () => {
    assert.strictEqual(notEntitled, -1)
  })
})

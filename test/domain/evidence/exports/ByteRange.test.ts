import { assert, describe, it } from "@effect/vitest"
import { byteRange } from "../../../../src/domain/evidence/exports/ByteRange.ts"

describe("byteRange", () => {
  it.each([
    ["bytes=0-0", { start: 0, end: 0 }],
    ["bytes=10-19", { start: 10, end: 19 }],
    ["bytes=90-", { start: 90, end: 99 }],
    ["bytes=90-1000", { start: 90, end: 99 }],
    ["bytes=-10", { start: 90, end: 99 }],
    ["bytes=-1000", { start: 0, end: 99 }],
    ["Bytes=5-5", { start: 5, end: 5 }],
    ["bytes=100-", "unsatisfiable"],
    ["bytes=200-300", "unsatisfiable"],
    ["bytes=-0", "unsatisfiable"],
    ["bytes=0-1,5-6", undefined],
    ["bytes=9-1", undefined],
    ["bytes=-", undefined],
    ["bytes=a-b", undefined],
    ["items=0-1", undefined],
    [undefined, undefined]
  ])("%s of 100 bytes", (header, expected) => {
    assert.deepStrictEqual(byteRange(header, 100), expected as never)
  })
})

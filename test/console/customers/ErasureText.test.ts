import { assert, describe, it } from "@effect/vitest"
import { erasureText } from "../../../src/console/customers/ErasureText.ts"

const none = { custom_field_values: 0, notes: 0, reasons: 0, users: 0 }

describe("the effect of an erasure", () => {
  it.each(
    [
      [
        { ...none, events: 212, exports: 1 },
        3,
        false,
        "3 licenses stay without the name and email; 212 events lose personal data. 1 export expires."
      ],
      [
        { ...none, events: 1, exports: 0 },
        1,
        false,
        "1 license stays without the name and email; 1 event loses personal data."
      ],
      [{ ...none, events: 0, exports: 0 }, 0, false, "There is no license; no event has personal data."],
      [
        { events: 5, exports: 2, custom_field_values: 1, notes: 2, reasons: 3, users: 0 },
        200,
        true,
        "More than 200 licenses stay without the name and email; 5 events lose personal data. 2 exports expire. " +
        "2 notes are deleted. 1 custom field value is deleted. 3 reasons are removed."
      ]
    ] as const
  )("of %j and %i licenses", (erasure, licenses, hasMore, expected) => {
    assert.strictEqual(erasureText(erasure, licenses, hasMore), expected)
  })
})

import { assert, describe, it } from "@effect/vitest"
import { parseRetryAfter } from "../../../../src/services/ground/platform/Transport.ts"

describe("parseRetryAfter", () => {
  const now = Date.UTC(1994, 10, 6, 8, 49, 0)

  it("reads seconds and the three forms of a date", () => {
    assert.strictEqual(parseRetryAfter("120", now), 120_000)
    assert.strictEqual(parseRetryAfter(" 0 ", now), 0)
    const dates = ["Sun, 06 Nov 1994 08:49:37 GMT", "Sunday, 06-Nov-94 08:49:37 GMT", "Sun Nov  6 08:49:37 1994"]
    for (const date of dates) assert.strictEqual(parseRetryAfter(date, now), 37_000, date)
    assert.strictEqual(parseRetryAfter("Sun, 06 Nov 1994 08:48:00 GMT", now), 0)
    const later = Date.UTC(2026, 0, 1)
    assert.strictEqual(parseRetryAfter("Friday, 02-Jan-26 00:00:00 GMT", later), 24 * 3_600_000)
    assert.strictEqual(parseRetryAfter("Sunday, 06-Nov-94 08:49:37 GMT", later), 0)
  })

  it("answers nothing for anything else", () => {
    const wrongs = [
      undefined,
      "",
      "-1",
      "1.5",
      "soon",
      "2026-01-01T00:00:00Z",
      "Sun, 06 Nov 1994 08:49:37",
      "Sun, 06 Foo 1994 08:49:37 GMT",
      "Sun, 06 Nov 1994 24:49:37 GMT",
      "Wed, 31 Feb 2026 00:00:00 GMT",
      ["1", "2"],
      "1".repeat(65)
    ]
    for (const wrong of wrongs) assert.isUndefined(parseRetryAfter(wrong, now), String(wrong))
  })
})

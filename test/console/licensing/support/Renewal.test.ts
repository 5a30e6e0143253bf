import { assert, describe, it } from "@effect/vitest"
import { renewalView, usualStart } from "../../../../src/console/licensing/support/Renewal.ts"
import type { Renewal } from "../../../../src/console/licensing/support/Renewal.ts"

const now = Date.parse("2026-10-01T12:00:00Z")
const running = { expires_at: "2026-10-11T12:00:00Z" }
const expired = { expires_at: "2026-09-21T12:00:00Z" }

const view = (license: typeof running, given: Partial<Renewal>) =>
  renewalView(license, { days: "365", from: usualStart(license, now), until: "", ...given }, now)

describe("a renewal", () => {
  it("counts from the expiration, and from now once that has passed", () => {
    assert.strictEqual(usualStart(running, now), "expiry")
    assert.strictEqual(usualStart(expired, now), "now")
    assert.strictEqual(usualStart({ expires_at: "2026-10-01T12:00:00Z" }, now), "now")
  })

  it.each(
    [
      [running, {}, "The license expires on about 11 Oct 2027.", { extend_by_days: 365 }],
      [
        running,
        { from: "now" },
        "The license expires on about 1 Oct 2027. The remaining time is not added.",
        { extend_by_days: 365, renew_from: "now" }
      ],
      [expired, {}, "The license expires on about 1 Oct 2027.", { extend_by_days: 365 }],
      [
        expired,
        { from: "expiry" },
        "The license expires on about 21 Sept 2027. The days since it expired are included.",
        { extend_by_days: 365, renew_from: "expiry" }
      ],
      [expired, { days: "1", until: "2027-01-05" }, "The license expires on 5 Jan 2027, 00:00:00.", {
        expires_at: "2027-01-05T00:00:00.000Z"
      }]
    ] as const
  )("of %j by %j says: %s", (license, given, says, request) => {
    const renewal = view(license, given)
    assert.strictEqual(renewal.says, says)
    assert.deepStrictEqual(renewal.request, request)
    assert.isTrue(renewal.isReady)
  })

  it("says what each start comes to", () => {
    assert.deepStrictEqual(view(running, { days: "1" }).ends, {
      expiry: ": until about 12 Oct 2026",
      now: ": until about 2 Oct 2026"
    })
  })

  it.each(["", "0", "1.5", "100000", "x"])("by %j days waits for a number", (days) => {
    const { ends, isReady, says } = view(running, { days })
    assert.strictEqual(says, "Enter the number of days.")
    assert.deepStrictEqual(ends, { expiry: "", now: "" })
    assert.isFalse(isReady)
  })

  it.each([["10", false], ["11", true]])(
    "of %s days, counted from an expiration ten days ago, is ready: %s",
    (days, isReady) => {
      const renewal = view(expired, { from: "expiry", days })
      assert.strictEqual(renewal.isReady, isReady)
      assert.strictEqual(renewal.says.startsWith("The license would still be expired after 10 days."), !isReady)
    }
  )
})

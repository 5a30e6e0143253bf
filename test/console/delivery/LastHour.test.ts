import { assert, describe, it } from "@effect/vitest"
import type { WebhookHealth } from "../../../src/client/api/index.ts"
import { lastHour } from "../../../src/console/delivery/Outcome.ts"

describe("the last hour of deliveries", () => {
  const hour = lastHour({
    as_of: "2026-10-01T12:30:59.000Z",
    minutes: [
      { minute: "2026-10-01T11:30:00Z", delivered: 9, failed_attempts: 9 },
      { minute: "2026-10-01T11:31:00Z", delivered: 1, failed_attempts: 0 },
      { minute: "2026-10-01T12:30:00Z", delivered: 2, failed_attempts: 3 }
    ]
  } as unknown as WebhookHealth)

  it("is 60 minutes, the one that runs included", () => {
    assert.lengthOf(hour, 60)
    assert.deepStrictEqual(hour[0], { instant: "2026-10-01T11:31:00.000Z", delivered: 1, failed: 0 })
    assert.deepStrictEqual(hour.at(-1), { instant: "2026-10-01T12:30:00.000Z", delivered: 2, failed: 3 })
  })

  it("has minutes without an attempt", () => {
    assert.deepStrictEqual(hour[1], { instant: "2026-10-01T11:32:00.000Z", delivered: 0, failed: 0 })
    assert.strictEqual(hour.reduce((sum, { delivered }) => sum + delivered, 0), 3)
  })
})

import { assert, describe, it } from "@effect/vitest"
import type { HealthFacts } from "../../../src/domain/delivery/WebhookHealth.ts"
import { verdict } from "../../../src/domain/delivery/WebhookHealth.ts"

const fine: HealthFacts = {
  feed_lag_seconds: 0,
  lanes: { active: 3, failing: 0, breaker_open: 0, paused: 1, disabled: 0 },
  last_5m: { delivered: 100, failed_attempts: 1 }
}

describe("WebhookHealth", () => {
  it.each([
    [{}, "ok"],
    [{ feed_lag_seconds: 3 }, "degraded"],
    [{ feed_lag_seconds: 31 }, "down"],
    [{ oldest_overdue_retry_seconds: 21 }, "degraded"],
    [{ oldest_overdue_retry_seconds: 121 }, "down"],
    [{ oldest_undelivered_seconds: 61 }, "degraded"],
    [{ lanes: { ...fine.lanes, breaker_open: 1 }, oldest_undelivered_seconds: 61 }, "degraded"],
    [{ lanes: { ...fine.lanes, disabled: 1 } }, "degraded"],
    [{ last_5m: { delivered: 5, failed_attempts: 15 } }, "degraded"],
    [{ last_5m: { delivered: 1, failed_attempts: 5 } }, "ok"]
  ] as ReadonlyArray<[Partial<HealthFacts>, string]>)("judges %j as %s", (facts, status) => {
    const judged = verdict({ ...fine, ...facts })
    assert.strictEqual(judged.status, status)
    assert.strictEqual(judged.reasons.length > 0, status !== "ok")
  })
})

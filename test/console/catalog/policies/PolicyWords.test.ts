import { assert, describe, it } from "@effect/vitest"
import { devicesText, durationText, timeText } from "../../../../src/console/catalog/policies/PolicyWords.ts"

describe("a policy in words", () => {
  it.each([
    ["P1Y", "1 year"],
    ["P14D", "14 days"],
    ["P2W", "2 weeks"],
    ["P1Y6M", "P1Y6M"],
    ["PT12H", "PT12H"]
  ])("a duration of %s", (duration, text) => assert.strictEqual(durationText(duration), text))

  it.each([
    [{ max_activations: 1 }, "1 device"],
    [{ max_activations: 0 }, "no devices"],
    [{ max_activations: 5, activation_overage: "deny" }, "5 devices"],
    [{ max_activations: 5, activation_overage: "10%" }, "5 devices and 10% more"],
    [{ max_activations: 5, activation_overage: "allow" }, "5 devices, more are counted"]
  ])("devices: %o", (policy, text) => assert.strictEqual(devicesText(policy), text))

  it.each([
    [{ grace_period_days: 0 }, "no end"],
    [{ grace_period_days: 7, duration: "P1Y" }, "1 year, 7 days of grace"],
    [{ grace_period_days: 0, maintenance_duration: "P1Y" }, "no end, updates for 1 year"],
    [{ grace_period_days: 3, follows_subscription: true }, "as long as the subscription, 3 days of grace"]
  ])("time: %o", (policy, text) => assert.strictEqual(timeText(policy), text))
})

import { assert, describe, it } from "@effect/vitest"
import { rulesOf } from "../../../../src/domain/catalog/terms/Rules.ts"
import { granted, several } from "../../../../src/domain/evidence/recording/DecidedUse.ts"
import type { LoggedLicense, Moment } from "../../../../src/domain/evidence/recording/DecidedUse.ts"
import {
  decidedBy,
  isInForce,
  isOfFeature,
  retire
} from "../../../../src/domain/evidence/rehearsals/RehearsedDecision.ts"
import type { Side } from "../../../../src/domain/evidence/rehearsals/RehearsedDecision.ts"
import { SimulatedLeases } from "../../../../src/domain/evidence/rehearsals/SimulatedLeases.ts"
import { SimulatedSeats } from "../../../../src/domain/evidence/rehearsals/SimulatedSeats.ts"
import { start, terms } from "../../../fixtures/LicenseTwin.ts"

const license: LoggedLicense = { product_id: "prod_1", policy_id: "pol_1", state: "active" }

const moment = (members: Partial<Moment> = {}): Moment => ({
  at: start + 1e3,
  device: "a",
  kind: "hardware",
  isVm: false,
  operation: "validate",
  result: granted,
  calls: 1,
  userId: undefined,
  row: undefined,
  isLast: true,
  ...members
})

const rules = (members: object = {}) => ({ ...rulesOf(terms), ...members })

const side = (active: ReadonlyArray<string> = ["a"]): Side => {
  const seats = new SimulatedSeats()
  for (const device of active) seats.put(device, "hardware", "active")
  return { seats, leases: new SimulatedLeases() }
}

describe("the decision of a recorded call", () => {
  it("is that of the rules for the device, the other devices and the license", () => {
    const cases: ReadonlyArray<readonly [Side, LoggedLicense, object, Partial<Moment>, string]> = [
      [side(), license, {}, {}, granted],
      [side([]), license, {}, {}, "DEVICE_NOT_ACTIVATED"],
      [side(["b"]), license, { max_activations: 1 }, { operation: "activate" }, "ACTIVATION_LIMIT_EXCEEDED"],
      [side(["a"]), license, { max_activations: 1 }, { operation: "activate" }, granted],
      [side(["b"]), license, { max_activations: 2 }, { operation: "activate" }, granted],
      [side(), { ...license, state: "suspended" }, {}, {}, "LICENSE_INACTIVE"],
      [
        side(),
        { ...license, expires_at: new Date(start).toISOString() },
        { grace_period_days: 0 },
        {},
        "LICENSE_EXPIRED"
      ],
      [side(), license, { allow_vm: false }, { isVm: true }, "VM_NOT_ALLOWED"],
      [side(), license, { allow_vm: false }, {}, granted],
      [side(), license, { allow_container: false }, { kind: "container" }, "CONTAINER_NOT_ALLOWED"]
    ]
    for (const [at, of, members, call, expected] of cases) {
      assert.strictEqual(decidedBy(at, of, rules(members), moment(call)), expected, JSON.stringify([members, call]))
    }
  })

  it("goes by a lease where the device has one, and by its end where that is over", () => {
    const floating = rules({ max_floating_users: 1 })
    const leased = side([])
    leased.leases.take("a", start + 5000)
    assert.strictEqual(decidedBy(leased, license, floating, moment({ operation: "heartbeat" })), granted)
    assert.strictEqual(decidedBy(leased, license, floating, moment()), granted)
    const other = moment({ operation: "checkout", device: "b" })
    assert.strictEqual(decidedBy(leased, license, floating, other), "FLOATING_LIMIT_EXCEEDED")
    leased.leases.tick(start + 6000)
    assert.strictEqual(decidedBy(leased, license, floating, other), granted)
    assert.strictEqual(decidedBy(leased, license, floating, moment({ operation: "heartbeat" })), "LEASE_EXPIRED")
  })

  it("is not known where it goes by which of several users called, unless a rule before those about users decides", () => {
    const users = rules({ max_users: 2 })
    const call = (members: Partial<Moment>, of = license, more: object = {}) =>
      decidedBy(side(), of, { ...users, ...more }, moment({ userId: several, ...members }))
    assert.isUndefined(call({}))
    assert.strictEqual(call({}, { ...license, state: "suspended" }), "LICENSE_INACTIVE")
    assert.strictEqual(call({ isVm: true }, license, { allow_vm: false }), "VM_NOT_ALLOWED")
    assert.isUndefined(call({ device: "b" }))
    assert.strictEqual(call({ operation: "deactivate" }), granted)
    assert.strictEqual(call({ userId: undefined }), "USER_SIGN_IN_REQUIRED")
    assert.strictEqual(decidedBy(side(), license, rules(), moment({ userId: several })), granted)
  })
})

describe("a device that gives its seat back", () => {
  it("loses its seat and its lease", () => {
    const both = side()
    both.leases.take("a", start + 5000)
    retire(both, { id: "a", status: "reset" })
    assert.strictEqual(both.seats.statusOf("a"), "reset")
    assert.isFalse(both.leases.isLive("a"))
  })
})

describe("a license", () => {
  it("is in force while nothing refuses a call of nobody", () => {
    const ends = { ...license, expires_at: new Date(start + 1000).toISOString() }
    assert.isTrue(isInForce(license, rules(), start))
    assert.isTrue(isInForce(ends, rules({ grace_period_days: 0 }), start + 999))
    assert.isFalse(isInForce(ends, rules({ grace_period_days: 0 }), start + 1000))
    assert.isTrue(isInForce(ends, rules({ grace_period_days: 1 }), start + 1000))
    assert.isFalse(isInForce({ ...license, state: "suspended" }, rules(), start))
    assert.isFalse(isInForce({ ...license, starts_at: new Date(start + 1).toISOString() }, rules(), start))
  })

  it("is refused by a rule about a feature where the code says so", () => {
    assert.isTrue(isOfFeature("FEATURE_QUOTA_EXCEEDED"))
    assert.isFalse(isOfFeature("DEVICE_NOT_ACTIVATED"))
  })
})

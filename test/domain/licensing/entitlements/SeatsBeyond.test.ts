import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import type { Rules } from "../../../../src/domain/catalog/terms/Rules.ts"
import { seatsBeyond } from "../../../../src/domain/licensing/entitlements/SeatsBeyond.ts"
import type { BeyondRule, SeatsGivenOut } from "../../../../src/domain/licensing/entitlements/SeatsBeyond.ts"

/** Three hardware devices and two containers, the newest first, and leases of three devices. */
const given: SeatsGivenOut = {
  devices: [
    { id: "h3", binding_kind: "hardware" },
    { id: "c2", binding_kind: "container" },
    { id: "h2", binding_kind: "hardware" },
    { id: "c1", binding_kind: "container" },
    { id: "h1", binding_kind: "hardware" }
  ],
  leases: [
    { id: "l3", device_id: "h3" },
    { id: "l2", device_id: "f2" },
    { id: "l1", device_id: "f1" }
  ],
  users: [{ id: "u3" }, { id: "u2" }, { id: "u1" }]
}

const roomy = { max_activations: 9, max_container_instances: 9, max_floating_users: 9 }

/** Terms that serve everything, but for what is named. */
const terms = (members: Partial<Rules>): Rules => ({ ...roomy, ...members }) as Rules

const released = (members: Partial<Rules>, rule: BeyondRule = "reset_newest") =>
  Result.match(seatsBeyond(given, terms(members), rule), {
    onFailure: (conflict) => conflict.error.detail,
    onSuccess: (beyond) => [...beyond.devices, ...beyond.leases, ...beyond.users].join(" ")
  })

const { max_floating_users: _none, ...withoutFloating } = roomy

describe("seatsBeyond", () => {
  it.each<readonly [string, Partial<Rules>, string]>([
    ["nothing where everything is served", {}, ""],
    ["the newest devices of a kind", { max_activations: 1 }, "h3 h2"],
    ["the newest containers, which have a number of their own", { max_container_instances: 1 }, "c2"],
    ["devices within the overage stay", { max_activations: 2, activation_overage: "50%" }, ""],
    ["devices beyond the overage go", { max_activations: 1, activation_overage: "100%" }, "h3"],
    ["the newest leases", { max_floating_users: 1 }, "l3 l2"],
    ["leases within the floating overage stay", { max_floating_users: 2, floating_overage: "50%" }, ""],
    ["leases beyond the floating overage go", { max_floating_users: 1, floating_overage: "100%" }, "l3"],
    ["all leases stay where any overage is allowed", { max_floating_users: 1, floating_overage: "allow" }, ""],
    ["the overage of activations serves no lease", { max_floating_users: 2, activation_overage: "allow" }, "l3"],
    ["the overage of leases serves no device", { max_activations: 2, floating_overage: "allow" }, "h3"],
    ["a lease goes with its device, and once", { max_activations: 2, max_floating_users: 2 }, "h3"],
    ["the newest users, who have a number of their own", { max_users: 1 }, "u3 u2"],
    ["no user where all of them are served, whatever the overage of others", { max_users: 3 }, ""],
    ["users beyond the limit go, whatever the overage of devices", { max_users: 2, activation_overage: "allow" }, "u3"],
    ["each kind for itself", { max_activations: 2, max_container_instances: 1, max_floating_users: 1 }, "h3 c2 l2"]
  ])("gives back %s", (_, members, expected) => assert.strictEqual(released(members), expected))

  it.each<readonly [string, Partial<Rules>, string]>([
    ["the devices of a user who is removed, and no other", { max_users: 1, max_activations: 2 }, "h3 h2 u2"],
    ["the devices of a user beyond those of one, leases first", { max_devices_per_user: 1 }, "h1 l2"],
    ["nothing where each user has as many as the terms allow", { max_devices_per_user: 2 }, ""],
    ["a device once, whichever limit it is beyond", { max_devices_per_user: 1, max_activations: 2 }, "h1 l2"]
  ])("gives back %s", (_, members, expected) => {
    const owned: SeatsGivenOut = {
      devices: [
        { id: "h3", binding_kind: "hardware", user_id: "u2" },
        { id: "h2", binding_kind: "hardware", user_id: "u2" },
        { id: "h1", binding_kind: "hardware", user_id: "u1" },
        { id: "h0", binding_kind: "hardware", user_id: "u1" }
      ].slice(expected.includes("h3") ? 0 : 1) as SeatsGivenOut["devices"],
      leases: [{ id: "l2", device_id: "f2", user_id: "u2" }, { id: "l1", device_id: "h1", user_id: "u1" }],
      users: [{ id: "u2" }, { id: "u1" }]
    }
    const found = Result.getOrThrow(seatsBeyond(owned, terms({ max_users: 9, ...members }), "reset_newest"))
    assert.strictEqual([...found.devices, ...found.leases, ...found.users].join(" "), expected)
  })

  it("nobody floats where the terms have no number for it, whatever the overage", () => {
    const rules = { ...withoutFloating, floating_overage: "allow" } as Rules
    const beyond = seatsBeyond(given, rules, "reset_newest")
    assert.deepStrictEqual(Result.getOrThrow(beyond).leases, ["l3", "l2", "l1"])
  })

  it("keeps all of them where that is asked for, and is refused where nothing is said", () => {
    const members = { max_activations: 1, max_container_instances: 1, max_floating_users: 1 }
    assert.strictEqual(released(members, "keep"), "")
    assert.strictEqual(released(members, "refuse"), "3 hardware seats taken, 1 in the policy")
    assert.strictEqual(released({ max_container_instances: 1 }, "refuse"), "2 container seats taken, 1 in the policy")
    assert.strictEqual(released({ max_floating_users: 1 }, "refuse"), "3 floating seats taken, 1 in the policy")
    assert.strictEqual(released({}, "refuse"), "")
  })

  it("gives back the chosen devices first, and judges what is left", () => {
    const of = (chosen: ReadonlyArray<string>, rule: BeyondRule) =>
      Result.match(seatsBeyond(given, terms({ max_activations: 2 }), rule, new Set(chosen)), {
        onFailure: (conflict) => conflict.error.detail,
        onSuccess: ({ devices }) => devices.join(" ")
      })
    assert.strictEqual(of(["h1"], "refuse"), "h1")
    assert.strictEqual(of(["h1", "h2", "unknown"], "refuse"), "h2 h1")
    assert.strictEqual(of(["c1"], "refuse"), "3 hardware seats taken, 2 in the policy")
    assert.strictEqual(of(["c1"], "reset_newest"), "c1 h3")
  })
})

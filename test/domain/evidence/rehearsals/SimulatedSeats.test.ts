import { assert, describe, it } from "@effect/vitest"
import { rulesOf } from "../../../../src/domain/catalog/terms/Rules.ts"
import { granted, several } from "../../../../src/domain/evidence/recording/DecidedUse.ts"
import type { Moment } from "../../../../src/domain/evidence/recording/DecidedUse.ts"
import { SimulatedSeats } from "../../../../src/domain/evidence/rehearsals/SimulatedSeats.ts"
import { terms } from "../../../fixtures/LicenseTwin.ts"

const moment = (members: Partial<Moment> = {}): Moment => ({
  at: 0,
  device: "a",
  kind: "hardware",
  isVm: false,
  operation: "validate",
  result: granted,
  calls: 1,
  userId: "ada",
  row: undefined,
  isLast: true,
  ...members
})

const rules = (members: object) => ({ ...rulesOf(terms), ...members })

describe("simulated seats", () => {
  it("count the active devices of a kind, without the one that is asked about", () => {
    const seats = new SimulatedSeats()
    seats.put("a", "hardware", "active")
    seats.put("b", "hardware", "active")
    seats.put("c", "container", "active")
    seats.put("d", "hardware", "deactivated")
    assert.deepStrictEqual(["a", "c", "d", "e"].map((device) => seats.othersOf(device, "hardware")), [1, 2, 2, 2])
    assert.deepStrictEqual(["a", "c"].map((device) => seats.othersOf(device, "container")), [1, 0])
    seats.put("b", "hardware", "blacklisted")
    seats.put("c", "container", "reset")
    assert.deepStrictEqual([seats.othersOf("e", "hardware"), seats.othersOf("e", "container")], [1, 0])
  })

  it("count a change where the status is another one, of each device and of all", () => {
    const seats = new SimulatedSeats()
    seats.put("a", "hardware", "active")
    seats.put("a", "hardware", "active")
    seats.put("a", "hardware", "deactivated")
    seats.put("b", "hardware", "active")
    assert.deepStrictEqual([seats.changes, seats.changesOf("a"), seats.changesOf("b"), seats.changesOf("c")], [
      3,
      2,
      1,
      0
    ])
  })

  it("change where another user activates an active device, and not where the same does", () => {
    const seats = new SimulatedSeats()
    const steps = [["ada", 1], ["ada", 1], ["bob", 2], [undefined, 3], [several, 3], ["bob", 4]] as const
    for (const [user, changes] of steps) {
      seats.activate("a", "hardware", user)
      assert.deepStrictEqual([seats.changes, seats.changesOf("a")], [changes, changes], String(user))
      assert.strictEqual(seats.userOf("a"), user === several ? undefined : user)
      assert.strictEqual(seats.othersOf("b", "hardware"), 1)
    }
  })

  it("are taken of the devices that a user activated last, and of no others", () => {
    const seats = new SimulatedSeats()
    seats.activate("a", "hardware", "ada")
    seats.activate("b", "hardware", "ada")
    seats.activate("c", "hardware", "bob")
    seats.put("b", "hardware", "blacklisted")
    seats.resetOf("ada")
    assert.deepStrictEqual(["a", "b", "c"].map((device) => seats.statusOf(device)), ["reset", "blacklisted", "active"])
  })

  it("learn of a granted call whose a device is, unless that is known or the call tells nothing", () => {
    const cases: ReadonlyArray<readonly [Partial<Moment>, string | undefined]> = [
      [{}, "ada"],
      [{ operation: "consume" }, "ada"],
      [{ result: "LICENSE_EXPIRED" }, undefined],
      [{ operation: "activate" }, undefined],
      [{ operation: "deactivate" }, undefined],
      [{ userId: several }, undefined],
      [{ userId: undefined }, undefined]
    ]
    for (const [members, user] of cases) {
      const seats = new SimulatedSeats()
      seats.learn(moment(members))
      assert.strictEqual(seats.userOf("a"), user, JSON.stringify(members))
    }
    const seats = new SimulatedSeats()
    seats.activate("a", "hardware", "bob")
    seats.learn(moment())
    assert.strictEqual(seats.userOf("a"), "bob")
  })

  it("that are given back or run out are given back once, and others are taken of any device that is known", () => {
    const seats = new SimulatedSeats()
    seats.retire("a", "deactivated")
    assert.isUndefined(seats.statusOf("a"))
    for (
      const [status, left] of [["expired", "expired"], ["deactivated", "expired"], [
        "blacklisted",
        "blacklisted"
      ]] as const
    ) {
      if (seats.statusOf("a") === undefined) seats.put("a", "hardware", "active")
      seats.retire("a", status)
      assert.strictEqual(seats.statusOf("a"), left)
    }
    seats.put("b", "container", "active")
    seats.freeAll()
    assert.deepStrictEqual([seats.statusOf("a"), seats.statusOf("b")], ["blacklisted", "deactivated"])
    assert.strictEqual(seats.othersOf("c", "container"), 0)
  })
})

describe("how a user stands", () => {
  const world = () => {
    const seats = new SimulatedSeats()
    seats.activate("a", "hardware", "ada")
    seats.activate("b", "hardware", "ada")
    seats.activate("c", "hardware", "bob")
    seats.activate("d", "hardware", "ada")
    seats.retire("d", "deactivated")
    return seats
  }
  const named = rules({ max_users: 3, max_devices_per_user: 2 })

  it("is nothing without users, not known of several, and nobody without one", () => {
    assert.isUndefined(world().standingOf(moment(), rules({}), false))
    assert.strictEqual(world().standingOf(moment({ userId: several }), named, false), "unknown")
    assert.deepInclude(world().standingOf(moment({ userId: undefined }), named, false), { problem: "missing" })
  })

  it("goes by the other active devices that the user activated last, and by whose the device is", () => {
    const standing = (device: string, userId = "ada") => world().standingOf(moment({ device, userId }), named, false)
    const known = { id: "ada", problem: undefined }
    assert.deepStrictEqual(standing("a"), { ...known, hasDevice: true, otherDevices: 1 })
    assert.deepStrictEqual(standing("c"), { ...known, hasDevice: false, otherDevices: 2 })
    assert.deepStrictEqual(standing("new"), { ...known, hasDevice: true, otherDevices: 2 })
    assert.deepStrictEqual(standing("c", "bob"), { id: "bob", problem: undefined, hasDevice: true, otherDevices: 0 })
  })

  it("is not known where the limit is reached only with devices of which nobody knows whose they are", () => {
    const activate = moment({ operation: "activate", device: "new" })
    const standing = (devices: number, unknown: number, more: object = {}, asked = activate) => {
      const seats = new SimulatedSeats()
      for (let index = 0; index < devices; index++) seats.activate(`own ${index}`, "hardware", "ada")
      for (let index = 0; index < unknown; index++) seats.activate(`other ${index}`, "hardware", undefined)
      return seats.standingOf(asked, { ...named, ...more }, false)
    }
    const isKnown = (...asked: Parameters<typeof standing>) => standing(...asked) !== "unknown"
    assert.deepStrictEqual([isKnown(1, 0), isKnown(1, 1), isKnown(2, 5), isKnown(0, 1), isKnown(0, 2)], [
      true,
      false,
      true,
      true,
      false
    ])
    assert.isTrue(isKnown(1, 1, {}, moment({ device: "new" })))
    assert.isFalse(isKnown(1, 0, { max_floating_users: 1 }))
    assert.isTrue(isKnown(1, 1, { max_devices_per_user: undefined }))
  })

  it("is not known on an active device of nobody that another user had as it was", () => {
    const seats = world()
    seats.activate("e", "hardware", undefined)
    assert.strictEqual(seats.standingOf(moment({ device: "e" }), named, true), "unknown")
    assert.notStrictEqual(seats.standingOf(moment({ device: "e" }), named, false), "unknown")
    assert.notStrictEqual(seats.standingOf(moment({ device: "new" }), named, true), "unknown")
    assert.notStrictEqual(seats.standingOf(moment({ device: "c" }), named, true), "unknown")
  })
})

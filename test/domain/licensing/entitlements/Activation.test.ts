import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import { activation } from "../../../../src/domain/licensing/entitlements/Activation.ts"
import type {
  Activation,
  ActivationInput,
  SeatOffered
} from "../../../../src/domain/licensing/entitlements/Activation.ts"
import { snapshotOf } from "../../../../src/domain/licensing/entitlements/Snapshot.ts"
import type { SnapshotRow } from "../../../../src/domain/licensing/entitlements/Snapshot.ts"
import { snapshotRow } from "../../../fixtures/SnapshotRows.ts"

const unknownDevice = { device_id: null, device_status: null } as const

const decided = (row: Partial<SnapshotRow>, input: Partial<ActivationInput>) =>
  activation(
    snapshotOf(snapshotRow(row)),
    { is_container: input.bindingKind === "container" },
    { bindingKind: "hardware", taken: 0, offered: undefined, ...input }
  )

const allowed = (row: Partial<SnapshotRow>, input: Partial<ActivationInput>): Activation =>
  Result.getOrThrow(decided(row, input))

const offered = (members: Partial<SeatOffered["selfService"]> = {}, kind: SeatOffered["kind"] = "hardware") => ({
  kind,
  selfService: { isAllowed: true, mayTransfer: false, limit: 3, used: 0, periodStart: 0, periodEnd: 1, ...members }
})

describe("an activation", () => {
  it("takes a seat", () => {
    assert.deepStrictEqual(allowed(unknownDevice, { taken: 2 }), {
      holds: false,
      isGiven: false,
      seats: { limit: 3, before: 2, used: 3, overage: undefined },
      taken: 3,
      overage: undefined
    })
  })

  it("keeps the seat that its device has, though every seat is taken", () => {
    const kept = allowed({}, { taken: 3 })
    assert.isTrue(kept.holds)
    assert.deepInclude(kept.seats, { before: 3, used: 3 })
  })

  it.each<readonly [string, Partial<SnapshotRow>]>([
    ["was deactivated", { device_status: "deactivated" }],
    ["is bound for a lease alone", { device_floating: true }]
  ])("takes a seat for a device that %s", (_, row) => {
    assert.deepInclude(allowed(row, { taken: 2 }), { holds: false })
    assert.isTrue(Result.isFailure(decided(row, { taken: 3 })))
  })

  it("counts containers against their own limit", () => {
    const row = { ...unknownDevice, max_container_instances: 1 }
    assert.strictEqual(allowed(row, { bindingKind: "container" }).seats.limit, 1)
    assert.isTrue(Result.isFailure(decided(row, { bindingKind: "container", taken: 1 })))
  })

  it("takes the seat of the device that gives it, and only where none is free", () => {
    assert.deepInclude(allowed(unknownDevice, { taken: 3, offered: offered() }), {
      isGiven: true,
      seats: { limit: 3, before: 2, used: 3, overage: undefined }
    })
    assert.deepInclude(allowed(unknownDevice, { taken: 2, offered: offered() }), {
      isGiven: false,
      seats: { limit: 3, before: 2, used: 3, overage: undefined }
    })
  })

  it.each<readonly [string, SeatOffered]>([
    ["the other device holds none", { ...offered(), kind: undefined }],
    ["the other device holds one of another kind", offered({}, "container")],
    ["the terms have no self-service", offered({ isAllowed: false })],
    ["no more may be given back", offered({ used: 3 })]
  ])("is refused where every seat is taken and %s", (_, seat) => {
    assert.isTrue(Result.isFailure(decided(unknownDevice, { taken: 3, offered: seat })))
  })

  it.each<readonly [string, string | undefined, number, boolean | undefined]>([
    ["takes the seat of an own device where the user has no more, though seats are free", "usr_1", 1, true],
    ["takes no seat where the user has one device more", "usr_1", 0, false],
    ["is refused the seat of a colleague", "usr_2", 1, undefined],
    ["is refused the seat of nobody", undefined, 1, undefined],
    ["is refused where the user is beyond the limit by more than one", "usr_1", 2, undefined]
  ])("%s", (_, ownerId, otherDevices, isGiven) => {
    const user = { id: "usr_1", problem: undefined, hasDevice: false, otherDevices }
    const snapshot = { ...snapshotOf(snapshotRow(unknownDevice)), max_users: 3, max_devices_per_user: 1, user }
    const result = activation(snapshot, {}, {
      bindingKind: "hardware",
      taken: 1,
      offered: { ...offered(), ownerId }
    })
    assert.strictEqual(Result.isSuccess(result) ? result.success.isGiven : undefined, isGiven)
    if (isGiven === true) assert.deepInclude(Result.getOrThrow(result).seats, { before: 0, used: 1 })
    if (Result.isFailure(result)) assert.strictEqual(result.failure._tag, "USER_DEVICE_LIMIT_EXCEEDED")
  })

  it("says how far it is over a limit that the terms serve beyond", () => {
    const rules = { activation_overage: "allow" }
    const row = {
      ...unknownDevice,
      more: { awaits_activation: null, ends_without_grace: null, overrides: null, rules }
    }
    const over = allowed(row, { taken: 4 })
    assert.deepStrictEqual(over.overage, { limit: 3, used: 5, over: 2 })
    assert.strictEqual(over.seats.overage, "allow")
  })
})

import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import { checkout } from "../../../../src/domain/licensing/entitlements/Checkout.ts"
import type { Checkout, CheckoutInput } from "../../../../src/domain/licensing/entitlements/Checkout.ts"
import { snapshotOf } from "../../../../src/domain/licensing/entitlements/Snapshot.ts"
import type { ProductSelector, SnapshotRow } from "../../../../src/domain/licensing/entitlements/Snapshot.ts"
import { snapshotRow } from "../../../fixtures/SnapshotRows.ts"

const at = new Date("2026-03-29T00:30:00.250Z")

const nothingHeld: CheckoutInput = { at, open: 0, mine: undefined, deviceId: "dev_new", leaseId: "lease_new" }

const decided = (
  row: Partial<SnapshotRow>,
  input: Partial<CheckoutInput>,
  { asked, ...request }: { readonly asked?: ProductSelector; readonly process_id?: string } = {}
) => checkout(snapshotOf(snapshotRow(row), asked), request, { ...nothingHeld, ...input })

const allowed = (...question: Parameters<typeof decided>): Checkout => Result.getOrThrow(decided(...question))

const rules = (more: object) => ({
  more: { awaits_activation: null, ends_without_grace: null, overrides: null, rules: more }
})

describe("a checkout", () => {
  it("opens a lease from its instant on, for the period of the terms", () => {
    assert.deepStrictEqual(allowed({ floating_timeout_minutes: 15 }, { open: 1 }), {
      deviceId: "dev_new",
      leaseId: "lease_new",
      generation: 1n,
      expiresAt: new Date("2026-03-29T00:45:00.250Z"),
      opened: {
        id: "lease_new",
        license_id: "lic_1",
        device_id: "dev_new",
        status: "active",
        checked_out_at: "2026-03-29T00:30:00.250Z",
        expires_at: "2026-03-29T00:45:00.250Z"
      },
      seats: { limit: 2, before: 1, used: 2, overage: undefined },
      overage: undefined
    })
  })

  it("keeps the lease that the device holds, with the next token, though every seat is taken", () => {
    const kept = allowed({}, { open: 2, mine: { id: "lease_1", generation: 4n } })
    assert.deepInclude(kept, { leaseId: "lease_1", generation: 5n, opened: undefined })
    assert.deepInclude(kept.seats, { before: 2, used: 2 })
  })

  it("is refused when every seat is taken, and when none is sold", () => {
    const refusal = (row: Partial<SnapshotRow>, open: number) => Result.getOrThrow(Result.flip(decided(row, { open })))
    assert.deepInclude(refusal({}, 2).error, { detail: "2 of 2 in use" })
    assert.include(refusal({ max_floating_users: null }, 0).error.detail, "not sold")
  })

  it("says how far it is over a limit that the terms serve beyond", () => {
    const over = allowed(rules({ floating_overage: "50%" }), { open: 2 })
    assert.deepStrictEqual(over.seats, { limit: 2, before: 2, used: 3, overage: "50%" })
    assert.deepStrictEqual(over.overage, { limit: 2, used: 3, over: 1 })
    assert.isTrue(Result.isFailure(decided(rules({ floating_overage: "50%" }), { open: 3 })))
  })

  it("names the product of its lease where that is a further one", () => {
    const further = { further: [{ id: "prod_2", code: "viewer", former_codes: [] }] }
    assert.strictEqual(allowed(further, {}, { asked: { code: "viewer" } }).opened?.product_id, "prod_2")
    assert.notProperty(allowed(further, {}, { asked: { code: "studio" } }).opened, "product_id")
  })

  it("names the process of its lease where each process takes a seat", () => {
    const byProcess = rules({ lease_unit: "process" })
    assert.strictEqual(allowed(byProcess, {}, { process_id: "p1" }).opened?.process_id, "p1")
    assert.notProperty(allowed(byProcess, {}).opened, "process_id")
    assert.notProperty(allowed({}, {}, { process_id: "p1" }).opened, "process_id")
  })
})

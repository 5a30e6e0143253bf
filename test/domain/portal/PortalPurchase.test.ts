import { assert, describe, it } from "@effect/vitest"
import { portalPurchaseOf } from "../../../src/domain/portal/PortalLanguage.ts"
import type { KnownPurchase } from "../../../src/domain/portal/PortalLanguage.ts"
import { wireTime } from "../../../src/domain/sales/providers/SourceTime.ts"
import { day } from "../../fixtures/PurchaseLife.ts"

const slot = { slot: 0, position: 0, name: "Pro", quantity: 2, since: day(0), sold_since: day(0) }

const purchase = (changes: Partial<KnownPurchase["state"]> = {}, url: string | null = null): KnownPurchase => ({
  provider: "stripe",
  name: "subscription/sub_1",
  customer_portal_url: url,
  units: [],
  state: {
    provider: "stripe",
    purchase: "subscription/sub_1",
    kind: "subscription",
    state: "active",
    slots: [slot],
    payer: {},
    origin: {},
    refund: "none",
    dispute: "none",
    source_updated_at: day(9),
    ambiguous: false,
    notes: [],
    ...changes
  }
})

describe("a purchase that its customer sees", () => {
  it("is called by its ID at the provider, with its state and its items", () => {
    assert.deepStrictEqual(portalPurchaseOf(purchase()), {
      provider: "stripe",
      externalId: "sub_1",
      items: [{ name: "Pro", quantity: 2 }],
      state: "active",
      beganAt: undefined,
      paidThrough: undefined,
      cancelAt: undefined,
      endedAt: undefined,
      refund: "none",
      dispute: "none",
      units: [],
      portalUrl: undefined
    })
  })

  it("has the units that it gave, with their end where they have one", () => {
    const units = [
      { feature: "Exports", amount: 500, decimals: null, ends_at: null },
      { feature: "Minutes", amount: 150, decimals: 2, ends_at: "2027-03-01T00:00:00+00:00" }
    ]
    assert.deepStrictEqual(portalPurchaseOf({ ...purchase(), units }).units, [
      { feature: "Exports", amount: 500, decimals: undefined, endsAt: undefined },
      { feature: "Minutes", amount: 150, decimals: 2, endsAt: "2027-03-01T00:00:00+00:00" }
    ])
  })

  it("shows no item that was dropped, and every other", () => {
    const slots = [
      { ...slot, dropped_at: day(3) },
      { ...slot, slot: 1, name: "Team", quantity: 5 },
      { ...slot, slot: 2, name: undefined, quantity: 1 }
    ]
    assert.deepStrictEqual(portalPurchaseOf(purchase({ slots })).items, [
      { name: "Team", quantity: 5 },
      { name: undefined, quantity: 1 }
    ])
    assert.deepStrictEqual(portalPurchaseOf(purchase({ slots: slots.slice(0, 1) })).items, [])
  })

  it("has each instant of the provider under its own name", () => {
    const shown = portalPurchaseOf(
      purchase({ began_at: day(0), paid_through: day(30), cancel_at: day(20), ended_at: day(10) })
    )
    assert.deepInclude(shown, {
      beganAt: wireTime(day(0)),
      paidThrough: wireTime(day(30)),
      cancelAt: wireTime(day(20)),
      endedAt: wireTime(day(10))
    })
  })

  it("keeps the kind before its ID to itself, also where the ID has a slash", () => {
    assert.strictEqual(portalPurchaseOf({ ...purchase(), name: "subscription/sub_1/a" }).externalId, "sub_1/a")
  })

  it("tells instants to the millisecond, as everything else does", () => {
    assert.strictEqual(
      portalPurchaseOf(purchase({ began_at: "2026-11-01T10:00:00.123456789Z" })).beganAt,
      "2026-11-01T10:00:00.123Z"
    )
  })

  it("says what was given back and disputed, and where the provider's own portal is", () => {
    const shown = portalPurchaseOf(purchase({ refund: "partial", dispute: "open" }, "https://billing.example.com"))
    assert.deepInclude(shown, { refund: "partial", dispute: "open", portalUrl: "https://billing.example.com" })
  })
})

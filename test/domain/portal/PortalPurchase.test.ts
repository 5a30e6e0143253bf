import { assert, describe, it } from "@effect/vitest"
import { portalPurchaseOf } from "../../../src/domain/portal/PortalPurchase.ts"
import type { KnownPurchase } from "../../../src/domain/portal/PortalPurchase.ts"
import type { Slot } from "../../../src/domain/purchases/PurchaseState.ts"

const at = (day: number): string => `2026-11-0${day}T10:00:00.123456789Z`

const slot = (name: string, more: Partial<Slot> = {}): Slot => ({
  slot: 1,
  position: 1,
  since: at(1),
  sold_since: at(1),
  name,
  quantity: 2,
  ...more
})

const purchase = (more: Partial<KnownPurchase["state"]>, url: string | null = null): KnownPurchase => ({
  provider: "paddle",
  name: "subscription/sub_1/a",
  customer_portal_url: url,
  state: {
    provider: "paddle",
    purchase: "subscription/sub_1/a",
    kind: "subscription",
    state: "active",
    slots: [],
    payer: {},
    origin: {},
    refund: "none",
    dispute: "none",
    source_updated_at: at(1),
    ambiguous: false,
    notes: [],
    ...more
  }
})

describe("a purchase in the portal", () => {
  it("has the provider's own id, without the kind before it", () => {
    assert.strictEqual(portalPurchaseOf(purchase({})).externalId, "sub_1/a")
  })

  it("shows what was bought, without what was dropped from it", () => {
    const slots = [slot("seat"), slot("gone", { dropped_at: at(2) }), slot("plan", { quantity: 1 })]
    assert.deepStrictEqual(portalPurchaseOf(purchase({ slots })).items, [{ name: "seat", quantity: 2 }, {
      name: "plan",
      quantity: 1
    }])
  })

  it("tells each instant to the millisecond, and none that is not known", () => {
    const { beganAt, cancelAt, endedAt, paidThrough } = portalPurchaseOf(
      purchase({ began_at: at(1), paid_through: at(2), cancel_at: at(3), ended_at: at(4) })
    )
    assert.deepStrictEqual([beganAt, paidThrough, cancelAt, endedAt], [
      "2026-11-01T10:00:00.123Z",
      "2026-11-02T10:00:00.123Z",
      "2026-11-03T10:00:00.123Z",
      "2026-11-04T10:00:00.123Z"
    ])
    const { beganAt: began, endedAt: ended } = portalPurchaseOf(purchase({}))
    assert.deepStrictEqual([began, ended], [undefined, undefined])
  })

  it.each([[null, undefined], ["https://pay.example/login", "https://pay.example/login"]])(
    "of a provider whose page is %s links to %s",
    (given, shown) => {
      assert.strictEqual(portalPurchaseOf(purchase({}, given)).portalUrl, shown)
    }
  )
})

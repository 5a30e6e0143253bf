import { assert, describe, it } from "@effect/vitest"
import type { Command, Holding } from "../../../../src/domain/sales/purchases/Command.ts"
import { planOf } from "../../../../src/domain/sales/purchases/Plan.ts"
import type { PurchaseState } from "../../../../src/domain/sales/purchases/PurchaseState.ts"
import { endedNear, planInPlaceOf } from "../../../../src/domain/sales/purchases/Taking.ts"
import { day } from "../../../fixtures/PurchaseLife.ts"

const state: PurchaseState = {
  provider: "chargebee",
  purchase: "subscription/B1",
  kind: "subscription",
  state: "active",
  slots: [{
    slot: 0,
    position: 0,
    id: "plan",
    price: "team",
    quantity: 2,
    since: day(0),
    sold_since: day(10),
    sold_before: ["pro"],
    period_start: day(0),
    period_end: day(30)
  }],
  payer: {},
  origin: {},
  began_at: day(0),
  refund: "none",
  dispute: "none",
  source_updated_at: day(12),
  ambiguous: false,
  notes: []
}

const holding: Holding = {
  reference: { item: "1.studio", index: 0 },
  license: { id: "lic_1", policy_id: "pol_team", product_id: "studio", status: "active" },
  is_own: true,
  said: { sold: "team", quantity: 2, policy_id: "pol_team", meaning: "none", paid_until: day(30) }
}

describe("a license of a slot that there is no more", () => {
  it("goes on in the slot that is sold as it was, as where an event makes two slots one", () => {
    const { commands } = planOf(state, { prices: [{ by: "price", value: "team", policy_id: "pol_team" }] }, {
      policies: [{ id: "pol_team", product_id: "studio", license_type: "subscription" }],
      holdings: [holding, { ...holding, reference: { item: "0.studio", index: 0 }, is_own: false }],
      adoptable: []
    })
    const taken = commands.flatMap((command) =>
      command.type === "issue" || command.type === "adopt" ? [[command.type, command.reference.item]] : []
    )
    assert.deepStrictEqual(taken, [["adopt", "0.studio"]])
  })
})

describe("a license that nobody has used", () => {
  const record = { kind: "subscription", product_id: "studio", external_id: "B1" } as const
  const said = holding.said!
  const adopt: Command = { type: "adopt", license_id: "lic_9", reference: holding.reference, record, said }
  const issue: Command = {
    type: "issue",
    reference: { item: "0.studio", index: 1 },
    record,
    policy_id: "pol_team",
    said
  }

  it("gives its place to one that is taken over, unless another is issued by that", () => {
    const of = (...commands: ReadonlyArray<Command>) =>
      planInPlaceOf([holding], () => true, () => ({ commands, holds: [] }))?.replaced
    assert.deepStrictEqual(of(adopt), [{ license_id: "lic_1", by: "lic_9" }])
    assert.isUndefined(of(adopt, issue))
    assert.isUndefined(of())
  })

  it("gives it to one of a subscription that ended within a day of when this one began", () => {
    const ended = (at: number, seconds = 0) => ({
      license: holding.license,
      is_ending: true,
      ended_at: day(at, seconds)
    })
    const near = [ended(-1), ended(1)]
    assert.deepStrictEqual(endedNear(state, [...near, ended(1, 1), ended(-1, -1)]), near)
    assert.deepStrictEqual(endedNear({ ...state, began_at: undefined }, near), [])
  })
})

import { assert, describe, it } from "@effect/vitest"
import type { MatchedBy } from "../../../../src/domain/sales/matching/MatchedBy.ts"
import { choicesOf, entryFor } from "../../../../src/domain/sales/purchases/Mapping.ts"
import type { MappingEntry } from "../../../../src/domain/sales/purchases/Mapping.ts"

const entry = (by: MatchedBy, value: string, policy_id = `pol_${by}`): MappingEntry => ({ by, value, policy_id })

const prices = [
  entry("metadata", "plan=pro"),
  entry("payment_link", "plink_1"),
  entry("product", "prod_1"),
  entry("variant", "12"),
  entry("price", "price_1"),
  entry("price", "price_1", "pol_second")
]

describe("the entry for what was bought", () => {
  it("is the narrowest that fits, and of two alike the first", () => {
    const found = (item: object, origin = {}) => entryFor({ prices }, { quantity: 1, ...item }, origin)?.policy_id
    const everywhere = { payment_link: "plink_1", metadata: { plan: "pro" } }
    assert.strictEqual(found({ price: "price_1", product: "prod_1" }, everywhere), "pol_price")
    assert.strictEqual(found({ price: "price_2", variant: "12", product: "prod_1" }), "pol_variant")
    assert.strictEqual(found({ price: "price_2", product: "prod_1" }, everywhere), "pol_product")
    assert.strictEqual(found({}, everywhere), "pol_payment_link")
    assert.strictEqual(found({}, { metadata: { plan: "pro" } }), "pol_metadata")
    assert.isUndefined(found({ price: "prod_1", product: "price_1" }, { metadata: { plan: "basic" } }))
  })

  it("waits, suspends and keeps as the choices say that are left out", () => {
    assert.deepStrictEqual(choicesOf({ prices: [] }), {
      unmapped: "hold",
      partial_refund: "keep",
      paused_collection: "keep",
      open_dispute: "suspend",
      bought_again: "continue"
    })
    assert.strictEqual(choicesOf({ prices: [], unmapped: "ignore" }).unmapped, "ignore")
  })
})

import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import type { Rules } from "../../../../src/domain/catalog/terms/Rules.ts"
import type { LicenseCreate } from "../../../../src/domain/licensing/licenses/License.ts"
import { issueOfRow } from "../../../../src/domain/licensing/licenses/LicenseRow.ts"
import type { NamedByRows } from "../../../../src/domain/licensing/licenses/LicenseRow.ts"

const product_id = "prod_a"
const policyOf = (id: string, of = product_id) =>
  [id, { id, product_id: of, license_type: "subscription", rules: { follows_subscription: true } as Rules }] as const
const subscriptionOf = (id: string, of = product_id) =>
  [id, { id, product_id: of, status: "active", current_period_end: "2030-01-01T00:00:00.000Z" }] as const

const named: NamedByRows = {
  products: new Map([[product_id, {}]]),
  customers: new Map([["cus_a", {}]]),
  policies: new Map([policyOf("pol_a"), policyOf("pol_b", "prod_b")]),
  orders: new Map([
    ["ord_a", { product_id, subscription_id: "sub_a" }],
    ["ord_b", { product_id: "prod_b" }],
    ["ord_bare", { product_id }]
  ]),
  subscriptions: new Map([subscriptionOf("sub_a"), subscriptionOf("sub_other"), subscriptionOf("sub_b", "prod_b")]),
  further: (productId, ids) =>
    ids.includes(productId) ? [{ path: "product_ids", code: "duplicate", message: "twice" }] : []
}

const judged = (more: Partial<LicenseCreate>) =>
  issueOfRow({ product_id, policy_id: "pol_a", subscription_id: "sub_a", ...more }, named, Date.parse("2027-01-01"))

describe("a row of a bulk", () => {
  it.each<readonly [Partial<LicenseCreate>, ReadonlyArray<string>]>([
    [{}, []],
    [{ customer_id: "cus_a", order_id: "ord_a" }, []],
    [{ order_id: "ord_bare" }, []],
    [{ product_id: "prod_x" }, [
      "product_id not_found",
      "policy_id other_product",
      "subscription_id other_product"
    ]],
    [{ policy_id: "pol_x" }, ["policy_id not_found"]],
    [{ policy_id: "pol_b" }, ["policy_id other_product"]],
    [{ customer_id: "cus_x" }, ["customer_id not_found"]],
    [{ order_id: "ord_x" }, ["order_id not_found"]],
    [{ order_id: "ord_b" }, ["order_id other_product"]],
    [{ subscription_id: "sub_b" }, ["subscription_id other_product"]],
    [{ order_id: "ord_a", subscription_id: "sub_other" }, ["subscription_id not_of_order"]],
    [{ product_ids: [product_id] }, ["product_ids duplicate"]],
    [{ expires_at: "2031-01-01T00:00:00Z", customer_id: "cus_x" }, [
      "customer_id not_found",
      "expires_at contradiction"
    ]]
  ])("is judged by what it names: %j", (more, expected) => {
    const found = Result.match(judged(more), { onFailure: (fields) => fields, onSuccess: () => [] })
    assert.deepStrictEqual(found.map(({ code, path }) => `${path} ${code}`), expected)
  })

  it("follows the subscription of its order, which its license takes over", () => {
    const { subscription_id: _subscription, ...bare } = { product_id, policy_id: "pol_a", subscription_id: "" }
    const { issued, subscription_id } = Result.getOrThrow(issueOfRow({ ...bare, order_id: "ord_a" }, named, 0))
    assert.strictEqual(subscription_id, "sub_a")
    assert.deepInclude(issued, { follows_subscription: true, expires_at: "2030-01-01T00:00:00.000Z" })
    const without = issueOfRow({ ...bare, order_id: "ord_bare" }, named, 0)
    assert.isTrue(Result.isFailure(without))
  })
})

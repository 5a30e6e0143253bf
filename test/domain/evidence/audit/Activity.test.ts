import { assert, describe, it } from "@effect/vitest"
import {
  activityIdOf,
  resultOf,
  sourceOf,
  statusOf,
  subjectOf
} from "../../../../src/domain/evidence/audit/Activity.ts"

describe("Activity", () => {
  it("is about what its event is about", () => {
    assert.deepStrictEqual(
      subjectOf({
        type: "license.renewed",
        resourceId: "lic_1",
        data: { id: "lic_1", product_id: "prod_1", customer_id: "cus_1", order_id: "ord_1" },
        metadata: { order_id: "ord_2", subscription_id: "sub_2" }
      }),
      // A renewal names the order that paid for it, which is not the one that the license was sold with.
      {
        license_id: "lic_1",
        product_id: "prod_1",
        customer_id: "cus_1",
        order_id: "ord_2",
        subscription_id: "sub_2"
      }
    )
    assert.deepStrictEqual(
      subjectOf({
        type: "lease.checked_out",
        resourceId: "lease_1",
        data: { license_id: "lic_1", device_id: "dev_1", device: { id: "dev_1" } }
      }),
      { license_id: "lic_1", device_id: "dev_1" }
    )
    assert.deepStrictEqual(
      subjectOf({ type: "feature.created", resourceId: "feat_1", data: { product_id: "prod_1", code: "render" } }),
      { product_id: "prod_1", feature_code: "render" }
    )
    assert.deepStrictEqual(subjectOf({ type: "product.created", resourceId: "prod_1", data: { code: "x" } }), {
      product_id: "prod_1"
    })
    assert.deepStrictEqual(subjectOf({ type: "order.created", resourceId: "ord_1", data: { customer_id: "" } }), {
      order_id: "ord_1"
    })
    assert.deepStrictEqual(subjectOf({ type: "offline.issued", resourceId: "lic_1", data: { device_id: "dev_1" } }), {
      license_id: "lic_1",
      device_id: "dev_1"
    })
  })

  it("tells doors, statuses and results apart", () => {
    assert.deepStrictEqual((["api_key", "customer", "oidc_subject", "license", "system"] as const).map(sourceOf), [
      "management",
      "management",
      "management",
      "runtime",
      "system"
    ])
    assert.deepStrictEqual(
      (["product.created", "product.deleted", "license.feature_removed", "license.suspended"] as const).map(statusOf),
      [201, 204, 204, 200]
    )
    assert.strictEqual(resultOf("report_export.failed"), "failed")
    assert.strictEqual(resultOf("license.created"), "success")
    assert.strictEqual(activityIdOf("evt_06eqpx1trxz3h94vqjm3a6kz7c"), "act_06eqpx1trxz3h94vqjm3a6kz7c")
  })
})

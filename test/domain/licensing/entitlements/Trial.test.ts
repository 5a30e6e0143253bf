import { assert, describe, it } from "@effect/vitest"
import type { LicenseType } from "../../../../src/domain/catalog/terms/Rules.ts"
import { isStillTrial } from "../../../../src/domain/licensing/entitlements/Decision.ts"

const opened = { license_type: "trial" as const, order_id: null, subscription_id: null }

describe("isStillTrial", () => {
  it("holds for a license under a policy of trials, as it was opened", () => {
    assert.isTrue(isStillTrial(opened))
  })

  it("ends with any sign that the license was bought", () => {
    const types: ReadonlyArray<LicenseType> = ["perpetual", "time_limited", "subscription", "consumption"]
    for (const license_type of types) assert.isFalse(isStillTrial({ ...opened, license_type }), license_type)
    assert.isFalse(isStillTrial({ ...opened, order_id: "ord_1" }))
    assert.isFalse(isStillTrial({ ...opened, subscription_id: "sub_1" }))
  })
})

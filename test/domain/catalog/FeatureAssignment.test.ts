import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import type { LicenseFeature, LicenseFeatureUsageReset } from "../../../src/domain/catalog/Feature.ts"
import { featureAssigned, usageCorrected } from "../../../src/domain/catalog/NamedFeature.ts"
import type { FeatureToAssign } from "../../../src/domain/catalog/NamedFeature.ts"

const has = (more: Partial<LicenseFeature> = {}): LicenseFeature => ({
  license_id: "lic_a",
  feature_id: "feat_a",
  feature_code: "render",
  feature_name: "Renders",
  enabled: true,
  total_consumptions: 30,
  metadata: {},
  ...more
})

interface Refused {
  readonly _tag: string
  readonly error: { readonly detail?: string; readonly fields?: ReadonlyArray<{ readonly code: string }> }
}

/** What was refused: its code, and the detail or the codes of the fields. */
const refusalOf = ({ _tag, error: { detail, fields = [] } }: Refused) =>
  [_tag, ...(detail === undefined ? [] : [detail]), ...fields.map(({ code }) => code)].join(" ")

describe("the assignment of a feature", () => {
  const known: FeatureToAssign = {
    products: ["prod_a", "prod_b"],
    feature: { product_id: "prod_b", isArchived: false },
    before: undefined
  }
  const archived = { product_id: "prod_a", isArchived: true }

  it.each<readonly [Partial<FeatureToAssign>, object, string | undefined]>([
    [{}, {}, undefined],
    [{ feature: undefined }, {}, "NOT_FOUND"],
    [{ products: ["prod_a"] }, {}, "VALIDATION_ERROR other_product"],
    [{ feature: archived }, {}, "STATE_CONFLICT archived"],
    [{ feature: archived, before: has() }, {}, undefined],
    [{}, { overage: "10%" }, "VALIDATION_ERROR contradiction"],
    [{ before: has({ max_consumptions: 5 }) }, { overage: "10%" }, undefined],
    [{}, { overage: "10%", max_consumptions: 5 }, undefined]
  ])("is judged by what is known and asked: %j %j", (more, input, expected) => {
    const found = featureAssigned({ ...known, ...more }, { feature_id: "feat_a", ...input })
    assert.strictEqual(Result.match(found, { onFailure: refusalOf, onSuccess: () => undefined }), expected)
  })

  it("keeps credits, unless a new quota takes their place", () => {
    const before = has({ max_consumptions: 15, credits: 5 })
    const creditsOf = (input: object) =>
      Result.getOrThrow(featureAssigned({ ...known, before }, { feature_id: "feat_a", ...input })).credits
    assert.strictEqual(creditsOf({ enabled: false }), 5)
    assert.isUndefined(creditsOf({ max_consumptions: 15 }))
  })
})

describe("a correction of a feature", () => {
  const periodic = { period_start: "2027-01-01T00:00:00.000Z", period_consumptions: 10 } as const
  const quota = { max_consumptions: 100, credits: 20 }

  it.each<readonly [Partial<LicenseFeature>, LicenseFeatureUsageReset, ReadonlyArray<unknown> | string]>([
    // What it leaves: quota, credits, total, and what counts in the period.
    [{}, { reset_consumed: true }, [undefined, null, 0, null]],
    [{}, { total_consumptions: 12 }, [undefined, null, 12, null]],
    [periodic, { reset_consumed: true }, [undefined, null, 20, 0]],
    [periodic, { total_consumptions: 25 }, [undefined, null, 45, 25]],
    [{ ...periodic, total_consumptions: 4 }, { reset_consumed: true }, [undefined, null, 0, 0]],
    [quota, { add_credits: 5 }, [undefined, 25, 30, null]],
    [quota, { max_consumptions: 50 }, [50, null, 30, null]],
    [quota, { max_consumptions: 50, add_credits: 5 }, [50, 5, 30, null]],
    [{}, { add_credits: 5 }, "VALIDATION_ERROR no_quota"],
    [{}, { max_consumptions: 0, add_credits: 5 }, [0, 5, 30, null]],
    [quota, { add_credits: Number.MAX_SAFE_INTEGER - 100 }, [undefined, Number.MAX_SAFE_INTEGER - 80, 30, null]],
    [quota, { add_credits: Number.MAX_SAFE_INTEGER - 99 }, "VALIDATION_ERROR too_large"]
  ])("of %j by %j", (before, input, expected) => {
    const found = Result.match(usageCorrected(has(before), input), {
      onFailure: (refused): unknown => refusalOf(refused),
      onSuccess: ({ credits, period_consumptions, quota, total }) => [quota, credits, total, period_consumptions]
    })
    assert.deepStrictEqual(found, expected)
  })

  it("adds credits to the running period, and where there are none they have no start", () => {
    const startOf = (input: LicenseFeatureUsageReset) =>
      Result.getOrThrow(usageCorrected(has({ ...periodic, max_consumptions: 9 }), input)).credits_start
    assert.strictEqual(startOf({ add_credits: 1 }), periodic.period_start)
    assert.isNull(startOf({ reset_consumed: true }))
  })
})

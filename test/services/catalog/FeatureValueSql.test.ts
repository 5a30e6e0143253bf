import { assert, describe, layer } from "@effect/vitest"
import { Effect } from "effect"
import { findLostValue } from "../../../src/services/catalog/CatalogSql.ts"
import { insertPolicyFeature } from "../../../src/services/catalog/PolicyFeatureSql.ts"
import { insertAssignment } from "../../../src/services/licensing/licenses/LicenseFeatureSql.ts"
import { makeRows } from "../../fixtures/Rows.ts"
import { Workers } from "../../fixtures/Workers.ts"

describe("the statement about values of a feature", () => {
  layer(Workers.layer)((it) => {
    it.effect("a value is lost with its option, or with the type, whether a policy or a license has it", () =>
      Effect.gen(function*() {
        const { first } = yield* Workers
        const rows = makeRows(first)
        const { id: policy_id, product_id } = yield* rows.policy()
        const feature = (code: string) => {
          const id = `feat_v${code}`
          return Effect.as(rows.insert("features", { id, product_id, name: code, code, metadata: first`'{}'` }), id)
        }
        const [ofPolicy, ofLicense, other] = [yield* feature("a"), yield* feature("b"), yield* feature("c")]
        yield* insertPolicyFeature(first, policy_id, {
          feature_id: ofPolicy,
          enabled: true,
          metadata: {},
          value: "pro"
        })
        yield* insertPolicyFeature(first, policy_id, { feature_id: other, enabled: true, metadata: {} })
        const license_id = yield* rows.license({ policy_id, product_id })
        const input = { feature_id: ofLicense, value: ["eu", "us"] }
        yield* insertAssignment(first, license_id, { input, credits: undefined })
        const isLost = (id: string, lost: ReadonlyArray<string> | "all") =>
          Effect.map(findLostValue(first, id, lost), (found) => found.length)
        assert.strictEqual(yield* isLost(ofPolicy, ["basic", "pro"]), 1)
        assert.strictEqual(yield* isLost(ofPolicy, ["pr", "basic"]), 0)
        assert.strictEqual(yield* isLost(ofPolicy, "all"), 1)
        assert.strictEqual(yield* isLost(ofLicense, ["us"]), 1)
        assert.strictEqual(yield* isLost(ofLicense, ["asia"]), 0)
        assert.strictEqual(yield* isLost(other, "all"), 0)
      }))
  })
})

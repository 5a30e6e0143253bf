import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import { carriedGrants } from "../../../../src/domain/licensing/grants/CarriedGrants.ts"
import { GrantCreate } from "../../../../src/domain/licensing/grants/Grant.ts"
import { UsageRefundCreate } from "../../../../src/domain/licensing/grants/UsageRefund.ts"

const isTaken = (schema: Schema.Codec<unknown, unknown>, body: object) =>
  Schema.decodeUnknownExit(schema)(body)._tag === "Success"

describe("a request for units", () => {
  it.each<[boolean, string, object]>([
    [true, "a purchase of at least one unit", { amount: 1 }],
    [true, "a gift", { amount: 1, source: "gift" }],
    [false, "no units", { amount: 0 }],
    [false, "no units, by a correction", { amount: 0, source: "correction", reason: "counted twice" }],
    [false, "fewer units, by a purchase", { amount: -1 }],
    [false, "fewer units, by a gift", { amount: -1, source: "gift", reason: "counted twice" }],
    [true, "fewer units, by a correction with a reason", { amount: -1, source: "correction", reason: "counted twice" }],
    [true, "more units, by a correction with a reason", { amount: 1, source: "correction", reason: "counted twice" }],
    [false, "a correction without a reason", { amount: -1, source: "correction" }],
    [false, "a rollover, which nobody gives", { amount: 1, source: "rollover" }]
  ])("is taken (%s): %s", (is, _, body) => {
    assert.strictEqual(isTaken(GrantCreate, { feature_code: "render", ...body }), is)
  })

  it("names its feature by the ID or by the code, and so does a refund", () => {
    for (const [schema, rest] of [[GrantCreate, { amount: 1 }], [UsageRefundCreate, { event_id: "e" }]] as const) {
      assert.isTrue(isTaken(schema, { ...rest, feature_code: "render" }))
      assert.isTrue(isTaken(schema, { ...rest, feature_id: "feat_1" }))
      assert.isFalse(isTaken(schema, rest))
      assert.isFalse(isTaken(schema, { ...rest, feature_id: "feat_1", feature_code: "render" }))
    }
  })
})

describe("units that are carried to a later period", () => {
  it("become grants that nobody has used, before what was sold", () => {
    const at = new Date(Date.UTC(2026, 2, 29))
    const [starts_at, expires_at] = [Date.UTC(2026, 2, 1), Date.UTC(2026, 3, 1)]
    const feature = { id: "feat_1", code: "render", carried: [{ amount: 7, starts_at, expires_at }], decimals: 2 }
    const [grant, ...others] = carriedGrants("lic_1", feature as never, { at, nextId: () => "grant_1" })
    assert.lengthOf(others, 0)
    assert.deepStrictEqual<unknown>(grant, {
      id: "grant_1",
      license_id: "lic_1",
      feature_id: "feat_1",
      feature_code: "render",
      decimals: 2,
      amount: 7,
      used: 0,
      remaining: 7,
      starts_at: "2026-03-01T00:00:00.000Z",
      expires_at: "2026-04-01T00:00:00.000Z",
      priority: 50,
      source: "rollover",
      created_at: "2026-03-29T00:00:00.000Z"
    })
  })
})

import { assert, describe, it } from "@effect/vitest"
import { openApiDocument } from "../../../src/api/composition/docs/OpenApi.ts"
import {
  createFeature,
  editOf,
  isFeature,
  isMeasured,
  newFeature,
  updateFeature
} from "../../../src/console/catalog/NameAndCode.tsx"

const { FeatureCreateRequest, FeatureUpdateRequest } =
  openApiDocument("https://licenses.example.com", "1").components.schemas

const entered = {
  name: "Edition",
  code: "edition",
  isEdited: true,
  kind: "enum",
  options: "basic\npro\n",
  decimals: "2",
  meter: "unique",
  dimension: " user ",
  metadata: "{\"a\":1}"
}

describe("a feature as it is entered", () => {
  it("has a control for each member of both requests, which is sent as it is entered", () => {
    const created = createFeature(entered)
    assert.sameMembers(Object.keys(created), Object.keys(FeatureCreateRequest.properties))
    assert.deepStrictEqual(created, {
      name: "Edition",
      code: "edition",
      value_type: "enum",
      enum_options: ["basic", "pro"],
      decimals: 2,
      meter: "unique",
      meter_dimension: "user",
      metadata: { a: 1 }
    })
    const changed = updateFeature({
      name: "Edition",
      code: "edition",
      kind: "enum",
      options: "basic\npro",
      metadata: "{}",
      archived: "true"
    })
    assert.sameMembers(Object.keys(changed), Object.keys(FeatureUpdateRequest.properties))
    assert.isTrue(changed.is_archived)
  })

  it("sends no kind, options, decimal places or metadata where there are none", () => {
    assert.deepStrictEqual(createFeature({ ...newFeature, name: "Export", code: "export" }), {
      name: "Export",
      code: "export"
    })
    assert.deepStrictEqual(updateFeature({ archived: "false" }), { is_archived: false })
  })

  it.each<readonly [object, boolean]>([
    [{}, true],
    [{ options: " \n" }, false],
    [{ kind: "list", options: "" }, true],
    [{ metadata: "[]" }, false],
    [{ name: " " }, false]
  ])(
    "with %o can be sent: %s",
    (changes, isReady) => assert.strictEqual(isFeature({ ...entered, ...changes }), isReady)
  )

  it.each([["user", true], ["", false], ["Two words", false]])(
    "counts the values of a dimension, %o: %s",
    (dimension, isReady) => assert.strictEqual(isMeasured({ meter: "unique", dimension }), isReady)
  )

  it("is the feature that the service has", () => {
    const { meter: _meter, ...created } = createFeature(entered)
    const feature = {
      ...created,
      id: "feat_1",
      product_id: "prod_1",
      metadata: { a: 1 },
      created_at: "2026-11-21T10:30:00.000Z",
      updated_at: "2026-11-21T10:30:00.000Z"
    }
    assert.deepStrictEqual(editOf(feature), {
      name: "Edition",
      code: "edition",
      kind: "enum",
      options: "basic\npro",
      metadata: "{\"a\":1}",
      archived: "false"
    })
  })
})

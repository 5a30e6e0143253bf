import { assert, describe, it } from "@effect/vitest"
import {
  lostValues,
  sameValue,
  valueFindings,
  valueText,
  valueTypeFindings
} from "../../../../src/domain/catalog/terms/FeatureValue.ts"
import type {
  FeatureValue,
  FeatureValueType,
  ValuedFeature
} from "../../../../src/domain/catalog/terms/FeatureValue.ts"

const options = ["small", "large"]

describe("the type of a feature's values", () => {
  it.each<[FeatureValueType | null | undefined, ReadonlyArray<string> | null | undefined, ReadonlyArray<string>]>([
    ["enum", options, []],
    ["enum", null, ["required"]],
    ["enum", undefined, ["required"]],
    ["list", options, []],
    ["list", null, []],
    ["string", null, []],
    ["string", options, ["enum_only"]],
    ["boolean", options, ["enum_only"]],
    [null, options, ["enum_only"]],
    [undefined, undefined, []]
  ])("%s with the options %j", (value_type, enum_options, codes) => {
    const feature = {
      ...(value_type === undefined ? {} : { value_type }),
      ...(enum_options === undefined ? {} : { enum_options })
    }
    assert.deepStrictEqual(valueTypeFindings(feature).map(({ code }) => code), codes)
  })
})

describe("a value of a feature", () => {
  const values = [true, 3, "small", "medium", ["small"], ["small", "medium"], []] as const

  it.each<[FeatureValueType, ReadonlyArray<string> | null, ReadonlyArray<string | undefined>]>([
    ["boolean", null, [undefined, "wrong_type", "wrong_type", "wrong_type", "wrong_type", "wrong_type", "wrong_type"]],
    ["integer", null, ["wrong_type", undefined, "wrong_type", "wrong_type", "wrong_type", "wrong_type", "wrong_type"]],
    ["string", null, ["wrong_type", "wrong_type", undefined, undefined, "wrong_type", "wrong_type", "wrong_type"]],
    ["enum", options, [
      "wrong_type",
      "wrong_type",
      undefined,
      "not_an_option",
      "wrong_type",
      "wrong_type",
      "wrong_type"
    ]],
    ["list", options, ["wrong_type", "wrong_type", "wrong_type", "wrong_type", undefined, "not_an_option", undefined]],
    ["list", null, ["wrong_type", "wrong_type", "wrong_type", "wrong_type", undefined, undefined, undefined]]
  ])("is of its type %s and of its options %j", (value_type, enum_options, codes) => {
    const found = values.map((value) => valueFindings({ value_type, enum_options }, value as FeatureValue)[0]?.code)
    assert.deepStrictEqual(found, codes)
  })

  it("needs a type, and may be left out", () => {
    assert.deepStrictEqual(valueFindings({}, 3).map(({ code }) => code), ["no_value_type"])
    assert.deepStrictEqual(valueFindings({ value_type: null }, 3).map(({ code }) => code), ["no_value_type"])
    assert.deepStrictEqual([valueFindings({}, null), valueFindings({}, undefined)], [[], []])
  })

  it("is the same as one that reads the same", () => {
    assert.isTrue(sameValue(["a"], ["a"]))
    assert.isTrue(sameValue(undefined, undefined))
    assert.isFalse(sameValue(["a"], ["b"]))
    assert.isFalse(sameValue(1, undefined))
    assert.deepStrictEqual([valueText(undefined), valueText(null), valueText(["a"]), valueText(false)], [
      null,
      null,
      "[\"a\"]",
      "false"
    ])
  })
})

describe("the values that a change of a feature leaves no place for", () => {
  const list: ValuedFeature = { value_type: "list", enum_options: options }
  const free: ValuedFeature = { value_type: "list" }

  it.each<[string, ValuedFeature, ValuedFeature, ReturnType<typeof lostValues>]>([
    ["none where it had no type", {}, list, undefined],
    ["all where the type changes", list, { value_type: "integer" }, "all"],
    ["all where it has no type any more", list, {}, "all"],
    ["none where options are no more asked for", list, free, undefined],
    ["none where it never had options", free, free, undefined],
    ["all where options are new", free, list, "all"],
    ["the options that are gone", list, { value_type: "list", enum_options: ["large", "huge"] }, ["small"]],
    ["none where options are added", list, { value_type: "list", enum_options: [...options, "huge"] }, undefined]
  ])("are %s", (_, before, after, lost) => {
    assert.deepStrictEqual(lostValues(before, after), lost)
  })
})

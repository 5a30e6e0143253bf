import { assert, describe, it } from "@effect/vitest"
import type { Provider } from "../../../../src/domain/sales/providers/Provider.ts"
import { keyOfOtherMode, mayBeOf } from "../../../../src/domain/sales/reconciling/KeyMode.ts"
import { providerApis } from "../../../../src/domain/sales/reconciling/ProviderApis.ts"

describe("a key of a provider", () => {
  it.each<readonly [Provider, string, mayBeLive: boolean, mayBeTest: boolean]>([
    ["stripe", "sk_live_1", true, false],
    ["stripe", "rk_live_1", true, false],
    ["stripe", "sk_test_1", false, true],
    ["stripe", "rk_test_1", false, true],
    ["stripe", "of_another_form", true, true],
    ["paddle", "pdl_live_apikey_1", true, false],
    ["paddle", "pdl_sdbx_apikey_1", false, true],
    ["paddle", "of_before_keys_had_prefixes", true, true],
    ["chargebee", "acme:live_1", true, false],
    ["chargebee", "acme:test_1", false, true],
    ["chargebee", "acme-test:k", false, true],
    ["chargebee", "acme:k", true, true],
    // Their keys do not say it.
    ["lemon_squeezy", "eyJ0", true, true],
    ["fastspring", "user:password", true, true]
  ])("of %s, %s, may be of live: %s, and of test: %s", (provider, key, mayBeLive, mayBeTest) => {
    assert.strictEqual(mayBeOf(true, provider, key), mayBeLive)
    assert.strictEqual(mayBeOf(false, provider, key), mayBeTest)
    assert.strictEqual(keyOfOtherMode(true, provider, key).length, mayBeLive ? 0 : 1)
    assert.strictEqual(keyOfOtherMode(false, provider, key).length, mayBeTest ? 0 : 1)
  })

  it("that is not given, or is taken away, is of no mode", () => {
    assert.deepStrictEqual(keyOfOtherMode(true, "stripe", undefined), [])
    assert.deepStrictEqual(keyOfOtherMode(true, "stripe", ""), [])
  })

  it.each<readonly [unknown, boolean | undefined]>([
    [{ data: [{ attributes: { test_mode: true } }] }, false],
    [{ data: { attributes: { test_mode: true } } }, false],
    [{ data: [{ attributes: { test_mode: false } }] }, true],
    // Nothing was sold yet.
    [{ data: [] }, undefined],
    [{ data: [{ attributes: {} }] }, undefined],
    [{ errors: [] }, undefined],
    ["<html>", undefined]
  ])("of Lemon Squeezy that reads %j is of live: %s", (json, isLive) => {
    assert.strictEqual(providerApis.lemon_squeezy.isLiveIn(json), isLive)
  })
})

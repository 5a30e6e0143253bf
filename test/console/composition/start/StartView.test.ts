import { assert, describe, it } from "@effect/vitest"
import type { License, Policy, Product } from "../../../../src/client/api/index.ts"
import { attentionOf, barsOf, countedText, doneOf } from "../../../../src/console/composition/start/SetupSteps.ts"
import { languages, snippetOf } from "../../../../src/console/composition/start/Snippets.ts"

describe("figures of the start page", () => {
  it("have a value for each day, also for days on which nothing happened", () => {
    const of = {
      from: "2026-11-01T10:00:00.000Z",
      to: "2026-11-04T10:00:00.000Z",
      days: [
        { day: "2026-11-01T00:00:00.000Z", issued: 2, activations: 0, refusals: 0, active_licenses: 5 },
        { day: "2026-11-03T00:00:00.000Z", issued: 1, activations: 4, refusals: 0, active_licenses: 6 }
      ]
    }
    assert.deepStrictEqual(barsOf(of, "issued"), [2, 0, 1, 0])
    assert.deepStrictEqual(barsOf(of, "active_licenses"), [5, 5, 6, 6])
  })

  it("that could not be read are a dash, and never zero", () => {
    assert.strictEqual(countedText(undefined), "–")
    assert.strictEqual(countedText({ count: 0, has_more: false }), "0")
    assert.strictEqual(countedText({ count: 10_000, has_more: true }), "10,000+")
  })

  it("that wait for nobody need no attention", () => {
    assert.deepStrictEqual(
      attentionOf({ waiting_purchases: { count: 0, has_more: false }, late_mails: { count: 0, has_more: false } }),
      []
    )
    assert.deepStrictEqual(
      attentionOf({
        waiting_purchases: { count: 3, has_more: false },
        late_mails: { count: 1, has_more: false },
        failing_endpoints: [{ webhook_id: "whk_1", name: "Billing", failing_since: "2026-11-01T00:00:00.000Z" }]
      }).map(({ text }) => text),
      ["3 purchases need attention", "1 mail could not be sent yet", "Endpoint “Billing” is failing"]
    )
  })
})

describe("the steps to the first sale", () => {
  it("are counted by what there is", () => {
    const [product, policy, license] = [{} as Product, {} as Policy, {} as License]
    const none = { product: undefined, policy: undefined, license: undefined, isSelling: false }
    assert.strictEqual(doneOf(none), 0)
    assert.strictEqual(doneOf({ ...none, product }), 1)
    assert.strictEqual(doneOf({ ...none, product, policy }), 2)
    assert.strictEqual(doneOf({ ...none, product, policy, license }), 3)
    assert.strictEqual(doneOf({ ...none, license, isSelling: true }), 4)
  })

  it("end with a request that has the key and the address, in each language", () => {
    for (const language of languages) {
      const text = snippetOf(language, { url: "https://licenses.example", key: "CS-KEY" })
      assert.include(text, "https://licenses.example/api/v1/license/activate")
      assert.include(text, "License CS-KEY")
    }
  })
})

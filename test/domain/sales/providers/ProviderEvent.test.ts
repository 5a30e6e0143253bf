import { assert, describe, it } from "@effect/vitest"
import type { Link, ObjectName } from "../../../../src/domain/sales/providers/Fact.ts"
import {
  isBeginning,
  isOnlyAbout,
  linksOf,
  objectsAbout,
  objectsOf,
  purchasesOf
} from "../../../../src/domain/sales/providers/ProviderEvent.ts"
import type { ProviderEvent } from "../../../../src/domain/sales/providers/ProviderEvent.ts"

const link = (about: ObjectName, to: ObjectName): Link => ({ kind: "link", about, to })

const links = [
  link("payment/pi_1", "invoice/in_1"),
  link("invoice/in_1", "subscription/sub_1"),
  link("customer/cus_1", "subscription/sub_1"),
  link("customer/cus_1", "subscription/sub_2")
]

describe("an order of a provider", () => {
  it("begins a subscription where a link says so, and is a purchase of its own otherwise", () => {
    const link = { kind: "link", about: "order/7", to: "subscription/8" } as const
    assert.isTrue(isBeginning("order/7", [link]))
    assert.isFalse(isBeginning("order/9", [link]))
    assert.isFalse(isBeginning("payment/7", [{ ...link, about: "payment/7" }]))
  })
})

describe("what objects of a provider concern", () => {
  it("is found through every link in between, and is nothing while one is missing", () => {
    assert.deepStrictEqual(purchasesOf("payment/pi_1", links), ["subscription/sub_1"])
    assert.deepStrictEqual(purchasesOf("payment/pi_1", links.filter(({ about }) => about !== "invoice/in_1")), [])
    assert.deepStrictEqual(purchasesOf("customer/cus_1", links), ["subscription/sub_1", "subscription/sub_2"])
    assert.deepStrictEqual(purchasesOf("subscription/sub_9", links), ["subscription/sub_9"])
  })

  it("is the subscription alone, where an order begins one", () => {
    assert.deepStrictEqual(purchasesOf("order/7", []), ["order/7"])
    const begun = [link("order/7", "subscription/8"), link("payment/9", "order/7")]
    assert.deepStrictEqual(purchasesOf("order/7", begun), ["subscription/8"])
    assert.deepStrictEqual(purchasesOf("payment/9", begun), ["subscription/8"])
  })

  it.each<readonly [ObjectName, boolean]>([
    ["subscription/sub_1", true],
    ["payment/pi_1", true],
    // The customer has another one, too.
    ["customer/cus_1", false],
    ["subscription/sub_2", false],
    // It leads to none yet.
    ["charge/ch_9", true]
  ])("of %s is one purchase alone: %s", (object, isAlone) => {
    assert.strictEqual(isOnlyAbout("subscription/sub_1", ["invoice/in_1", object], links), isAlone)
  })

  it("does not reach another purchase of the same customer", () => {
    assert.deepStrictEqual([...objectsAbout("subscription/sub_1", links)].toSorted(), [
      "customer/cus_1",
      "invoice/in_1",
      "payment/pi_1",
      "subscription/sub_1"
    ])
  })

  it("ends where links go in a circle", () => {
    const circle = [link("payment/1", "invoice/1"), link("invoice/1", "payment/1")]
    assert.deepStrictEqual(purchasesOf("payment/1", circle), [])
  })

  it("is told by events", () => {
    const event: ProviderEvent = {
      id: "evt_1",
      type: "links",
      occurred_at: "2026-11-26T12:00:00.000000000Z",
      live: true,
      facts: [...links, { kind: "note", about: "charge/ch_1", note: "charge_failed" }]
    }
    assert.deepStrictEqual(linksOf(event), links)
    assert.deepStrictEqual(objectsOf(event), ["payment/pi_1", "invoice/in_1", "customer/cus_1", "charge/ch_1"])
  })
})

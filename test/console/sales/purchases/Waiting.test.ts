import { assert, describe, it } from "@effect/vitest"
import type { Purchase } from "../../../../src/client/api/index.ts"
import {
  becomingOf,
  itemText,
  matchedBy,
  payerOf,
  paymentOf,
  waitsForPerson
} from "../../../../src/console/sales/purchases/Waiting.ts"

const unmapped = { code: "unmapped", message: "", price: "price_a" }

const purchase = (more: Partial<Purchase> = {}): Purchase => ({
  id: "pur_1",
  connection_id: "bcn_1",
  provider: "stripe",
  kind: "subscription",
  external_id: "sub_1",
  status: "waiting",
  items: [{ slot: 0, price: "price_a", product: "prod_a", quantity: 5 }],
  payer: { email: "ada@example.com" },
  refund: "none",
  dispute: "none",
  is_ambiguous: false,
  holds: [unmapped],
  attempts: 0,
  licenses: [],
  created_at: "2026-11-21T10:30:00.000Z",
  updated_at: "2026-11-21T10:30:00.000Z",
  ...more
})

const draft = { by: "price", value: "price_a", quantity: "seats", licenseType: "subscription" } as const

describe("the payment of a purchase", () => {
  it.each<readonly [Partial<Purchase>, string | undefined]>([
    [{}, undefined],
    [{ state: "active" }, "active"],
    [{ state: "active", refund: "partial" }, "active"],
    [{ state: "active", refund: "full" }, "refunded"],
    [{ state: "active", dispute: "open" }, "disputed"],
    [{ state: "canceled", dispute: "lost" }, "disputed"],
    [{ state: "canceled", refund: "full", dispute: "lost" }, "refunded"]
  ])("of %j is %s", (more, payment) => assert.strictEqual(paymentOf(purchase(more)), payment))
})

describe("a purchase that waits", () => {
  it.each(
    [
      ["its price is not mapped", {}, true],
      ["it failed", { status: "failed", holds: [] }, true],
      ["it is not paid yet", { holds: [{ code: "awaits_payment", message: "" }] }, false],
      ["it is not paid yet, and not mapped", { holds: [{ code: "awaits_payment", message: "" }, unmapped] }, true],
      ["it is done", { status: "done", holds: [] }, false],
      ["a newer service says another reason", { holds: [{ code: "another", message: "" }] }, true]
    ] as ReadonlyArray<readonly [string, Partial<Purchase>, boolean]>
  )("needs a person or not: %s", (_name, more, needs) => {
    assert.strictEqual(waitsForPerson(purchase(more)), needs)
  })

  it("is named by the best name that is known of its payer", () => {
    assert.strictEqual(payerOf(purchase({ payer: { name: "Ada", email: "ada@example.com" } })), "Ada")
    assert.strictEqual(payerOf(purchase()), "ada@example.com")
    assert.strictEqual(payerOf(purchase({ payer: {} })), "sub_1")
  })

  it("names what was bought, and how much", () => {
    assert.strictEqual(itemText({ slot: 0, name: "Pro", price: "price_a", quantity: 1 }), "Pro")
    assert.strictEqual(itemText({ slot: 0, variant: "42", quantity: 3 }), "3 × 42")
    assert.strictEqual(itemText({ slot: 0, quantity: 1 }), "no price named")
  })
})

describe("a mapping that is being entered", () => {
  it.each(
    [
      ["seats", {}, {}, ["ada@example.com (5 devices)"], 1, 0],
      ["licenses", {}, { quantity: "licenses" }, ["ada@example.com (5 licenses)"], 5, 0],
      ["no meaning", {}, { quantity: "none" }, ["ada@example.com"], 1, 0],
      ["another price", {}, { value: "price_b" }, [], 0, 0],
      ["a policy of another kind", {}, { licenseType: "perpetual" }, [], 0, 1],
      [
        "an order under a policy that is for one",
        { kind: "order" },
        { licenseType: "perpetual" },
        [
          "ada@example.com (5 devices)"
        ],
        1,
        0
      ],
      [
        "an item that was removed",
        { items: [{ slot: 0, price: "price_a", quantity: 5, dropped_at: "2026" }] },
        {},
        [],
        0,
        0
      ],
      ["one that waits for its payment alone", { holds: [{ code: "awaits_payment", message: "" }] }, {}, [], 0, 0],
      [
        "two items",
        { items: [1, 2].map((quantity, slot) => ({ slot, price: "price_a", quantity })) },
        {},
        [
          "ada@example.com (3 devices)"
        ],
        2,
        0
      ]
    ] as ReadonlyArray<readonly [string, Partial<Purchase>, object, ReadonlyArray<string>, number, number]>
  )("says what becomes of what waits: %s", (_name, more, change, texts, licenses, mismatched) => {
    const found = becomingOf([purchase(more)], { ...draft, ...change })
    assert.deepStrictEqual(
      [found.becoming.map(({ text }) => text), found.licenses, found.mismatched],
      [texts, licenses, mismatched]
    )
  })

  it("finds what kind of ID a price is", () => {
    assert.strictEqual(matchedBy([purchase()], "price_a"), "price")
    assert.strictEqual(matchedBy([purchase()], "prod_a"), "product")
    assert.isUndefined(matchedBy([purchase()], "price_b"))
  })
})

import { assert, describe, it } from "@effect/vitest"
import { narrowest } from "../../../../src/domain/sales/matching/MatchedBy.ts"
import type { MatchedBy } from "../../../../src/domain/sales/matching/MatchedBy.ts"
import type { Item, Origin } from "../../../../src/domain/sales/providers/Fact.ts"

/** An entry, in short: by what it finds, and the value that it looks for. */
type Entry = readonly [by: MatchedBy, value: string]

const whole: Item = { price: "id_price", variant: "id_variant", product: "id_product", quantity: 1 }
const from: Origin = { payment_link: "id_link", metadata: { plan: "pro", seats: "5" } }

const byPrice: Entry = ["price", "id_price"]
const byVariant: Entry = ["variant", "id_variant"]
const byProduct: Entry = ["product", "id_product"]
const byLink: Entry = ["payment_link", "id_link"]
const byMetadata: Entry = ["metadata", "plan=pro"]

/** Which of some entries an item finds: its place among them, or none. */
const found = (entries: ReadonlyArray<Entry>, item: Item = whole, origin: Origin = from): number | undefined => {
  const listed = entries.map(([by, value], place) => ({ by, value, place }))
  return narrowest(listed, item, origin)?.place
}

describe("the entry for what was bought", () => {
  it("is that of its price, else of its variant, of its product, of its payment link, or of its metadata", () => {
    const ranked = [byPrice, byVariant, byProduct, byLink, byMetadata]
    for (const [place, entry] of ranked.entries()) {
      assert.strictEqual(found([entry]), 0, entry.join(" "))
      // The order in which a mapping lists its entries is none of their ranks.
      assert.strictEqual(found(ranked.slice(place).toReversed()), ranked.length - 1 - place, entry.join(" "))
    }
  })

  it("is none that looks for the value in another place", () => {
    const values = [byPrice, byVariant, byProduct, byLink, byMetadata].map(([, value]) => value)
    for (const by of ["price", "variant", "product", "payment_link", "metadata"] as const) {
      const hits = values.filter((value) => found([[by, value]]) !== undefined)
      assert.lengthOf(hits, 1, by)
    }
    assert.isUndefined(found([["metadata", "plan=basic"], ["metadata", "plan"], ["metadata", "pro"]]))
  })

  it("is any of its metadata", () => {
    assert.strictEqual(found([["metadata", "seats=5"]]), 0)
  })

  it("is the first of two that fit alike", () => {
    assert.strictEqual(found([byProduct, byPrice, byPrice]), 1)
  })

  it("is none of what is not said of it", () => {
    // An entry of the text "undefined" is one that somebody could write.
    const unsaid = ["price", "variant", "product", "payment_link", "metadata"] as const
    assert.isUndefined(found(unsaid.map((by) => [by, "undefined"]), { quantity: 1 }, {}))
    assert.isUndefined(found([byLink, byMetadata], whole, {}))
    assert.isUndefined(found([]))
  })
})

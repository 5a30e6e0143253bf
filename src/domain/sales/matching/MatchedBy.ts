import { Schema } from "effect"
import type { Item, Origin } from "../providers/Fact.ts"

/** By what an entry finds what was bought. */
export const MatchedBy = Schema.Literals(["price", "variant", "product", "payment_link", "metadata"]).annotate({
  identifier: "MatchedBy",
  description: "The ID of the provider that is compared: that of a `price`, a `variant`, a `product` or a " +
    "`payment_link`, or a value of the purchase's `metadata`."
})
export type MatchedBy = typeof MatchedBy.Type

/** From the narrowest to the widest: a price outranks its product, what was bought outranks where. */
const ranked: ReadonlyArray<MatchedBy> = ["price", "variant", "product", "payment_link", "metadata"]

/** The IDs of an item that an entry of that kind can find. */
const valuesOf = (by: MatchedBy, item: Item, origin: Origin): ReadonlyArray<string> => {
  if (by === "payment_link") return origin.payment_link === undefined ? [] : [origin.payment_link]
  if (by === "metadata") return Object.entries(origin.metadata ?? {}).map(([key, value]) => `${key}=${value}`)
  const value = item[by]
  return value === undefined ? [] : [value]
}

/** The entry for an item: the narrowest that fits, of two alike the first. */
export const narrowest = <Entry extends { readonly by: MatchedBy; readonly value: string }>(
  entries: ReadonlyArray<Entry>,
  item: Item,
  origin: Origin
): Entry | undefined => {
  for (const by of ranked) {
    const values = valuesOf(by, item, origin)
    const found = entries.find((entry) => entry.by === by && values.includes(entry.value))
    if (found !== undefined) return found
  }
  return undefined
}

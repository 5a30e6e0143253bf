import { Schema } from "effect"
import { field, label, optional, text } from "../../ground/wire/Fields.ts"
import * as Id from "../../ground/wire/Id.ts"
import { MatchedBy, narrowest } from "../matching/MatchedBy.ts"
import { UnitMapping } from "../matching/UnitMapping.ts"
import type { Item, Origin } from "../providers/Fact.ts"

/** What a quantity sets. */
const QuantityMeaning = Schema.Literals(["seats", "floating_seats", "users", "licenses", "none"]).annotate({
  identifier: "QuantityMeaning",
  description: "The meaning of the quantity that was bought: the device limit of the license (`seats`), its floating " +
    "seats (`floating_seats`), its seats for people (`users`), as many `licenses`, or nothing (`none`)."
})

export const MappingEntry = Schema.Struct({
  by: MatchedBy,
  value: field(text(1, 255), "The ID in the provider's system; of metadata, `key=value`."),
  name: optional(label(255), "The name of the price, for people."),
  policy_id: field(Id.reference("pol"), "The policy that a license is issued under."),
  quantity: optional(QuantityMeaning, "The meaning of the quantity. Default: `none`.")
}).annotate({
  identifier: "PriceMapping",
  description: "The license that a price becomes.",
  examples: [{ by: "price", value: "price_1QXyz", policy_id: Id.exampleOf("pol"), quantity: "seats" }]
})
export type MappingEntry = typeof MappingEntry.Type

/** The meaning of a quantity by an entry, also where it does not say so. */
export const meaningOf = ({ quantity }: MappingEntry): NonNullable<MappingEntry["quantity"]> => quantity ?? "none"

const prices = Schema.Array(MappingEntry).check(Schema.isMaxLength(500))

/** What a connection makes of purchases. Choices that are left out have their defaults, which `choicesOf` knows. */
export const Mapping = Schema.Struct({
  prices: field(prices, "The license that each price becomes, at most 500 entries."),
  units: optional(
    Schema.Array(UnitMapping).check(Schema.isMaxLength(500)),
    "The units of metered features that prices become, at most 500 entries. A price may have entries here and in `prices`: then it sells " +
      "a license and its units."
  ),
  unmapped: optional(
    Schema.Literals(["hold", "ignore"]),
    "A price without an entry: `hold` it until there is one, the default, or `ignore` it."
  ),
  partial_refund: optional(
    Schema.Literals(["keep", "end"]),
    "Licenses after a partial refund: `keep` them, the default, or `end` them as after a full one."
  ),
  paused_collection: optional(
    Schema.Literals(["keep", "suspend"]),
    "Licenses while the payments of a subscription are not collected: `keep` them, the default, or `suspend` them."
  ),
  open_dispute: optional(
    Schema.Literals(["suspend", "keep"]),
    "Licenses while a payment is disputed: `suspend` them, the default, or `keep` them. A dispute that was lost ends them; " +
      "one about a part of the payment counts as a partial refund."
  ),
  bought_again: optional(
    Schema.Literals(["continue", "issue"]),
    "A second purchase of a customer: `continue` the license of a subscription of the same product that has ended or is not renewed, the default, " +
      "or `issue` another one."
  )
}).annotate({
  identifier: "BillingMapping",
  description: "The licenses that the purchases of a connection become.",
  examples: [{ prices: [{ by: "price", value: "price_1QXyz", policy_id: Id.exampleOf("pol"), quantity: "seats" }] }]
})
export type Mapping = typeof Mapping.Type

/** The choices of a mapping, with the defaults of those that are left out. */
export const choicesOf = (mapping: Mapping) => ({
  unmapped: mapping.unmapped ?? "hold",
  partial_refund: mapping.partial_refund ?? "keep",
  paused_collection: mapping.paused_collection ?? "keep",
  open_dispute: mapping.open_dispute ?? "suspend",
  bought_again: mapping.bought_again ?? "continue"
})

/** Whether a mapping names an entry of the metadata of a purchase. */
export const isMappedBy = ({ prices, units = [] }: Mapping): (key: string, value: string) => boolean => {
  const named = new Set([...prices, ...units].flatMap(({ by, value }) => by === "metadata" ? [value] : []))
  return (key, value) => named.has(`${key}=${value}`)
}

/** The entry for an item: the narrowest that fits, of two alike the first. */
export const entryFor = (mapping: Mapping, item: Item, origin: Origin): MappingEntry | undefined =>
  narrowest(mapping.prices, item, origin)

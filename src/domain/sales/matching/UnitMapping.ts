import { Schema } from "effect"
import { DurationInput, DurationText } from "../../catalog/terms/Duration.ts"
import { bigCount, field, label, optional, text, Timestamp, TimestampInput } from "../../ground/wire/Fields.ts"
import * as Id from "../../ground/wire/Id.ts"
import type { Item, Origin } from "../providers/Fact.ts"
import { MatchedBy, narrowest } from "./MatchedBy.ts"

/** The owner of units that were bought. */
const UnitOwner = Schema.Literals(["license", "customer"]).annotate({
  identifier: "UnitOwner",
  description: "The owner of units: a `license`, as a grant, or the `customer`, as a pool that its licenses share."
})

const sinceText =
  "The time from which payments give units; earlier ones give none. A purchase that had waited for the entry gives them in any case."

const members = {
  by: MatchedBy,
  value: field(text(1, 255), "The ID in the provider's system; of metadata, `key=value`."),
  name: optional(label(255), "The name of the price, for people."),
  feature_id: field(Id.reference("feat"), "The metered feature whose units are sold."),
  amount: field(bigCount(1), "How many units one of the quantity gives."),
  to: optional(UnitOwner, "The owner of the units. Default: `license`."),
  max_per_license: optional(
    bigCount(1),
    "Of a pool, the most that one license takes of it; without effect on units of a license."
  ),
  ends_with_period: optional(
    Schema.Boolean,
    "Whether the units end with the period that they were paid for. A one-time purchase has no period. Default: `false`."
  ),
  priority: optional(
    Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 1000 })),
    "Of units that end at the same time, those with the lower priority are used first. Default: 100."
  )
}

const expiresText =
  "How long the units can be used after the payment, such as `P1Y`; it outranks `ends_with_period`. Default: they do not end."

/** The units that a price becomes, beside the license that it may become, or alone. */
export const UnitMapping = Schema.Struct({
  ...members,
  expires_after: optional(DurationText, expiresText),
  since: optional(Timestamp, sinceText)
}).annotate({
  identifier: "UnitMapping",
  description: "The units of a metered feature that a price becomes.",
  examples: [{
    by: "price",
    value: "price_1QPack",
    feature_id: Id.exampleOf("feat"),
    amount: 500,
    expires_after: "P1Y"
  }]
})
export type UnitMapping = typeof UnitMapping.Type

/** The same in a request. */
export const UnitMappingInput = Schema.Struct({
  ...members,
  expires_after: optional(DurationInput, expiresText),
  since: optional(
    TimestampInput,
    `${sinceText} Default: when the entry was added. Set an earlier time to give units for payments of before.`
  )
}).annotate({
  identifier: "UnitMappingRequest",
  description: "The units of a metered feature that a price becomes.",
  examples: [{ by: "price", value: "price_1QPack", feature_id: Id.exampleOf("feat"), amount: 500 }]
})

/** The units that an item gives, each feature by the narrowest entry that fits. */
export const unitsFor = (
  units: ReadonlyArray<UnitMapping> | undefined,
  item: Item,
  origin: Origin
): ReadonlyArray<UnitMapping> =>
  [...new Set(units?.map(({ feature_id }) => feature_id))].flatMap((id) =>
    narrowest((units ?? []).filter(({ feature_id }) => feature_id === id), item, origin) ?? []
  )

/**
 * Entries with the time from which payments give units: when they were added, unless they say it. One that was there before keeps its
 * time, so that no change of a mapping gives units for what was paid before.
 */
export const withSince = (
  units: ReadonlyArray<UnitMapping> | undefined,
  before: ReadonlyArray<UnitMapping> | undefined,
  now: string
): ReadonlyArray<UnitMapping> | undefined =>
  units?.map((entry) => {
    if (entry.since !== undefined) return entry
    const known = before?.find(({ by, feature_id, value }) =>
      by === entry.by && value === entry.value && feature_id === entry.feature_id
    )
    return { ...entry, since: known?.since ?? now }
  })

import { afterDuration } from "../../catalog/terms/Duration.ts"
import { wireTime } from "../providers/SourceTime.ts"
import type { Hold } from "../purchases/Command.ts"
import { hold } from "../purchases/Holds.ts"
import { soldAs } from "../purchases/Said.ts"
import type { SoldUnits, UnitsOfPurchase } from "./SoldUnits.ts"

/** Units that were given for a payment, as they are known of before. The last of a payment, where they were taken back and given again. */
export interface GivenUnits {
  readonly bill: string
  readonly part: string
  readonly feature_id: string
  /** How often units were given for the payment. */
  readonly number: number
  /** The purchase that took them back; null while they are given. */
  readonly taken_by: string | null
}

/** The licenses that units may be for, of the product of their feature. */
export interface UnitTargets {
  /** The ones that the buyer named; undefined where none was named. */
  readonly named: ReadonlyArray<string> | undefined
  /** Licenses of the same purchase. */
  readonly own: ReadonlyArray<string>
  /** Licenses of the subscriptions of the same checkout. */
  readonly beside: ReadonlyArray<string>
  /** Licenses of the customer that work. */
  readonly owned: ReadonlyArray<string>
}

/** A step about the units of one payment. */
export type UnitsStep =
  | { readonly type: "give"; readonly sold: SoldUnits; readonly number: number }
  | { readonly type: "take"; readonly sold: SoldUnits; readonly given: GivenUnits }
  | { readonly type: "again"; readonly sold: SoldUnits; readonly given: GivenUnits }

/** When units end that were paid for; undefined where they do not. */
export const endOf = ({ ends_at, entry: { expires_after }, paid_at }: SoldUnits): number | undefined =>
  expires_after !== undefined
    ? afterDuration(Date.parse(wireTime(paid_at)), expires_after)
    : ends_at === undefined
    ? undefined
    : Date.parse(wireTime(ends_at))

/** The name of the units of a payment among those that were given. */
export const keyOf = ({ bill, feature_id, part }: Pick<GivenUnits, "bill" | "part" | "feature_id">): string =>
  `${bill} ${part} ${feature_id}`

/** The name of the units of a payment that is known. */
export const soldKey = ({ bill, entry, part }: SoldUnits): string => keyOf({ bill, part, feature_id: entry.feature_id })

/**
 * What is to be done for the units that a purchase has bought. Units are given once for each payment, and not for one of before their entry
 * unless it had waited; once the money is back they are taken back, and given again by the purchase that had taken them, where that is undone.
 */
export const unitSteps = (
  { sold }: Pick<UnitsOfPurchase, "sold">,
  { given, now, purchaseId, waited }: {
    readonly given: ReadonlyArray<GivenUnits>
    readonly purchaseId: string
    /** The IDs of what the purchase waited for. */
    readonly waited: ReadonlySet<string>
    /** Unix milliseconds. */
    readonly now: number
  }
): ReadonlyArray<UnitsStep> => {
  const known = new Map(given.map((one) => [keyOf(one), one]))
  return sold.flatMap((one): ReadonlyArray<UnitsStep> => {
    const before = known.get(soldKey(one))
    if (before !== undefined) {
      if (one.is_back) return before.taken_by === null ? [{ type: "take", sold: one, given: before }] : []
      return before.taken_by === purchaseId ? [{ type: "again", sold: one, given: before }] : []
    }
    const { since } = one.entry
    const isBefore = since !== undefined && wireTime(one.paid_at) < since && !waited.has(soldAs(one.item) ?? "")
    const end = endOf(one)
    const isOver = end !== undefined && end <= now
    return one.is_back || one.is_open || isBefore || isOver ? [] : [{ type: "give", sold: one, number: 1 }]
  })
}

const only = (ids: ReadonlyArray<string>): string | "several" | undefined => ids.length > 1 ? "several" : ids[0]

/** The license that units are for, or why nobody can say: the one that the buyer named, else of the purchase, else of its checkout, else of the customer. */
export const unitTarget = ({ item }: SoldUnits, targets: UnitTargets): string | Hold => {
  if (targets.named !== undefined) return targets.named[0] ?? hold("units_unknown_license", item)
  const found = only(targets.own) ?? only(targets.beside) ?? only(targets.owned)
  if (found === undefined) return hold("units_no_license", item)
  return found === "several" ? hold("units_several_licenses", item) : found
}

/** The license that the metadata of a purchase name. Nobody names a key there: keys stand nowhere but with who has them. */
export const namedLicense = (metadata: Readonly<Record<string, string>> | undefined): string | undefined =>
  metadata?.["license_id"]?.trim() || undefined

import type { BillingMapping, Feature, MatchedBy, UnitMapping, UnitOwner } from "../../../client/api/index.ts"
import { labels, titleOf } from "../../../client/api/Labels.ts"
import { amountText } from "../../../client/transport/Amounts.ts"
import { none } from "../../catalog/policies/PolicyDraft.ts"
import { durationText } from "../../catalog/policies/PolicyWords.ts"
import { wholeOf } from "../../ground/design/Field.tsx"

/** The limits of an amount of units. */
export const amounts = { min: 1, max: Number.MAX_SAFE_INTEGER }

/** When units of an entry end. */
type Ends = "never" | "period" | "after"

/** The choices of when units end, in words. */
export const unitEnds: ReadonlyArray<readonly [Ends, string]> = [
  ["never", "Never"],
  ["period", "With the period that is paid"],
  ["after", "After a time"]
]

const isOwner = (owner: string): owner is UnitOwner => Object.hasOwn(labels.unitOwner, owner)

/** The owners of units, in words. */
export const unitOwners: ReadonlyArray<readonly [UnitOwner, string]> = Object.keys(labels.unitOwner).flatMap((owner) =>
  isOwner(owner) ? [[owner, titleOf("unitOwner", owner)] as const] : []
)

/** An entry as it is entered: each number as a text, in the feature's decimal places. */
export interface UnitDraft {
  readonly by: MatchedBy
  readonly value: string
  readonly product: string
  readonly feature: Pick<Feature, "decimals" | "id"> | undefined
  readonly amount: string
  readonly to: UnitOwner
  /** Empty for no most. */
  readonly most: string
  readonly ends: Ends
  /** A duration, while units end after a time. */
  readonly after: string
}

/** An entry at first. */
export const noUnits = (by: MatchedBy): UnitDraft => ({
  by,
  value: "",
  product: "",
  feature: undefined,
  amount: "",
  to: "license",
  most: "",
  ends: "never",
  after: "P1Y"
})

/** An entry as it is, to be changed. */
export const enteredUnits = (
  { amount, by, ends_with_period, expires_after, max_per_license, to = "license", value }: UnitMapping,
  feature: Pick<Feature, "decimals" | "id" | "product_id">
): UnitDraft => ({
  by,
  value,
  product: feature.product_id,
  feature,
  amount: amountText(amount, feature.decimals),
  to,
  most: max_per_license === undefined ? "" : amountText(max_per_license, feature.decimals),
  ends: expires_after !== undefined ? "after" : ends_with_period === true ? "period" : "never",
  after: expires_after ?? "P1Y"
})

/** The entry that was entered, with what the form does not show of one that is there; undefined while something is missing or wrong. */
export const unitsEntered = (draft: UnitDraft, there?: UnitMapping): UnitMapping | undefined => {
  const { after, by, ends, feature, most, to } = draft
  const value = draft.value.trim()
  const decimals = feature?.decimals
  const amount = wholeOf(draft.amount, { ...amounts, decimals })
  const max_per_license = to === "license" || most.trim() === "" ? undefined : wholeOf(most, { ...amounts, decimals })
  const isMostWrong = to === "customer" && most.trim() !== "" && max_per_license === undefined
  if (feature === undefined || value === "" || amount === undefined || isMostWrong) return undefined
  if (ends === "after" && (after === none || after === "")) return undefined
  const { name, priority, since } = there ?? {}
  return {
    by,
    value,
    ...(name === undefined ? {} : { name }),
    feature_id: feature.id,
    amount,
    to,
    ...(max_per_license === undefined ? {} : { max_per_license }),
    ...(ends === "period" ? { ends_with_period: true } : {}),
    ...(ends === "after" ? { expires_after: after } : {}),
    ...(priority === undefined ? {} : { priority }),
    ...(since === undefined ? {} : { since })
  }
}

/** Whether two entries are about the same price and feature: a mapping has one of them. */
const isSameUnits = (one: UnitMapping, other: UnitMapping): boolean =>
  one.by === other.by && one.value === other.value && one.feature_id === other.feature_id

/** A mapping without an entry. */
export const withoutUnits = (mapping: BillingMapping, entry: UnitMapping): BillingMapping => {
  const { units = [], ...others } = mapping
  const left = units.filter((one) => !isSameUnits(one, entry))
  return left.length === 0 ? others : { ...others, units: left }
}

/** A mapping with an entry, in the place of one for the same price and feature. */
export const withUnits = (mapping: BillingMapping, entry: UnitMapping): BillingMapping => {
  const { units = [] } = mapping
  return {
    ...mapping,
    units: units.some((one) => isSameUnits(one, entry))
      ? units.map((one) => isSameUnits(one, entry) ? entry : one)
      : [...units, entry]
  }
}

/** When units of an entry end, in words. */
export const endsText = ({ ends_with_period, expires_after }: UnitMapping): string =>
  expires_after !== undefined
    ? `${durationText(expires_after)} after the payment`
    : ends_with_period === true
    ? "with the period"
    : "never"

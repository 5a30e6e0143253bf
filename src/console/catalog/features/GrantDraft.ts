import type {
  Feature,
  LicenseFeature,
  LicenseFeatureAssignRequest,
  PolicyFeature,
  PolicyFeatureAssignRequest,
  QuotaPeriod
} from "../../../client/api/index.ts"
import { labelOf, labels, titleOf } from "../../../client/api/Labels.ts"
import { amountOf, amountText } from "../../../client/transport/Amounts.ts"
import { isWholeOrNone, wholeOf } from "../../ground/design/Field.tsx"
import { amount } from "../../ground/design/Numbers.ts"
import { dayIn, startOfDay } from "../../ground/design/Time.tsx"
import { isJsonObject, metadataIn } from "../policies/JsonObject.ts"
import { none } from "../policies/PolicyDraft.ts"
import { durationText } from "../policies/PolicyWords.ts"
import { enteredValue, sentValue, valueText, wrongValue } from "./FeatureKinds.ts"

/** A feature as it is granted by a policy or had by a license, as it is entered: each member as a text. */
export interface GrantDraft {
  readonly featureId: string
  readonly isOn: boolean
  /** Empty for no value; the texts of a list are lines. */
  readonly value: string
  /** Empty for no quota, which is not 0. */
  readonly quota: string
  readonly period: string
  readonly overage: string
  /** The percentages of the quota at which an event tells of it, with commas between them. */
  readonly thresholds: string
  /** The numbers of units left at which an event tells of it, likewise. */
  readonly rests: string
  /** How much of each period is carried, and for how many periods; empty for nothing, at a policy alone. */
  readonly carried: string
  readonly carriedFor: string
  /** At a policy a duration or none, at a license a day or empty. */
  readonly ends: string
  readonly metadata: string
}

/** A grant at first, at a policy. */
export const noGrant: GrantDraft = {
  featureId: "",
  isOn: true,
  value: "",
  quota: "",
  period: "",
  overage: none,
  thresholds: "",
  rests: "",
  carried: "",
  carriedFor: "1",
  ends: none,
  metadata: "{}"
}

/** A feature of a license, at first. */
export const noOwnFeature: GrantDraft = { ...noGrant, ends: "" }

/** The limits of what is carried of each period, and of the periods that it is carried for. */
export const carriedUnits = { min: 1, max: Number.MAX_SAFE_INTEGER }
export const carriedPeriods = { min: 1, max: 12 }

/** The limits of a quota. */
export const quotas = { min: 0, max: Number.MAX_SAFE_INTEGER }

const isPeriod = (text: string): text is QuotaPeriod => Object.hasOwn(labels.period, text)

/** The periods of a quota. */
export const periods: ReadonlyArray<readonly [QuotaPeriod | "", string]> = [
  ["", "Never"],
  ...Object.keys(labels.period).flatMap((period) =>
    isPeriod(period) ? [[period, titleOf("period", period)] as const] : []
  )
]

type Shared = Pick<
  PolicyFeature,
  | "decimals"
  | "enabled"
  | "feature_id"
  | "max_consumptions"
  | "metadata"
  | "overage"
  | "period"
  | "quota_thresholds"
  | "remaining_thresholds"
  | "value"
>

const shared = (
  { decimals, enabled, feature_id, max_consumptions, metadata, overage, period, value, ...thresholds }: Shared
) => ({
  featureId: feature_id,
  isOn: enabled,
  value: enteredValue(value),
  quota: max_consumptions === undefined ? "" : amountText(max_consumptions, decimals),
  period: period ?? "",
  overage: overage ?? none,
  thresholds: (thresholds.quota_thresholds ?? []).join(", "),
  rests: (thresholds.remaining_thresholds ?? []).map((units) => amountText(units, decimals)).join(", "),
  carried: "",
  carriedFor: "1",
  metadata: JSON.stringify(metadata)
})

/** A feature as a policy grants it. */
export const grantOf = (feature: PolicyFeature): GrantDraft => ({
  ...shared(feature),
  carried: feature.rollover === undefined ? "" : amountText(feature.rollover.cap, feature.decimals),
  carriedFor: String(feature.rollover?.periods ?? 1),
  ends: feature.expires_after ?? none
})

/** A feature as a license has it, without the credits that were added to its quota. */
export const ownFeatureOf = (feature: LicenseFeature): GrantDraft => {
  const { credits = 0, expires_at, max_consumptions } = feature
  return {
    ...shared({
      ...feature,
      ...(max_consumptions === undefined ? {} : { max_consumptions: max_consumptions - credits })
    }),
    ends: expires_at === undefined ? "" : dayIn(Date.parse(expires_at))
  }
}

/** The thresholds of a text; undefined where it is no list of numbers with as many decimal places. */
const thresholdsIn = (text: string, decimals?: number): Array<number> | undefined => {
  const all = text.split(/[\s,]+/).filter(Boolean)
  const amounts = all.flatMap((each) => amountOf(each, decimals) ?? [])
  return amounts.length === all.length && amounts.every((each) => each >= 0) ? amounts : undefined
}

/** Whether a grant can be sent. */
export const isComplete = (draft: GrantDraft, feature: Feature | undefined): boolean =>
  feature !== undefined && wrongValue(feature.value_type ?? "", draft.value) === undefined &&
  isWholeOrNone(draft.quota, { ...quotas, decimals: feature.decimals }) &&
  thresholdsIn(draft.thresholds) !== undefined && thresholdsIn(draft.rests, feature.decimals) !== undefined &&
  (draft.carried.trim() === "" ||
    (wholeOf(draft.carried, { ...carriedUnits, decimals: feature.decimals }) !== undefined &&
      wholeOf(draft.carriedFor, carriedPeriods) !== undefined)) &&
  isJsonObject(draft.metadata)

type Changed = (name: keyof GrantDraft) => boolean

const quotaIn = (text: string, decimals: number | undefined): number | null => amountOf(text, decimals) ?? null

const sentThresholds = (text: string, decimals?: number): Array<number> | null =>
  text.trim() === "" ? null : thresholdsIn(text, decimals) ?? null

const rolloverIn = ({ carried, carriedFor }: GrantDraft, decimals: number | undefined) => {
  const cap = amountOf(carried, decimals)
  return cap === undefined ? null : { cap, periods: Number(carriedFor.trim()) }
}

const periodIn = (text: string): QuotaPeriod | null => isPeriod(text) ? text : null

/** The members that policies and licenses have alike. */
const common = (draft: GrantDraft, changed: Changed, feature: Feature) => ({
  feature_id: feature.id,
  ...(changed("isOn") ? { enabled: draft.isOn } : {}),
  ...(changed("value") ? { value: sentValue(feature.value_type ?? "", draft.value) } : {}),
  ...(changed("thresholds") ? { quota_thresholds: sentThresholds(draft.thresholds) } : {}),
  ...(changed("rests") ? { remaining_thresholds: sentThresholds(draft.rests, feature.decimals) } : {}),
  ...(changed("metadata") ? metadataIn(draft.metadata) : {})
})

const differs = (loaded: GrantDraft, draft: GrantDraft): Changed => (name) => loaded[name] !== draft[name]

/** The request by which a policy grants a feature: what differs. Null takes a member away. */
export const policyGrant = (loaded: GrantDraft, draft: GrantDraft, feature: Feature): PolicyFeatureAssignRequest => {
  const changed = differs(loaded, draft)
  return {
    ...common(draft, changed, feature),
    ...(changed("quota") ? { max_consumptions: quotaIn(draft.quota, feature.decimals) } : {}),
    ...(changed("period") ? { period: periodIn(draft.period) } : {}),
    ...(changed("overage") ? { overage: draft.overage === none ? null : draft.overage } : {}),
    ...(changed("carried") || (changed("carriedFor") && draft.carried.trim() !== "")
      ? { rollover: rolloverIn(draft, feature.decimals) }
      : {}),
    ...(changed("ends") ? { expires_after: draft.ends === none ? null : draft.ends } : {})
  }
}

/** The request that gives a license a feature: what differs. A quota of its own is replaced and never taken away. */
export const licenseGrant = (loaded: GrantDraft, draft: GrantDraft, feature: Feature): LicenseFeatureAssignRequest => {
  const changed = differs(loaded, draft)
  const [quota, period] = [quotaIn(draft.quota, feature.decimals), periodIn(draft.period)]
  return {
    ...common(draft, changed, feature),
    ...(changed("quota") && quota !== null ? { max_consumptions: quota } : {}),
    ...(changed("period") && period !== null ? { period } : {}),
    ...(changed("overage") && draft.overage !== none ? { overage: draft.overage } : {}),
    ...(changed("ends") ? { expires_at: draft.ends === "" ? null : startOfDay(draft.ends) } : {})
  }
}

/** The quota of a grant in words. */
export const quotaText = (
  { decimals, max_consumptions, overage, period, rollover }: Pick<
    PolicyFeature,
    "decimals" | "max_consumptions" | "overage" | "period" | "rollover"
  >
): string =>
  max_consumptions === undefined
    ? "no quota"
    : `${amount(max_consumptions, decimals)}${period === undefined ? "" : ` per ${labelOf("period", period)}`}${
      overage === undefined || overage === "deny" ? "" : overage === "allow" ? ", more is counted" : `, ${overage} more`
    }${rollover === undefined ? "" : `, up to ${amount(rollover.cap, decimals)} carried`}`

/** A grant of a policy in words: its value, its quota, and how long. */
export const grantText = (grant: PolicyFeature): string =>
  !grant.enabled
    ? "off"
    : [
      ...(grant.value === undefined ? [] : [valueText(grant.value)]),
      ...(grant.max_consumptions === undefined ? [] : [quotaText(grant)]),
      ...(grant.expires_after === undefined ? [] : [`for ${durationText(grant.expires_after)}`])
    ].join(" · ") || "on"

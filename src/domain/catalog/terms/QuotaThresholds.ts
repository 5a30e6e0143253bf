import { Schema } from "effect"
import { bigCount, count, field, optional, Timestamp } from "../../ground/wire/Fields.ts"
import * as Id from "../../ground/wire/Id.ts"
import { Decimals } from "./Measure.ts"
import { Period } from "./Period.ts"

/** At which shares of a quota a license says how much it has used. Their order says nothing. */
export const QuotaThresholds = Schema.Array(Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 1000 }))).check(
  Schema.isBetweenLength(1, 10),
  Schema.isUnique()
)

/** At how many units left a license says so, of its quota and grants together. Their order says nothing. */
export const RemainingThresholds = Schema.Array(bigCount(1)).check(Schema.isBetweenLength(1, 10), Schema.isUnique())

/** What the event of a quota that was used up to a threshold says. */
export const QuotaThresholdReached = Schema.Struct({
  license_id: Id.text("lic"),
  device_id: Schema.optionalKey(Id.text("dev")),
  feature_id: Id.text("feat"),
  feature_code: field(Schema.String, "The code of the feature."),
  percentage: optional(count(1), "The percentage of `quota_thresholds` that was reached."),
  remaining_threshold: optional(
    bigCount(1),
    "The units of `remaining_thresholds` that were reached. Either this or `percentage`."
  ),
  decimals: Schema.optionalKey(Decimals),
  max_consumptions: field(bigCount(0), "The quota, with grants."),
  used: field(bigCount(0), "Current usage, including this call."),
  remaining: field(bigCount(0), "How much of the quota is left."),
  period: optional(Period, "The period after which the quota resets."),
  period_start: optional(Timestamp, "When the period of the quota began."),
  period_ends_at: optional(Timestamp, "The time of the next reset of the quota.")
}).annotate({
  identifier: "QuotaThresholdEventData",
  description: "A license has used a share of a quota, or has no more units left, that its policy names.",
  examples: [{
    license_id: "lic_06eqpx1trxz3h94vqjm3a6kz7c",
    device_id: "dev_06eqpx1trxz3h94vqjm3a6kz7c",
    feature_id: "feat_06eqpx1trxz3h94vqjm3a6kz7c",
    feature_code: "export-pdf",
    percentage: 80,
    max_consumptions: 1000,
    used: 812,
    remaining: 188
  }]
})

/** A threshold that a use reached, as its event tells it. */
export type ReachedThreshold = { readonly percentage: number } | { readonly remaining_threshold: number }

/** The thresholds that were announced, and in which period; null without one. Unix milliseconds. */
export interface AnnouncedThreshold {
  /** The highest. */
  readonly percentage: number | null
  /** The lowest number of units left. */
  readonly remaining: number | null
  readonly period_start: number | null
}

/** How much is used at a percentage of a quota, rounded up. Exact for every whole number that JSON carries. */
const usedAt = (percentage: number, quota: number): number =>
  Math.floor(quota / 100) * percentage + Math.ceil((quota % 100) * percentage / 100)

/** What of a quota is used, and which of its percentages was announced. */
interface AnnouncedUse {
  readonly quota: number | null
  readonly consumed: number
  /** The highest that was announced in the period; 0 before the first. */
  readonly announced: number
}

/**
 * The highest percentage that was announced and still holds. Below it again, by a larger quota, a grant or a refund, a use
 * reaches it anew.
 */
export const stillAnnounced = (
  thresholds: ReadonlyArray<number> | null,
  { announced, consumed, quota }: AnnouncedUse
): number =>
  thresholds === null || quota === null || quota === 0
    ? announced
    : Math.min(announced, thresholds.findLast((percentage) => consumed >= usedAt(percentage, quota)) ?? 0)

/** The percentages that a use reached, and that were not announced before. */
export const thresholdsReached = (
  thresholds: ReadonlyArray<number> | null,
  { announced, consumed, quota }: AnnouncedUse
): ReadonlyArray<number> =>
  thresholds === null || quota === null || quota === 0
    ? []
    : thresholds.filter((percentage) => percentage > announced && consumed >= usedAt(percentage, quota))

/** What is left of a quota, and which number of units left was announced. */
interface AnnouncedRest {
  readonly quota: number | null
  /** Of the quota and its grants together; undefined without a quota. */
  readonly remaining: number | undefined
  /** The lowest that was announced in the period; Infinity before the first. */
  readonly announced: number
}

/** The lowest number of units left that was announced and still holds; more may be left again, as of {@link stillAnnounced}. */
export const stillAnnouncedRest = (
  thresholds: ReadonlyArray<number> | null,
  { announced, quota, remaining }: AnnouncedRest
): number =>
  thresholds === null || remaining === undefined || quota === 0
    ? announced
    : Math.max(announced, thresholds.find((units) => remaining <= units) ?? Infinity)

/** The numbers of units left that a use reached, the highest first, and that were not announced before. */
export const restsReached = (
  thresholds: ReadonlyArray<number> | null,
  { announced, quota, remaining }: AnnouncedRest
): ReadonlyArray<number> =>
  thresholds === null || remaining === undefined || quota === 0
    ? []
    : thresholds.filter((units) => units < announced && remaining <= units).toReversed()

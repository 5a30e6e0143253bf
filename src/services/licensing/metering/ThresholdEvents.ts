import { remainingOf } from "../../../domain/catalog/terms/EffectiveFeatures.ts"
import type { EffectiveFeature } from "../../../domain/catalog/terms/EffectiveFeatures.ts"
import { decimalsMember } from "../../../domain/catalog/terms/Measure.ts"
import type { ReachedThreshold } from "../../../domain/catalog/terms/QuotaThresholds.ts"
import type { EventMetadata } from "../../../domain/log/GivenReason.ts"
import type { NewEvent } from "../../log/Events.ts"
import type { MailNotice } from "../../mail/MailQueue.ts"

/** A feature of a license that has reached thresholds. */
export interface ReachedThresholds {
  readonly license_id: string
  readonly after: EffectiveFeature
  readonly crossed: ReadonlyArray<ReachedThreshold>
  /** The event that the mail is about. */
  readonly id: string
}

const instant = (millis: number): string => new Date(millis).toISOString()

/** The period of a feature as events tell it; nothing without one. */
export const periodOf = ({ period, periodEnd, periodStart }: EffectiveFeature) => ({
  ...(periodStart === undefined ? {} : { period: period!, period_start: instant(periodStart) }),
  ...(periodEnd === undefined ? {} : { period_ends_at: instant(periodEnd) })
})

/** The events of thresholds that were reached: by a use of a device, by a report, or by what others did. */
export const thresholdEvents = (
  { after, crossed, license_id }: Omit<ReachedThresholds, "id">,
  { id, metadata = {}, ...more }: Pick<NewEvent, "actor" | "id" | "origin"> & {
    readonly device_id?: string
    readonly metadata?: EventMetadata
  } = {}
): ReadonlyArray<NewEvent> =>
  crossed.map((threshold): NewEvent => {
    const { device_id, ...by } = more
    return {
      ...by,
      // The mail tells of the last one.
      ...(id === undefined || threshold !== told(crossed) ? {} : { id }),
      type: "license.quota_threshold",
      resourceId: license_id,
      metadata: { feature_code: after.code, ...metadata },
      data: {
        license_id,
        ...(device_id === undefined ? {} : { device_id }),
        feature_id: after.id,
        feature_code: after.code,
        ...threshold,
        ...decimalsMember(after.decimals),
        max_consumptions: after.quota!,
        used: after.consumed,
        remaining: remainingOf(after)!,
        ...periodOf(after)
      }
    }
  })

/** The one of several thresholds that a mail tells of. */
const told = (crossed: ReadonlyArray<ReachedThreshold>): ReachedThreshold | undefined =>
  crossed.findLast((threshold) => "percentage" in threshold) ?? crossed.at(-1)

/** The mail about the thresholds that a feature has reached: about the last of them. */
export const thresholdNotice = ({ after, crossed, id, license_id }: ReachedThresholds): ReadonlyArray<MailNotice> => {
  const { consumed, decimals, id: feature_id, periodEnd, quota } = after
  const reached = told(crossed)
  const remaining = remainingOf(after)
  if (reached === undefined || quota === null || remaining === undefined) return []
  const step = 10 ** (decimals ?? 0)
  const details = { ...reached, feature_id, used: consumed / step, quota: quota / step, remaining: remaining / step }
  return [{
    eventId: id,
    kind: "quota_threshold",
    licenseId: license_id,
    details: periodEnd === undefined ? details : { ...details, resets_at: instant(periodEnd) }
  }]
}

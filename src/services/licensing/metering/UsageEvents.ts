import { overQuota, remainingOf } from "../../../domain/catalog/terms/EffectiveFeatures.ts"
import { decimalsMember } from "../../../domain/catalog/terms/Measure.ts"
import { overageEvents } from "../../catalog/terms/OverageEvents.ts"
import type { NewEvent } from "../../log/Events.ts"
import { licenseActor } from "../../log/Provenance.ts"
import type { Origin } from "../../log/Provenance.ts"
import type { MailNotice } from "../../mail/MailQueue.ts"
import { periodOf, thresholdEvents, thresholdNotice } from "./ThresholdEvents.ts"
import type { CountedUse } from "./UsageSql.ts"

const instant = (millis: number | undefined): string | undefined =>
  millis === undefined ? undefined : new Date(millis).toISOString()

/** The device of a use; one that a backend reported has none. */
const ofDevice = (device_id: string | undefined) => device_id === undefined ? {} : { device_id }

/** The owner of the license at the time of a late use, where its terms were others: the log alone does not tell whether they were. */
const ownerThen = ({ reported }: CountedUse) => {
  if (reported?.owner === undefined) return {}
  const { customer_id, order_id, subscription_id } = reported.owner
  return {
    owner: {
      ...(customer_id === undefined ? {} : { customer_id }),
      ...(order_id === undefined ? {} : { order_id }),
      ...(subscription_id === undefined ? {} : { subscription_id })
    }
  }
}

/** The data of the events of a use. */
const dataOf = (code: string, use: CountedUse) => {
  const { after, amount, device_id, dimensions, event_id, feature_id, license_id, measured, overage, reported, taken } =
    use
  const { consumed, granted, periodStart, quota, total } = after
  return {
    license_id,
    ...ofDevice(device_id),
    feature_id,
    feature_code: code,
    event_id,
    amount,
    ...(measured === undefined ? {} : { measured }),
    ...decimalsMember(after.decimals),
    ...(dimensions === undefined ? {} : { dimensions }),
    total_consumptions: total,
    ...(quota === null ? {} : { max_consumptions: quota, remaining: remainingOf(after)! }),
    ...(overage === 0 ? {} : { over_quota: overage, overage }),
    ...periodOf(after),
    ...(periodStart === undefined ? {} : { period_consumptions: consumed }),
    ...(granted === undefined ? {} : {
      ...(taken.length === 0 ? {} : { grants: taken }),
      granted_consumptions: granted.totalDrawn,
      ...(periodStart === undefined ? {} : { granted_period_consumptions: granted.drawn })
    }),
    ...(reported?.usedAt === undefined ? {} : { used_at: instant(reported.usedAt)! }),
    ...(reported?.isLate === true ? { is_late: true } : {})
  }
}

/** The mails about the thresholds that uses reached: one for each use that did, about the last of its thresholds. */
export const thresholdNotices = (
  { counted }: { readonly counted: ReadonlyArray<CountedUse> }
): ReadonlyArray<MailNotice> => counted.flatMap(thresholdNotice)

/**
 * The events of a use: that it was counted, and what of the quota it reached. They are of the license that an app runs on,
 * with the origin of its request; without one, of the current work.
 */
export const usageEvents = (use: CountedUse, origin?: Origin): ReadonlyArray<NewEvent> => {
  const { after, before, device_id, feature_code, id, license_id } = use
  const { consumed, overage, quota } = after
  const by = origin === undefined ? {} : { actor: licenseActor(license_id), origin }
  const about = {
    resourceId: license_id,
    metadata: {
      ...ofDevice(device_id),
      feature_code,
      // The time that was named, which it does not count by.
      ...(use.reported?.namedAt === undefined ? {} : { used_at: use.reported.namedAt }),
      ...ownerThen(use)
    },
    ...by
  }
  const data = dataOf(feature_code, use)
  const remaining = remainingOf(after)
  return [
    { ...about, data, id, type: "license.usage_recorded" },
    // The counter of the license knows what was announced, so each threshold is announced once as long as it holds.
    ...thresholdEvents(use, { ...ofDevice(device_id), metadata: about.metadata, ...by }),
    // Exactly one use takes the last unit, so this happens once each time the quota is reached.
    // A use of an earlier period, or by earlier terms, brings no news of now.
    ...(remaining === 0 && remainingOf(before)! > 0 && use.reported?.isOver !== true
      ? [{ ...about, data, type: "license.quota_reached" as const }]
      : []),
    // A license that is over its quota before a grant is given stays over it.
    ...(quota === null || overQuota(before) > 0 ? [] : overageEvents({
      license_id,
      ...ofDevice(device_id),
      limit_of: "feature",
      feature_code,
      limit: quota,
      before: before.consumed,
      used: consumed,
      overage: overage ?? undefined,
      ...(after.periodEnd === undefined ? {} : { period_ends_at: instant(after.periodEnd)! })
    }, by))
  ]
}

import type { LicenseFeatureTerms } from "../../catalog/terms/EffectiveFeatures.ts"
import { rulesOf } from "../../catalog/terms/Rules.ts"
import type { SnapshotRow, StoredGrant } from "../../licensing/entitlements/Snapshot.ts"
import { stateOf } from "../../licensing/licenses/LicenseStatus.ts"
import type { TermsThen } from "../../licensing/metering/PastTerms.ts"
import { grantsIn, ownIn, policyIn, usingLicenseIn } from "../audit/LastEvents.ts"
import { bearing, byFeature, isOf, isWhole, lastOr, lineThen, wholeLicense, wholePolicy } from "./Timeline.ts"
import type { TimedEvent, Timeline } from "./Timeline.ts"

/** What is known of the past of licenses: their events, and what tells whose pools and features they had. */
interface LicensesPast {
  readonly timeline: Timeline
  /** The customers that own pools, by the pools. */
  readonly poolOwners: ReadonlyMap<string, string>
  /** The products of features. */
  readonly products: ReadonlyMap<string, string>
}

const instant = (millis: number | null): string | null => millis === null ? null : new Date(millis).toISOString()

const noTerms = {
  is_counter: true,
  value: null,
  period: null,
  overage: null,
  credits: null,
  credits_start: null
}

const noCounter = {
  period_start: null,
  period_consumed: null,
  granted: null,
  announced: null,
  announced_remaining: null,
  announced_start: null
}

/** A feature of a license by the terms of another time, with the counter that it has. */
const ownThen = (stored: StoredGrant, own: LicenseFeatureTerms | undefined): StoredGrant => {
  const more = { ...noCounter, ...stored.more }
  return own?.assigned !== true
    ? {
      ...stored,
      enabled: true,
      expires_at: null,
      quota: null,
      more: { ...more, ...noTerms, credits: own?.credits ?? null, credits_start: instant(own?.credits_start ?? null) }
    }
    : {
      ...stored,
      enabled: own.enabled,
      expires_at: instant(own.expires_at),
      quota: own.quota,
      more: {
        ...more,
        is_counter: null,
        value: own.value,
        period: own.period,
        overage: own.overage,
        credits: own.credits,
        credits_start: instant(own.credits_start)
      }
    }
}

/** The pools that a license shared at an instant, among those that any owner of it has. */
const sharedThen = (
  { poolOwners, timeline }: LicensesPast,
  { pools }: SnapshotRow,
  { at, customerId }: { readonly customerId: string | undefined; readonly at: number }
): SnapshotRow["pools"] => {
  const line = lineThen(timeline, customerId, at)
  return pools?.filter(({ id }) => line.has(poolOwners.get(id) ?? "")) ?? null
}

/** Makes what lays the terms of a license at an instant over its row, with the counters and grants that this has. */
const overlay = (past: LicensesPast, row: SnapshotRow, at: number, changed: ReadonlyArray<TimedEvent>) => {
  const { products, timeline } = past
  const events = timeline.get(row.license_id) ?? []
  const told = lastOr(events.filter(isOf(wholeLicense)), at)
  const license = told && usingLicenseIn(told)
  const ofPolicy = timeline.get(license?.policy_id ?? "") ?? []
  const underPolicy = lastOr(ofPolicy.filter(isOf(wholePolicy)), at)
  if (license === undefined || underPolicy === undefined) return undefined
  const policy = policyIn(underPolicy)
  const { max_container_instances = null, max_floating_users = null, ...rules } = rulesOf(policy)
  const known = new Map([...(row.granted ?? []), ...(row.features ?? [])].map((feature) => [feature.id, feature]))
  const productOf = (id: string) => {
    const product = known.get(id)?.product ?? products.get(id) ?? null
    return product === row.product_id ? null : product
  }
  const codeOf = (id: string, code: string) => known.get(id)?.code ?? code
  const isSamePolicy = changed.every(({ event_type }) => event_type !== "license.policy_changed")
  const granted = [...byFeature(ofPolicy.filter((event) => !isWhole(event)), at)].flatMap(([id, last]) =>
    grantsIn(last).map((terms) => {
      const now = isSamePolicy ? row.granted?.find((grant) => grant.id === id) : undefined
      // Units are carried by terms that know those before them; under another period they are not computed again.
      const carrying = now?.period === terms.period ? now.carrying : undefined
      return Object.assign(terms, {
        carrying: carrying ?? null,
        code: codeOf(id, terms.code),
        product: productOf(id)
      })
    })
  )
  const owns = byFeature(events.filter((event) => !isWhole(event)), at)
  const own = [...owns].flatMap(([id, last]) => ownIn(last, undefined, { id, code: "", grants: [] }))
  const ownOf = (id: string) => own.find((terms) => terms.id === id)
  const gone = own.filter(({ assigned, id }) => assigned && row.features?.some((stored) => stored.id === id) !== true)
  const { customer_id, order_id, subscription_id } = license
  return {
    owner: { customer_id, order_id, subscription_id },
    applied: (current: SnapshotRow): SnapshotRow => ({
      ...current,
      ...rules,
      max_container_instances,
      max_floating_users,
      policy_code: policy.code,
      license_type: policy.license_type,
      state: stateOf(license),
      starts_at: dateOf(license.starts_at),
      expires_at: dateOf(license.expires_at),
      maintenance_expires_at: dateOf(license.maintenance_expires_at),
      more: {
        ...current.more,
        awaits_activation: license.awaits_activation ?? null,
        ends_without_grace: license.ends_without_grace ?? null,
        overrides: license.overrides ?? null,
        rules
      },
      granted,
      features: [
        // Of a feature that the log tells nothing of nothing has changed.
        ...(current.features ?? []).map((stored) => owns.has(stored.id) ? ownThen(stored, ownOf(stored.id)) : stored),
        ...gone.filter(({ id }) => current.features?.some((stored) => stored.id === id) !== true).map((terms) =>
          ownThen({
            id: terms.id,
            code: codeOf(terms.id, terms.code),
            enabled: true,
            expires_at: null,
            quota: null,
            consumed: 0,
            product: productOf(terms.id),
            more: null
          }, terms)
        )
      ],
      pools: sharedThen(past, current, { customerId: customer_id, at })
    })
  } satisfies TermsThen
}

const dateOf = (instant: string | undefined): Date | null => instant === undefined ? null : new Date(instant)

/** The terms of now: of the pools of all that had the license those of its customer alone. */
const ofNow = (past: LicensesPast, licenseId: string, at: number): TermsThen | undefined => {
  const told = past.timeline.get(licenseId)?.findLast(isOf(wholeLicense))
  if (told === undefined) return undefined
  const customerId = usingLicenseIn(told).customer_id
  return { owner: undefined, applied: (row) => ({ ...row, pools: sharedThen(past, row, { customerId, at }) }) }
}

/**
 * Makes what answers by which terms a license is judged at an instant: undefined where those of now are the same. An event that
 * changes none of them is no reason to read them again.
 */
export const makeTermsThen = (past: LicensesPast, licenses: ReadonlyMap<string, SnapshotRow>) => {
  const bearings = new Map<string, ReadonlyArray<TimedEvent>>()
  const made = new Map<string, TermsThen | undefined>()
  return (licenseId: string, at: number): TermsThen | undefined => {
    const row = licenses.get(licenseId)
    if (row === undefined) return undefined
    const all = bearings.get(licenseId) ?? bearing(past.timeline, licenseId)
    bearings.set(licenseId, all)
    const later = all.filter((event) => event.at > at)
    if (later.length === 0) return row.pools === null ? undefined : ofNow(past, licenseId, at)
    // Between two events the terms stay as they are.
    const key = `${licenseId}\n${all.length - later.length}`
    if (!made.has(key)) made.set(key, overlay(past, row, at, later))
    return made.get(key)
  }
}

import { periodClockOf, snapshotOf } from "../entitlements/Snapshot.ts"
import type { ProductSelector, Snapshot, SnapshotRow, StoredGrant, StoredMore } from "../entitlements/Snapshot.ts"
import type { Grant } from "../grants/Grant.ts"
import type { EffectiveFeature } from "../terms/EffectiveFeatures.ts"
import { defaultPriority, drawnFrom } from "../terms/GrantBalance.ts"
import type { OpenGrantRow, SharedPoolRow, TakenUnits } from "../terms/GrantBalance.ts"
import { meteredBy } from "../terms/Measure.ts"
import type { Metered } from "../terms/Measure.ts"
import { periodAt } from "../terms/Period.ts"
import type { PeriodSpan } from "../terms/Period.ts"

/** What was counted in a period that is over, and how much of it grants served; the start in Unix milliseconds. */
export interface PastCount {
  readonly start: number
  readonly consumed: number
  readonly drawn: number
}

/** A license at an instant, for the product that was used. */
export const standingAt = (row: SnapshotRow, at: number, selector: ProductSelector): Snapshot =>
  snapshotOf({ ...row, now: new Date(at) }, selector)

/** Into which period a use counts: the one that its counter is of or a later one, or an earlier one, if that is known. */
export type UsePeriod =
  | {
    readonly is: "running"
    /** Undefined where the quota has no periods, or where only one of them is known. */
    readonly span: PeriodSpan | undefined
  }
  | { readonly is: "past"; readonly span: PeriodSpan }
  | { readonly is: "unknown" }

/** The period of a use at an instant, of the feature as it stands by its counter. */
export const periodOfUse = (row: SnapshotRow, { period, periodStart }: EffectiveFeature, at: number): UsePeriod => {
  // Of a subscription only the current period is known.
  const span = period === null || period === "subscription"
    ? undefined
    : periodAt(period, { ...periodClockOf(row), now: at })
  if (period === null || periodStart === undefined || periodStart <= at) return { is: "running", span }
  return span === undefined ? { is: "unknown" } : { is: "past", span }
}

const instant = (millis: number): string => new Date(millis).toISOString()

const nothingMore: StoredMore = {
  is_counter: null,
  value: null,
  period: null,
  overage: null,
  period_start: null,
  period_consumed: null,
  credits: null,
  credits_start: null,
  granted: null,
  announced: null,
  announced_remaining: null,
  announced_start: null
}

const replaced = (row: SnapshotRow, id: string, change: (stored: StoredGrant) => StoredGrant): SnapshotRow => ({
  ...row,
  features: (row.features ?? []).map((stored) => stored.id === id ? change(stored) : stored)
})

/**
 * The license as the counter of a feature would show it, were it that of a past period. What was reached of the quota
 * then was announced then: only what a further use reaches is.
 */
export const withPastCount = (row: SnapshotRow, id: string, { consumed, drawn, start }: PastCount): SnapshotRow =>
  replaced(row, id, (stored) => ({
    ...stored,
    more: {
      ...nothingMore,
      ...stored.more,
      period_start: instant(start),
      period_consumed: consumed,
      granted: stored.more?.granted == null ? null : { ...stored.more.granted, period_drawn: drawn },
      announced: Number.MAX_SAFE_INTEGER,
      announced_remaining: 0,
      announced_start: instant(start)
    }
  }))

/** The license with grants of a feature that have ended since: uses of before may still take of them. */
export const withEndedGrants = (row: SnapshotRow, id: string, ended: ReadonlyArray<OpenGrantRow>): SnapshotRow =>
  replaced(row, id, (stored) => {
    if (stored.more?.granted == null) return stored
    const grants = stored.more.granted.grants ?? []
    // Corrections that have ended stand in the row already, where units are carried.
    const known = new Set(grants.map((grant) => grant.id))
    const missing = ended.filter((grant) => !known.has(grant.id))
    return { ...stored, more: { ...stored.more, granted: { ...stored.more.granted, grants: [...grants, ...missing] } } }
  })

/** The license with pools that have ended since: uses of before may still take of them. */
export const withEndedPools = (row: SnapshotRow, ended: ReadonlyArray<SharedPoolRow>): SnapshotRow => {
  const pools = row.pools ?? []
  // One that has ended since the license was read stands in it already.
  const known = new Set(pools.map((pool) => pool.id))
  return { ...row, pools: [...pools, ...ended.filter((pool) => !known.has(pool.id))] }
}

/** Units that a period has carried into the next ones, as a grant. */
export interface CarriedOut {
  readonly id: string
  readonly amount: number
}

/**
 * The license as it stands for a late use in a period that has carried units since: the quota has less by those, and the use
 * takes of them, after the quota, what is still left. So it comes to what it would have come to in time, and no unit is used
 * twice.
 */
export const withCarriedOut = (
  row: SnapshotRow,
  id: string,
  span: PeriodSpan,
  carried: ReadonlyArray<CarriedOut>
): SnapshotRow =>
  replaced(row, id, (stored) => {
    if (stored.more?.granted == null) return stored
    const [starts_at, expires_at] = [instant(span.start), instant(span.end)]
    const out = new Set(carried.map((grant) => grant.id))
    const grants = (stored.more.granted.grants ?? []).map((grant) =>
      // It is as old as the quota, and ends with it.
      out.has(grant.id)
        ? { id: grant.id, left: grant.left, starts_at: instant(0), expires_at, priority: defaultPriority }
        : grant
    )
    const missing = carried.map((grant) => ({
      id: `missing ${grant.id}`,
      left: -grant.amount,
      priority: defaultPriority,
      starts_at,
      expires_at
    }))
    return {
      ...stored,
      more: { ...stored.more, granted: { ...stored.more.granted, grants: [...grants, ...missing] } }
    }
  })

const lessened = (grant: OpenGrantRow, amount: number): OpenGrantRow => ({ ...grant, left: grant.left - amount })

const takenOff = (grants: ReadonlyArray<OpenGrantRow> | null, taken: ReadonlyArray<TakenUnits>) => {
  const units = new Map(taken.map(({ amount, grant_id }) => [grant_id, amount]))
  return (grants ?? []).map((grant) => lessened(grant, units.get(grant.id) ?? 0))
}

/** A use that was counted: the feature as it leaves it, what it took of grants, and whether its period is over. */
interface Counted {
  readonly after: EffectiveFeature
  readonly taken: ReadonlyArray<TakenUnits>
  readonly isPast: boolean
}

/** The license after a use of one of its customer has taken units of pools. */
export const withPoolsDrawn = (row: SnapshotRow, licenseId: string, taken: ReadonlyArray<TakenUnits>): SnapshotRow => {
  const units = new Map(taken.map(({ amount, grant_id }) => [grant_id, amount]))
  return row.pools === null ? row : {
    ...row,
    pools: row.pools.map((pool) => drawnFrom(pool, units.get(pool.id) ?? 0, row.license_id === licenseId))
  }
}

const counterAfter = (stored: StoredGrant, { after, isPast, taken }: Counted): StoredGrant => {
  const more = stored.more ?? nothingMore
  const start = after.periodStart === undefined ? null : instant(after.periodStart)
  const { granted } = after
  return {
    ...stored,
    consumed: after.total,
    more: {
      ...more,
      ...(isPast || start === null ? {} : { period_start: start, period_consumed: after.consumed }),
      ...(isPast ? {} : {
        announced: after.announced === 0 ? null : after.announced,
        announced_remaining: Number.isFinite(after.announcedRemaining) ? after.announcedRemaining : null,
        announced_start: start
      }),
      granted: granted === undefined ? more.granted : {
        drawn: granted.totalDrawn,
        period_drawn: isPast || start === null ? more.granted?.period_drawn ?? null : granted.drawn,
        grants: takenOff(more.granted?.grants ?? null, taken)
      }
    }
  }
}

/** A feature whose counter begins, and how it measures: further uses are judged by its counter alone. */
type CountedFeature = Pick<EffectiveFeature, "code" | "id" | keyof Metered>

/** The license with a counter of a feature. */
const withCounter = (
  row: SnapshotRow,
  productId: string,
  feature: CountedFeature
): SnapshotRow => {
  const { code, id } = feature
  if (row.features?.some((stored) => stored.id === id) === true) return row
  const begun: StoredGrant = {
    id,
    code,
    ...meteredBy(feature),
    enabled: true,
    expires_at: null,
    quota: null,
    consumed: 0,
    product: productId === row.product_id ? null : productId,
    more: { ...nothingMore, is_counter: true }
  }
  return { ...row, features: [...row.features ?? [], begun] }
}

/** The license after a use of a feature, whose counter it may begin. */
export const rowAfter = (row: SnapshotRow, productId: string, counted: Counted): SnapshotRow =>
  replaced(withCounter(row, productId, counted.after), counted.after.id, (stored) => counterAfter(stored, counted))

/** The license with carried units of a feature that become grants, which begin its counter. */
export const withCarried = (
  row: SnapshotRow,
  productId: string,
  feature: CountedFeature,
  carried: ReadonlyArray<Grant>
): SnapshotRow =>
  carried.length === 0 ? row : replaced(withCounter(row, productId, feature), feature.id, (stored) => {
    const more = stored.more ?? nothingMore
    const { drawn = 0, grants = [], period_drawn = null } = more.granted ?? {}
    const added = carried.map(({ amount, expires_at, id, priority, starts_at }) => ({
      id,
      starts_at,
      expires_at: expires_at ?? null,
      priority,
      left: amount
    }))
    return { ...stored, more: { ...more, granted: { drawn, period_drawn, grants: [...grants ?? [], ...added] } } }
  })

/** The counter of a feature as it is written, from what is stored of the license after its uses. */
export const counterOf = (row: SnapshotRow, { id, period }: Pick<EffectiveFeature, "id" | "period">) => {
  const stored = row.features!.find((feature) => feature.id === id)!
  const more = stored.more ?? nothingMore
  const start = period === null ? null : more.period_start
  return {
    total: stored.consumed,
    periodStart: start === null ? undefined : Date.parse(start),
    consumed: more.period_consumed ?? stored.consumed,
    granted: more.granted === null
      ? undefined
      : { totalDrawn: more.granted.drawn, drawn: more.granted.period_drawn ?? more.granted.drawn },
    announced: more.announced_start === start ? more.announced ?? 0 : 0,
    announcedRemaining: more.announced_start === start ? more.announced_remaining ?? Infinity : Infinity
  }
}

import type { EffectiveFeature } from "../../catalog/terms/EffectiveFeatures.ts"
import { drawnFrom } from "../../catalog/terms/GrantBalance.ts"
import type { OpenGrantRow, SharedPoolRow, TakenUnits } from "../../catalog/terms/GrantBalance.ts"
import { meteredBy } from "../../catalog/terms/Measure.ts"
import type { Metered } from "../../catalog/terms/Measure.ts"
import { periodAt } from "../../catalog/terms/Period.ts"
import type { PeriodSpan } from "../../catalog/terms/Period.ts"
import { periodClockOf, snapshotOf } from "../entitlements/Snapshot.ts"
import type { ProductSelector, Snapshot, SnapshotRow, StoredGrant, StoredMore } from "../entitlements/Snapshot.ts"
import type { Grant } from "../grants/Grant.ts"

/** What was counted in a period that is over, and how much of it grants served; Unix milliseconds. */
export interface PastCount extends PeriodSpan {
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
    /** Whether it is over, and the counter of another one: its count is that of the records, and the counter turns to it. */
    readonly isUncounted?: true
  }
  | { readonly is: "past"; readonly span: PeriodSpan }
  | { readonly is: "unknown" }

/** The period of a use at an instant, of the feature as it stands by its counter. */
export const periodOfUse = (row: SnapshotRow, { id, period, periodStart }: EffectiveFeature, at: number): UsePeriod => {
  // Of a subscription only the current period is known.
  const span = period === null || period === "subscription"
    ? undefined
    : periodAt(period, { ...periodClockOf(row), now: at })
  if (period === null || periodStart === undefined || periodStart <= at) {
    const { counted_apart, period_start = null } = row.features?.find((stored) => stored.id === id)?.more ?? {}
    const isOf = period_start !== null && counted_apart !== true && Date.parse(period_start) === span?.start
    const isCounted = isOf || span === undefined || span.end > row.now.getTime()
    return { is: "running", span, ...(isCounted ? {} : { isUncounted: true }) }
  }
  return span === undefined ? { is: "unknown" } : { is: "past", span }
}

/** An instant as rows have it. */
export const instant = (millis: number): string => new Date(millis).toISOString()

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

/** The license with another row of a feature. */
export const replaced = (row: SnapshotRow, id: string, change: (stored: StoredGrant) => StoredGrant): SnapshotRow => ({
  ...row,
  features: (row.features ?? []).map((stored) => stored.id === id ? change(stored) : stored)
})

/** The license as its counter would show it, were it of this period. */
export const withCount = (row: SnapshotRow, id: string, { consumed, drawn, start }: PastCount): SnapshotRow =>
  replaced(row, id, (stored) => ({
    ...stored,
    more: {
      ...nothingMore,
      ...stored.more,
      period_start: instant(start),
      period_consumed: consumed,
      granted: stored.more?.granted == null ? null : { ...stored.more.granted, period_drawn: drawn }
    }
  }))

/**
 * The license as the counter of a feature would show it, were it that of a past period. What was reached of the quota
 * then was announced then: only what a further use reaches is.
 */
export const withPastCount = (row: SnapshotRow, id: string, count: PastCount): SnapshotRow =>
  replaced(withCount(row, id, count), id, (stored) => ({
    ...stored,
    more: {
      ...stored.more!,
      announced: Number.MAX_SAFE_INTEGER,
      announced_remaining: 0,
      announced_start: instant(count.start)
    }
  }))

/** Those that are there, and of others those that are not: open ones, and corrections where units are carried, stand in a row already. */
const withMissing = <A extends Pick<OpenGrantRow, "id">>(there: ReadonlyArray<A> | null, others: ReadonlyArray<A>) => {
  const known = new Set(there?.map(({ id }) => id))
  return [...there ?? [], ...others.filter(({ id }) => !known.has(id))]
}

/** The license with grants of its own and of customers that have ended since: uses of before may still take of them. */
export const withEnded = (
  row: SnapshotRow,
  ended: ReadonlyArray<{ readonly customer_id: string | null; readonly units: SharedPoolRow }>
): SnapshotRow => {
  const own = ended.flatMap(({ customer_id, units }) => customer_id === null ? units : [])
  const pools = ended.flatMap(({ customer_id, units }) => customer_id === null ? [] : units)
  return [...Map.groupBy(own, ({ feature }) => feature)].reduce(
    (left, [id, grants]) =>
      replaced(left, id, (stored) =>
        stored.more?.granted == null ? stored : {
          ...stored,
          more: {
            ...stored.more,
            granted: { ...stored.more.granted, grants: withMissing<OpenGrantRow>(stored.more.granted.grants, grants) }
          }
        }),
    pools.length === 0 ? row : { ...row, pools: withMissing(row.pools, pools) }
  )
}

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
  /** When it was, in Unix milliseconds. */
  readonly at: number
  /** The count of the running period with it, where the counter is not of that. */
  readonly recounted?: StoredMore["recounted"]
}

/** The license after a use of one of its customer has taken units of pools. */
export const withPoolsDrawn = (row: SnapshotRow, licenseId: string, taken: ReadonlyArray<TakenUnits>): SnapshotRow => {
  const units = new Map(taken.map(({ amount, grant_id }) => [grant_id, amount]))
  return row.pools === null ? row : {
    ...row,
    pools: row.pools.map((pool) => drawnFrom(pool, units.get(pool.id) ?? 0, row.license_id === licenseId))
  }
}

/**
 * Whether a counter misses a use that it was not added to: it is of the time of the use, which another plan's period judged. Once a plan
 * with the period of the counter comes back, its count is that of the records.
 */
const isMissing = ({ period_start }: StoredMore, { at, isPast }: Counted): boolean =>
  isPast && period_start !== null && Date.parse(period_start) <= at

const counterAfter = (stored: StoredGrant, counted: Counted): StoredGrant => {
  const { after, isPast, recounted, taken } = counted
  const more = stored.more ?? nothingMore
  const start = after.periodStart === undefined ? null : instant(after.periodStart)
  const isApart = start === null || isMissing(more, counted)
  const { granted } = after
  return {
    ...stored,
    consumed: after.total,
    more: {
      ...more,
      ...(recounted === undefined ? {} : { recounted }),
      ...(isPast || start === null ? {} : { period_start: start, period_consumed: after.consumed }),
      ...(isApart ? { counted_apart: true } : isPast ? {} : { counted_apart: null }),
      // Of the running period, the counter is counted on from now on.
      ...(!isPast && more.recounted != null && Date.parse(more.recounted.start) === after.periodStart
        ? { recounted: null }
        : {}),
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

/** A feature after a use that is no news of now: what was announced stays as it was. */
export const withoutNews = (
  after: EffectiveFeature,
  { announced, announcedRemaining }: Pick<EffectiveFeature, "announced" | "announcedRemaining">
): EffectiveFeature => ({ ...after, announced, announcedRemaining })

/**
 * A use that was judged by terms with another period than now, in the counter that the license has now: in that of the running
 * period, if the use lies in it, and otherwise in that of all uses alone. A counter that is not of the running period stays as it is,
 * because units may still be carried by it: its count is then made of the records, of which the use is one.
 */
export const inPeriodNow = (
  row: SnapshotRow,
  after: EffectiveFeature,
  { at, now, taken, units }: {
    readonly now: EffectiveFeature | undefined
    readonly at: number
    readonly units: number
    readonly taken: ReadonlyArray<TakenUnits>
  }
): Omit<Counted, "at" | "taken"> => {
  const start = now?.periodStart
  if (now === undefined || start === undefined || at < start) return { after, isPast: true }
  const { announced, announcedRemaining, period, periodEnd } = now
  const consumed = now.consumed + units
  const drawn = (now.granted?.drawn ?? 0) + taken.reduce((sum, { amount }) => sum + amount, 0)
  const counter = row.features?.find(({ id }) => id === after.id)?.more?.period_start
  if (counter == null || Date.parse(counter) !== start) {
    return { after, isPast: true, recounted: { start: instant(start), consumed, drawn } }
  }
  const granted = after.granted && { ...after.granted, drawn }
  return {
    isPast: false,
    after: { ...after, announced, announcedRemaining, period, periodStart: start, periodEnd, consumed, granted }
  }
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

/** What grants served of the count: of the period, which began without any where nothing is said, or of the total. */
const drawnIn = (start: string | null, { drawn, period_drawn }: NonNullable<StoredMore["granted"]>): number =>
  start === null ? drawn : period_drawn ?? 0

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
      : { totalDrawn: more.granted.drawn, drawn: drawnIn(start, more.granted) },
    isApart: more.counted_apart === true,
    announced: more.announced_start === start ? more.announced ?? 0 : 0,
    announcedRemaining: more.announced_start === start ? more.announced_remaining ?? Infinity : Infinity
  }
}

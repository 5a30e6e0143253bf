import { periodClockOf, snapshotOf } from "../entitlements/Snapshot.ts"
import type { ProductSelector, Snapshot, SnapshotRow, StoredGrant, StoredMore } from "../entitlements/Snapshot.ts"
import type { EffectiveFeature } from "../terms/EffectiveFeatures.ts"
import type { OpenGrantRow, TakenUnits } from "../terms/GrantBalance.ts"
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
export type UsePeriod = { readonly is: "running" } | { readonly is: "past"; readonly span: PeriodSpan } | {
  readonly is: "unknown"
}

/** The period of a use at an instant, of the feature as it stands by its counter. */
export const periodOfUse = (row: SnapshotRow, { period, periodStart }: EffectiveFeature, at: number): UsePeriod => {
  if (period === null || periodStart === undefined || periodStart <= at) return { is: "running" }
  // Of a subscription only the current period is known.
  if (period === "subscription") return { is: "unknown" }
  const span = periodAt(period, { ...periodClockOf(row), now: at })
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
      announced_start: instant(start)
    }
  }))

/** The license with grants of a feature that have ended since: uses of before may still take of them. */
export const withEndedGrants = (row: SnapshotRow, id: string, ended: ReadonlyArray<OpenGrantRow>): SnapshotRow =>
  replaced(row, id, (stored) =>
    stored.more?.granted == null ? stored : {
      ...stored,
      more: {
        ...stored.more,
        granted: { ...stored.more.granted, grants: [...stored.more.granted.grants ?? [], ...ended] }
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
      ...(isPast ? {} : { announced: after.announced === 0 ? null : after.announced, announced_start: start }),
      granted: more.granted === null || granted === undefined ? more.granted : {
        drawn: granted.totalDrawn,
        period_drawn: isPast || start === null ? more.granted.period_drawn : granted.drawn,
        grants: takenOff(more.granted.grants, taken)
      }
    }
  }
}

/** The license after a use of a feature, whose counter it may begin. */
export const rowAfter = (row: SnapshotRow, productId: string, counted: Counted): SnapshotRow => {
  const { code, id } = counted.after
  const isStored = row.features?.some((stored) => stored.id === id) === true
  const begun: StoredGrant = {
    id,
    code,
    enabled: true,
    expires_at: null,
    quota: null,
    consumed: 0,
    product: productId === row.product_id ? null : productId,
    more: { ...nothingMore, is_counter: true }
  }
  return replaced(
    isStored ? row : { ...row, features: [...row.features ?? [], begun] },
    id,
    (stored) => counterAfter(stored, counted)
  )
}

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
    announced: more.announced_start === start ? more.announced ?? 0 : 0
  }
}

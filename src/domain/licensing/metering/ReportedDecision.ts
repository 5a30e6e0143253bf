import { Result } from "effect"
import type { EffectiveFeature } from "../../catalog/terms/EffectiveFeatures.ts"
import { servable } from "../../catalog/terms/EffectiveFeatures.ts"
import { booked, featureUse } from "../../catalog/terms/FeatureUse.ts"
import type { FeatureUse } from "../../catalog/terms/FeatureUse.ts"
import { isOfPool } from "../../catalog/terms/GrantBalance.ts"
import { failing, IdempotencyConflict } from "../../ground/wire/Errors.ts"
import type { DomainError } from "../../ground/wire/Errors.ts"
import { decideReported } from "../entitlements/Decision.ts"
import type { SnapshotRow } from "../entitlements/Snapshot.ts"
import { carriedGrants } from "../grants/CarriedGrants.ts"
import type { Grant } from "../grants/Grant.ts"
import { carriedUnits, withCarriedOut, withoutCarriedOut } from "./CarriedOut.ts"
import type { CarriedOut } from "./CarriedOut.ts"
import { featureNow, isOtherPeriod, pastKey, selectorOf, useKey } from "./ChosenUse.ts"
import type { ChosenUse, CountedState, RecordedUse } from "./ChosenUse.ts"
import { measuredUse, valueKey } from "./MeasuredUse.ts"
import type { MeasuredUse } from "./MeasuredUse.ts"
import type { LicenseOwner } from "./PastTerms.ts"
import {
  inPeriodNow,
  rowAfter,
  standingAt,
  withCarried,
  withCount,
  withoutNews,
  withPastCount,
  withPoolsDrawn
} from "./ReportedCount.ts"
import type { PastCount } from "./ReportedCount.ts"

/** A use that is counted now. */
export interface NewUse extends Omit<ChosenUse, "value">, FeatureUse, Omit<MeasuredUse, "refused"> {
  readonly amount: number
  readonly before: undefined
  /** Who owned the license then, where its terms were others. */
  readonly owner: LicenseOwner | undefined
  /** Whether its period is over, or its terms are: what it reaches of the quota is no news of now. */
  readonly isOver: boolean
  /** The feature as the use found it. */
  readonly found: EffectiveFeature
  /** Whether the counter of the running period stays as it is. */
  readonly isPast: boolean
}

/** A use that counts: now, or since it was reported before. */
export type UseDecided = NewUse | (ChosenUse & { readonly before: RecordedUse })

const changedAmount = (amount: number) =>
  failing(IdempotencyConflict, "This event_id was counted before with another amount.", { detail: `amount ${amount}` })

/** What is known of periods that are over, by {@link pastKey}: their counts, and the units that they carried. */
export interface PastPeriods {
  readonly counts: ReadonlyMap<string, PastCount>
  readonly carriedOut: ReadonlyMap<string, ReadonlyArray<CarriedOut>>
}

/** What grants of carried units have: when they were made, and their IDs. */
export interface NewGrants {
  readonly now: number
  readonly nextId: () => string
}

/** Whether a use lies in a period that is counted: those of two plans may overlap. */
const isCountOf = ({ at, featureId, licenseId }: ChosenUse, key: string, span: PastCount): boolean =>
  at >= span.start && at < span.end && key === pastKey(licenseId, featureId, span)

/** Counts uses one after the other, each on what those before it have left. */
export const makeUseCounting = (state: CountedState, periods: PastPeriods, { nextId, now }: NewGrants) => {
  const licenses = new Map(state.licenses)
  const recorded = new Map(state.recorded)
  const values = new Set(state.values)
  const counts = new Map(periods.counts)
  const carried: Array<Grant> = []

  /** The license as a use finds it in its period, and how many units that has carried since. */
  const standing = (
    { featureId, licenseId, period }: ChosenUse
  ): { readonly row: SnapshotRow; readonly out: number } => {
    const row = licenses.get(licenseId)!
    if (period.is === "unknown" || period.span === undefined) return { row, out: 0 }
    const key = pastKey(licenseId, featureId, period.span)
    const count = counts.get(key)
    const known = period.is === "past"
      ? withPastCount(row, featureId, count!)
      // Where the records know nothing, the counter shows none either, and knows what is still to be carried from it.
      : period.isUncounted === true && count !== undefined && count.consumed > 0
      ? withCount(row, featureId, count)
      : row
    const out = periods.carriedOut.get(key)
    return out === undefined
      ? { row: known, out: 0 }
      : { row: withCarriedOut(known, featureId, period.span, out), out: carriedUnits(out) }
  }

  /** What a use finds, and how many units it is; or why it cannot count. */
  const judged = (use: ChosenUse, amount: number) => {
    const { at, featureId, licenseId } = use
    const { out, row } = standing(use)
    const then = state.terms?.(licenseId, at)
    const snapshot = standingAt(then?.applied(row) ?? row, at, selectorOf(use.use))
    const found = snapshot.features.find(({ id }) => id === featureId)!
    const before = withoutCarriedOut(found, out)
    const { refused, ...measured } = measuredUse(before, {
      license_id: licenseId,
      amount,
      dimensions: use.use.dimensions,
      isOutdated: state.outdated.has(use.index)
    }, values)
    const decision = decideReported(snapshot, use.use, {
      entitled: found.enabled,
      // The sum has to stay a number that every JSON library reads exactly.
      remaining: Math.min(servable(found), Number.MAX_SAFE_INTEGER - found.total),
      amount: measured.units
    })
    return Result.flatMap(decision, () =>
      refused === undefined
        ? Result.succeed({ before, found, measured, out, owner: then?.owner })
        : Result.fail(refused))
  }

  const counted = (
    use: ChosenUse,
    amount: number,
    { before, found, measured, out, owner }: Result.Result.Success<ReturnType<typeof judged>>
  ): NewUse => {
    const { at, featureId, licenseId, period, productId } = use
    const grants = carriedGrants(licenseId, found, { at: new Date(now), nextId })
    for (const grant of grants) carried.push(grant)
    const used = featureUse(booked(found, grants.map(({ id }) => id)), measured.units)
    const { over, taken } = used
    const row = withCarried(licenses.get(licenseId)!, productId, found, grants)
    const isOver = owner !== undefined || (used.after.periodEnd ?? Infinity) <= now
    const own = withoutCarriedOut(used.after, out)
    const judgedBy = isOver ? withoutNews(own, before) : own
    const told = owner !== undefined && isOtherPeriod(row, found, use, state)
      ? inPeriodNow(row, judgedBy, { now: featureNow(row, featureId, use), at, units: measured.units, taken })
      : { after: judgedBy, isPast: period.is === "past" }
    const { after } = told
    licenses.set(licenseId, rowAfter(row, productId, { ...told, at, taken }))
    const pooled = taken.filter(isOfPool)
    if (pooled.length > 0) {
      for (const [id, each] of licenses) {
        licenses.set(id, withPoolsDrawn(each, licenseId, pooled))
      }
    }
    for (const [key, count] of counts) {
      if (!isCountOf(use, key, count)) continue
      const drawn = count.drawn + taken.reduce((sum, { amount }) => sum + amount, 0)
      counts.set(key, { ...count, consumed: Math.max(0, count.consumed + measured.units), drawn })
    }
    if (measured.value !== undefined) {
      values.add(valueKey({ license_id: licenseId, feature_id: featureId, value: measured.value }, after.periodStart))
    }
    recorded.set(useKey(licenseId, featureId, use.use.event_id), {
      amount,
      overage: over,
      usedAt: at,
      periodStart: after.periodStart
    })
    return {
      ...use,
      ...used,
      ...measured,
      ...told,
      crossed: isOver ? [] : used.crossed,
      before: undefined,
      amount,
      found: before,
      owner,
      isOver
    }
  }

  return {
    /** The licenses as the uses so far leave them. */
    licenses: licenses as ReadonlyMap<string, SnapshotRow>,
    /** The carried units that the uses so far have made grants. */
    carried: carried as ReadonlyArray<Grant>,
    count: (use: ChosenUse): Result.Result<UseDecided, DomainError> => {
      const amount = use.use.amount ?? 1
      const before = recorded.get(useKey(use.licenseId, use.featureId, use.use.event_id))
      if (before === undefined) return Result.map(judged(use, amount), (found) => counted(use, amount, found))
      return before.amount === amount
        ? Result.succeed({ ...use, before })
        : Result.fail(changedAmount(before.amount))
    }
  }
}

import { Result } from "effect"
import { decideReported } from "../entitlements/Decision.ts"
import type { SnapshotRow } from "../entitlements/Snapshot.ts"
import { carriedGrants } from "../grants/CarriedGrants.ts"
import type { Grant } from "../grants/Grant.ts"
import type { EffectiveFeature } from "../terms/EffectiveFeatures.ts"
import { servable } from "../terms/EffectiveFeatures.ts"
import { booked, featureUse } from "../terms/FeatureUse.ts"
import type { FeatureUse } from "../terms/FeatureUse.ts"
import { isOfPool } from "../terms/GrantBalance.ts"
import type { Meter } from "../terms/Measure.ts"
import { failing, FeatureNotEntitled, IdempotencyConflict, NotFound } from "../wire/Errors.ts"
import type { DomainError } from "../wire/Errors.ts"
import { finding } from "../wire/FieldFindings.ts"
import { lateDays } from "./LateUse.ts"
import { measuredUse, valueKey, valueOf } from "./MeasuredUse.ts"
import type { MeasuredUse } from "./MeasuredUse.ts"
import {
  periodOfUse,
  rowAfter,
  standingAt,
  withCarried,
  withCarriedOut,
  withPastCount,
  withPoolsDrawn
} from "./ReportedCount.ts"
import type { CarriedOut, PastCount, UsePeriod } from "./ReportedCount.ts"
import { invalidRow, tooLate } from "./ReportedRow.ts"
import type { ReportedUse } from "./UsageReport.ts"

/** A use with the licenses that its row may mean: those of its customer, or the one that it names. */
export interface NamedUse {
  readonly index: number
  readonly use: ReportedUse
  /** When it counts, and whether that is too old for a period of its own; Unix milliseconds. */
  readonly at: number
  readonly isOld: boolean
  readonly licenses: ReadonlyArray<string>
  /** Whether it was too late for its time and counts now. */
  readonly isMoved?: true
}

/** A use that was counted before. */
export interface RecordedUse {
  readonly amount: number
  readonly overage: number
  /** Unix milliseconds; undefined where only the amount is known any more. */
  readonly usedAt: number | undefined
  readonly periodStart: number | undefined
}

/** What uses are counted by: of the licenses, of uses before, and of periods that are over; all by their keys. */
export interface CountedState {
  readonly licenses: ReadonlyMap<string, SnapshotRow>
  readonly recorded: ReadonlyMap<string, RecordedUse>
  /** The values of dimensions that periods have had. */
  readonly values: ReadonlySet<string>
  /** The indexes of uses after which their period had others. */
  readonly outdated: ReadonlySet<number>
}

export const useKey = (licenseId: string, featureId: string, eventId: string): string =>
  `${licenseId}\n${featureId}\n${eventId}`

export const pastKey = (licenseId: string, featureId: string, start: number): string =>
  `${licenseId}\n${featureId}\n${start}`

/** The license and the feature that a use is of. */
export interface ChosenUse extends NamedUse {
  readonly licenseId: string
  readonly productId: string
  readonly featureId: string
  readonly period: UsePeriod
  /** What is measured where it is not the sum, and its value where those are counted. */
  readonly meter: Meter | null
  readonly value: string | undefined
  /** The use as it was counted before. */
  readonly before: RecordedUse | undefined
}

const selectorOf = ({ product_code }: ReportedUse) => ({ code: product_code })

const featureOf = (row: SnapshotRow, { at, use }: Pick<NamedUse, "at" | "use">) => {
  const snapshot = standingAt(row, at, selectorOf(use))
  return { snapshot, feature: snapshot.features.find(({ code }) => code === use.feature_code) }
}

/** The keys under which a use may have been counted before. */
export const keysOf = (named: NamedUse, licenses: CountedState["licenses"]) =>
  named.licenses.flatMap((license_id) => {
    const row = licenses.get(license_id)
    const feature = row && featureOf(row, named).feature
    return feature === undefined ? [] : [{ license_id, feature_id: feature.id, event_id: named.use.event_id }]
  })

const judged = (row: SnapshotRow, named: NamedUse) => {
  const { feature, snapshot } = featureOf(row, named)
  const consumption = { entitled: feature?.enabled === true, remaining: undefined, amount: 0 }
  return Result.map(decideReported(snapshot, named.use, consumption), () => ({ feature: feature!, snapshot }))
}

const noLicense = failing(NotFound, "No license has this id.")
const noneGrants = failing(FeatureNotEntitled, "No license of the customer grants this feature at that time.")
const several = invalidRow([
  finding(["customer_id"], "ambiguous", "has several licenses that grant the feature: send license_id")
])

/** The license of a use: of those of a customer the only one that grants the feature. */
const licenseOf = (named: NamedUse, licenses: CountedState["licenses"]): Result.Result<SnapshotRow, DomainError> => {
  const rows = named.licenses.flatMap((id) => licenses.get(id) ?? [])
  if (named.use.customer_id === undefined) {
    return rows[0] === undefined ? Result.fail(noLicense) : Result.succeed(rows[0])
  }
  const granting = rows.filter((row) => Result.isSuccess(judged(row, named)))
  if (granting.length > 1) return Result.fail(several)
  return granting[0] === undefined ? Result.fail(noneGrants) : Result.succeed(granting[0])
}

/** Finds what a use is of. One that was counted before is found whatever became of its license. */
export const chosen = (
  named: NamedUse,
  { licenses, recorded }: Pick<CountedState, "licenses" | "recorded">
): Result.Result<ChosenUse, DomainError> => {
  for (const { event_id, feature_id, license_id } of keysOf(named, licenses)) {
    const before = recorded.get(useKey(license_id, feature_id, event_id))
    if (before === undefined) continue
    const productId = licenses.get(license_id)!.product_id
    return Result.succeed({
      ...named,
      licenseId: license_id,
      productId,
      featureId: feature_id,
      period: { is: "running", span: undefined },
      meter: null,
      value: undefined,
      before
    })
  }
  return Result.flatMap(
    licenseOf(named, licenses),
    (row) =>
      Result.map(judged(row, named), ({ feature, snapshot }) => ({
        ...named,
        licenseId: row.license_id,
        productId: snapshot.product_id,
        featureId: feature.id,
        period: periodOfUse(row, feature, named.at),
        meter: feature.meter,
        value: valueOf(feature, named.use.dimensions),
        before: undefined
      }))
  )
}

/** The refusal of a use for being late; undefined where its period can be told. */
export const lateness = ({ before, isOld, period }: ChosenUse) =>
  before !== undefined
    ? undefined
    : isOld
    ? tooLate(`must be at most ${lateDays} days ago`)
    : period.is === "unknown"
    ? tooLate("lies in a period of the quota that is no longer known")
    : undefined

/** A use that is counted now. */
export interface NewUse extends Omit<ChosenUse, "value">, FeatureUse, Omit<MeasuredUse, "refused"> {
  readonly amount: number
  readonly before: undefined
  /** The feature as the use found it. */
  readonly found: EffectiveFeature
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

/** Counts uses one after the other, each on what those before it have left. */
export const makeUseCounting = (state: CountedState, past: PastPeriods, { nextId, now }: NewGrants) => {
  const licenses = new Map(state.licenses)
  const recorded = new Map(state.recorded)
  const values = new Set(state.values)
  const counts = new Map(past.counts)
  const carried: Array<Grant> = []

  /** The license as a use finds it in its period. */
  const standing = ({ featureId, licenseId, period }: ChosenUse): SnapshotRow => {
    const row = licenses.get(licenseId)!
    if (period.is === "unknown" || period.span === undefined) return row
    const key = pastKey(licenseId, featureId, period.span.start)
    const known = period.is === "past" ? withPastCount(row, featureId, counts.get(key)!) : row
    const out = past.carriedOut.get(key)
    return out === undefined ? known : withCarriedOut(known, featureId, period.span, out)
  }

  const counted = (use: ChosenUse, amount: number): Result.Result<NewUse, DomainError> => {
    const { at, featureId, licenseId, period, productId } = use
    const snapshot = standingAt(standing(use), at, selectorOf(use.use))
    const found = snapshot.features.find(({ id }) => id === featureId)!
    const { refused, ...measured } = measuredUse(found, {
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
    if (Result.isFailure(decision)) return Result.fail(decision.failure)
    if (refused !== undefined) return Result.fail(refused)
    const grants = carriedGrants(licenseId, found, { at: new Date(now), nextId })
    for (const grant of grants) carried.push(grant)
    const used = featureUse(booked(found, grants.map(({ id }) => id)), measured.units)
    const { after, over, taken } = used
    const row = withCarried(licenses.get(licenseId)!, productId, found, grants)
    licenses.set(licenseId, rowAfter(row, productId, { after, taken, isPast: period.is === "past" }))
    const pooled = taken.filter(isOfPool)
    if (pooled.length > 0) {
      for (const [id, each] of licenses) {
        licenses.set(id, withPoolsDrawn(each, licenseId, pooled))
      }
    }
    if (period.is === "past") {
      counts.set(pastKey(licenseId, featureId, period.span.start), {
        start: period.span.start,
        consumed: after.consumed,
        drawn: after.granted?.drawn ?? 0
      })
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
    return Result.succeed({ ...use, ...used, ...measured, before: undefined, amount, found })
  }

  return {
    /** The licenses as the uses so far leave them. */
    licenses: licenses as ReadonlyMap<string, SnapshotRow>,
    /** The carried units that the uses so far have made grants. */
    carried: carried as ReadonlyArray<Grant>,
    count: (use: ChosenUse): Result.Result<UseDecided, DomainError> => {
      const amount = use.use.amount ?? 1
      const before = recorded.get(useKey(use.licenseId, use.featureId, use.use.event_id))
      if (before === undefined) return counted(use, amount)
      return before.amount === amount
        ? Result.succeed({ ...use, before })
        : Result.fail(changedAmount(before.amount))
    }
  }
}

import { Result } from "effect"
import type { EffectiveFeature } from "../../catalog/terms/EffectiveFeatures.ts"
import type { Meter } from "../../catalog/terms/Measure.ts"
import type { PeriodSpan } from "../../catalog/terms/Period.ts"
import { failing, FeatureNotEntitled, NotFound } from "../../ground/wire/Errors.ts"
import type { DomainError } from "../../ground/wire/Errors.ts"
import { finding } from "../../ground/wire/FieldFindings.ts"
import { decideReported } from "../entitlements/Decision.ts"
import type { SnapshotRow } from "../entitlements/Snapshot.ts"
import { lateDays } from "./LateUse.ts"
import { valueOf } from "./MeasuredUse.ts"
import type { PastTerms } from "./PastTerms.ts"
import { periodOfUse, standingAt } from "./ReportedCount.ts"
import type { UsePeriod } from "./ReportedCount.ts"
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
  /** The terms of before changes; without any, those of now. */
  readonly terms?: PastTerms
}

/** Licenses, and their terms of before changes. */
type Judged = Pick<CountedState, "licenses" | "terms">

/** A license by the terms of an instant, with the counters and grants that it has. */
const asOf = (row: SnapshotRow, { terms }: Pick<Judged, "terms">, at: number): SnapshotRow =>
  terms?.(row.license_id, at)?.applied(row) ?? row

/** A use by what it is counted under. */
export const useKey = (licenseId: string, featureId: string, eventId: string): string =>
  `${licenseId}\n${featureId}\n${eventId}`

/** A period of a feature of a license; those of two plans may begin together. */
export const pastKey = (licenseId: string, featureId: string, { end, start }: PeriodSpan): string =>
  `${licenseId}\n${featureId}\n${start}\n${end}`

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

/** The product that a use names. */
export const selectorOf = ({ product_code }: ReportedUse) => ({ code: product_code })

const featureOf = (row: SnapshotRow, { at, use }: Pick<NamedUse, "at" | "use">, known: Pick<Judged, "terms">) => {
  const snapshot = standingAt(asOf(row, known, at), at, selectorOf(use))
  return { snapshot, feature: snapshot.features.find(({ code }) => code === use.feature_code) }
}

/** The keys under which a use may have been counted before. */
export const keysOf = (named: NamedUse, known: Judged) =>
  named.licenses.flatMap((license_id) => {
    const row = known.licenses.get(license_id)
    // What was counted is found by the terms of now, too.
    const features = row === undefined ? [] : [featureOf(row, named, known).feature, featureOf(row, named, {}).feature]
    return [...new Set(features.flatMap((feature) => feature?.id ?? []))]
      .map((feature_id) => ({ license_id, feature_id, event_id: named.use.event_id }))
  })

const judged = (row: SnapshotRow, named: NamedUse, known: Judged) => {
  const { feature, snapshot } = featureOf(row, named, known)
  const consumption = { entitled: feature?.enabled === true, remaining: undefined, amount: 0 }
  return Result.map(decideReported(snapshot, named.use, consumption), () => ({ feature: feature!, snapshot }))
}

const noLicense = failing(NotFound, "No license has this id.")
const noneGrants = failing(FeatureNotEntitled, "No license of the customer grants this feature at that time.")
const several = invalidRow([
  finding(["customer_id"], "ambiguous", "has several licenses that grant the feature: send license_id")
])

/** The license of a use: of those of a customer the only one that grants the feature. */
const licenseOf = (named: NamedUse, known: Judged): Result.Result<SnapshotRow, DomainError> => {
  const rows = named.licenses.flatMap((id) => known.licenses.get(id) ?? [])
  const { customer_id } = named.use
  if (customer_id === undefined) {
    return rows[0] === undefined ? Result.fail(noLicense) : Result.succeed(rows[0])
  }
  const isOwned = ({ license_id }: SnapshotRow) => {
    const owner = known.terms?.(license_id, named.at)?.owner
    return owner === undefined || owner.customer_id === customer_id
  }
  const granting = rows.filter((row) => isOwned(row) && Result.isSuccess(judged(row, named, known)))
  if (granting.length > 1) return Result.fail(several)
  return granting[0] === undefined ? Result.fail(noneGrants) : Result.succeed(granting[0])
}

/** The feature of a license by the terms of now; undefined where it has none any more. */
export const featureNow = (
  row: SnapshotRow,
  id: string,
  { use }: Pick<NamedUse, "use">
): EffectiveFeature | undefined =>
  standingAt(row, row.now.getTime(), selectorOf(use)).features.find((feature) => feature.id === id)

/**
 * The period of a use. Under terms with another period than now there is no counter of it: it counts by the records of that
 * time, as one that is over.
 */
const periodThen = (row: SnapshotRow, feature: EffectiveFeature, named: NamedUse, known: Judged): UsePeriod => {
  const period = periodOfUse(asOf(row, known, named.at), feature, named.at)
  if (feature.period === null || period.is !== "running" || !isOtherPeriod(row, feature, named, known)) return period
  // Which periods a subscription had is not known.
  return period.span === undefined ? { is: "unknown" } : { is: "past", span: period.span }
}

/** Whether a use is judged by terms with another period than those of now. */
export const isOtherPeriod = (
  row: SnapshotRow,
  { id, period }: Pick<EffectiveFeature, "id" | "period">,
  named: Pick<NamedUse, "at" | "use">,
  { terms }: Pick<Judged, "terms">
): boolean =>
  terms?.(row.license_id, named.at)?.owner !== undefined && (featureNow(row, id, named)?.period ?? null) !== period

/** Finds what a use is of. One that was counted before is found whatever became of its license. */
export const chosen = (
  named: NamedUse,
  known: Judged & Pick<CountedState, "recorded">
): Result.Result<ChosenUse, DomainError> => {
  const { licenses, recorded } = known
  for (const { event_id, feature_id, license_id } of keysOf(named, known)) {
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
    licenseOf(named, known),
    (row) =>
      Result.map(judged(row, named, known), ({ feature, snapshot }) => ({
        ...named,
        licenseId: row.license_id,
        productId: snapshot.product_id,
        featureId: feature.id,
        period: periodThen(row, feature, named, known),
        meter: feature.meter,
        value: valueOf(feature, named.use.dimensions),
        before: undefined
      }))
  )
}

/** The refusal of a use for being late; undefined where its period and its terms can be told. */
export const lateness = ({ at, before, isOld, period }: ChosenUse, keptSince = -Infinity) =>
  before !== undefined
    ? undefined
    : at < keptSince
    ? tooLate("lies before the oldest event that is kept: the terms of that time are no longer known")
    : isOld
    ? tooLate(`must be at most ${lateDays} days ago`)
    : period.is === "unknown"
    ? tooLate("lies in a period of the quota that is no longer known")
    : undefined

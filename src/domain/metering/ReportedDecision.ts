import { Result } from "effect"
import { decideReported } from "../entitlements/Decision.ts"
import type { SnapshotRow } from "../entitlements/Snapshot.ts"
import type { EffectiveFeature } from "../terms/EffectiveFeatures.ts"
import { servable } from "../terms/EffectiveFeatures.ts"
import { featureUse } from "../terms/FeatureUse.ts"
import type { FeatureUse } from "../terms/FeatureUse.ts"
import { failing, FeatureNotEntitled, IdempotencyConflict, NotFound } from "../wire/Errors.ts"
import type { DomainError } from "../wire/Errors.ts"
import { finding } from "../wire/FieldFindings.ts"
import { periodOfUse, rowAfter, standingAt, withPastCount } from "./ReportedCount.ts"
import type { PastCount, UsePeriod } from "./ReportedCount.ts"
import { invalidRow, tooLate } from "./ReportedRow.ts"
import { lateDays } from "./UsageReport.ts"
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
  { licenses, recorded }: CountedState
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
      period: { is: "running" },
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
export interface NewUse extends ChosenUse, FeatureUse {
  readonly amount: number
  readonly before: undefined
  /** The feature as the use found it. */
  readonly found: EffectiveFeature
}

/** A use that counts: now, or since it was reported before. */
export type UseDecided = NewUse | (ChosenUse & { readonly before: RecordedUse })

const changedAmount = (amount: number) =>
  failing(IdempotencyConflict, "This event_id was counted before with another amount.", { detail: `amount ${amount}` })

/** Counts uses one after the other, each on what those before it have left. */
export const makeUseCounting = (state: CountedState, past: ReadonlyMap<string, PastCount>) => {
  const licenses = new Map(state.licenses)
  const recorded = new Map(state.recorded)
  const counts = new Map(past)

  const counted = (use: ChosenUse, amount: number): Result.Result<NewUse, DomainError> => {
    const { at, featureId, licenseId, period, productId } = use
    const row = licenses.get(licenseId)!
    const isPast = period.is === "past"
    const key = isPast ? pastKey(licenseId, featureId, period.span.start) : ""
    const known = isPast ? withPastCount(row, featureId, counts.get(key)!) : row
    const snapshot = standingAt(known, at, selectorOf(use.use))
    const found = snapshot.features.find(({ id }) => id === featureId)!
    const decision = decideReported(snapshot, use.use, {
      entitled: found.enabled,
      // The sum has to stay a number that every JSON library reads exactly.
      remaining: Math.min(servable(found), Number.MAX_SAFE_INTEGER - found.total),
      amount
    })
    if (Result.isFailure(decision)) return Result.fail(decision.failure)
    const used = featureUse(found, amount)
    const { after, over, taken } = used
    licenses.set(licenseId, rowAfter(row, productId, { after, taken, isPast }))
    if (isPast) {
      counts.set(key, { start: period.span.start, consumed: after.consumed, drawn: after.granted?.drawn ?? 0 })
    }
    recorded.set(useKey(licenseId, featureId, use.use.event_id), {
      amount,
      overage: over,
      usedAt: at,
      periodStart: after.periodStart
    })
    return Result.succeed({ ...use, ...used, before: undefined, amount, found })
  }

  return {
    /** The licenses as the uses so far leave them. */
    licenses: licenses as ReadonlyMap<string, SnapshotRow>,
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

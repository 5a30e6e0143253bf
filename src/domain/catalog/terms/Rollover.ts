import { Schema } from "effect"
import { bigCount, count, field } from "../../ground/wire/Fields.ts"
import type { OpenGrant, StoredGrants } from "./GrantBalance.ts"
import { defaultPriority } from "./GrantBalance.ts"
import { Period, periodAt } from "./Period.ts"
import type { PeriodClock, PeriodSpan } from "./Period.ts"

/** The most periods that units are carried for: each of them may be a grant, and each use reads those. */
const maximumPeriods = 12

/** What of a quota is carried when its period ends, and for how long. */
export const Rollover = Schema.Struct({
  cap: field(bigCount(1), "The most units that are carried from one period."),
  periods: field(
    count(1).check(Schema.isLessThanOrEqualTo(maximumPeriods)),
    "For how many periods after it they can be used."
  )
})
export type Rollover = typeof Rollover.Type

/** The terms by which a policy carried units for a time; instants as PostgreSQL writes them into JSON. */
export const PastTerms = Schema.Struct({
  from: Schema.String,
  until: Schema.String,
  quota: Schema.Finite,
  period: Period,
  rollover: Rollover
})

/** The rollover of a policy's feature as it is stored: by the terms that are in force since an instant, and those before. */
export interface StoredRollover {
  /** Null where the policy carries nothing any more. */
  readonly rollover: Rollover | null
  readonly since: string | null
  readonly past: ReadonlyArray<typeof PastTerms.Type> | null
}

/** Units that were carried from a period, and that no use has made a grant yet. Unix milliseconds. */
export interface CarriedUnits {
  readonly starts_at: number
  readonly expires_at: number
  readonly amount: number
}

/** Before what ends with the same period: units of a quota that is not used up may be carried themselves. */
export const carriedPriority = defaultPriority / 2

/** Terms that were in force for a time, in Unix milliseconds. */
interface TermsInForce {
  readonly from: number
  readonly until: number
  readonly quota: number | null
  readonly period: Period | null
  readonly rollover: Rollover
}

/** What a license has of a feature, as far as it bears on what is carried. */
interface CarryingLicense {
  /** Whether it was assigned the feature, so that its own quota and period are in force. */
  readonly assigned: boolean
  readonly quota: number | null
  readonly period: Period | null
  /** The period that was counted last. */
  readonly period_start: number | null
  readonly period_consumed: number | null
  readonly credits: number | null
  readonly credits_start: number | null
  /** Open grants, and corrections that ended since: those of a period lessen what is left of it. */
  readonly granted?: StoredGrants | null
}

/** What the policy says now, and how it carries units, if it ever did. */
interface CarryingPolicy {
  readonly carrying?: StoredRollover | null
  readonly enabled: boolean
  readonly quota: number | null
  readonly period: Period | null
}

const termsOf = (
  { past, rollover, since }: StoredRollover,
  { enabled, period, quota }: CarryingPolicy
): ReadonlyArray<TermsInForce> => [
  ...(rollover === null || since === null || !enabled
    ? []
    : [{ from: Date.parse(since), until: Infinity, quota, period, rollover }]),
  ...(past ?? []).map(({ from, period, quota, rollover, until }) => ({
    from: Date.parse(from),
    until: Date.parse(until),
    quota,
    period,
    rollover
  }))
]

/** What of the use in a period counts against the quota itself. */
const usedIn = ({ end, start }: PeriodSpan, { granted, period_consumed, period_start }: CarryingLicense): number =>
  period_start !== null && period_start >= start && period_start < end
    ? (period_consumed ?? 0) - (granted?.period_drawn ?? 0)
    : 0

/** What is left of the quota of a period when it ends. Credits end with it, so that they count as used first. */
const unusedOf = (quota: number, span: PeriodSpan, license: CarryingLicense): number => {
  const last = span.end - 1
  const { credits, credits_start, granted } = license
  const corrected = (granted?.grants ?? [])
    .filter(({ expires_at, left, starts_at }) => left < 0 && starts_at <= last && last < (expires_at ?? Infinity))
    .reduce((sum, { left }) => sum + left, 0)
  const added = credits_start === span.start ? credits ?? 0 : 0
  return Math.min(quota, Math.max(0, quota + added + corrected) - usedIn(span, license))
}

/** The end of so many periods from the start of the first. */
const endAfter = (periods: number, period: Period, start: number, clock: PeriodClock): number => {
  let end = start
  for (let passed = 0; passed < periods; passed++) end = periodAt(period, { ...clock, now: end })!.end
  return end
}

type CompleteTerms = TermsInForce & { readonly quota: number; readonly period: Period }

/** What is carried under terms: from each of the periods that ended while they were in force, unless it has ended again. */
const carriedUnder = (
  { from, period, quota, rollover, until }: CompleteTerms,
  license: CarryingLicense | undefined,
  clock: PeriodClock
): ReadonlyArray<CarriedUnits> => {
  const floor = Math.max(from, clock.licenseStart, clock.rolledUntil ?? 0, license?.period_start ?? 0)
  const carried: Array<CarriedUnits> = []
  let end = periodAt(period, { ...clock, now: Math.min(until, clock.now) })!.start
  while (end > floor) {
    const span = periodAt(period, { ...clock, now: end - 1 })!
    const expires_at = endAfter(rollover.periods, period, end, clock)
    if (expires_at <= clock.now) break
    const amount = Math.min(rollover.cap, license === undefined ? quota : unusedOf(quota, span, license))
    if (amount > 0) carried.push({ starts_at: end, expires_at, amount })
    end = span.start
  }
  return carried
}

/** The ID of carried units until they are a grant. */
export const carriedId = ({ starts_at }: Pick<CarriedUnits, "starts_at">): string => `carried ${starts_at}`

const nothing: ReadonlyArray<CarriedUnits> = []

/**
 * What a license has carried from periods that are over, and that is no grant yet, and its grants with it. Nothing happens
 * when a period ends: what is carried is computed from what was counted last and the terms of that time, so it comes to
 * the same whenever it is read.
 */
export const carriedOver = (
  policy: CarryingPolicy | undefined,
  license: CarryingLicense | undefined,
  clock: PeriodClock
): { readonly carried: ReadonlyArray<CarriedUnits>; readonly stored: StoredGrants | undefined } => {
  const stored = license?.granted ?? undefined
  if (policy?.carrying == null) return { carried: nothing, stored }
  const own = license?.assigned === true ? license : undefined
  const carried = termsOf(policy.carrying, policy).flatMap((terms) => {
    const quota = own?.quota ?? terms.quota
    const period = own?.period ?? terms.period
    return quota === null || period === null || period === "subscription"
      ? []
      : carriedUnder({ ...terms, quota, period }, license, clock)
  })
  if (carried.length === 0) return { carried, stored }
  const { drawn = 0, grants = [], period_drawn = null } = stored ?? {}
  const units = carried.map(({ amount, expires_at, starts_at }): OpenGrant => ({
    id: carriedId({ starts_at }),
    starts_at,
    expires_at,
    priority: carriedPriority,
    left: amount
  }))
  return { carried, stored: { drawn, period_drawn, grants: [...grants, ...units] } }
}

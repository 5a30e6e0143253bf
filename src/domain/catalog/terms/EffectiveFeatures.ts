import { endOfTerm } from "./Duration.ts"
import type { FeatureValue } from "./FeatureValue.ts"
import { balanceOf } from "./GrantBalance.ts"
import type { GrantBalance, SharedPool, StoredGrants } from "./GrantBalance.ts"
import { meteredBy } from "./Measure.ts"
import type { Meter, Metered } from "./Measure.ts"
import { overBy, servedUpTo } from "./Overage.ts"
import { countIn, periodAt } from "./Period.ts"
import type { Period, PeriodClock, RecountedPeriod } from "./Period.ts"
import type { AnnouncedThreshold } from "./QuotaThresholds.ts"
import { carriedOver } from "./Rollover.ts"
import type { CarriedUnits, Rollover, StoredRollover } from "./Rollover.ts"

/** What a policy says of a feature. */
export interface PolicyFeatureTerms extends Partial<Metered> {
  readonly id: string
  readonly code: string
  readonly enabled: boolean
  /** For the app; null without one. */
  readonly value: FeatureValue | null
  readonly quota: number | null
  readonly period: Period | null
  readonly overage: string | null
  /** How long after its start a license has the feature, ISO 8601. */
  readonly expires_after: string | null
  /** Percentages of the quota that are announced, in ascending order. */
  readonly thresholds?: ReadonlyArray<number> | null
  /** Numbers of units left that are announced, in ascending order. */
  readonly remaining_thresholds?: ReadonlyArray<number> | null
  /** How units are carried from period to period; null where the policy never carried any. */
  readonly carrying?: StoredRollover | null
}

/** The terms of a policy's feature as rows and events show it. */
export const policyFeatureTermsOf = (shown: {
  readonly feature_id: string
  readonly feature_code: string
  readonly enabled: boolean
  readonly value?: FeatureValue
  readonly decimals?: number
  readonly meter?: Meter
  readonly meter_dimension?: string
  readonly max_consumptions?: number
  readonly period?: Period
  readonly overage?: string
  readonly expires_after?: string
  readonly quota_thresholds?: ReadonlyArray<number>
  readonly remaining_thresholds?: ReadonlyArray<number>
}): PolicyFeatureTerms => ({
  id: shown.feature_id,
  code: shown.feature_code,
  enabled: shown.enabled,
  value: shown.value ?? null,
  ...meteredBy(shown),
  quota: shown.max_consumptions ?? null,
  period: shown.period ?? null,
  overage: shown.overage ?? null,
  expires_after: shown.expires_after ?? null,
  thresholds: shown.quota_thresholds ?? null,
  remaining_thresholds: shown.remaining_thresholds ?? null
})

/**
 * What a license has of a feature: how it was assigned to it, and what it used. Of a feature that only the policy
 * grants there is the use alone (`assigned` false), and nothing at all before the first.
 */
export interface LicenseFeatureTerms
  extends Partial<Metered>, Pick<PolicyFeatureTerms, "remaining_thresholds" | "thresholds">
{
  readonly id: string
  readonly code: string
  readonly assigned: boolean
  readonly enabled: boolean
  /** For the app; null where it is the policy's. */
  readonly value: FeatureValue | null
  /** Unix milliseconds. */
  readonly expires_at: number | null
  readonly quota: number | null
  readonly period: Period | null
  readonly overage: string | null
  /** Counted since the license has the feature. */
  readonly consumed: number
  /** When the period began that `period_consumed` was counted in, in Unix milliseconds. */
  readonly period_start: number | null
  readonly period_consumed: number | null
  /** The running period by the records, where that which was counted is another one. */
  readonly recounted?: RecountedPeriod | null
  /** Units that were added to the quota, whoever grants it, for the period that began at `credits_start`. */
  readonly credits: number | null
  /** Unix milliseconds; null where the quota had no period then. */
  readonly credits_start: number | null
  /** The grants of the feature, if it ever had one. */
  readonly granted?: StoredGrants | null
  readonly announced?: AnnouncedThreshold | null
}

/** Where a member of a feature comes from. */
type TermsSource = "policy" | "license"

/** A feature as it is in force for a license at an instant. */
export interface EffectiveFeature extends Metered {
  readonly id: string
  readonly code: string
  readonly isOn: boolean
  /** Switched on, and not expired. */
  readonly enabled: boolean
  /** When the license loses the feature, in Unix milliseconds, as it was assigned or as the policy says. */
  readonly expiresAt: number | undefined
  /** For the app; null without one. */
  readonly value: FeatureValue | null
  /** With the credits, and with what grants served and have left. */
  readonly quota: number | null
  /** How much of the quota was added for the running period alone; 0 without credits. */
  readonly credits: number
  /** The grants beside the quota; undefined where there never was one. */
  readonly granted: GrantBalance | undefined
  /** Units of earlier periods that no use has made a grant yet; `granted` has them under provisional IDs. */
  readonly carried: ReadonlyArray<CarriedUnits>
  /** What the policy carries from period to period. */
  readonly rollover: Rollover | null
  /** Percentages of the quota that are announced, and the highest that was in the period; 0 before the first. */
  readonly thresholds: ReadonlyArray<number> | null
  readonly announced: number
  /** Numbers of units left that are announced, and the lowest that was in the period; Infinity before the first. */
  readonly remainingThresholds: ReadonlyArray<number> | null
  readonly announcedRemaining: number
  /** The most that is served in a period, over the quota with the overage; Infinity without a quota. */
  readonly ceiling: number
  /** Counted since the license has the feature. */
  readonly total: number
  /** Whether there is a counter; before the first use of what the policy grants there is none. */
  readonly isCounted: boolean
  /** What counts against the quota: of the period, if there is one, else the total. */
  readonly consumed: number
  readonly period: Period | null
  readonly overage: string | null
  /** The period of `consumed`, in Unix milliseconds. */
  readonly periodStart: number | undefined
  readonly periodEnd: number | undefined
  readonly from: {
    readonly enabled: TermsSource
    readonly value: TermsSource
    readonly quota: TermsSource
    readonly overage: TermsSource
  }
}

/**
 * The credits that are in force: those of the running period. What was added to a quota without periods counts for as
 * long as it has none.
 */
const creditsIn = (own: LicenseFeatureTerms | undefined, periodStart: number | undefined): number =>
  own?.credits == null || own.credits_start !== (periodStart ?? null) ? 0 : own.credits

/** The most that is served; the overage is a part of the quota, and not of the grants beside it. */
const ceilingOf = (quota: number | null, granted: GrantBalance | undefined, overage: string | null): number => {
  if (quota === null) return Infinity
  return granted === undefined
    ? servedUpTo(quota, overage)
    : Math.min(servedUpTo(granted.own!, overage) + granted.drawn + granted.left, Number.MAX_SAFE_INTEGER)
}

/** The thresholds of a quota, and those that were announced in the period. */
const announcing = ({ grant, own }: Pick<Sources, "grant" | "own">, periodStart: number | undefined) => {
  const announced = own?.announced?.period_start === (periodStart ?? null) ? own.announced : undefined
  return {
    thresholds: own?.thresholds ?? grant?.thresholds ?? null,
    announced: announced?.percentage ?? 0,
    remainingThresholds: own?.remaining_thresholds ?? grant?.remaining_thresholds ?? null,
    announcedRemaining: announced?.remaining ?? Infinity
  }
}

/** What grants served of a feature that never had one. */
const undrawn: StoredGrants = { drawn: 0, period_drawn: null, grants: [] }

/** Where the terms of a feature are from, and the pools of its license. */
interface Sources {
  readonly grant: PolicyFeatureTerms | undefined
  readonly own: LicenseFeatureTerms | undefined
  readonly pools: ReadonlyArray<SharedPool>
}

const merged = ({ grant, own, pools: all }: Sources, clock: PeriodClock): EffectiveFeature => {
  const assigned = own?.assigned === true ? own : undefined
  const period = assigned?.period ?? grant?.period ?? null
  const overage = assigned?.overage ?? grant?.overage ?? null
  const base = assigned?.quota ?? grant?.quota ?? null
  const byPolicy = endOfTerm(clock.licenseStart, grant?.expires_after)
  const expiresAt = assigned?.expires_at ?? (assigned === undefined || grant !== undefined ? byPolicy : undefined)
  const span = period === null ? undefined : periodAt(period, clock)
  const isOn = (assigned ?? grant)?.enabled === true
  const recounted = own?.recounted?.start === span?.start ? own?.recounted ?? undefined : undefined
  const counted = span === undefined ? undefined : recounted ?? countIn(span, {
    start: own?.period_start ?? undefined,
    consumed: own?.period_consumed ?? 0
  })
  const credits = creditsIn(own, counted?.start)
  const alone = base === null ? null : Math.min(base + credits, Number.MAX_SAFE_INTEGER)
  const { id } = (own ?? grant)!
  // Without a quota there is nothing that a pool could stand beside.
  const pools = alone === null ? [] : all.filter(({ feature }) => feature === id)
  const { carried, stored: held } = carriedOver(grant, own, clock)
  const stored = held ?? (pools.length === 0 ? undefined : undrawn)
  const granted = stored && balanceOf(recounted === undefined ? stored : { ...stored, period_drawn: recounted.drawn }, {
    quota: alone,
    pools,
    now: clock.now,
    inPeriod: counted && (recounted !== undefined || counted.start === (own?.period_start ?? undefined))
  })
  const quota = alone === null || granted === undefined
    ? alone
    : Math.min(granted.own! + granted.drawn + granted.left, Number.MAX_SAFE_INTEGER)
  return {
    id,
    code: (own ?? grant)!.code,
    isOn,
    enabled: isOn && (expiresAt === undefined || clock.now < expiresAt),
    expiresAt,
    value: assigned?.value ?? grant?.value ?? null,
    ...meteredBy((own ?? grant)!),
    quota,
    credits,
    granted,
    ...announcing({ grant, own }, counted?.start),
    carried,
    rollover: grant?.carrying?.rollover ?? null,
    ceiling: ceilingOf(quota, granted, overage),
    total: own?.consumed ?? 0,
    isCounted: own !== undefined,
    consumed: counted?.consumed ?? own?.consumed ?? 0,
    period,
    overage,
    periodStart: counted?.start,
    periodEnd: span?.end,
    from: {
      enabled: assigned === undefined ? "policy" : "license",
      value: assigned?.value == null ? "policy" : "license",
      quota: assigned?.quota == null ? "policy" : "license",
      overage: assigned?.overage == null ? "policy" : "license"
    }
  }
}

/**
 * The features that are in force for a license: its policy's, overlaid member by member by its own assignments, which
 * may also switch one off. What was used of a feature that neither grants any more is left out.
 */
export const effectiveFeatures = (
  granted: ReadonlyArray<PolicyFeatureTerms>,
  own: ReadonlyArray<LicenseFeatureTerms>,
  clock: PeriodClock,
  pools: ReadonlyArray<SharedPool> = []
): ReadonlyArray<EffectiveFeature> => {
  const byId = new Map(own.map((grant) => [grant.id, grant]))
  const ofPolicy = granted.map((grant) => merged({ grant, own: byId.get(grant.id), pools }, clock))
  const known = new Set(granted.map(({ id }) => id))
  const ofLicense = own.filter(({ assigned, id }) => assigned && !known.has(id)).map((grant) =>
    merged({ grant: undefined, own: grant, pools }, clock)
  )
  if (ofPolicy.length === 0) return ofLicense
  return [...ofPolicy, ...ofLicense].toSorted((a, b) => a.code < b.code ? -1 : a.code > b.code ? 1 : 0)
}

/** What a feature's quota and use are judged by. */
type Counted = Pick<EffectiveFeature, "consumed" | "granted" | "overage" | "quota">

/** What of the use counts against the quota itself, and not against its grants. */
const usedOfQuota = ({ consumed, granted }: Counted): number => consumed - (granted?.drawn ?? 0)

/** The quota itself, without its grants. */
const quotaAlone = ({ granted, quota }: Counted): number => granted?.own ?? quota ?? 0

/** What is left of the quota itself, without its grants. */
export const leftOfQuota = (feature: Counted): number => Math.max(0, quotaAlone(feature) - usedOfQuota(feature))

/** How far the use lies over the quota, when it and its grants have served what they could. */
export const overQuota = (feature: Counted): number =>
  feature.quota === null ? 0 : overBy(usedOfQuota(feature), quotaAlone(feature))

/** What is left of a quota and its grants together, as a number that JSON carries exactly; undefined without a quota. */
export const remainingOf = (feature: Counted): number | undefined =>
  feature.quota === null
    ? undefined
    : Math.min(leftOfQuota(feature) + (feature.granted?.left ?? 0), Number.MAX_SAFE_INTEGER)

/** How much more is served, with the overage; Infinity without a quota. */
export const servable = (feature: Counted): number =>
  feature.quota === null
    ? Infinity
    : Math.max(0, servedUpTo(quotaAlone(feature), feature.overage) - usedOfQuota(feature)) +
      (feature.granted?.left ?? 0)

/** What is left of a quota and, where the terms serve beyond it, how far over it the use is; nothing without a quota. */
export const quotaStanding = (feature: Counted): { readonly remaining?: number; readonly over?: number } => {
  const remaining = remainingOf(feature)
  if (remaining === undefined) return {}
  const over = overQuota(feature)
  return { remaining, ...(feature.overage === null || over === 0 ? {} : { over }) }
}

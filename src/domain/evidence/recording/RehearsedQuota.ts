import { servedUpTo } from "../../catalog/terms/Overage.ts"
import { periodAt } from "../../catalog/terms/Period.ts"
import type { Period } from "../../catalog/terms/Period.ts"

/** What a policy says of the quota of a feature. */
export interface QuotaTerms {
  /** Null where nothing limits the use. */
  readonly quota: number | null
  readonly overage: string | null
  readonly period: Period | null
}

/** The terms of a quota from an instant on; null where the policy does not grant the feature. Instants are Unix milliseconds. */
export interface QuotaStep {
  readonly at: number
  readonly terms: QuotaTerms | null
}

/** A change of the quota of a feature: what is left out stays as it is. */
export interface QuotaChange {
  readonly quota?: number | null
  readonly overage?: string | null
}

/** A use of a feature that was counted, as its event tells of it. */
export interface RecordedUse {
  readonly at: number
  /** Undefined where a backend reported it. */
  readonly device: string | undefined
  readonly amount: number
  /** What is counted against the quota after it. */
  readonly consumed: number
  /** When the period began that it was counted in; 0 where the quota has none. */
  readonly period: number
  /** The quota with what was added to it; undefined without one. */
  readonly quota: number | undefined
}

/** The quota of a feature of a license that a rehearsal changes. */
export interface RehearsedQuota {
  readonly code: string
  /** In the order of time. */
  readonly steps: ReadonlyArray<QuotaStep>
  readonly change: QuotaChange
  /** In the order of the log. */
  readonly uses: ReadonlyArray<RecordedUse>
  /** When what is counted was corrected by hand. */
  readonly corrected: ReadonlyArray<number>
  /** Whether the quota alone decides uses: without grants, a meter, or terms of the license's own. */
  readonly isTold: boolean
}

/** The most that is served, as it was and under the changed terms. */
export interface Served {
  readonly actual: number
  readonly changed: number
}

/** What is served under terms of a quota, as they are and as a change leaves them. */
export const servedBy = (terms: QuotaTerms, { overage = terms.overage, quota = terms.quota }: QuotaChange): Served => ({
  actual: terms.quota === null ? Infinity : servedUpTo(terms.quota, terms.overage),
  changed: quota === null ? Infinity : servedUpTo(quota, overage)
})

/** When the period began that an instant lies in; 0 where the quota has none. */
export const periodOf = ({ period }: QuotaTerms, now: number, licenseStart: number): number =>
  period === null ? 0 : periodAt(period, { now, licenseStart, subscription: undefined })?.start ?? 0

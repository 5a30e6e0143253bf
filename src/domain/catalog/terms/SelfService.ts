import { countIn, periodAt } from "./Period.ts"
import type { Rules } from "./Rules.ts"

/** The rules of self-service. */
export type SelfServiceRules = Pick<
  Rules,
  "self_service" | "max_self_service_resets" | "self_service_period" | "self_service_transfer"
>

/** How many seats were given back in the period that began at `start`, in Unix milliseconds; none before the first. */
export interface SelfServiceCount {
  readonly start: number | undefined
  readonly resets: number
}

/** What the holder of the license key may do with its devices at a time. */
export interface SelfService {
  readonly isAllowed: boolean
  /** Whether the owner may hand the license to another address. */
  readonly mayTransfer: boolean
  /** How many seats of other devices may be given back in the period; undefined for any number. */
  readonly limit: number | undefined
  /** How many were. */
  readonly used: number
  /** The period of the count, in Unix milliseconds. */
  readonly periodStart: number
  readonly periodEnd: number
}

/** What self-service there is at an instant, in Unix milliseconds on the database's clock. */
export const selfServiceOf = (rules: SelfServiceRules, count: SelfServiceCount, now: number): SelfService => {
  const period = periodAt(rules.self_service_period ?? "month", {
    now,
    licenseStart: now,
    subscription: undefined
  })!
  const { consumed, start } = countIn(period, { start: count.start, consumed: count.resets })
  return {
    isAllowed: rules.self_service === true,
    mayTransfer: rules.self_service === true && rules.self_service_transfer === true,
    limit: rules.max_self_service_resets,
    used: consumed,
    periodStart: start,
    periodEnd: period.end
  }
}

/** Whether every seat was given back that may be given back in the period. */
export const isUsedUp = ({ limit, used }: Pick<SelfService, "limit" | "used">): boolean =>
  limit !== undefined && used >= limit

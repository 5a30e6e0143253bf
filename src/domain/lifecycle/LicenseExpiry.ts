import { servesUntil } from "../licenses/LicenseStatus.ts"

/** How long before the expiry `license.expiring` is announced, in milliseconds: 7 days. */
export const expiringAhead = 7 * 86_400_000

/** The last crossing of a license's expiry that was announced. A new expiry starts again from `nothing`. */
export type Announced = "nothing" | "expiring" | "grace_period" | "expired"

/** Where a license with an expiry stands; instants are Unix milliseconds on the database's clock. */
export interface Expiry {
  readonly announced: Announced
  readonly expires_at: number
  readonly grace_period_days: number
  readonly now: number
}

/** What is to be announced now, in order, and what is announced after that. */
export interface Crossings {
  readonly kinds: ReadonlyArray<"license.expiring" | "license.grace_started" | "license.expired">
  readonly announced: Announced
}

/**
 * The crossings that are due. A crossing that was missed is made up for in order, so each has its event; a warning
 * that comes too late is not given. A policy that is given a longer grace period takes an expired license back into
 * it, which is no crossing of its own, and the license expires again when that ends.
 */
export const crossingsOf = (expiry: Expiry): Crossings => {
  const { announced, expires_at, grace_period_days, now } = expiry
  if (now < expires_at - expiringAhead) return { kinds: [], announced: "nothing" }
  if (now < expires_at) {
    return announced === "nothing"
      ? { kinds: ["license.expiring"], announced: "expiring" }
      : { kinds: [], announced: "expiring" }
  }
  const isPastGrace = now >= servesUntil(expiry)!
  const before = announced === "nothing" || announced === "expiring"
  const grace = before && grace_period_days > 0 ? ["license.grace_started"] as const : []
  if (!isPastGrace) return { kinds: grace, announced: "grace_period" }
  return { kinds: announced === "expired" ? [] : [...grace, "license.expired"], announced: "expired" }
}

/** What a change of a license leaves of its end; instants are Unix milliseconds on the database's clock. */
export interface EndAfterChange {
  readonly isOtherEnd: boolean
  /** Until when the license serves after the change, with its grace. */
  readonly serves_until: number | undefined
  readonly now: number
}

/**
 * What counts as announced after a change. A new end has not been announced yet. A license that regained grace goes
 * back to `grace_period`, so that its end is announced again.
 */
export const announcedAfter = (before: Announced, end: EndAfterChange): Announced => {
  if (end.isOtherEnd) return "nothing"
  const serves = end.serves_until !== undefined && end.serves_until > end.now
  return before === "expired" && serves ? "grace_period" : before
}

import { servesUntil } from "../licenses/LicenseStatus.ts"

/** How many days before the expiry `license.expiring` is announced, where the policy names none. */
export const usualExpiringDays: ReadonlyArray<number> = [7]

/** How many days before the expiry an owner is reminded by mail, where the policy has the mail and names no days. */
export const usualReminderDays: ReadonlyArray<number> = [30, 7, 1]

/** A day before an expiry, whatever the clocks of a time zone do: 24 hours, in milliseconds. */
const day = 86_400_000

/** The last crossing of a license's expiry that was announced. A new expiry starts again from `nothing`. */
export type Announced = "nothing" | "expiring" | "grace_period" | "expired"

/** Where a license with an expiry stands; instants are Unix milliseconds on the database's clock. */
export interface Expiry {
  readonly announced: Announced
  /** How many days before the expiry it was announced last; null: 7. */
  readonly announced_days: number | null
  readonly expires_at: number
  readonly grace_period_days: number
  /** The days of the policy; null without any. */
  readonly expiring_days: ReadonlyArray<number> | null
  /** The days at which anything happens: an event or a mail. */
  readonly reminder_days: ReadonlyArray<number>
  readonly now: number
}

/** What is to be announced now, in order, and what is announced after that. */
export interface Crossings {
  readonly kinds: ReadonlyArray<"license.expiring" | "license.grace_started" | "license.expired">
  readonly announced: Announced
  /** The fewest days before the expiry that are announced now; absent where none are. */
  readonly announced_days?: number
}

/**
 * The reminders that are due before the expiry. Of days that passed together, the last alone is announced, and only days that are fewer
 * than what was announced before.
 */
const reminders = ({ announced, announced_days, expires_at, expiring_days, now, reminder_days }: Expiry): Crossings => {
  const before = announced === "expiring" ? announced_days ?? 7 : Infinity
  const reached = reminder_days.filter((days) => days < before && now >= expires_at - days * day)
  const [nearest] = reached.toSorted((one, other) => one - other)
  if (nearest === undefined) return { kinds: [], announced: announced === "expiring" ? announced : "nothing" }
  const isEvent = reached.some((days) => (expiring_days ?? usualExpiringDays).includes(days))
  return { kinds: isEvent ? ["license.expiring"] : [], announced: "expiring", announced_days: nearest }
}

/**
 * The crossings that are due. A crossing that was missed is made up for in order, so each has its event; a warning
 * that comes too late is not given. A policy that is given a longer grace period takes an expired license back into
 * it, which is no crossing of its own, and the license expires again when that ends.
 */
export const crossingsOf = (expiry: Expiry): Crossings => {
  const { announced, expires_at, grace_period_days, now } = expiry
  if (now < expires_at) return reminders(expiry)
  const isPastGrace = now >= servesUntil(expiry)!
  const before = announced === "nothing" || announced === "expiring"
  const grace = before && grace_period_days > 0 ? ["license.grace_started"] as const : []
  if (!isPastGrace) return { kinds: grace, announced: "grace_period" }
  return { kinds: announced === "expired" ? [] : [...grace, "license.expired"], announced: "expired" }
}

/** What the owner of a license is told by a mail about its last crossing; instants are Unix milliseconds. */
export interface ExpiryNotice {
  readonly kind: "license_expiring" | "license_expired"
  readonly announced: Announced
  /** How many days before the expiry it is announced; absent once that is over. */
  readonly days?: number
  readonly expires_at: number
  /** Until when the license still serves; absent once it does not. */
  readonly serves_until?: number
}

/**
 * The notice about the crossings that are announced: about the last of them alone. There is none about what was over before the
 * license was recorded, such as the end of a license that was imported expired.
 */
export const expiryNotice = (
  expiry: Expiry & { readonly created_at: number },
  { announced, announced_days: days, kinds }: Crossings
): ExpiryNotice | undefined => {
  const { created_at, expires_at } = expiry
  if (days !== undefined) {
    return expires_at - days * day > created_at ? { kind: "license_expiring", announced, days, expires_at } : undefined
  }
  const serves_until = servesUntil(expiry)!
  switch (kinds.at(-1)) {
    case "license.grace_started":
      return expires_at > created_at ? { kind: "license_expired", announced, expires_at, serves_until } : undefined
    case "license.expired":
      return serves_until > created_at ? { kind: "license_expired", announced, expires_at } : undefined
    default:
      return undefined
  }
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

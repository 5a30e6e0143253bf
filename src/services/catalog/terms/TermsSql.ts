/**
 * Terms in SQL, for statements that filter and count by them. What is in force is decided in the domain
 * (effectiveRules); these expressions agree with it, for the few rules that are looked for in tables. `l` is the
 * license, `p` its policy.
 */
const effective = (rule: string): string => `coalesce((l.overrides ->> '${rule}')::int, p.${rule})`

/** How many days a license serves after its expiry. */
export const effectiveGraceDays = `
  CASE WHEN l.awaits_activation OR l.ends_without_grace THEN 0 ELSE ${effective("grace_period_days")} END`

/** The same as an SQL interval. A day is 24 hours, as in the domain, whatever the session's time zone. */
export const effectiveGrace = `(${effectiveGraceDays}) * interval '24 hours'`

/** The status as callers see it (statusOf in the domain): first what management decided, then the clock. */
export const licenseStatus = `
  CASE WHEN l.state <> 'active' THEN l.state WHEN l.expires_at IS NULL OR l.expires_at > now() THEN 'active'
    WHEN l.expires_at + ${effectiveGrace} > now() THEN 'grace_period' ELSE 'expired' END`

/** Whether a license has a grace that is not its policy's. The words of a partial index. */
export const hasOwnGrace =
  "(l.overrides -> 'grace_period_days' IS NOT NULL OR l.ends_without_grace OR l.awaits_activation)"

/** Minutes between the validations of a device. */
export const effectiveInterval = effective("validation_interval_minutes")

/** How many components must match for a device to be the same; NULL where its fingerprint alone tells. */
export const effectiveComponentMatch = "coalesce(l.overrides ->> 'component_match', p.component_match)"

/** Whether a seat that a device gives back stays taken until what the device has for offline use has ended. NULL is not. */
export const effectiveHold = "coalesce((l.overrides ->> 'hold_offline_seats')::boolean, p.hold_offline_seats)"

/** Days that a device may be offline. */
export const effectiveOfflineDays = effective("offline_grace_days")

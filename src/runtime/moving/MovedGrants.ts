import type { Ids } from "./Comparison.ts"
import type { Entry } from "./ExportDirectory.ts"

/** Bodies are built from answers of the same operations, so they are valid; the generated types cannot know that. */
type Body = any

const numberIn = (entry: Entry, name: string): number => Number(entry[name] ?? 0)

const millis = (entry: Entry, name: string): number | undefined =>
  entry[name] === undefined ? undefined : Date.parse(String(entry[name]))

/** Whether a grant or a pool has ended, or is revoked. */
export const hasEnded = (grant: Entry, now: number): boolean =>
  grant["revoked_at"] !== undefined || (millis(grant, "expires_at") ?? Infinity) <= now

/** Grants of a license, and when they are looked at. */
export interface GrantsOf {
  readonly grants: ReadonlyArray<Entry>
  /** Unix milliseconds. */
  readonly now: number
}

/** The units that the grants of a feature give beside its quota, and those that corrections take away. */
const standingOf = (feature: Entry, { grants, now }: GrantsOf) => {
  const inForce = grants.filter((grant) =>
    grant["feature_id"] === feature["feature_id"] && !hasEnded(grant, now) && (millis(grant, "starts_at") ?? 0) <= now
  )
  return {
    given: inForce.reduce((sum, grant) => sum + numberIn(grant, "remaining"), 0),
    taken: inForce.reduce((sum, grant) => sum - Math.min(0, numberIn(grant, "amount")), 0)
  }
}

/** How much of the quota of a feature an answer shows, beside its grants and the customer's pools. */
const shownQuota = (feature: Entry): number =>
  numberIn(feature, "max_consumptions") - numberIn(feature, "granted_remaining") - numberIn(feature, "pool_remaining") -
  Number(feature["granted_period_consumptions"] ?? feature["granted_consumptions"] ?? 0)

/** Whether corrections take all of a quota and of its grants, so that nothing shows how large the quota is without them. */
export const isHidden = (feature: Entry, from: GrantsOf): boolean =>
  feature["from"] !== "policy" && feature["granted_consumptions"] !== undefined &&
  feature["max_consumptions"] !== undefined &&
  standingOf(feature, from).taken > 0 && shownQuota(feature) === 0 && numberIn(feature, "granted_remaining") === 0

/**
 * A feature of a license as it is without its grants, which are brought by themselves. The quota that an answer shows is less
 * what corrections take away, and what they take of grants, because the quota did not suffice, shows in what is left of these.
 */
export const withoutGrants = (feature: Entry, from: GrantsOf): Entry => {
  const {
    granted_consumptions: served,
    granted_period_consumptions: _inPeriod,
    granted_remaining: _left,
    pool_remaining: _shared,
    next_grant_expires_at: _end,
    ...rest
  } = feature
  if (served === undefined) {
    return rest["max_consumptions"] === undefined ? rest : { ...rest, max_consumptions: shownQuota(feature) }
  }
  const { given, taken } = standingOf(feature, from)
  const shown = shownQuota(feature)
  const beyond = shown === 0 ? given - numberIn(feature, "granted_remaining") : 0
  return {
    ...rest,
    total_consumptions: numberIn(feature, "total_consumptions") - Number(served),
    ...(rest["max_consumptions"] === undefined ? {} : { max_consumptions: shown + Math.max(0, taken - beyond) })
  }
}

/** A grant that is given here, and whether it is revoked at once. */
export interface MovedGrant {
  readonly body: Body
  readonly isRevoked: boolean
}

/** The amount of a grant that counts here: what is left of it, or all that a correction takes away. */
const leftOf = (grant: Entry, now: number): number => {
  if (hasEnded(grant, now)) return 0
  return numberIn(grant, "amount") < 0 ? numberIn(grant, "amount") : numberIn(grant, "remaining")
}

/** An end for what is revoked at once: the same whenever an import is repeated. */
const distantEnd = "9999-01-01T00:00:00.000Z"

/** The source that a grant has here: what was carried of a quota there is given. */
const sourceOf = ({ source }: Entry): unknown => source === "rollover" ? "gift" : source

/**
 * The grants that are given here for one of an export: what is left of it. A reference gives once, in this service too: where it is
 * that of a grant of which less is left, a grant of the whole amount with it is given and revoked, and whoever repeats the
 * request is answered that one.
 */
export const grantsFor = (grant: Entry, ids: Ids, now: number): ReadonlyArray<MovedGrant> => {
  const left = leftOf(grant, now)
  const whole = numberIn(grant, "amount")
  const isHeld = grant["reference"] !== undefined && left !== whole
  const { amount: _amount, expires_at, feature_id, priority, reference, starts_at } = grant
  const source = sourceOf(grant)
  // Nothing is given that has ended already; what takes units away needs an end.
  const end = !hasEnded(grant, now) ? expires_at : whole < 0 ? distantEnd : undefined
  const given = {
    feature_id: ids.get(String(feature_id)) ?? feature_id,
    starts_at,
    priority,
    source,
    ...(end === undefined ? {} : { expires_at: end }),
    ...(source === "correction" ? { reason: "Brought from another service" } : {})
  }
  return [
    ...(isHeld ? [{ body: { ...given, amount: whole, reference }, isRevoked: true }] : []),
    ...(left === 0
      ? []
      : [{
        body: { ...given, amount: left, reference: isHeld ? grant["id"] : reference ?? grant["id"] },
        isRevoked: false
      }])
  ]
}

/** The members in which grants must be alike: what is used of them since, or revoked, is the new service's. */
export const comparedGrant = (grant: Entry): Entry =>
  Object.fromEntries([
    ...["reference", "feature_id", "amount", "priority"].map((name) => [name, grant[name]]),
    ["source", sourceOf(grant)]
  ])

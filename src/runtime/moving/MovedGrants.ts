import { canonicalJson } from "../../domain/ground/wire/CanonicalJson.ts"
import type { Entry } from "./ExportDirectory.ts"

/** Ids of the new service by those of the old one. */
export type Ids = ReadonlyMap<string, string>

/** Members that name another entry. */
const references: ReadonlySet<string> = new Set([
  "product_id",
  "product_ids",
  "policy_id",
  "customer_id",
  "parent_id",
  "order_id",
  "subscription_id",
  "feature_id",
  "definition_id",
  "resource_id",
  "license_id"
])

/** Fields that every entry has for itself in each service. */
const own: ReadonlySet<string> = new Set(["id", "created_at", "updated_at"])

/**
 * Members that a new service counts or generates itself. README.txt of an export and the guide list those that are
 * lost.
 */
const anew: Readonly<Record<string, ReadonlyArray<string>>> = {
  products: ["former_code_uses"],
  features: ["archived_at"],
  licenses: [
    "active_device_count",
    "times_activated",
    "times_transferred",
    "total_consumptions",
    "entitlement_version",
    "term_anchor",
    "terms"
  ],
  license_features: ["credits_start", "remaining", "over", "period_start", "period_consumptions", "period_ends_at"],
  devices: [
    "ip_address",
    "first_seen_at",
    "last_seen_at",
    "last_validated_at",
    "app_version_since",
    "components",
    "components_changed_at"
  ]
}

const renamed = (value: unknown, ids: Ids): unknown =>
  Array.isArray(value)
    ? value.map((id) => renamed(id, ids))
    : typeof value === "string"
    ? ids.get(value) ?? value
    : value

/** Whether a license works by decisions of people; its expiration is compared separately. */
const stateOf = (status: unknown): unknown => status === "grace_period" || status === "expired" ? "active" : status

/** The part of an entry that must be the same in both services. */
const comparable = (kind: string, entry: Readonly<Record<string, unknown>>, ids: Ids | undefined) =>
  Object.fromEntries(
    Object.entries(entry).flatMap(([name, value]) => {
      if (own.has(name) || anew[kind]?.includes(name)) return []
      if (ids !== undefined && references.has(name)) return [[name, renamed(value, ids)]]
      return [[name, kind === "licenses" && name === "status" ? stateOf(value) : value]]
    })
  )

const shown = (value: unknown): string => value === undefined ? "not there" : JSON.stringify(value)

/** The differences of an entry in the new service, member by member; empty if there are none. */
export const differencesOf = (
  kind: string,
  before: Entry,
  after: Readonly<Record<string, unknown>>,
  ids: Ids,
  except: ReadonlyArray<string> = []
): ReadonlyArray<string> => {
  const was = comparable(kind, before, ids)
  const is = comparable(kind, after, undefined)
  return [...new Set([...Object.keys(was), ...Object.keys(is)])].flatMap((name) =>
    except.includes(name) || canonicalJson(was[name] ?? null) === canonicalJson(is[name] ?? null)
      ? []
      : [`${name} is ${shown(is[name])} and was ${shown(was[name])}`]
  )
}

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

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

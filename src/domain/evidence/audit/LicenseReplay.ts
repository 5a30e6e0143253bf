import { Schema } from "effect"
import { ownQuota } from "../../catalog/Feature.ts"
import { isOfPool, TakenUnits } from "../../catalog/terms/GrantBalance.ts"
import type { EventKind } from "../../log/EventKind.ts"
import { dataOf, metadataOf, putDevice } from "./DeviceReplay.ts"
import type { StoredEvent } from "./DeviceReplay.ts"
import type { ReplayedRow, ReplayTables } from "./ReplayTables.ts"

/** The metadata of an event that sets the whole count of a feature to zero, and not that of its period alone. */
export const restarted = { counters: "restart" } as const

/**
 * The members of a license that an event of each kind changes. Every such event shows the whole license; members that
 * it only repeats are no change. Counters are not among them.
 */
export const licenseMembers: Readonly<Partial<Record<EventKind, ReadonlyArray<string>>>> = {
  "license.updated": [
    "order_id",
    "subscription_id",
    "customer_id",
    "customer_email",
    "customer_name",
    "metadata",
    "starts_at",
    "expires_at",
    "maintenance_expires_at",
    "awaits_activation",
    "ends_without_grace",
    "follows_subscription",
    "overrides",
    "trusted_issuer",
    "product_ids",
    "tags",
    "entitlement_version"
  ],
  "license.started": ["starts_at", "expires_at", "maintenance_expires_at", "awaits_activation", "entitlement_version"],
  "license.suspended": ["state", "suspended_by", "entitlement_version"],
  "license.reinstated": ["state", "suspended_by", "entitlement_version"],
  "license.revoked": ["state", "suspended_by", "entitlement_version"],
  "license.renewed": ["expires_at", "ends_without_grace", "entitlement_version"],
  "license.policy_changed": [
    "policy_id",
    "order_id",
    "subscription_id",
    "expires_at",
    "maintenance_expires_at",
    "awaits_activation",
    "ends_without_grace",
    "follows_subscription",
    "overrides",
    "entitlement_version"
  ],
  "license.transferred": ["customer_id", "customer_email", "customer_name", "trusted_issuer", "entitlement_version"],
  "license.key_rotated": ["license_key_prefix", "license_key_last4"]
}

/** The counter of a license that an event of a kind increases. */
const counters: Readonly<Partial<Record<EventKind, string>>> = {
  "license.activated": "times_activated",
  "license.transferred": "times_transferred"
}

/** The count of a feature in the period that began at a time. */
const countedIn = (row: ReplayedRow, start: unknown): number =>
  row["period_start"] === start ? Number(row["period_consumptions"]) : 0

const readTaken = Schema.decodeUnknownSync(Schema.Array(TakenUnits))

/** The counter that begins with the first use or grant of a feature that the license was not assigned. */
const counterOf = (licenseId: string, featureId: unknown): ReplayedRow => ({
  license_id: licenseId,
  feature_id: featureId,
  enabled: true,
  metadata: {},
  is_counter: true,
  total_consumptions: 0
})

/** The units that a use took of grants. */
const grantsOfUse = ({ grants }: ReplayedRow): ReadonlyArray<TakenUnits> =>
  grants === undefined ? [] : readTaken(grants)

const replayPooled = (tables: ReplayTables, license_id: string, { amount, grant_id }: TakenUnits): void => {
  const uses = tables.of("pool_use")
  const key = `${grant_id}/${license_id}`
  uses.set(key, { pool_id: grant_id, license_id, used: Number(uses.get(key)?.["used"] ?? 0) + amount })
}

/** Takes units of a grant or a pool, or gives them back where they are negative. */
const replayDrawn = (tables: ReplayTables, license: string, taken: TakenUnits): void => {
  if (isOfPool(taken)) return replayPooled(tables, license, taken)
  const { amount, grant_id } = taken
  tables.change("license_grant", grant_id, (row) => {
    const used = Number(row["used"]) + amount
    return { used, is_open: row["revoked_at"] === undefined && used < Number(row["amount"]) }
  })
}

/** Replays the event of a grant, and the counter of its feature, which says from the first grant on what grants served. */
const replayGrant = (tables: ReplayTables, event: StoredEvent, data: ReplayedRow): void => {
  const license = event.resource_id
  // The event shows the grant and not the license, whose version it increases; what is carried was there before.
  if (data["source"] !== "rollover" || event.event_type === "license.grant_revoked") {
    tables.change("license", license, ({ entitlement_version }) => ({
      entitlement_version: Number(entitlement_version) + 1
    }))
  }
  const { decimals: _decimals, feature_code: _code, id, remaining: _remaining, ...grant } = data
  if (event.event_type === "license.grant_revoked") {
    tables.change("license_grant", String(id), () => ({ revoked_at: grant["revoked_at"], is_open: false }))
    return
  }
  tables.of("license_grant").set(String(id), { ...grant, id, used: 0, is_open: true })
  const key = `${license}/${String(grant["feature_id"])}`
  const features = tables.of("license_feature")
  if (!features.has(key)) features.set(key, { ...counterOf(license, grant["feature_id"]) })
  tables.change("license_feature", key, (row) => ({ granted_consumptions: row["granted_consumptions"] ?? 0 }))
}

const replayUsage = (tables: ReplayTables, license: string, data: ReplayedRow): void => {
  const amount = Number(data["amount"])
  tables.change("license", license, ({ total_consumptions }) => ({
    total_consumptions: Math.min(Number(total_consumptions) + amount, Number.MAX_SAFE_INTEGER)
  }))
  const id = `${license}/${String(data["feature_id"])}`
  const features = tables.of("license_feature")
  // The first use of a feature that the policy grants begins a counter.
  if (!features.has(id) && tables.of("license").has(license)) {
    features.set(id, counterOf(license, data["feature_id"]))
  }
  const taken = grantsOfUse(data)
  for (const units of taken) replayDrawn(tables, license, units)
  const drawn = taken.reduce((sum, { amount }) => sum + amount, 0)
  tables.change("license_feature", id, (row) => ({
    total_consumptions: Number(row["total_consumptions"]) + amount,
    ...drawnAfter(row, data, drawn),
    ...(data["period_start"] === undefined || isMissing(row, data)
      ? apart
      : data["is_late"] === true
      ? {}
      : {
        period_start: data["period_start"],
        period_consumptions: countAfter(row, data, amount),
        counted_apart: undefined
      })
  }))
}

/** A use without a period is in no count of one, and one that the count of its time misses makes that no whole one. */
const apart = { counted_apart: true }

/** Whether a late use lies in the time that a row counts, and is not counted there: another plan's period judged it. */
const isMissing = (row: ReplayedRow, { is_late: isLate, used_at: at }: ReplayedRow): boolean =>
  isLate === true && row["period_start"] !== undefined && at !== undefined &&
  Date.parse(String(row["period_start"])) <= Date.parse(String(at))

/** Whether the count of a row is the whole one of the period that began at a time. */
const isCountOf = (row: ReplayedRow, start: unknown): boolean =>
  row["period_start"] === start && row["counted_apart"] !== true

/**
 * The count of a period after a use. The first of a period tells it itself: where the quota had another period before, or none for a
 * while, uses of that count in it too.
 */
const countAfter = (
  row: ReplayedRow,
  { period_consumptions: told, period_start: start }: ReplayedRow,
  amount: number
) => isCountOf(row, start) || told === undefined ? countedIn(row, start) + amount : Number(told)

/** How much grants and pools served after a use; nothing of a feature that never had one. */
const drawnAfter = (
  row: ReplayedRow,
  { granted_consumptions: told, granted_period_consumptions: inPeriod, is_late: isLate, period_start: start }:
    ReplayedRow,
  drawn: number
): ReplayedRow => {
  // A pool has a license begin to count what grants serve.
  if (row["granted_consumptions"] === undefined && told === undefined) return {}
  const isFirst = !isCountOf(row, start) && inPeriod !== undefined
  const before = isFirst
    ? Number(inPeriod) - drawn
    : row["period_start"] === start
    ? Number(row["granted_period_consumptions"] ?? 0)
    : 0
  return {
    granted_consumptions: Number(row["granted_consumptions"] ?? 0) + drawn,
    ...(start === undefined || isLate === true ? {} : { granted_period_consumptions: before + drawn })
  }
}

/** The count that a correction sets; undefined for an event that is none. */
const correctedCount = (event: StoredEvent): unknown => {
  if (event.event_type !== "license.usage_reset") return undefined
  const { counters: correction, reset_consumed, total_consumptions } = metadataOf(event)
  return correction === restarted.counters || reset_consumed === true ? 0 : total_consumptions
}

const replayFeature = (tables: ReplayTables, event: StoredEvent, data: ReplayedRow): void => {
  const license = event.resource_id
  const id = `${license}/${String(data["feature_id"])}`
  // The event shows the feature and not the license, whose version it increases.
  tables.change("license", license, ({ entitlement_version }) => ({
    entitlement_version: Number(entitlement_version) + 1
  }))
  if (event.event_type === "license.feature_removed") {
    const isGranted = tables.of("license_feature").get(id)?.["granted_consumptions"] !== undefined
    tables.of("license_feature").delete(id)
    if (isGranted) {
      tables.of("license_feature").set(id, { ...counterOf(license, data["feature_id"]), granted_consumptions: 0 })
    }
    return
  }
  const before = tables.of("license_feature").get(id) ?? {}
  const used = Number(before["total_consumptions"] ?? 0)
  const corrected = correctedCount(event)
  // Of a feature whose quota starts again, the count of the period is corrected, and the total by as much.
  const isWhole = metadataOf(event)["counters"] === restarted.counters || data["period_start"] === undefined
  const counted = isWhole ? used : countedIn(before, data["period_start"])
  const isOther = !isWhole && !isCountOf(before, data["period_start"])
  const { counted: uncounted = 0, grants } = metadataOf(event)
  for (const { amount, grant_id } of grantsOfUse({ grants })) {
    replayDrawn(tables, license, { grant_id, amount: -amount })
  }
  const { from, quota_from: _from, ...row } = data
  tables.of("license_feature").set(id, {
    ...row,
    max_consumptions: ownQuota(data),
    ...(from === "policy" ? { is_counter: true } : {}),
    total_consumptions: corrected === undefined
      ? used - Number(uncounted)
      : isOther
      // What had been counted in a period of another length is in no row.
      ? Number(data["total_consumptions"])
      : Math.max(0, used + Number(corrected) - counted)
  })
}

const isTexts = (value: unknown): value is ReadonlyArray<string> => Array.isArray(value)

const replayKey = (tables: ReplayTables, event: StoredEvent): void => {
  if (event.event_type === "license.created") tables.of("license_key").set(event.resource_id, { keys: 1 })
  if (event.event_type !== "license.key_rotated") return
  const end = String(metadataOf(event)["previous_key_expires_at"])
  tables.change("license_key", event.resource_id, ({ keys, replaced_until }) => ({
    keys: Number(keys) + 1,
    // RFC 3339 in UTC, all of one length: texts sort as the times do.
    replaced_until: [...isTexts(replaced_until) ? replaced_until.map((at) => at < end ? at : end) : [], end].toSorted()
  }))
}

const createLicense = (tables: ReplayTables, event: StoredEvent, license: ReplayedRow): void => {
  const id = event.resource_id
  tables.of("license").set(id, { ...license, times_activated: 0, times_transferred: 0, total_consumptions: 0 })
  const { created_at, product_id } = license
  if (metadataOf(event)["trial"] === true) tables.of("trial").set(id, { product_id, license_id: id, created_at })
}

/** Replays an event that shows the whole license. */
const replayWhole = (
  tables: ReplayTables,
  event: StoredEvent,
  { custom_field, device, status, ...data }: ReplayedRow
): void => {
  const id = event.resource_id
  const license: ReplayedRow = { ...data, state: status === "suspended" || status === "revoked" ? status : "active" }
  if (event.event_type === "license.created") createLicense(tables, event, license)
  const changed = custom_field === undefined ? licenseMembers[event.event_type] ?? [] : []
  // It is never taken away, and nodes of a version without it do not show it.
  const anchor = changed.includes("expires_at") && license["term_anchor"] !== undefined ? ["term_anchor"] : []
  const counter = counters[event.event_type]
  tables.change("license", id, (row) => ({
    ...Object.fromEntries([...changed, ...anchor].map((member) => [member, license[member]])),
    ...(counter === undefined ? {} : { [counter]: Number(row[counter]) + 1 })
  }))
  replayKey(tables, event)
  putDevice(tables, device, () => event.event_type === "license.activated" ? { floating: false } : {})
  if (custom_field !== undefined) tables.setCustomField("license", id, custom_field)
  if (event.event_type !== "license.revoked") return
  // A revocation frees every seat at once, with this event alone.
  for (const row of tables.of("device").values()) if (row["status"] === "active") row["status"] = "deactivated"
}

/** Replays an event of a license: its terms, features, keys and counters, and the device that the event shows. */
export const replayLicense = (tables: ReplayTables, event: StoredEvent): void => {
  const data = dataOf(event)
  switch (event.event_type) {
    case "license.usage_recorded":
      return replayUsage(tables, event.resource_id, data)
    case "license.grant_given":
    case "license.grant_revoked":
      return replayGrant(tables, event, data)
    case "license.user_invited":
    case "license.user_joined":
    case "license.user_removed":
      return void tables.of("license_user").set(String(data["id"]), data)
    case "license.feature_assigned":
    case "license.feature_removed":
    case "license.usage_reset":
      return replayFeature(tables, event, data)
    default:
      return replayWhole(tables, event, data)
  }
}

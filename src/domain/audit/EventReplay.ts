import { unescapeToken } from "effect/JsonPointer"
import { ownQuota } from "../catalog/Feature.ts"
import type { EventKind } from "../events/EventKind.ts"
import { familyOf } from "../events/EventKind.ts"
import type { Commitments, Personal } from "../events/EventLeaf.ts"
import { maskedUrl } from "../webhooks/MaskedUrl.ts"
import type { JsonObject } from "../wire/CanonicalJson.ts"
import type { Replayed } from "./ReplayedKinds.ts"
import { replayedAs, replayOf } from "./ReplayedKinds.ts"

/** Stands for a personal value that was erased: it cannot be compared any more. */
export const erased: unique symbol = Symbol("erased")

/** Members by name. An absent or undefined member has no value. */
export type ReplayedRow = Readonly<Record<string, unknown>>

/** An event as it is stored. `data` and `metadata` are JSON text. */
export interface StoredEvent {
  readonly event_type: EventKind
  readonly resource_id: string
  readonly metadata: string
  readonly data: string
  readonly commitments: Commitments | null
  readonly personal: Personal | null
}

/** The metadata of an event that sets the whole count of a feature to zero, and not that of its period alone. */
export const restarted = { counters: "restart" } as const

/** The data of an event with its personal values where they were, {@link erased} in place of those that are gone. */
const dataOf = (event: StoredEvent): Record<string, unknown> => {
  const root = JSON.parse(event.data) as Record<string, unknown>
  // Events of the first versions told the whole URL of an endpoint.
  if (familyOf(event.event_type) === "webhook" && typeof root["url"] === "string") root["url"] = maskedUrl(root["url"])
  for (const pointer of Object.keys(event.commitments ?? {})) {
    const [top, ...tokens] = pointer.slice(1).split("/").map(unescapeToken)
    const name = tokens.pop()
    if (top !== "data" || name === undefined) continue
    let holder: Record<string, unknown> | undefined = root
    for (const token of tokens) holder = holder?.[token] as Record<string, unknown> | undefined
    const kept = event.personal?.[pointer]
    if (holder !== undefined) holder[name] = kept === undefined ? erased : kept.value
  }
  return root
}

type Rows = Map<string, Record<string, unknown>>

/** Replays the events of one resource and of all that belongs to it, in their order. */
export interface EventReplay {
  readonly apply: (event: StoredEvent) => void
  /** Every resource that exists after the events that were applied, by its id. */
  readonly rows: () => ReadonlyMap<Replayed, ReadonlyMap<string, ReplayedRow>>
}

/**
 * The status of a floating device after its lease has ended, by the reason of the end. A reset or a blacklisting has an
 * event of the device, which says it instead.
 */
const bindingAfter: Readonly<Record<string, string>> = {
  checked_in: "deactivated",
  released: "deactivated",
  deactivated: "deactivated",
  transferred: "deactivated",
  revoked: "deactivated",
  expired: "expired"
}

const valueOr = <A>(value: unknown, otherwise: A): A => value === undefined ? otherwise : value as A

/**
 * The members of a license that an event of each kind changes. Every such event shows the whole license; members that
 * it only repeats are no change. Counters are not among them.
 */
const licenseMembers: Readonly<Partial<Record<EventKind, ReadonlyArray<string>>>> = {
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
    "product_ids",
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
  "license.transferred": ["customer_id", "customer_email", "customer_name", "entitlement_version"],
  "license.key_rotated": ["license_key_prefix", "license_key_last4"]
}

/** What a counter says of the period that began at an instant. */
const countedIn = (row: ReplayedRow, start: unknown): number =>
  row["period_start"] === start ? row["period_consumptions"] as number : 0

/** What an event of a kind counts. */
const counters: Readonly<Partial<Record<EventKind, string>>> = {
  "license.activated": "times_activated",
  "license.transferred": "times_transferred"
}

/**
 * Replays the events of one aggregate: a license with its features, keys, devices and leases, a customer with the
 * values of its custom fields, or any other resource by itself. Counters are counted again from what happened; values
 * that events repeat are not trusted. `before` is what earlier events replayed to.
 */
export const makeEventReplay = (
  before: ReadonlyMap<Replayed, ReadonlyMap<string, ReplayedRow>> = new Map()
): EventReplay => {
  const tables = new Map<Replayed, Rows>(
    [...before].map(([resource, rows]) => [resource, new Map([...rows].map(([id, row]) => [id, { ...row }]))])
  )
  const table = (resource: Replayed): Rows => {
    const found = tables.get(resource) ?? new Map()
    tables.set(resource, found)
    return found
  }

  /** The open leases of each device: the last one of several closes it. */
  const open = new Map<string, Set<string>>()
  const openOf = (deviceId: string): Set<string> => {
    const found = open.get(deviceId) ?? new Set<string>()
    open.set(deviceId, found)
    return found
  }
  for (const [id, { device_id, end_reason }] of before.get("lease") ?? []) {
    if (end_reason === undefined) openOf(String(device_id)).add(id)
  }

  /** Updates a member from its former value. For a resource that the log has not created nothing is known. */
  const change = (resource: Replayed, id: string, to: (row: ReplayedRow) => ReplayedRow) => {
    const row = table(resource).get(id)
    if (row !== undefined) Object.assign(row, to(row))
  }

  const customField = (owner: "license" | "customer", id: string, value: unknown) => {
    const field = value as Record<string, unknown>
    const key = `${id}/${String(field["definition_id"])}`
    if (field["cleared"] === true) table("custom_field_value").delete(key)
    else table("custom_field_value").set(key, { ...field, [`${owner}_id`]: id })
  }

  const remove = (resource: Replayed, event: StoredEvent) => {
    table(resource).delete(event.resource_id)
    if (resource === "customer") tables.delete("custom_field_value")
    if (resource === "policy") tables.delete("policy_feature")
  }

  const put = (resource: Replayed, event: StoredEvent) => {
    const { custom_field, ...row } = dataOf(event)
    if (resource === "api_key") row["revoked"] = event.event_type === "api_key.revoked"
    table(resource).set(event.resource_id, row)
    // An erasure takes the values of the custom fields with it.
    if (event.event_type === "customer.erased") tables.delete("custom_field_value")
    if (custom_field !== undefined) customField("customer", event.resource_id, custom_field)
  }

  /** The device as an event left it; what events of devices do not show stays. */
  const device = (data: unknown, more: (before: ReplayedRow | undefined) => ReplayedRow = () => ({})) => {
    // The event of a lease or a license may show no device.
    if (data === undefined) return
    // It shows the names of its components; which they are, the event of their change says.
    const { components: _names, ...row } = data as Record<string, unknown>
    const id = String(row["id"])
    const before = table("device").get(id)
    table("device").set(id, {
      ...row,
      components: before?.["components"],
      floating: valueOr(before?.["floating"], false),
      offline_counter: valueOr(before?.["offline_counter"], 0),
      ...more(before)
    })
  }

  const applyUse = (license: string, data: ReplayedRow) => {
    const amount = data["amount"] as number
    change("license", license, ({ total_consumptions }) => ({
      total_consumptions: Math.min(total_consumptions as number + amount, Number.MAX_SAFE_INTEGER)
    }))
    const id = `${license}/${String(data["feature_id"])}`
    const features = table("license_feature")
    // The first use of what the policy grants begins a counter.
    if (!features.has(id) && table("license").has(license)) {
      features.set(id, {
        license_id: license,
        feature_id: data["feature_id"],
        enabled: true,
        metadata: {},
        is_counter: true,
        total_consumptions: 0
      })
    }
    change("license_feature", id, (row) => ({
      total_consumptions: row["total_consumptions"] as number + amount,
      ...(data["period_start"] === undefined
        ? {}
        : { period_start: data["period_start"], period_consumptions: countedIn(row, data["period_start"]) + amount })
    }))
  }

  const applyFeature = (event: StoredEvent, data: ReplayedRow) => {
    const license = event.resource_id
    const id = `${license}/${String(data["feature_id"])}`
    // A change of what a license grants shows the feature and not the license, which counts it.
    change("license", license, ({ entitlement_version }) => ({
      entitlement_version: entitlement_version as number + 1
    }))
    if (event.event_type === "license.feature_removed") {
      table("license_feature").delete(id)
      return
    }
    const before = table("license_feature").get(id) ?? {}
    const used = valueOr(before["total_consumptions"], 0)
    const asked = JSON.parse(event.metadata) as JsonObject
    const restarts = asked["counters"] === restarted.counters
    const corrected = event.event_type !== "license.usage_reset"
      ? undefined
      : restarts
      ? 0
      : asked["reset_consumed"] === true
      ? 0
      : asked["total_consumptions"]
    // Of a feature whose quota starts again, the count of the period is corrected, and the total by as much.
    const counted = restarts || data["period_start"] === undefined ? used : countedIn(before, data["period_start"])
    const { from, quota_from: _from, ...row } = data
    table("license_feature").set(id, {
      ...row,
      max_consumptions: ownQuota(data),
      ...(from === "policy" ? { is_counter: true } : {}),
      total_consumptions: corrected === undefined ? used : Math.max(0, used + Number(corrected) - counted)
    })
  }

  const applyKey = (event: StoredEvent) => {
    if (event.event_type === "license.created") table("license_key").set(event.resource_id, { keys: 1 })
    if (event.event_type !== "license.key_rotated") return
    const end = String((JSON.parse(event.metadata) as JsonObject)["previous_key_expires_at"])
    change("license_key", event.resource_id, ({ keys, replaced_until }) => ({
      keys: keys as number + 1,
      // RFC 3339 in UTC, all of one length: texts sort as the instants do.
      replaced_until: [...valueOr(replaced_until, [] as Array<string>).map((at) => at < end ? at : end), end]
        .toSorted()
    }))
  }

  const applyLicense = (event: StoredEvent) => {
    const id = event.resource_id
    const { custom_field, device: shown, status, ...license } = dataOf(event)
    switch (event.event_type) {
      case "license.usage_recorded":
        return applyUse(id, license)
      case "license.feature_assigned":
      case "license.feature_removed":
      case "license.usage_reset":
        return applyFeature(event, license)
      default: {
        const shownNow: ReplayedRow = {
          ...license,
          state: status === "suspended" || status === "revoked" ? status : "active"
        }
        if (event.event_type === "license.created") {
          table("license").set(id, { ...shownNow, times_activated: 0, times_transferred: 0, total_consumptions: 0 })
          const { product_id, created_at } = license
          if ((JSON.parse(event.metadata) as JsonObject)["trial"] === true) {
            table("trial").set(id, { product_id, license_id: id, created_at })
          }
        }
        const about = custom_field === undefined ? licenseMembers[event.event_type] ?? [] : []
        // It is never taken away, and nodes of a version without it do not show it.
        const anchor = about.includes("expires_at") && shownNow["term_anchor"] !== undefined ? ["term_anchor"] : []
        const counter = counters[event.event_type]
        change("license", id, (row) => ({
          ...Object.fromEntries([...about, ...anchor].map((member) => [member, shownNow[member]])),
          ...(counter === undefined ? {} : { [counter]: row[counter] as number + 1 })
        }))
        applyKey(event)
        if (shown !== undefined) {
          device(shown, () => event.event_type === "license.activated" ? { floating: false } : {})
        }
        if (custom_field !== undefined) customField("license", id, custom_field)
        if (event.event_type !== "license.revoked") return
        // A revocation frees every seat at once, with this event alone.
        for (const row of table("device").values()) if (row["status"] === "active") row["status"] = "deactivated"
      }
    }
  }

  const applyDevice = (event: StoredEvent) => {
    const row = dataOf(event)
    if (event.event_type === "device.components_changed") {
      return device(row["device"], () => ({ components: row["components"] }))
    }
    device(row)
    const asked = JSON.parse(event.metadata) as JsonObject
    if (asked["self_service"] !== true) return
    const { period_start } = asked
    change("license", String(row["license_id"]), (license) => ({
      self_service_start: period_start,
      self_service_resets: license["self_service_start"] === period_start
        ? license["self_service_resets"] as number + 1
        : 1
    }))
  }

  const applyLease = (event: StoredEvent) => {
    const { device: bound, status, ...lease } = dataOf(event)
    const ended = event.event_type !== "lease.checked_out"
    // Heartbeats extend a lease and write no event, so the log does not know when an open lease ends.
    const living = { expires_at: undefined, last_heartbeat_at: undefined }
    table("lease").set(event.resource_id, { ...lease, ...(ended ? { end_reason: status } : living) })
    const held = openOf(String(lease["device_id"]))
    if (!ended) {
      held.add(event.resource_id)
      const takesNoSeat = (before: ReplayedRow | undefined) =>
        before === undefined || before["floating"] === true || before["status"] !== "active"
      return device(bound, (before) => ({ floating: takesNoSeat(before) }))
    }
    const after = bindingAfter[String(status)]
    held.delete(event.resource_id)
    if (after === undefined || held.size > 0) return
    change(
      "device",
      String(lease["device_id"]),
      (row) => row["floating"] === true && row["status"] === "active" ? { status: after } : {}
    )
  }

  const apply = (event: StoredEvent) => {
    const resource = replayedAs[familyOf(event.event_type)]
    switch (replayOf[event.event_type]) {
      case "put":
        return resource === undefined ? undefined : put(resource, event)
      case "remove":
        return resource === undefined ? undefined : remove(resource, event)
      case "license":
        return applyLicense(event)
      case "lease":
        return applyLease(event)
      case "policy_feature": {
        const data = dataOf(event)
        const id = `${event.resource_id}/${String(data["feature_id"])}`
        if (event.event_type === "policy.feature_removed") table("policy_feature").delete(id)
        else table("policy_feature").set(id, data)
        return
      }
      case "device":
        return applyDevice(event)
      case "offline": {
        const { device_id, offline_counter } = dataOf(event)
        return change("device", String(device_id), () => ({ offline_counter }))
      }
      case "offline_file": {
        const file = dataOf(event)
        const { device_id, offline_counter } = file
        table("offline_file").set(event.resource_id, file)
        if (event.event_type === "offline_file.revoked") return
        return change("device", String(device_id), () => ({ offline_counter }))
      }
      case "nothing":
        return
    }
  }

  const rows = () => {
    const seats = [...table("device").values()].filter((row) => row["status"] === "active" && row["floating"] !== true)
    for (const license of table("license").values()) license["active_device_count"] = seats.length
    return tables
  }

  return { apply, rows }
}

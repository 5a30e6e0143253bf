import { unescapeToken } from "effect/JsonPointer"
import { maskedUrl } from "../../delivery/webhooks/Webhook.ts"
import { membersOf, parseMembers } from "../../ground/parsing/JsonMembers.ts"
import type { JsonMembers } from "../../ground/parsing/JsonMembers.ts"
import { familyOf } from "../../log/EventKind.ts"
import type { EventKind } from "../../log/EventKind.ts"
import type { Commitments, Personal } from "../../log/EventLeaf.ts"
import type { ReplayedRow, ReplayState, ReplayTables } from "./ReplayTables.ts"

/** Stands for a personal value that was erased: it cannot be compared any more. */
export const erased: unique symbol = Symbol("erased")

/** An event as it is stored. `data` and `metadata` are JSON text. */
export interface StoredEvent {
  readonly event_type: EventKind
  readonly resource_id: string
  readonly metadata: string
  readonly data: string
  readonly commitments: Commitments | null
  readonly personal: Personal | null
}

const isHolder = (value: unknown): value is Record<string, unknown> => typeof value === "object" && value !== null

/** The data of an event with its personal values in their places, and {@link erased} in place of those that are gone. */
export const dataOf = (event: StoredEvent): JsonMembers => {
  const root = parseMembers(event.data)
  // Events of the first versions have the whole URL of an endpoint.
  if (familyOf(event.event_type) === "webhook" && typeof root["url"] === "string") root["url"] = maskedUrl(root["url"])
  for (const pointer of Object.keys(event.commitments ?? {})) {
    const [top, ...tokens] = pointer.slice(1).split("/").map(unescapeToken)
    const name = tokens.pop()
    if (top !== "data" || name === undefined) continue
    let holder: unknown = root
    for (const token of tokens) holder = isHolder(holder) ? holder[token] : undefined
    const kept = event.personal?.[pointer]
    if (isHolder(holder)) holder[name] = kept === undefined ? erased : kept.value
  }
  return root
}

/** The metadata of an event: the parts of the request that the state of the resource does not show. */
export const metadataOf = (event: StoredEvent): JsonMembers => parseMembers(event.metadata)

/**
 * The status of a floating device after its lease has ended, by the reason of the end. A reset or a blacklisting has an
 * event of the device, which says it instead.
 */
const statusAfterLease: Readonly<Record<string, string>> = {
  checked_in: "deactivated",
  released: "deactivated",
  deactivated: "deactivated",
  transferred: "deactivated",
  revoked: "deactivated",
  expired: "expired"
}

/** Puts the device as an event shows it; members that events of devices do not show stay as they were. */
export const putDevice = (
  tables: ReplayTables,
  data: unknown,
  more: (before: ReplayedRow | undefined) => ReplayedRow = () => ({})
): void => {
  // The event of a lease or a license may show no device.
  if (data === undefined) return
  // It shows the names of its components; the event of their change says what they are.
  const { components: _names, ...device } = membersOf(data)
  const id = String(device["id"])
  const before = tables.of("device").get(id)
  tables.of("device").set(id, {
    ...device,
    components: before?.["components"],
    floating: before?.["floating"] ?? false,
    offline_counter: before?.["offline_counter"] ?? 0,
    ...more(before)
  })
}

/** Replays an event of a device: a reset, a block, an expiry, another name or a change of its components. */
export const replayDevice = (tables: ReplayTables, event: StoredEvent): void => {
  const data = dataOf(event)
  if (event.event_type === "device.components_changed") {
    return putDevice(tables, data["device"], () => ({ components: data["components"] }))
  }
  putDevice(tables, data)
  const { period_start, self_service } = metadataOf(event)
  if (self_service !== true) return
  tables.change("license", String(data["license_id"]), (license) => ({
    self_service_start: period_start,
    self_service_resets: license["self_service_start"] === period_start ? Number(license["self_service_resets"]) + 1 : 1
  }))
}

/** Replays an envelope or a file for offline use: its counter is that of the device. */
export const replayOffline = (tables: ReplayTables, event: StoredEvent): void => {
  const data = dataOf(event)
  const { device_id, offline_counter } = data
  if (event.event_type !== "offline.issued") tables.of("offline_file").set(event.resource_id, data)
  if (event.event_type === "offline_file.revoked") return
  tables.change("device", String(device_id), () => ({ offline_counter }))
}

/** A replay of the leases of a license, which knows the open leases of each device: the last of several closes it. */
export const makeLeaseReplay = (tables: ReplayTables, before: ReplayState): (event: StoredEvent) => void => {
  const open = new Map<string, Set<string>>()
  const openOf = (deviceId: string): Set<string> => {
    const found = open.get(deviceId) ?? new Set<string>()
    open.set(deviceId, found)
    return found
  }
  for (const [id, { device_id, end_reason }] of before.get("lease") ?? []) {
    if (end_reason === undefined) openOf(String(device_id)).add(id)
  }

  return (event) => {
    const { device, status, ...lease } = dataOf(event)
    const hasEnded = event.event_type !== "lease.checked_out"
    // Heartbeats extend a lease and write no event, so the log does not know when an open lease ends.
    const living = { expires_at: undefined, last_heartbeat_at: undefined }
    tables.of("lease").set(event.resource_id, { ...lease, ...(hasEnded ? { end_reason: status } : living) })
    const held = openOf(String(lease["device_id"]))
    if (!hasEnded) {
      held.add(event.resource_id)
      const takesNoSeat = (before: ReplayedRow | undefined) =>
        before === undefined || before["floating"] === true || before["status"] !== "active"
      return putDevice(tables, device, (before) => ({ floating: takesNoSeat(before) }))
    }
    const after = statusAfterLease[String(status)]
    held.delete(event.resource_id)
    if (after === undefined || held.size > 0) return
    tables.change(
      "device",
      String(lease["device_id"]),
      (row) => row["floating"] === true && row["status"] === "active" ? { status: after } : {}
    )
  }
}

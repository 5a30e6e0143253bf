import { Schema } from "effect"
import * as Base64 from "effect/encoding/Base64"
import { parseMembers } from "../../ground/parsing/JsonMembers.ts"
import { canonicalJson } from "../../ground/wire/CanonicalJson.ts"
import { familyOf, wholeLicenseKinds } from "../../log/EventKind.ts"
import type { EventKind } from "../../log/EventKind.ts"
import { dataOf, erased, makeLeaseReplay, replayDevice, replayOffline } from "./DeviceReplay.ts"
import type { StoredEvent } from "./DeviceReplay.ts"
import { replayLicense } from "./LicenseReplay.ts"
import { Replayed, replayedAs, replayOf } from "./ReplayedKinds.ts"
import { ReplayTables } from "./ReplayTables.ts"
import type { ReplayedRow, ReplayState } from "./ReplayTables.ts"

/** The fields of an event that decide which later event replaces it. `data` and `metadata` are JSON text. */
export interface Anchorable {
  readonly event_type: EventKind
  readonly metadata: string
  readonly data: string
}

const memberOf = (text: string, name: string): string => String(parseMembers(text)[name])

/**
 * What an event is the last word about, as a name among those of its resource; none when what it says is never read
 * again. Of the dropped part of a log the last event of each slot is kept, so that what was true of a license can be
 * told for every instant since then.
 */
export const anchorSlots = (event: Anchorable): ReadonlyArray<string> => {
  switch (event.event_type) {
    case "policy.created":
    case "policy.updated":
    case "product.created":
    case "product.updated":
    case "device.reset":
      // How many seats whoever has the license key gave back, says the last such event.
      return memberOf(event.metadata, "self_service") === "true" ? ["self", "self_service"] : ["self"]
    case "feature.updated":
    case "subscription.created":
    case "subscription.updated":
    case "device.blacklisted":
    case "device.expired":
    case "device.renamed":
      return ["self"]
    case "device.components_changed":
      return ["components"]
    case "license.activated":
    case "license.deactivated":
      return ["self", `device:${memberOf(event.metadata, "device_id")}`]
    case "license.user_invited":
    case "license.user_joined":
    case "license.user_removed":
      return [`user:${memberOf(event.metadata, "user_id")}`]
    case "license.user_device_changed":
      return [`owner:${memberOf(event.data, "device_id")}`]
    case "license.feature_assigned":
    case "license.feature_removed":
    case "license.usage_reset":
    case "policy.feature_assigned":
    case "policy.feature_removed":
      // By the id: the code of a feature may change, and two products may have one of the same code.
      return [`feature:${memberOf(event.data, "feature_id")}`]
    case "license.usage_recorded":
      // A late use tells the total, and nothing of the running period.
      return [`${memberOf(event.data, "is_late") === "true" ? "late" : "use"}:${memberOf(event.data, "feature_id")}`]
    default:
      return wholeLicenseKinds.includes(event.event_type) ? ["self"] : []
  }
}

/** A row as it is stored: its id, its members, and the names of those whose personal value is gone. */
const StoredRow = Schema.Tuple([
  Schema.String,
  Schema.Record(Schema.String, Schema.Unknown),
  Schema.Array(Schema.String)
])

const decodeState = Schema.decodeUnknownSync(
  Schema.fromJsonString(Schema.Array(Schema.Tuple([Replayed, Schema.Array(StoredRow)])))
)

/** A state as JSON text, without personal values if it was replayed without them. */
export const stateText = (state: ReplayState): string =>
  JSON.stringify(
    [...state].map(([resource, rows]) => [
      resource,
      [...rows].map(([id, row]): typeof StoredRow.Type => [
        id,
        // A member that is erased is a symbol, which JSON leaves out.
        row,
        Object.keys(row).filter((name) => row[name] === erased)
      ])
    ])
  )

/** The state of a text that {@link stateText} wrote. */
export const readState = (text: string): ReplayState =>
  new Map(
    decodeState(text).map(([resource, rows]) => [
      resource,
      new Map(rows.map(([id, members, gone]) => [
        id,
        { ...members, ...Object.fromEntries(gone.map((name) => [name, erased])) }
      ]))
    ])
  )

/**
 * A difference between the tables and the log. `member` is absent when the whole row is missing on one side; a side is
 * absent when it has no value there. Personal values are not shown. For an event, `in_table` is what its record says,
 * and `by_log` is its place in the feed or that it waits for one.
 */
export interface StateDifference {
  readonly resource: Replayed | "usage_record" | "usage_key" | "usage_correction" | "usage_day" | "mail" | "event"
  readonly id: string
  readonly member?: string
  readonly in_table?: string
  readonly by_log?: string
}

/** Members that hold personal values, wherever they stand. */
const personal: ReadonlySet<string> = new Set([
  "email",
  "customer_email",
  "customer_name",
  "hostname",
  "ip_address",
  "string_value",
  "integer_value",
  "boolean_value",
  "datetime_value",
  "enum_value"
])

/** Resources whose names are personal. */
const named: ReadonlySet<StateDifference["resource"]> = new Set(["customer", "device", "person", "passkey"])

/** A cell as the log would write it: instants as RFC 3339 in UTC, bytes as base64, 64-bit counts as numbers. */
const written = (value: unknown): unknown => {
  if (value === null) return undefined
  if (value instanceof Date) return value.toISOString()
  if (value instanceof Uint8Array) return Base64.encode(value)
  if (typeof value === "bigint") return Number(value)
  return Array.isArray(value) ? value.map(written) : value
}

const text = (value: unknown): string | undefined => value === undefined ? undefined : canonicalJson(value)

/** Every member in which a row differs from the log. The row must have all of its columns, also those that are NULL. */
export const differencesOf = (
  subject: Pick<StateDifference, "resource" | "id">,
  row: ReplayedRow,
  replayed: ReplayedRow
): ReadonlyArray<StateDifference> =>
  Object.keys(row).flatMap((member) => {
    if (replayed[member] === erased) return []
    const isPersonal = personal.has(member) || (member === "name" && named.has(subject.resource))
    const table = text(written(row[member]))
    const log = text(replayed[member])
    if (table === log) return []
    const shown = (value: string | undefined) => isPersonal ? "(personal)" : value
    return [{
      ...subject,
      member,
      ...(table === undefined ? {} : { in_table: shown(table)! }),
      ...(log === undefined ? {} : { by_log: shown(log)! })
    }]
  })

/** A difference as a line for people. */
export const differenceLine = ({ by_log, id, in_table, member, resource }: StateDifference): string =>
  member === undefined
    ? `${resource} ${id}: ${
      in_table === undefined
        ? "is not in the table, by the log it exists"
        : "is in the table, by the log it does not exist"
    }`
    : `${resource} ${id}: ${member} is ${in_table ?? "nothing"} in the table, ${by_log ?? "nothing"} by the log`

/** Replays the events of one resource and of all that belongs to it, in their order. */
export interface EventReplay {
  readonly apply: (event: StoredEvent) => void
  /** Every resource that exists after the events that were applied, by its id. */
  readonly rows: () => ReplayState
}

const remove = (tables: ReplayTables, resource: Replayed, event: StoredEvent): void => {
  tables.of(resource).delete(event.resource_id)
  if (resource === "customer") tables.clear("custom_field_value")
  if (resource === "policy") tables.clear("policy_feature")
}

const put = (tables: ReplayTables, resource: Replayed, event: StoredEvent): void => {
  const { custom_field, ...row } = dataOf(event)
  tables.of(resource).set(
    event.resource_id,
    resource === "api_key" ? { ...row, revoked: event.event_type === "api_key.revoked" } : row
  )
  // An erasure takes the values of the custom fields with it.
  if (event.event_type === "customer.erased") tables.clear("custom_field_value")
  if (custom_field !== undefined) tables.setCustomField("customer", event.resource_id, custom_field)
}

const replayPolicyFeature = (tables: ReplayTables, event: StoredEvent): void => {
  const data = dataOf(event)
  const id = `${event.resource_id}/${String(data["feature_id"])}`
  if (event.event_type === "policy.feature_removed") tables.of("policy_feature").delete(id)
  else tables.of("policy_feature").set(id, data)
}

/** Replays the event of a pool. What licenses took of it is counted from theirs. */
const replayPool = (tables: ReplayTables, event: StoredEvent): void => {
  const { decimals: _decimals, feature_code: _code, id, remaining: _remaining, used: _used, ...pool } = dataOf(event)
  tables.of("pool").set(String(id), { ...pool, id })
}

/**
 * Replays the events of one aggregate: a license with its features, keys, devices and leases, a customer with the
 * values of its custom fields, or any other resource by itself. Counters are counted again from what happened; values
 * that events repeat are not trusted. `before` is what earlier events replayed to.
 */
export const makeEventReplay = (before: ReplayState = new Map()): EventReplay => {
  const tables = new ReplayTables(before)
  const replayLease = makeLeaseReplay(tables, before)

  const apply = (event: StoredEvent): void => {
    const resource = replayedAs[familyOf(event.event_type)]
    switch (replayOf[event.event_type]) {
      case "put":
        return resource === undefined ? undefined : put(tables, resource, event)
      case "remove":
        return resource === undefined ? undefined : remove(tables, resource, event)
      case "license":
        return replayLicense(tables, event)
      case "lease":
        return replayLease(event)
      case "policy_feature":
        return replayPolicyFeature(tables, event)
      case "pool":
        return replayPool(tables, event)
      case "device":
        return replayDevice(tables, event)
      case "offline":
      case "offline_file":
        return replayOffline(tables, event)
      case "nothing":
        return
    }
  }

  const rows = () => {
    const active = [...tables.of("device").values()].filter(({ status }) => status === "active")
    const seats = active.filter(({ floating }) => floating !== true).length
    for (const license of tables.of("license").values()) license["active_device_count"] = seats
    return tables.all()
  }

  return { apply, rows }
}

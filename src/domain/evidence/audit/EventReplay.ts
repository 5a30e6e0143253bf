import { familyOf } from "../../log/EventKind.ts"
import { makeLeaseReplay, replayDevice, replayOffline } from "./DeviceReplay.ts"
import { replayLicense } from "./LicenseReplay.ts"
import type { Replayed } from "./ReplayedKinds.ts"
import { replayedAs, replayOf } from "./ReplayedKinds.ts"
import { ReplayTables } from "./ReplayTables.ts"
import type { ReplayState } from "./ReplayTables.ts"
import { dataOf } from "./StoredEvent.ts"
import type { StoredEvent } from "./StoredEvent.ts"

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

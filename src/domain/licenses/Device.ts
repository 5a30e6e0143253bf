import { Schema } from "effect"
import { Metadata, Timestamp } from "../wire/Fields.ts"

export const DeviceStatus = Schema.Literals(["active", "deactivated", "blacklisted", "reset", "expired"])
  .annotate({ identifier: "DeviceStatus" })
export type DeviceStatus = typeof DeviceStatus.Type

export const DeviceBindingKind = Schema.Literals(["hardware", "container"]).annotate({
  identifier: "DeviceBindingKind"
})
export type DeviceBindingKind = typeof DeviceBindingKind.Type

/** One binding of a license: a machine or a container. */
export const Device = Schema.Struct({
  id: Schema.String,
  license_id: Schema.String,
  binding_kind: DeviceBindingKind,
  binding_key: Schema.String,
  fingerprint: Schema.optionalKey(Schema.String),
  hostname: Schema.optionalKey(Schema.String),
  os: Schema.optionalKey(Schema.String),
  ip_address: Schema.optionalKey(Schema.String),
  is_vm: Schema.Boolean,
  is_container: Schema.Boolean,
  container_id: Schema.optionalKey(Schema.String),
  cluster_id: Schema.optionalKey(Schema.String),
  namespace: Schema.optionalKey(Schema.String),
  pod_name: Schema.optionalKey(Schema.String),
  status: DeviceStatus,
  first_seen_at: Timestamp,
  last_seen_at: Timestamp,
  last_validated_at: Schema.optionalKey(Timestamp),
  metadata: Metadata,
  created_at: Timestamp,
  updated_at: Timestamp,
  components: Schema.optionalKey(
    Schema.Array(Schema.String).annotate({
      description:
        "The names of the components that it was last activated with, where the terms have `component_match`."
    })
  ),
  components_changed_at: Schema.optionalKey(Timestamp.annotate({
    description: "When its components were named, or last were others than before."
  }))
}).annotate({
  identifier: "Device",
  examples: [{
    id: "dev_06eqpx1trxz3h94vqjm3a6kz7c",
    license_id: "lic_06eqpx1trxz3h94vqjm3a6kz7c",
    binding_kind: "hardware",
    binding_key: "b8e1c6f2d4",
    fingerprint: "b8e1c6f2d4",
    hostname: "studio-07",
    os: "linux",
    is_vm: false,
    is_container: false,
    status: "active",
    first_seen_at: "2026-11-21T10:30:00.000Z",
    last_seen_at: "2026-11-21T10:30:00.000Z",
    metadata: {},
    created_at: "2026-11-21T10:30:00.000Z",
    updated_at: "2026-11-21T10:30:00.000Z"
  }]
})
export type Device = typeof Device.Type

/**
 * How many validation intervals a container may stay away. After two its last signed answer has ended
 * (`valid_until`), so it no longer runs on it, and its seat is free for another.
 */
export const lapsesAfterIntervals = 2

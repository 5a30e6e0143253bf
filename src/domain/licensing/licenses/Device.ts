import { Schema } from "effect"
import { Reason } from "../../ground/wire/Action.ts"
import type { Warning } from "../../ground/wire/Errors.ts"
import { CreatedAt, field, Metadata, optional, Timestamp, UpdatedAt } from "../../ground/wire/Fields.ts"
import * as Id from "../../ground/wire/Id.ts"

export const DeviceStatus = Schema.Literals(["active", "deactivated", "blacklisted", "reset", "expired"])
  .annotate({
    identifier: "DeviceStatus",
    description:
      "`active` has a seat. `deactivated` released it, `reset` was freed by an operator or the holder of the " +
      "key, `expired` lost it after inactivity. These may activate again; `blacklisted` may not."
  })
export type DeviceStatus = typeof DeviceStatus.Type

export const DeviceBindingKind = Schema.Literals(["hardware", "container"]).annotate({
  identifier: "DeviceBindingKind",
  description: "Whether a binding identifies a machine or a container."
})
export type DeviceBindingKind = typeof DeviceBindingKind.Type

/** One binding of a license: a machine or a container. */
export const Device = Schema.Struct({
  id: Id.text("dev"),
  license_id: Id.text("lic"),
  binding_kind: DeviceBindingKind,
  binding_key: field(Schema.String, "Distinguishes this device from the others of the license."),
  fingerprint: optional(Schema.String, "The fingerprint that identifies the machine."),
  name: optional(Schema.String, "The name that the customer gave the device in the portal."),
  hostname: optional(Schema.String, "The name of the machine."),
  os: optional(Schema.String, "The operating system, as the device named it last."),
  app_version: optional(Schema.String, "The version of the app that the device named last."),
  app_version_since: optional(
    Timestamp,
    "Time when the device first named this version, unless it named another since."
  ),
  ip_address: optional(Schema.String, "The network address of the caller."),
  is_vm: field(
    Schema.Boolean,
    "Whether the machine is virtual; a policy may refuse virtual machines. Default: `false`."
  ),
  is_container: field(Schema.Boolean, "Whether the device is a container."),
  container_id: optional(Schema.String, "The ID of the container in its runtime."),
  cluster_id: optional(Schema.String, "The cluster that the container runs in."),
  namespace: optional(Schema.String, "The namespace that the container runs in."),
  pod_name: optional(Schema.String, "The pod that the container belongs to."),
  status: DeviceStatus,
  first_seen_at: field(Timestamp, "Time when the device was first seen."),
  last_seen_at: field(Timestamp, "Time of the last request of the device."),
  last_validated_at: optional(Timestamp, "Time when the device last validated."),
  metadata: Metadata,
  created_at: CreatedAt,
  updated_at: UpdatedAt,
  components: optional(
    Schema.Array(Schema.String),
    "The names of the components that it was last activated with, where the terms have `component_match`."
  ),
  components_changed_at: optional(Timestamp, "When its components were named, or last were others than before."),
  seat_held_until: optional(
    Timestamp,
    "Time until which its seat stays taken even if the device is released: its offline files and envelopes are valid until then. " +
      "Only under `hold_offline_seats`, and in responses alone."
  )
}).annotate({
  identifier: "Device",
  description: "A machine or a container that a license is bound to.",
  examples: [{
    id: "dev_06eqpx1trxz3h94vqjm3a6kz7c",
    license_id: "lic_06eqpx1trxz3h94vqjm3a6kz7c",
    binding_kind: "hardware",
    binding_key: "b8e1c6f2d4",
    fingerprint: "b8e1c6f2d4",
    name: "Anna's laptop",
    hostname: "studio-07",
    os: "linux",
    app_version: "4.2.0",
    app_version_since: "2026-11-21T10:30:00.000Z",
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

export const DeviceSeatFree = Schema.Struct({ reason: Reason }).annotate({
  identifier: "DeviceSeatFreeRequest",
  description: "The reason to free a seat although its device may still run offline.",
  examples: [{ reason: "the laptop was destroyed" }]
})
export type DeviceSeatFree = typeof DeviceSeatFree.Type

/** Warns that a device gave its seat back and that the seat stays taken. */
export const warningsAboutHeldSeat = ({ seat_held_until, status }: Device): ReadonlyArray<Warning> =>
  seat_held_until === undefined || status === "active" ? [] : [{
    code: "SEAT_HELD",
    message: `The device can run offline until ${seat_held_until}, and its seat stays taken until then. ` +
      "If it can no longer run, free the seat with a reason."
  }]

import { Schema } from "effect"
import { field, optional, Timestamp } from "../../ground/wire/Fields.ts"
import * as Id from "../../ground/wire/Id.ts"
import { DeviceBindingKind, DeviceStatus } from "./Device.ts"
import type { Device } from "./Device.ts"

/** A device as whoever has the license key sees it: enough to tell one's machines apart, and nothing that names them to others. */
export const OwnDevice = Schema.Struct({
  id: Id.text("dev"),
  name: optional(Schema.String, "The name that the customer gave it, else the hostname, if the app sent it."),
  binding_kind: DeviceBindingKind,
  status: DeviceStatus,
  last_seen_at: field(Timestamp, "Time of the last request of the device."),
  seat_held_until: optional(
    Timestamp,
    "Time until which its seat stays taken even if the device is released, because it can run offline."
  ),
  is_this: optional(
    Schema.Boolean,
    "Whether it is the device that the request names in `device_id`; absent when it names none."
  )
}).annotate({
  identifier: "OwnDevice",
  description: "A device of the license, as the holder of the license key sees it.",
  examples: [{
    id: "dev_06eqpx1trxz3h94vqjm3a6kz7c",
    name: "studio-07",
    binding_kind: "hardware",
    status: "active",
    last_seen_at: "2026-11-21T10:30:00.000Z",
    is_this: false
  }]
})
export type OwnDevice = typeof OwnDevice.Type

/** A device as the holder of the license key sees it. */
export const ownDeviceOf = (
  { binding_kind, hostname, id, last_seen_at, name = hostname, seat_held_until, status }: Pick<
    Device,
    "id" | "name" | "hostname" | "binding_kind" | "status" | "last_seen_at" | "seat_held_until"
  >,
  thisId?: string
): OwnDevice => ({
  id,
  ...(name === undefined ? {} : { name }),
  binding_kind,
  status,
  last_seen_at,
  ...(seat_held_until === undefined ? {} : { seat_held_until }),
  ...(thisId === undefined ? {} : { is_this: id === thisId })
})

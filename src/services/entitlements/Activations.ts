import { Context, Effect, Layer } from "effect"
import { holdsSeat } from "../../domain/entitlements/Decision.ts"
import type { Refusals } from "../../domain/entitlements/Decision.ts"
import { bindingOf } from "../../domain/entitlements/DeviceBinding.ts"
import type { RuntimeRequest } from "../../domain/entitlements/RuntimeRequest.ts"
import { decide } from "../../domain/entitlements/Snapshot.ts"
import type { Snapshot } from "../../domain/entitlements/Snapshot.ts"
import { Device } from "../../domain/licenses/Device.ts"
import type { LicenseKeyInvalid } from "../../domain/wire/Errors.ts"
import { changedNothing } from "../access/Idempotency.ts"
import { Events } from "../events/Events.ts"
import { CurrentActor, licenseActor } from "../events/Provenance.ts"
import { deviceColumns, Devices } from "../licenses/Devices.ts"
import { LeaseClosing } from "../licenses/LeaseClosing.ts"
import { licensePersonal, Licenses } from "../licenses/Licenses.ts"
import { Database } from "../persistence/Database.ts"
import { rowReader } from "../persistence/RowToWire.ts"
import { inTransaction } from "../persistence/Transaction.ts"
import type { SignedAnswer } from "../security/Signing.ts"
import { Answers } from "./Answers.ts"
import { EntitlementState } from "./EntitlementState.ts"
import type { RuntimeCredential } from "./EntitlementState.ts"

const readDevice = rowReader(Device)

/** How many activation seats of one kind, hardware or container, other devices of a license hold. */
export interface OtherDevices {
  readonly count: number
}

/** Counts {@link OtherDevices}; its parameters are the license, and the kind and key of the caller's binding. */
export const otherDevicesQuery = `
  SELECT count(*)::int AS count FROM devices
  WHERE license_id = $1 AND binding_kind = $2 AND status = 'active'
    AND NOT floating AND binding_key <> $3`

const personal = [...licensePersonal, "/data/device/hostname", "/data/device/ip_address"]

/** Activation seats: taken when a device is bound to a license, given back when it is deactivated. */
export class Activations extends Context.Service<Activations, {
  /** Idempotent per binding. The row lock of the license makes k seats admit exactly k of any number of callers. */
  readonly activate: (
    credential: RuntimeCredential,
    request: RuntimeRequest
  ) => Effect.Effect<SignedAnswer, Refusals["activate"] | LicenseKeyInvalid>
  /** Gives the seat back. */
  readonly deactivate: (
    credential: RuntimeCredential,
    request: RuntimeRequest
  ) => Effect.Effect<SignedAnswer, Refusals["deactivate"] | LicenseKeyInvalid>
}>()("countersign/services/entitlements/Activations") {
  static readonly layer = Layer.effect(
    Activations,
    Effect.gen(function*() {
      const sql = yield* Database
      const answers = yield* Answers
      const devices = yield* Devices
      const events = yield* Events
      const leases = yield* LeaseClosing
      const licenses = yield* Licenses
      const snapshots = yield* EntitlementState
      const columns = sql.literal(deviceColumns)

      const record = Effect.fnUntraced(function*(
        type: "license.activated" | "license.deactivated",
        snapshot: Snapshot,
        device: Device
      ) {
        const license = yield* Effect.orDie(licenses.get(snapshot.license_id))
        yield* events.append({
          type,
          resourceId: snapshot.license_id,
          data: { ...license, device },
          metadata: { device_id: device.id },
          personal,
          actor: licenseActor(snapshot.license_id)
        })
      })

      const activate = Effect.fn("Activations.activate")((credential: RuntimeCredential, request: RuntimeRequest) =>
        inTransaction(
          sql,
          Effect.gen(function*() {
            const binding = bindingOf(request)
            const snapshot = yield* snapshots.readLocked(credential, binding, request.app_version)
            // Containers often stop without deactivating. Free the seats of idle ones before anyone is refused.
            if (binding.kind === "container") yield* devices.lapse(snapshot.license_id, { except: snapshot.device_id })
            const others = yield* sql.unsafe<OtherDevices>(otherDevicesQuery, [
              snapshot.license_id,
              binding.kind,
              binding.key
            ])
            yield* decide("activate", snapshot, request, { otherActiveDevices: others[0]!.count })
            const device = yield* devices.bind(snapshot, request, binding, { floating: false })
            const { device_floating, device_status } = snapshot
            if (!holdsSeat({ deviceStatus: device_status ?? undefined, deviceFloating: device_floating })) {
              yield* sql`
                UPDATE licenses SET active_device_count = active_device_count + 1,
                  times_activated = times_activated + 1, updated_at = now()
                WHERE id = ${snapshot.license_id}`
              yield* record("license.activated", snapshot, device)
            } else yield* changedNothing
            return yield* answers.entitlement(snapshot, { deviceId: device.id, binding, request })
          })
        )
      )

      const deactivate = Effect.fn("Activations.deactivate")((credential: RuntimeCredential, request: RuntimeRequest) =>
        inTransaction(
          sql,
          Effect.gen(function*() {
            const binding = bindingOf(request)
            const snapshot = yield* snapshots.readLocked(credential, binding, request.app_version)
            yield* decide("deactivate", snapshot, request)
            const deviceId = snapshot.device_id!
            const rows = yield* sql`
              UPDATE devices SET status = 'deactivated', updated_at = now() WHERE id = ${deviceId}
              RETURNING ${columns}`
            yield* leases.end({ licenseId: snapshot.license_id, deviceId }, "deactivated").pipe(
              Effect.provideService(CurrentActor, licenseActor(snapshot.license_id))
            )
            if (!snapshot.device_floating) {
              yield* sql`
                UPDATE licenses SET active_device_count = active_device_count - 1, updated_at = now()
                WHERE id = ${snapshot.license_id}`
            }
            yield* record("license.deactivated", snapshot, readDevice(rows[0]!))
            return yield* answers.deactivation(snapshot, { deviceId, binding, request })
          })
        )
      )

      return Activations.of({ activate, deactivate })
    })
  )
}

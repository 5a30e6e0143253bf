import { Effect } from "effect"
import { decide } from "../../../domain/licensing/entitlements/Decision.ts"
import type { Refusals } from "../../../domain/licensing/entitlements/DecisionInput.ts"
import { bindingOf } from "../../../domain/licensing/entitlements/DeviceBinding.ts"
import type { RuntimeRequest } from "../../../domain/licensing/entitlements/RuntimeRequest.ts"
import type { Device } from "../../../domain/licensing/licenses/Device.ts"
import type { License } from "../../../domain/licensing/licenses/License.ts"
import { Database } from "../../ground/persistence/Database.ts"
import type { NewEvent } from "../../log/Events.ts"
import { CurrentActor, licenseActor, RequestOrigin } from "../../log/Provenance.ts"
import type { Origin } from "../../log/Provenance.ts"
import { Answers } from "../entitlements/Answers.ts"
import { EntitlementState, questionOf } from "../entitlements/EntitlementState.ts"
import { Replays, SeatCounts } from "../entitlements/Replays.ts"
import { makeRuntimeWrites } from "../entitlements/RuntimeWrites.ts"
import type { HeldWrite } from "../entitlements/RuntimeWrites.ts"
import { updateDeactivated } from "../entitlements/SeatSql.ts"
import { bindingName, knownDevices } from "../licenses/DeviceBindings.ts"
import { listLeaseHolders } from "../licenses/DeviceComponentSql.ts"
import type { LicenseBinding } from "../licenses/DeviceComponentSql.ts"
import { LeaseClosing } from "../licenses/LeaseClosing.ts"
import { Licenses } from "../licenses/Licenses.ts"

/** How many writes of seats share a transaction, and how many such transactions run beside each other. */
export const seatGroups = { maximum: 64, concurrency: 2, limitsAnswers: true } as const

/** The event of a device that took a seat or gave it back. */
export const seatEvent = (
  type: "license.activated" | "license.deactivated",
  license: License,
  device: Device,
  origin: Origin,
  actor = licenseActor(license.id)
): NewEvent => ({
  type,
  resourceId: license.id,
  data: { ...license, device },
  metadata: { device_id: device.id },
  actor,
  origin
})

/** The binding that a write of a seat names. */
export const bindingOfWrite = (
  { licenseId, request }: Pick<HeldWrite<RuntimeRequest>, "licenseId" | "request">
): LicenseBinding => ({ licenseId, binding: bindingOf(request) })

/** Writes of one device are decided one after the other. */
export const deviceOfWrite = (write: Pick<HeldWrite<RuntimeRequest>, "licenseId" | "request">): string =>
  bindingName(bindingOfWrite(write))

/** The state that the deactivations of a round share. */
interface Deactivating {
  readonly devices: ReadonlyMap<string, Device>
  readonly counts: SeatCounts
  /** Devices that hold a lease as well. */
  readonly holders: ReadonlySet<string>
  /** Leases to be ended with their devices. */
  readonly leases: Array<{ readonly licenseId: string; readonly deviceId: string; readonly origin: Origin }>
  readonly closed: Array<Device>
  readonly events: Array<NewEvent>
}

/** Makes the deactivation of devices, which gives their seats back; those that arrive together share a transaction. */
export const makeDeactivations = Effect.gen(function*() {
  const sql = yield* Database
  const answers = yield* Answers
  const leases = yield* LeaseClosing
  const licenses = yield* Licenses
  const replays = yield* Replays
  const states = yield* EntitlementState

  return yield* makeRuntimeWrites<RuntimeRequest, Deactivating, Refusals["deactivate"]>({
    operation: "deactivate",
    recordedAs: (request) => ({ operation: "deactivate", request }),
    ...seatGroups,
    subjectOf: deviceOfWrite,
    read: Effect.fnUntraced(function*(writes) {
      const bindings = writes.map(bindingOfWrite)
      const [snapshots, known, found, holders] = yield* Effect.all([
        states.readAll(writes.map(({ credential, request }) => questionOf(credential, request))),
        knownDevices(sql, bindings),
        licenses.getAll([...new Set(writes.map(({ licenseId }) => licenseId))]),
        listLeaseHolders(sql, bindings)
      ], { concurrency: "unbounded" })
      return {
        snapshots,
        state: {
          devices: known,
          counts: new SeatCounts(found),
          holders: new Set(holders.map(({ device_id }) => device_id)),
          leases: [],
          closed: [],
          events: []
        }
      }
    }),
    decide: Effect.fnUntraced(function*(write, snapshot, state, room) {
      const { licenseId, origin, request } = write
      yield* Effect.fromResult(decide("deactivate", snapshot, request))
      yield* room
      const before = state.devices.get(deviceOfWrite(write))!
      const device: Device = { ...before, status: "deactivated", updated_at: snapshot.now.toISOString() }
      state.closed.push(device)
      if (state.holders.has(device.id)) state.leases.push({ licenseId, deviceId: device.id, origin })
      const license = snapshot.device_floating
        ? state.counts.of(licenseId)
        : state.counts.change(licenseId, { devices: -1, activations: 0 }, snapshot.now)
      state.events.push(seatEvent("license.deactivated", license, device, origin))
      const recipient = { deviceId: device.id, binding: bindingOf(request), request }
      return { answer: answers.deactivation(snapshot, recipient), isNoOp: false }
    }),
    settle: (state) =>
      Effect.forEach(
        state.leases,
        ({ deviceId, licenseId, origin }) =>
          leases.end({ licenseId, deviceId }, "deactivated").pipe(
            Effect.provideService(CurrentActor, licenseActor(licenseId)),
            Effect.provideService(RequestOrigin, origin)
          ),
        { discard: true }
      ),
    written: ({ closed, counts, events }) => ({
      rows: Effect.all([
        updateDeactivated(sql, closed),
        counts.written(sql)
      ], { concurrency: "unbounded", discard: true }),
      events
    }),
    judge: (credential, request) => replays.judge("deactivate", credential, request)
  })
})

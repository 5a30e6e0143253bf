import { Context, Effect, Layer } from "effect"
import type { Refusals } from "../../domain/entitlements/Decision.ts"
import type { ActivateRequest, RuntimeRequest } from "../../domain/entitlements/RuntimeRequest.ts"
import { givesSeatBack, holdsSeat, seatsOf } from "../../domain/entitlements/Seats.ts"
import { decide } from "../../domain/entitlements/Snapshot.ts"
import type { Snapshot } from "../../domain/entitlements/Snapshot.ts"
import type { Device } from "../../domain/licenses/Device.ts"
import { overageOf } from "../../domain/terms/OverageEvent.ts"
import type { SelfServiceLimitExceeded, SelfServiceNotAllowed } from "../../domain/wire/Errors.ts"
import { Answers } from "../entitlements/Answers.ts"
import type { Recipient } from "../entitlements/Answers.ts"
import { EntitlementState, questionOf } from "../entitlements/EntitlementState.ts"
import { LicenseStarts } from "../entitlements/LicenseStarts.ts"
import { Replays } from "../entitlements/Replays.ts"
import { makeRuntimeWrites } from "../entitlements/RuntimeWrites.ts"
import type { HeldWrite, SubmitWrite } from "../entitlements/RuntimeWrites.ts"
import { readSeatsOffered, SeatCounts, seatsTakenQuery } from "../entitlements/SeatRows.ts"
import type { SeatOffered, SeatsTaken } from "../entitlements/SeatRows.ts"
import type { NewEvent } from "../events/Events.ts"
import { Events } from "../events/Events.ts"
import { CurrentActor, licenseActor, RequestOrigin } from "../events/Provenance.ts"
import type { Actor, Origin } from "../events/Provenance.ts"
import { bindDevices, bindingName, boundDevice, knownDevices } from "../licenses/DeviceBindings.ts"
import type { BoundDevice, LicenseBinding } from "../licenses/DeviceBindings.ts"
import {
  changeOf,
  knownAs,
  knownComponents,
  namedComponents,
  rebind,
  storeComponents
} from "../licenses/DeviceComponents.ts"
import type { ChangedDevice, KnownComponents } from "../licenses/DeviceComponents.ts"
import { Devices } from "../licenses/Devices.ts"
import { Licenses } from "../licenses/Licenses.ts"
import { Database } from "../persistence/Database.ts"
import { Identifiers } from "../persistence/Identifiers.ts"
import { Cryptography } from "../platform/Cryptography.ts"
import { overageEvents } from "../terms/OverageEvents.ts"
import { bindingOfWrite, deviceOfWrite, makeDeactivations, seatEvent, seatGroups } from "./Deactivations.ts"

/** An activation within a transaction of its caller's, which has locked the license. */
export interface HeldActivation
  extends Pick<HeldWrite<RuntimeRequest>, "credential" | "licenseId" | "request" | "origin">
{
  /** Who activates a device that does not ask itself, and whose address is not known; by default it asks. */
  readonly actor?: Actor
}

/** Why an activation within a transaction may be refused. */
export type HeldRefusal = Exclude<Refusals["activate"], SelfServiceNotAllowed | SelfServiceLimitExceeded>

/** An activation by an app, or on its behalf. */
type Activation = Omit<HeldActivation, "request"> & { readonly request: ActivateRequest }

/** A device that has its seat, as an answer to it needs it. */
export interface SeatTaken {
  readonly snapshot: Snapshot
  readonly recipient: Recipient
}

const seatName = (licenseId: string, kind: string) => `${licenseId}\n${kind}`

/** What the activations of a round share. */
interface Activating {
  readonly devices: ReadonlyMap<string, Device>
  readonly counts: SeatCounts
  /** Seats that are taken, by license and kind. */
  readonly taken: Map<string, number>
  /** Of licenses of which a device would take the seat of another. */
  readonly offered: ReadonlyMap<string, SeatOffered>
  /** Seats that devices give to others. */
  readonly given: Array<SeatGiven>
  /** Of devices that name their components, and what changed of them. */
  readonly components: ReadonlyMap<string, KnownComponents>
  readonly changes: Array<ChangedDevice>
  readonly bound: Array<BoundDevice>
  readonly starts: LicenseStarts
  readonly events: Array<NewEvent>
}

/** A seat that a device gives to another. */
interface SeatGiven extends SeatOffered {
  readonly licenseId: string
  readonly deviceId: string
  readonly origin: Origin
}

const noSeats: ReadonlyMap<string, SeatOffered> = new Map()

/** Activation seats: taken when a device is bound to a license, given back when it is deactivated. */
export class Activations extends Context.Service<Activations, {
  /**
   * Idempotent per binding. Activations that arrive together share a transaction; the row lock of the license makes k
   * seats admit exactly k of any number of callers.
   */
  readonly activate: SubmitWrite<ActivateRequest, Refusals["activate"]>
  /**
   * The same within the surrounding transaction, which has locked the license; the caller answers. It takes the seat of
   * no other device.
   */
  readonly activateHeld: (activation: HeldActivation) => Effect.Effect<SeatTaken, HeldRefusal>
  /** Gives the seat back. */
  readonly deactivate: SubmitWrite<RuntimeRequest, Refusals["deactivate"]>
}>()("countersign/services/seats/Activations") {
  static readonly layer = Layer.effect(
    Activations,
    Effect.gen(function*() {
      const sql = yield* Database
      const answers = yield* Answers
      const crypto = yield* Cryptography
      const devices = yield* Devices
      const events = yield* Events
      const identifiers = yield* Identifiers
      const licenses = yield* Licenses
      const replays = yield* Replays
      const states = yield* EntitlementState

      const readSnapshots = (writes: ReadonlyArray<Activation>, bindings: ReadonlyArray<LicenseBinding>) =>
        states.readAll(writes.map(({ credential, request }, index) => ({
          ...questionOf(credential, request),
          binding: bindings[index]!.binding
        })))

      const readOffered = (writes: ReadonlyArray<Activation>) => {
        const wanted = writes.flatMap(({ licenseId, request: { take_seat_of } }) =>
          take_seat_of === undefined ? [] : [{ licenseId, deviceId: take_seat_of }]
        )
        return wanted.length === 0 ? Effect.succeed(noSeats) : readSeatsOffered(sql, wanted)
      }

      const readSeats = (licenseIds: ReadonlyArray<string>) =>
        Effect.all([
          licenses.getAll(licenseIds),
          sql.unsafe<SeatsTaken>(seatsTakenQuery, [licenseIds])
        ], { concurrency: "unbounded" })

      /**
       * Containers often stop without deactivating: frees the seats of idle ones before anyone is refused. Answers
       * whether there were any.
       */
      const lapse = (writes: ReadonlyArray<Activation>, snapshots: ReadonlyArray<Snapshot | undefined>) => {
        const containers = new Map(
          writes.filter(({ request }) => request.is_container === true).map((write) => [write.licenseId, write])
        )
        const except = snapshots.flatMap((snapshot) => snapshot?.device_id ?? [])
        return Effect.map(
          Effect.forEach(
            [...containers.values()],
            ({ licenseId, origin }) =>
              Effect.provideService(devices.lapse(licenseId, { except }), RequestOrigin, origin)
          ),
          (lapsed) => lapsed.some((count) => count > 0)
        )
      }

      const activation = {
        read: Effect.fnUntraced(function*(writes: ReadonlyArray<Activation>) {
          const licenseIds = [...new Set(writes.map(({ licenseId }) => licenseId))]
          const components = yield* knownComponents(sql, writes.flatMap(namedComponents))
          const bindings = writes.map((write) => knownAs(write, components))
          const [snapshots, known, seats] = yield* Effect.all([
            readSnapshots(writes, bindings),
            knownDevices(sql, bindings),
            readSeats(licenseIds)
          ], { concurrency: "unbounded" })
          const [found, taken] = (yield* lapse(writes, snapshots)) ? yield* readSeats(licenseIds) : seats
          return {
            snapshots,
            state: {
              components,
              changes: [],
              devices: known,
              counts: new SeatCounts(found),
              taken: new Map(taken.map((row) => [seatName(row.license_id, row.binding_kind), row.count])),
              offered: yield* readOffered(writes),
              given: [],
              bound: [],
              starts: new LicenseStarts(),
              events: []
            } satisfies Activating
          }
        }),
        /** Takes the seat, or keeps that which the device has; see {@link GroupedOperation} about `room`. */
        take: Effect.fnUntraced(function*<E>(
          write: Activation,
          before: Snapshot,
          state: Activating,
          room: Effect.Effect<void, E>
        ) {
          const { actor, licenseId, origin, request } = write
          const { binding } = bindingOfWrite(write)
          const { device_floating, device_id, device_status, now } = before
          const seating = {
            bindingKind: binding.kind,
            deviceStatus: device_status ?? undefined,
            deviceFloating: device_floating
          }
          const holds = holdsSeat(seating)
          const seat = seatName(licenseId, binding.kind)
          const counted = state.taken.get(seat) ?? 0
          const offered = request.take_seat_of === undefined ? undefined : state.offered.get(licenseId)
          const others = {
            otherActiveDevices: holds ? counted - 1 : counted,
            selfService: offered && { ...offered.selfService, holdsSeat: offered.kind === binding.kind }
          }
          yield* decide("activate", before, request, others)
          const known = boundDevice({ licenseId, binding }, request, {
            at: now,
            before: state.devices.get(bindingName(knownAs(write, state.components))),
            id: device_id ?? identifiers.next("dev"),
            ipAddress: actor === undefined ? origin.ipAddress : undefined
          })
          const change = changeOf(crypto, write, known, state.components)
          const device = change?.device ?? known
          const isSpare = holds && change === undefined
          if (!isSpare) yield* room
          const gives = offered !== undefined &&
            givesSeatBack({ operation: "activate", ...seating, ...others, policy: before })
          if (gives) {
            state.given.push({ ...offered, licenseId, deviceId: request.take_seat_of!, origin })
            state.counts.freed(licenseId)
          }
          const taken = gives ? counted - 1 : counted
          const snapshot = state.starts.begin(before, origin)
          if (snapshot !== before) state.counts.amend(licenseId, state.starts.licenses.get(licenseId)!)
          const limit = seatsOf({ bindingKind: binding.kind, policy: snapshot })
          const overage = snapshot.activation_overage
          state.bound.push({ device, floating: false })
          if (!holds) {
            state.taken.set(seat, taken + 1)
            const license = state.counts.change(licenseId, { devices: 1, activations: 1 }, now)
            state.events.push(seatEvent("license.activated", license, device, origin, actor))
            state.events.push(...overageEvents({
              license_id: licenseId,
              device_id: device.id,
              limit_of: "activations",
              limit,
              before: taken,
              used: taken + 1,
              overage
            }, origin))
          }
          if (change !== undefined) {
            state.changes.push(change)
            state.events.push(change.event)
          }
          const recipient = {
            deviceId: device.id,
            binding,
            request,
            overage: overageOf({ limit, used: holds ? taken : taken + 1, overage })
          }
          return { snapshot, recipient, isSpare }
        }),
        settle: ({ changes, given, starts }: Activating) =>
          Effect.andThen(
            Effect.andThen(starts.settle(sql, licenses), rebind(sql, changes)),
            Effect.forEach(given, ({ deviceId, licenseId, origin, selfService }) =>
              devices.giveBack(licenseId, deviceId, selfService).pipe(
                Effect.provideService(CurrentActor, licenseActor(licenseId)),
                Effect.provideService(RequestOrigin, origin)
              ), { discard: true })
          ),
        written: ({ bound, changes, counts, events }: Activating) => ({
          rows: Effect.all([
            Effect.andThen(bindDevices(sql, bound), storeComponents(sql, changes)),
            counts.written(sql)
          ], { concurrency: "unbounded", discard: true }),
          events
        })
      }

      const activate = yield* makeRuntimeWrites<ActivateRequest, Activating, Refusals["activate"]>({
        operation: "activate",
        ...seatGroups,
        ...activation,
        subjectOf: deviceOfWrite,
        isAlone: ({ components, take_seat_of }) => components !== undefined || take_seat_of !== undefined,
        decide: (write, before, state, room) =>
          Effect.map(activation.take(write, before, state, room), ({ isSpare, recipient, snapshot }) => ({
            answer: answers.entitlement(snapshot, recipient),
            isSpare
          })),
        judge: (credential, request) => replays.judge("activate", credential, request)
      })

      const activateHeld = Effect.fnUntraced(function*(held: HeldActivation) {
        const { snapshots, state } = yield* activation.read([held])
        const taken = yield* activation.take(held, snapshots[0]!, state, Effect.void).pipe(
          Effect.catchTags({ SELF_SERVICE_NOT_ALLOWED: Effect.die, SELF_SERVICE_LIMIT_EXCEEDED: Effect.die })
        )
        yield* activation.settle(state)
        const { events: happened, rows } = activation.written(state)
        yield* Effect.all([rows, events.appendAll(happened)], { discard: true })
        return taken
      })

      const deactivate = yield* makeDeactivations

      return Activations.of({ activate, activateHeld, deactivate })
    })
  )
}

import { Context, Effect, Layer } from "effect"
import type { SelfServiceLimitExceeded, SelfServiceNotAllowed } from "../../../domain/ground/wire/Errors.ts"
import { activation } from "../../../domain/licensing/entitlements/Activation.ts"
import type { Activation, HeldSeat, SeatOffered } from "../../../domain/licensing/entitlements/Activation.ts"
import type { Refusals } from "../../../domain/licensing/entitlements/DecisionInput.ts"
import type { ActivateRequest, RuntimeRequest } from "../../../domain/licensing/entitlements/RuntimeRequest.ts"
import type { Snapshot } from "../../../domain/licensing/entitlements/Snapshot.ts"
import type { Device } from "../../../domain/licensing/licenses/Device.ts"
import type { License } from "../../../domain/licensing/licenses/License.ts"
import { overageEvents } from "../../catalog/terms/OverageEvents.ts"
import { Database } from "../../ground/persistence/Database.ts"
import { Identifiers } from "../../ground/persistence/Identifiers.ts"
import { Cryptography } from "../../ground/platform/Cryptography.ts"
import { Events } from "../../log/Events.ts"
import type { NewEvent } from "../../log/Events.ts"
import { CurrentActor, licenseActor, RequestOrigin } from "../../log/Provenance.ts"
import type { Actor, Origin } from "../../log/Provenance.ts"
import { MailQueue } from "../../mail/MailQueue.ts"
import type { MailNotice } from "../../mail/MailQueue.ts"
import { Answers } from "../entitlements/Answers.ts"
import type { Recipient } from "../entitlements/Answers.ts"
import { EntitlementState, questionOf } from "../entitlements/EntitlementState.ts"
import { LicenseStarts } from "../entitlements/LicenseStandingReader.ts"
import { readHeldSeats, readSeatsOffered, Replays, SeatCounts } from "../entitlements/Replays.ts"
import { makeRuntimeWrites } from "../entitlements/RuntimeWrites.ts"
import type { HeldWrite, SubmitWrite } from "../entitlements/RuntimeWrites.ts"
import { countSeatsTaken } from "../entitlements/SeatSql.ts"
import {
  bindingName,
  boundDevice,
  changeOf,
  knownAs,
  knownComponents,
  knownDevices,
  namedComponents
} from "../licenses/DeviceBindings.ts"
import type { ChangedDevice, KnownComponents } from "../licenses/DeviceBindings.ts"
import { insertBound, updateComponents, updateRebound } from "../licenses/DeviceComponentSql.ts"
import type { LicenseBinding } from "../licenses/DeviceComponentSql.ts"
import { Devices } from "../licenses/Devices.ts"
import { Licenses } from "../licenses/Licenses.ts"
import { UserSeats } from "../standings/UserStandings.ts"
import { bindingOfWrite, deviceOfWrite, makeDeactivations, seatEvent, seatGroups } from "./Deactivations.ts"

/** An activation within a transaction of its caller's, which has locked the license. */
interface HeldActivation extends Pick<HeldWrite<RuntimeRequest>, "credential" | "licenseId" | "request" | "origin"> {
  /** The caller that activates a device that does not ask itself, and whose address is not known; by default it asks. */
  readonly actor?: Actor
}

/** An activation by an app, or on its behalf. */
type Activating = Omit<HeldActivation, "request"> & { readonly request: ActivateRequest }

/** An activation that was allowed, with what is written of it. */
interface Taken {
  readonly write: Activating
  readonly seat: Activation
  readonly device: Device
  /** The change of a device that names its components. */
  readonly change: ChangedDevice | undefined
  /** The license as the activation leaves it; undefined where the device had its seat. */
  readonly license: License | undefined
  /** The id of the event of its activation. */
  readonly eventId: string
  /** Whether the license did not know the device before. */
  readonly isNew: boolean
}

/** The changes of devices that name their components. */
const changesOf = (taken: ReadonlyArray<Taken>): ReadonlyArray<ChangedDevice> =>
  taken.flatMap(({ change }) => change ?? [])

/** The events of an activation. */
const eventsOf = (
  { change, device, eventId, license, seat: { seats }, write: { actor, origin } }: Taken
): ReadonlyArray<NewEvent> => [
  ...(license === undefined ? [] : [
    { ...seatEvent("license.activated", license, device, origin, actor), id: eventId },
    ...overageEvents({ license_id: license.id, device_id: device.id, limit_of: "activations", ...seats }, {
      actor: licenseActor(license.id),
      origin
    })
  ]),
  ...(change === undefined ? [] : [change.event])
]

/** The mails about devices that took a seat for the first time; containers come and go, and are not worth one. */
const noticesOf = (taken: ReadonlyArray<Taken>): ReadonlyArray<MailNotice> =>
  taken.flatMap(({ device, eventId, isNew, license }) =>
    license === undefined || !isNew || device.binding_kind === "container" ? [] : [{
      eventId,
      kind: "device_added",
      licenseId: license.id,
      details: {
        device_id: device.id,
        added_at: device.first_seen_at,
        ...(device.hostname === undefined ? {} : { device: device.hostname })
      }
    }]
  )

/** The reasons to refuse an activation within a transaction. */
export type HeldRefusal = Exclude<Refusals["activate"], SelfServiceNotAllowed | SelfServiceLimitExceeded>

/** A device that has its seat, as an answer to it needs it. */
export interface SeatTaken {
  readonly snapshot: Snapshot
  readonly recipient: Recipient
}

const seatName = (licenseId: string, kind: string) => `${licenseId}\n${kind}`

/** A seat that a device gives to another. */
interface SeatGiven extends Pick<SeatOffered, "selfService"> {
  readonly licenseId: string
  readonly deviceId: string
  readonly origin: Origin
}

/** The state that the activations of a round share. */
interface Round {
  readonly devices: ReadonlyMap<string, Device>
  readonly counts: SeatCounts
  /** How many seats are taken, by license and kind. */
  readonly seats: Map<string, number>
  /** The seats that stay taken of licenses whose terms say so. Of a device that takes its own again it is no longer one. */
  readonly held: Map<string, ReadonlyArray<HeldSeat>>
  /** The self-service of licenses of which a device would take the seat of another. */
  readonly offered: ReadonlyMap<string, SeatOffered>
  readonly given: Array<SeatGiven>
  /** The changes of devices that name their components. */
  readonly components: ReadonlyMap<string, KnownComponents>
  readonly starts: LicenseStarts
  readonly users: UserSeats
  readonly taken: Array<Taken>
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
}>()("countersign/services/licensing/seats/Activations") {
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
      const mails = yield* MailQueue
      const replays = yield* Replays
      const states = yield* EntitlementState

      const readSnapshots = (writes: ReadonlyArray<Activating>, bindings: ReadonlyArray<LicenseBinding>) =>
        states.readAll(writes.map(({ credential, request }, index) => ({
          ...questionOf(credential, request),
          binding: bindings[index]!.binding
        })))

      const readOffered = (writes: ReadonlyArray<Activating>) => {
        const wanted = writes.flatMap(({ licenseId, request: { take_seat_of } }) =>
          take_seat_of === undefined ? [] : [{ licenseId, deviceId: take_seat_of }]
        )
        return wanted.length === 0 ? Effect.succeed(noSeats) : readSeatsOffered(sql, wanted)
      }

      const readSeats = (licenseIds: ReadonlyArray<string>) =>
        Effect.all([
          licenses.getAll(licenseIds),
          countSeatsTaken(sql, licenseIds)
        ], { concurrency: "unbounded" })

      /**
       * Containers often stop without deactivating: frees the seats of idle ones before anyone is refused. Answers
       * whether there were any.
       */
      const lapse = (writes: ReadonlyArray<Activating>, snapshots: ReadonlyArray<Snapshot | undefined>) => {
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

      const steps = {
        read: Effect.fnUntraced(function*(writes: ReadonlyArray<Activating>) {
          const licenseIds = [...new Set(writes.map(({ licenseId }) => licenseId))]
          const components = yield* knownComponents(sql, writes.flatMap(namedComponents))
          const bindings = writes.map((write) => knownAs(write, components))
          const [snapshots, known, seats] = yield* Effect.all([
            readSnapshots(writes, bindings),
            knownDevices(sql, bindings),
            readSeats(licenseIds)
          ], { concurrency: "unbounded" })
          const holding = snapshots.flatMap((found) => found?.hold_offline_seats === true ? [found.license_id] : [])
          const [found, taken] = (yield* lapse(writes, snapshots)) ? yield* readSeats(licenseIds) : seats
          return {
            snapshots,
            state: {
              components,
              devices: known,
              counts: new SeatCounts(found),
              seats: new Map(taken.map((row) => [seatName(row.license_id, row.binding_kind), row.count])),
              held: new Map(yield* readHeldSeats(sql, [...new Set(holding)])),
              offered: yield* readOffered(writes),
              given: [],
              starts: new LicenseStarts(),
              users: new UserSeats(),
              taken: []
            } satisfies Round
          }
        }),
        /** Takes the seat, or keeps that which the device has; see {@link GroupedOperation} about `room`. */
        take: Effect.fnUntraced(function*<E>(
          write: Activating,
          found: Snapshot,
          state: Round,
          room: Effect.Effect<void, E>
        ) {
          const { actor, licenseId, origin, request } = write
          const { binding } = bindingOfWrite(write)
          const before = state.users.counted(found)
          const counted = seatName(licenseId, binding.kind)
          const offered = request.take_seat_of === undefined ? undefined : state.offered.get(licenseId)
          const seat = yield* Effect.fromResult(activation(before, request, {
            bindingKind: binding.kind,
            taken: state.seats.get(counted) ?? 0,
            held: state.held.get(licenseId),
            offered
          }))
          const stored = state.devices.get(bindingName(knownAs(write, state.components)))
          const known = boundDevice({ licenseId, binding }, request, {
            at: before.now,
            before: stored,
            id: before.device_id ?? identifiers.next("dev"),
            ipAddress: actor === undefined ? origin.ipAddress : undefined
          })
          const change = changeOf(crypto, write, known, state.components)
          const device = change?.device ?? known
          const isNoOp = seat.holds && change === undefined && found.user?.hasDevice !== false
          if (!isNoOp) yield* room
          state.seats.set(counted, seat.taken)
          state.held.set(licenseId, (state.held.get(licenseId) ?? []).filter(({ deviceId }) => deviceId !== device.id))
          if (seat.isGiven) {
            const { selfService } = offered!
            state.given.push({ selfService, licenseId, deviceId: request.take_seat_of!, origin })
            state.counts.freed(licenseId)
          }
          const snapshot = state.starts.begin(before, origin)
          if (snapshot !== before) state.counts.amend(licenseId, state.starts.licenses.get(licenseId)!)
          const license = seat.holds
            ? undefined
            : state.counts.change(licenseId, { devices: 1, activations: 1 }, before.now)
          const isNew = stored === undefined
          state.taken.push({ write, seat, device, change, license, eventId: identifiers.next("evt"), isNew })
          state.users.taken(before, device.id, origin)
          const recipient = { deviceId: device.id, binding, request, overage: seat.overage }
          return { snapshot, recipient, isNoOp }
        }),
        settle: ({ given, starts, taken }: Round) =>
          Effect.andThen(
            Effect.andThen(starts.settle(sql, licenses), updateRebound(sql, changesOf(taken))),
            Effect.forEach(given, ({ deviceId, licenseId, origin, selfService }) =>
              devices.giveBack(licenseId, deviceId, selfService).pipe(
                Effect.provideService(CurrentActor, licenseActor(licenseId)),
                Effect.provideService(RequestOrigin, origin)
              ), { discard: true })
          ),
        written: ({ counts, taken, users }: Round) => ({
          rows: Effect.all([
            Effect.andThen(
              insertBound(sql, taken.map(({ device }) => ({ device, floating: false }))),
              Effect.andThen(updateComponents(sql, changesOf(taken)), users.written(sql))
            ),
            counts.written(sql),
            mails.notify(noticesOf(taken))
          ], { concurrency: "unbounded", discard: true }),
          events: [...taken.flatMap(eventsOf), ...users.events]
        })
      }

      const activate = yield* makeRuntimeWrites<ActivateRequest, Round, Refusals["activate"]>({
        operation: "activate",
        ...seatGroups,
        ...steps,
        subjectOf: deviceOfWrite,
        recordedAs: (request) => ({ operation: "activate", request }),
        isAlone: ({ components, take_seat_of }) => components !== undefined || take_seat_of !== undefined,
        decide: (write, before, state, room) =>
          Effect.map(steps.take(write, before, state, room), ({ isNoOp, recipient, snapshot }) => ({
            answer: answers.entitlement(snapshot, recipient),
            isNoOp,
            deviceId: recipient.deviceId
          })),
        judge: (credential, request) => replays.judge("activate", credential, request)
      })

      const activateHeld = Effect.fnUntraced(function*(held: HeldActivation) {
        const { snapshots, state } = yield* steps.read([held])
        const taken = yield* steps.take(held, snapshots[0]!, state, Effect.void).pipe(
          Effect.catchTags({ SELF_SERVICE_NOT_ALLOWED: Effect.die, SELF_SERVICE_LIMIT_EXCEEDED: Effect.die })
        )
        yield* steps.settle(state)
        const { events: happened, rows } = steps.written(state)
        yield* Effect.all([rows, events.appendAll(happened)], { discard: true })
        return taken
      })

      const deactivate = yield* makeDeactivations

      return Activations.of({ activate, activateHeld, deactivate })
    })
  )
}

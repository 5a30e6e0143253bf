import { Effect } from "effect"
import type { Refusals } from "../../domain/entitlements/Decision.ts"
import { bindingOf } from "../../domain/entitlements/DeviceBinding.ts"
import { heldBy, processOf } from "../../domain/entitlements/Lease.ts"
import type { Lease } from "../../domain/entitlements/Lease.ts"
import type { CheckoutRequest } from "../../domain/entitlements/RuntimeRequest.ts"
import { decide } from "../../domain/entitlements/Snapshot.ts"
import type { Device } from "../../domain/licenses/Device.ts"
import { overageOf } from "../../domain/terms/OverageEvent.ts"
import { Answers } from "../entitlements/Answers.ts"
import { EntitlementState, questionOf } from "../entitlements/EntitlementState.ts"
import { LicenseStarts } from "../entitlements/LicenseStarts.ts"
import { Replays } from "../entitlements/Replays.ts"
import { makeRuntimeWrites } from "../entitlements/RuntimeWrites.ts"
import type { HeldWrite } from "../entitlements/RuntimeWrites.ts"
import type { NewEvent } from "../events/Events.ts"
import { licenseActor, RequestOrigin } from "../events/Provenance.ts"
import { bindDevices, bindingName, bindingParameters, boundDevice, knownDevices } from "../licenses/DeviceBindings.ts"
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
import { LeaseClosing } from "../licenses/LeaseClosing.ts"
import { Licenses } from "../licenses/Licenses.ts"
import { Database } from "../persistence/Database.ts"
import { Identifiers } from "../persistence/Identifiers.ts"
import { Cryptography } from "../platform/Cryptography.ts"
import { overageEvents } from "../terms/OverageEvents.ts"
import { heldLeasesQuery, instantQuery, keepQuery, openLeasesQuery, openQuery } from "./LeaseSql.ts"
import type { HeldLease, Instant, OpenLeases } from "./LeaseSql.ts"
import { makeLeaseTokens } from "./LeaseTokens.ts"

const minute = 60_000

type Write = HeldWrite<CheckoutRequest>

const bindingOfWrite = ({ licenseId, request }: Write): LicenseBinding => ({ licenseId, binding: bindingOf(request) })
const subjectOf = (write: Write) => bindingName(bindingOfWrite(write))

/** A lease that is opened or kept. */
interface Taken {
  readonly id: string
  readonly tokenHash: Uint8Array
  readonly expiresAt: Date
  /** The code of the product that the app named; empty where it named none. Its heartbeats name the lease alone. */
  readonly code: string
}

interface Opened extends Taken {
  readonly licenseId: string
  readonly deviceId: string
  readonly product: string
  /** Empty where the lease is the device's, or the process gave no name. */
  readonly process: string
}

/** What the checkouts of a round share. */
interface CheckingOut {
  /** From when on their leases count. */
  readonly at: Date
  readonly devices: ReadonlyMap<string, Device>
  /** The leases that devices hold already, the newest first. */
  readonly held: ReadonlyMap<string, ReadonlyArray<HeldLease>>
  /** How many leases of each license are open. */
  readonly open: Map<string, number>
  /** Of devices that name their components, and what changed of them. */
  readonly components: ReadonlyMap<string, KnownComponents>
  readonly changes: Array<ChangedDevice>
  readonly bound: Array<BoundDevice>
  readonly kept: Array<Taken>
  readonly opened: Array<Opened>
  readonly starts: LicenseStarts
  readonly events: Array<NewEvent>
}

/** Makes the checkout of floating seats; those that arrive together share a transaction. */
export const makeCheckouts = Effect.gen(function*() {
  const sql = yield* Database
  const answers = yield* Answers
  const crypto = yield* Cryptography
  const endings = yield* LeaseClosing
  const identifiers = yield* Identifiers
  const licenses = yield* Licenses
  const replays = yield* Replays
  const states = yield* EntitlementState
  const tokens = yield* makeLeaseTokens

  const readLeases = (bindings: ReadonlyArray<LicenseBinding>, licenseIds: ReadonlyArray<string>) =>
    Effect.all([
      sql.unsafe<OpenLeases>(openLeasesQuery, [licenseIds]),
      sql.unsafe<HeldLease>(heldLeasesQuery, bindingParameters(bindings)),
      sql.unsafe<Instant>(instantQuery)
    ], { concurrency: "unbounded" })

  /** Reads the leases after those that have run out are ended, with the seats that they held. */
  const settledLeases = Effect.fnUntraced(function*(
    writes: ReadonlyArray<Write>,
    bindings: ReadonlyArray<LicenseBinding>,
    licenseIds: ReadonlyArray<string>,
    [open, held, [instant]]: Effect.Success<ReturnType<typeof readLeases>>
  ) {
    let found = { open, held, at: instant!.at }
    const isOver = () => found.held.some(({ live }) => !live)
    for (let over = open.some(({ expired }) => expired > 0) || isOver(); over; over = isOver()) {
      const origins = new Map(writes.map(({ licenseId, origin }) => [licenseId, origin]))
      yield* Effect.forEach(
        [...origins],
        ([licenseId, origin]) => Effect.provideService(endings.endExpired(licenseId), RequestOrigin, origin),
        { discard: true }
      )
      const [open, held, [instant]] = yield* readLeases(bindings, licenseIds)
      found = { open, held, at: instant!.at }
    }
    return found
  })

  return yield* makeRuntimeWrites<CheckoutRequest, CheckingOut, Refusals["checkout"]>({
    operation: "checkout",
    maximum: 64,
    concurrency: 2,
    limitsAnswers: true,
    subjectOf,
    isAlone: ({ components }) => components !== undefined,
    read: Effect.fnUntraced(function*(writes) {
      const licenseIds = [...new Set(writes.map(({ licenseId }) => licenseId))]
      const components = yield* knownComponents(sql, writes.flatMap(namedComponents))
      const bindings = writes.map((write) => knownAs(write, components))
      const [snapshots, devices, leases] = yield* Effect.all([
        states.readAll(writes.map(({ credential, request }, index) => ({
          ...questionOf(credential, request),
          binding: bindings[index]!.binding
        }))),
        knownDevices(sql, bindings),
        readLeases(bindings, licenseIds)
      ], { concurrency: "unbounded" })
      const { at, held, open } = yield* settledLeases(writes, bindings, licenseIds, leases)
      return {
        snapshots,
        state: {
          at,
          components,
          changes: [],
          devices,
          held: Map.groupBy(held, ({ device_id }) => device_id),
          open: new Map(open.map((row) => [row.license_id, row.open])),
          bound: [],
          kept: [],
          opened: [],
          starts: new LicenseStarts(),
          events: []
        }
      }
    }),
    decide: Effect.fnUntraced(function*(write, before, state, room) {
      const { licenseId, origin, request } = write
      const { binding } = bindingOfWrite(write)
      // Every lease that is open now takes a seat, even if it expires before this call is decided.
      const open = state.open.get(licenseId) ?? 0
      const mine = heldBy(state.held.get(before.device_id ?? ""), before, request)
      yield* decide("checkout", before, request, {
        lease: mine === undefined ? "unknown" : "live",
        otherLiveLeases: mine === undefined ? open : open - 1
      })
      yield* room
      const { at } = state
      const snapshot = state.starts.begin(before, origin)
      const limit = snapshot.max_floating_users ?? 0
      const used = mine === undefined ? open + 1 : open
      const overage = overageOf({ limit, used, overage: snapshot.floating_overage })
      const known = boundDevice({ licenseId, binding }, request, {
        at: snapshot.now,
        before: state.devices.get(bindingName(knownAs(write, state.components))),
        id: snapshot.device_id ?? identifiers.next("dev"),
        ipAddress: origin.ipAddress
      })
      const change = changeOf(crypto, write, known, state.components)
      const device = change?.device ?? known
      const id = mine?.id ?? identifiers.next("lease")
      const token = tokens.of(id, mine === undefined ? 1n : mine.generation + 1n)
      const expiresAt = new Date(at.getTime() + snapshot.floating_timeout_minutes * minute)
      const taken = { id, tokenHash: tokens.hash(token), expiresAt, code: request.product_code ?? "" }
      state.bound.push({ device, floating: true })
      if (mine === undefined) {
        state.open.set(licenseId, open + 1)
        // Its heartbeats name the lease alone, and are answered for this product.
        const product = snapshot.product_id === snapshot.row.product_id ? "" : snapshot.product_id
        const process = processOf(snapshot, request)
        state.opened.push({ ...taken, licenseId, deviceId: device.id, product, process })
        const lease: Lease = {
          id,
          license_id: licenseId,
          device_id: device.id,
          status: "active",
          checked_out_at: at.toISOString(),
          expires_at: expiresAt.toISOString(),
          ...(product === "" ? {} : { product_id: product }),
          ...(process === "" ? {} : { process_id: process })
        }
        state.events.push({
          type: "lease.checked_out",
          resourceId: id,
          data: { ...lease, device },
          metadata: { license_id: licenseId, device_id: device.id },
          personal: ["/data/device/hostname", "/data/device/ip_address"],
          actor: licenseActor(licenseId),
          origin
        })
        state.events.push(...overageEvents({
          license_id: licenseId,
          device_id: device.id,
          limit_of: "floating",
          limit,
          before: open,
          used,
          overage: snapshot.floating_overage
        }, origin))
      } else state.kept.push(taken)
      if (change !== undefined) {
        state.changes.push(change)
        state.events.push(change.event)
      }
      return {
        answer: answers.lease(snapshot, { deviceId: device.id, binding, request, overage }, { token, expiresAt }),
        isSpare: false
      }
    }),
    settle: ({ changes, starts }) => Effect.andThen(starts.settle(sql, licenses), rebind(sql, changes)),
    written: ({ at, bound, changes, events, kept, opened }) => ({
      rows: Effect.all([
        Effect.andThen(bindDevices(sql, bound), storeComponents(sql, changes)),
        opened.length === 0 ? Effect.void : sql.unsafe(openQuery, [
          opened.map(({ id }) => id),
          opened.map(({ licenseId }) => licenseId),
          opened.map(({ deviceId }) => deviceId),
          opened.map(({ tokenHash }) => tokenHash),
          opened.map(() => at),
          opened.map(({ expiresAt }) => expiresAt),
          opened.map(({ product }) => product),
          opened.map(({ code }) => code),
          opened.map(({ process }) => process)
        ]),
        kept.length === 0 ? Effect.void : sql.unsafe(keepQuery, [
          kept.map(({ id }) => id),
          kept.map(({ tokenHash }) => tokenHash),
          kept.map(() => at),
          kept.map(({ expiresAt }) => expiresAt),
          kept.map(({ code }) => code)
        ])
      ], { concurrency: "unbounded", discard: true }),
      events
    }),
    judge: (credential, request) => replays.judge("checkout", credential, request)
  })
})

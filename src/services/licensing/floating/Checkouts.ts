import { Effect } from "effect"
import { formatLeaseToken } from "../../../domain/keys/security/Credential.ts"
import { checkout } from "../../../domain/licensing/entitlements/Checkout.ts"
import type { Checkout } from "../../../domain/licensing/entitlements/Checkout.ts"
import type { Refusals } from "../../../domain/licensing/entitlements/DecisionInput.ts"
import { bindingOf } from "../../../domain/licensing/entitlements/DeviceBinding.ts"
import { heldBy } from "../../../domain/licensing/entitlements/Lease.ts"
import type { CheckoutRequest } from "../../../domain/licensing/entitlements/RuntimeRequest.ts"
import type { Device } from "../../../domain/licensing/licenses/Device.ts"
import { overageEvents } from "../../catalog/terms/OverageEvents.ts"
import { Database } from "../../ground/persistence/Database.ts"
import { Identifiers } from "../../ground/persistence/Identifiers.ts"
import { Cryptography } from "../../ground/platform/Cryptography.ts"
import { Vault } from "../../keys/security/Vault.ts"
import type { NewEvent } from "../../log/Events.ts"
import { licenseActor, RequestOrigin } from "../../log/Provenance.ts"
import { Answers } from "../entitlements/Answers.ts"
import { EntitlementState, leaseTokenHash, questionOf } from "../entitlements/EntitlementState.ts"
import { LicenseStarts } from "../entitlements/LicenseStandingReader.ts"
import { Replays } from "../entitlements/Replays.ts"
import { makeRuntimeWrites } from "../entitlements/RuntimeWrites.ts"
import type { HeldWrite } from "../entitlements/RuntimeWrites.ts"
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
import { LeaseClosing } from "../licenses/LeaseClosing.ts"
import { Licenses } from "../licenses/Licenses.ts"
import { UserSeats } from "../standings/UserStandings.ts"
import { countOpenLeases, findInstant, insertLeases, lockHeldLeases, updateKeptLeases } from "./LeaseSql.ts"
import type { HeldLease, TakenLease } from "./LeaseSql.ts"

/**
 * The tokens of leases. They are derived and not stored, so that the retry of a heartbeat whose answer got lost gets the
 * same token.
 */
export const makeLeaseTokens = Effect.map(Vault, (vault) => ({
  /** The token of a lease; its generation is 1 for the first, and one more each time it is replaced. */
  of: (leaseId: string, generation: bigint): string =>
    formatLeaseToken(vault.keyedHash("lease-token", `${leaseId}:${generation}`)),
  /** The hash by which a lease is found. */
  hash: (token: string): Uint8Array => leaseTokenHash(vault, token)
}))

type Write = HeldWrite<CheckoutRequest>

const bindingOfWrite = ({ licenseId, request }: Write): LicenseBinding => ({ licenseId, binding: bindingOf(request) })
const subjectOf = (write: Write) => bindingName(bindingOfWrite(write))

/** A checkout that was allowed, with what is written of it. */
interface Taken {
  readonly write: Write
  readonly checkout: Checkout
  readonly tokenHash: Uint8Array
  readonly device: Device
  /** The change of a device that names its components. */
  readonly change: ChangedDevice | undefined
}

/** The state that the checkouts of a round share. */
interface CheckingOut {
  /** From when on their leases count. */
  readonly at: Date
  readonly devices: ReadonlyMap<string, Device>
  /** The leases that devices hold already, the newest first. */
  readonly held: ReadonlyMap<string, ReadonlyArray<HeldLease>>
  /** How many leases of each license are open. */
  readonly open: Map<string, number>
  /** The changes of devices that name their components. */
  readonly components: ReadonlyMap<string, KnownComponents>
  readonly starts: LicenseStarts
  readonly users: UserSeats
  readonly taken: Array<Taken>
}

const changesOf = (taken: ReadonlyArray<Taken>): ReadonlyArray<ChangedDevice> =>
  taken.flatMap(({ change }) => change ?? [])

const leaseOf = ({ checkout: { expiresAt, leaseId }, tokenHash, write: { request } }: Taken): TakenLease => ({
  id: leaseId,
  tokenHash,
  expiresAt,
  code: request.product_code ?? ""
})

const eventsOf = (
  { change, checkout: { opened, seats }, device, write: { origin } }: Taken
): ReadonlyArray<NewEvent> => [
  ...(opened === undefined ? [] : [
    {
      type: "lease.checked_out" as const,
      resourceId: opened.id,
      data: { ...opened, device },
      metadata: { license_id: opened.license_id, device_id: device.id },
      actor: licenseActor(opened.license_id),
      origin
    },
    ...overageEvents(
      { license_id: opened.license_id, device_id: device.id, limit_of: "floating", ...seats },
      { actor: licenseActor(opened.license_id), origin }
    )
  ]),
  ...(change === undefined ? [] : [change.event])
]

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
      countOpenLeases(sql, licenseIds),
      lockHeldLeases(sql, bindings),
      findInstant(sql)
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
    recordedAs: (request, { at }) => ({ operation: "checkout", request, at }),
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
          devices,
          held: Map.groupBy(held, ({ device_id }) => device_id),
          open: new Map(open.map((row) => [row.license_id, row.open])),
          starts: new LicenseStarts(),
          users: new UserSeats(),
          taken: []
        }
      }
    }),
    decide: Effect.fnUntraced(function*(write, found, state, room) {
      const { licenseId, origin, request } = write
      const before = state.users.counted(found)
      const { binding } = bindingOfWrite(write)
      const given = yield* Effect.fromResult(checkout(before, request, {
        at: state.at,
        open: state.open.get(licenseId) ?? 0,
        mine: heldBy(state.held.get(before.device_id ?? ""), before, request),
        deviceId: before.device_id ?? identifiers.next("dev"),
        leaseId: identifiers.next("lease")
      }))
      yield* room
      state.open.set(licenseId, given.seats.used)
      const snapshot = state.starts.begin(before, origin)
      const known = boundDevice({ licenseId, binding }, request, {
        at: snapshot.now,
        before: state.devices.get(bindingName(knownAs(write, state.components))),
        id: given.deviceId,
        ipAddress: origin.ipAddress
      })
      const change = changeOf(crypto, write, known, state.components)
      const token = tokens.of(given.leaseId, given.generation)
      const device = change?.device ?? known
      state.taken.push({ write, checkout: given, tokenHash: tokens.hash(token), device, change })
      state.users.taken(before, device.id, origin)
      const { expiresAt, overage } = given
      return {
        answer: answers.lease(snapshot, { deviceId: device.id, binding, request, overage }, { token, expiresAt }),
        isNoOp: false,
        deviceId: device.id
      }
    }),
    settle: ({ starts, taken }) => Effect.andThen(starts.settle(sql, licenses), updateRebound(sql, changesOf(taken))),
    written: ({ at, taken, users }) => ({
      rows: Effect.all([
        Effect.andThen(
          insertBound(sql, taken.map(({ device }) => ({ device, floating: true }))),
          Effect.andThen(updateComponents(sql, changesOf(taken)), users.written(sql))
        ),
        insertLeases(
          sql,
          at,
          taken.flatMap((each) =>
            each.checkout.opened === undefined ? [] : [{ ...leaseOf(each), lease: each.checkout.opened }]
          )
        ),
        updateKeptLeases(sql, at, taken.filter(({ checkout }) => checkout.opened === undefined).map(leaseOf))
      ], { concurrency: "unbounded", discard: true }),
      events: [...taken.flatMap(eventsOf), ...users.events]
    }),
    judge: (credential, request) => replays.judge("checkout", credential, request)
  })
})

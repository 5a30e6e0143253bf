import { Context, Effect, Layer, Result } from "effect"
import { effectiveRules } from "../../../domain/catalog/terms/EffectiveTerms.ts"
import { rulesOf } from "../../../domain/catalog/terms/Rules.ts"
import type { Rules } from "../../../domain/catalog/terms/Rules.ts"
import type { NotFound } from "../../../domain/ground/wire/Errors.ts"
import { heldByOthers, selfServiceOffered } from "../../../domain/licensing/entitlements/Activation.ts"
import type { HeldSeat } from "../../../domain/licensing/entitlements/Activation.ts"
import type { DeviceBinding } from "../../../domain/licensing/entitlements/DeviceBinding.ts"
import { standingOfLeases } from "../../../domain/licensing/entitlements/Lease.ts"
import type { RuntimeRequest } from "../../../domain/licensing/entitlements/RuntimeRequest.ts"
import { snapshotOf } from "../../../domain/licensing/entitlements/Snapshot.ts"
import type { Snapshot } from "../../../domain/licensing/entitlements/Snapshot.ts"
import type { LicenseStanding } from "../../../domain/licensing/explaining/JudgedCall.ts"
import { Device } from "../../../domain/licensing/licenses/Device.ts"
import type { DeviceStatus } from "../../../domain/licensing/licenses/Device.ts"
import { startOf } from "../../../domain/licensing/licenses/LicenseIssue.ts"
import type { Started } from "../../../domain/licensing/licenses/LicenseIssue.ts"
import { stateOf, withoutGrace } from "../../../domain/licensing/licenses/LicenseStatus.ts"
import type { StoredStanding } from "../../../domain/licensing/users/UserStanding.ts"
import { Policies } from "../../catalog/Policies.ts"
import { Products } from "../../catalog/Products.ts"
import { readFeatureTerms } from "../../catalog/terms/FeatureTerms.ts"
import { Database } from "../../ground/persistence/Database.ts"
import { rowReader } from "../../ground/persistence/RowToWire.ts"
import { CurrentActor, licenseActor, RequestOrigin } from "../../log/Provenance.ts"
import type { Origin } from "../../log/Provenance.ts"
import { knownAs, knownComponents, namedComponents } from "../licenses/DeviceBindings.ts"
import { Licenses } from "../licenses/Licenses.ts"
import {
  countSeatsAt,
  findBoundDevice,
  findLastUserEvent,
  listDeviceUsersAt,
  listOfflineAt,
  listProductCodes,
  readSeats,
  updateStarted
} from "./LicenseHistorySql.ts"
import { readHeldSeats, readSeatsOffered } from "./Replays.ts"

/** Licenses that the calls of a round start: the first activation or checkout of a license that waited for it. */
export class LicenseStarts {
  readonly #started = new Map<string, Started & { readonly origin: Origin }>()

  /**
   * The snapshot as it is once the call has started its license; itself where there is nothing to start. It was decided
   * before that the call may: the rule term_out_of_range refuses what cannot start.
   */
  begin<Known extends Snapshot>(snapshot: Known, origin: Origin): Known {
    if (!snapshot.awaits_activation) return snapshot
    const { license_id, maintenance_expires_at, now, row } = snapshot
    const started = this.#started.get(license_id) ??
      { ...Result.getOrThrow(startOf(snapshot, maintenance_expires_at?.toISOString(), now)), origin }
    this.#started.set(license_id, started)
    const at = (instant: string | null) => instant === null ? null : new Date(instant)
    return {
      ...snapshot,
      ...snapshotOf({
        ...row,
        starts_at: at(started.starts_at),
        expires_at: at(started.expires_at),
        maintenance_expires_at: at(started.maintenance_expires_at),
        entitlement_version: row.entitlement_version + 1n,
        more: row.more && { ...row.more, awaits_activation: null }
      }, { id: snapshot.product_id, code: snapshot.product_code })
    }
  }

  /** The licenses that were started, by license. */
  get licenses(): ReadonlyMap<string, Started> {
    return this.#started
  }

  /** Writes what was started, each with its event. The licenses are locked. */
  settle(sql: Database, licenses: Licenses["Service"]): Effect.Effect<void> {
    return Effect.forEach(
      this.#started,
      ([id, { origin, ...started }]) =>
        Effect.andThen(
          updateStarted(sql, id, started),
          licenses.record("license.started", id)
        ).pipe(
          Effect.provideService(CurrentActor, licenseActor(id)),
          Effect.provideService(RequestOrigin, origin)
        ),
      { discard: true }
    )
  }
}

/** The devices of a license at an instant, by their ids: whose they were, where its rules had users, and until when their seats stayed taken, where they said so. */
export interface DevicesThen {
  readonly owners: ReadonlyMap<string, string>
  readonly offline: ReadonlyMap<string, number>
}

/** The standing of a license in the past, and how its users stood then; undefined of who was none. */
export interface LicensePast extends LicenseStanding {
  readonly userThen: (userId: string) => Effect.Effect<StoredStanding | undefined>
}

/** The seats that devices gave back and that stay taken by what they have for offline use. */
export const heldAt = (
  devices: ReadonlyArray<Device>,
  { offline }: Pick<DevicesThen, "offline">
): ReadonlyArray<HeldSeat> =>
  devices.flatMap(({ binding_kind: kind, id: deviceId, status }) => {
    const until = offline.get(deviceId)
    return until === undefined || status === "active" ? [] : [{ deviceId, kind, until }]
  })

/** The devices in use at an instant: those with a seat or a lease, and those whose seat stayed taken. */
interface InUse extends DevicesThen {
  readonly devices: ReadonlyArray<Device>
  readonly leased: ReadonlySet<string>
}

/** How many other devices a user had in use. */
const usedBy = (userId: string, deviceId: string | undefined, { devices, leased, offline, owners }: InUse): number => {
  const seated = new Set(devices.filter(({ status }) => status === "active").map(({ id }) => id))
  return [...owners].filter(([id, owner]) =>
    owner === userId && id !== deviceId && (seated.has(id) || leased.has(id) || offline.has(id))
  ).length
}

/** Makes what reads from the log whose the devices of licenses were, and how their users stood. */
export const makeDevicesThen = (sql: Database) => {
  const statusOf = (licenseId: string, userId: string, at: Date) =>
    Effect.map(findLastUserEvent(sql, { licenseId, userId, at }), ([row]) => row?.status)

  const read = Effect.fnUntraced(function*({ hold_offline_seats, max_users }: Rules, licenseId: string, at: Date) {
    const owned = max_users === undefined ? [] : yield* listDeviceUsersAt(sql, licenseId, at)
    const held = hold_offline_seats === true ? yield* listOfflineAt(sql, licenseId, at) : []
    return {
      owners: new Map(owned.map(({ device_id, user_id }) => [device_id, user_id])),
      offline: new Map(held.map(({ device_id, until }) => [device_id, until.getTime()]))
    } satisfies DevicesThen
  })

  const userThen = (
    { at, deviceId, licenseId, ...inUse }: InUse & {
      readonly licenseId: string
      readonly at: Date
      readonly deviceId: string | undefined
    }
  ): LicensePast["userThen"] =>
  (userId) =>
    Effect.map(statusOf(licenseId, userId, at), (status) =>
      status && {
        status,
        hasDevice: deviceId !== undefined && inUse.owners.get(deviceId) === userId,
        otherDevices: usedBy(userId, deviceId, inUse)
      })

  return { read, statusOf, userThen }
}

/** Which license to judge, for which device and feature, and when. */
export interface StandingQuestion {
  readonly licenseId: string
  /** The instant to judge at. */
  readonly at: Date
  readonly binding: DeviceBinding | undefined
  /** A request whose device may be known by its components. */
  readonly deviceRequest?: { readonly licenseId: string; readonly request: RuntimeRequest } | undefined
  /** Which of several leases of the device it is about. */
  readonly call: Parameters<typeof standingOfLeases>[2]
  /** The device whose seat would be taken. */
  readonly takeSeatOf: string | undefined
  readonly featureCode: string | undefined
}

const readDevice = rowReader(Device)

/** The status of a device at an instant. One that is bound through a lease alone is expired when the lease is over. */
export const statusOfDevice = (
  device: { readonly status: DeviceStatus } | undefined,
  isFloating: boolean,
  isLeaseLive: boolean
): DeviceStatus | undefined => device?.status === "active" && isFloating && !isLeaseLive ? "expired" : device?.status

/** Reads the standing of a license from the tables as they are, judged at an instant that is now or later. */
export class LicenseStandingReader extends Context.Service<LicenseStandingReader, {
  readonly read: (question: StandingQuestion) => Effect.Effect<LicenseStanding, NotFound>
}>()("countersign/services/licensing/entitlements/LicenseStandingReader") {
  static readonly layer = Layer.effect(
    LicenseStandingReader,
    Effect.gen(function*() {
      const sql = yield* Database
      const licenses = yield* Licenses
      const policies = yield* Policies
      const products = yield* Products

      const bound = Effect.fnUntraced(function*(licenseId: string, binding: DeviceBinding) {
        const [row] = yield* findBoundDevice(sql, licenseId, binding)
        if (row === undefined) return undefined
        const { floating, ...device } = row
        return { floating, device: readDevice(device) }
      })

      const featureOf = ({ at, featureCode, licenseId }: StandingQuestion) =>
        featureCode === undefined ? Effect.undefined : Effect.map(
          readFeatureTerms(sql, licenseId, at),
          (granted) => granted.find(({ feature }) => feature.code === featureCode)?.feature
        )

      const selfServiceOf = Effect.fnUntraced(function*(
        { at, binding, licenseId, takeSeatOf }: StandingQuestion,
        rules: Pick<Rules, "hold_offline_seats">
      ) {
        if (takeSeatOf === undefined) return undefined
        const offered = yield* readSeatsOffered(sql, [{ licenseId, deviceId: takeSeatOf }], at)
        return selfServiceOffered(offered.get(licenseId)!, binding?.kind, rules)
      })

      /** The seats that other devices gave back and that stay taken at the instant, where the terms say so. */
      const heldSeatsOf = (
        { at, binding, licenseId }: StandingQuestion,
        { hold_offline_seats }: Pick<Rules, "hold_offline_seats">,
        deviceId: string
      ) =>
        hold_offline_seats !== true
          ? Effect.undefined
          : Effect.map(
            readHeldSeats(sql, [licenseId], at),
            (held) => heldByOthers(held.get(licenseId) ?? [], binding?.kind, deviceId)
          )

      const read = Effect.fn("LicensePresent.read")(function*(question: StandingQuestion) {
        const license = yield* licenses.get(question.licenseId)
        const policy = yield* policies.get(license.policy_id)
        const product = yield* products.get(license.product_id)
        const further = license.product_ids === undefined ? [] : yield* listProductCodes(sql, license.product_ids)
        const { deviceRequest, at, licenseId } = question
        const { binding } = deviceRequest === undefined
          ? question
          : knownAs(deviceRequest, yield* knownComponents(sql, namedComponents(deviceRequest)))
        const found = binding && (yield* bound(license.id, binding))
        const deviceId = found?.device.id ?? ""
        const [counted] = yield* countSeatsAt(sql, { licenseId, at, kind: question.binding?.kind, deviceId })
        const seats = readSeats(counted!)
        const terms = { policy: rulesOf(policy), overrides: license.overrides, withoutGrace: withoutGrace(license) }
        const rules = effectiveRules(terms)
        const { isAnyLive, lease } = standingOfLeases(seats.held, rules, question.call)
        const deviceFloating = found?.floating ?? false
        return {
          license,
          state: stateOf(license),
          policy,
          products: [product, ...further],
          device: found?.device,
          deviceStatus: statusOfDevice(found?.device, deviceFloating, isAnyLive),
          deviceFloating,
          otherActiveDevices: seats.devices,
          heldSeats: yield* heldSeatsOf(question, rules, deviceId),
          otherLiveLeases: lease === "live" ? seats.leases - 1 : seats.leases,
          lease,
          selfService: yield* selfServiceOf(question, rules),
          feature: yield* featureOf(question)
        } satisfies LicenseStanding
      })

      return LicenseStandingReader.of({ read })
    })
  )
}

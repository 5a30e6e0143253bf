import { Context, Effect, Layer } from "effect"
import type { SelfService } from "../../../domain/catalog/terms/SelfService.ts"
import type { WrittenPage } from "../../../domain/ground/rows/WrittenRows.ts"
import type { JsonObject } from "../../../domain/ground/wire/CanonicalJson.ts"
import type { InvalidCursor } from "../../../domain/ground/wire/Errors.ts"
import { failing, NotFound, StateConflict } from "../../../domain/ground/wire/Errors.ts"
import type { PageRequest } from "../../../domain/ground/wire/Page.ts"
import { Device } from "../../../domain/licensing/licenses/Device.ts"
import type { DeviceStatus } from "../../../domain/licensing/licenses/Device.ts"
import { heldAgainst, holderByTag, isResellers } from "../../../domain/licensing/lifecycle/StateChange.ts"
import { Database, inTransaction } from "../../ground/persistence/Database.ts"
import type { Query } from "../../ground/persistence/Database.ts"
import { writtenPage } from "../../ground/persistence/KeysetPagination.ts"
import { rowReader } from "../../ground/persistence/RowToWire.ts"
import { runningConditions } from "../../ground/persistence/RunningDeviceSql.ts"
import { Events } from "../../log/Events.ts"
import { CurrentActor } from "../../log/Provenance.ts"
import {
  deviceRows,
  devicesWith,
  findDevice,
  listDevices,
  updateAllReset,
  updateDeviceCount,
  updateDeviceName,
  updateIdle,
  updateRetired,
  updateSeatFreed,
  updateSelfService,
  updateUnnamed
} from "./DeviceSql.ts"
import type { Retired } from "./DeviceSql.ts"
import { LeaseClosing } from "./LeaseClosing.ts"
import { findBlockWord } from "./LicenseOrderSql.ts"
import { Licenses } from "./Licenses.ts"

const readDevice = rowReader(Device)

/** The default of how many seats of idle containers one transaction frees. */
const lapsedAtOnce = 1000

/** The filters of a list of devices. */
interface DeviceFilters {
  /** A part of the name, the hostname, the pod or the fingerprint. */
  readonly q?: string
  readonly status?: DeviceStatus
  readonly app_version?: string
  /** A text that the operating system begins with. */
  readonly os?: string
}

/** The devices of a license: bound by apps, listed and managed by management. */
export class Devices extends Context.Service<Devices, {
  readonly list: (
    licenseId: string,
    filters: DeviceFilters,
    page: PageRequest
  ) => Effect.Effect<WrittenPage<Device>, NotFound | InvalidCursor>
  readonly get: (licenseId: string, id: string) => Effect.Effect<Device, NotFound>
  /** Frees the seat; the device may return, even if it was blocked. Idempotent. */
  readonly reset: (licenseId: string, id: string) => Effect.Effect<Device, NotFound | StateConflict>
  /** The same, and its seat does not stay taken by what it has for offline use, which it can still run on. */
  readonly freeSeat: (licenseId: string, id: string) => Effect.Effect<Device, NotFound | StateConflict>
  /** Frees the seat and blocks the device until it is reset. Idempotent. */
  readonly blacklist: (licenseId: string, id: string) => Effect.Effect<Device, NotFound | StateConflict>
  /**
   * Resets an active device of a license that the surrounding transaction has locked, as whoever has the license key
   * may; counts it in the period of `count`.
   */
  readonly giveBack: (
    licenseId: string,
    id: string,
    count: Pick<SelfService, "periodStart" | "used">
  ) => Effect.Effect<Device>
  /**
   * Names a device of a license that the surrounding transaction has locked, as its customer calls it; the empty name takes it
   * away. Repeating it changes nothing.
   */
  readonly rename: (licenseId: string, id: string, name: string) => Effect.Effect<Device, NotFound>
  /**
   * Resets every active device of a license that is being transferred. The surrounding transaction has locked the
   * license.
   */
  readonly resetAll: (licenseId: string) => Effect.Effect<number>
  /**
   * Takes the names, hostnames and IP addresses of a former owner's machines away. A device that the next owner keeps has a
   * hostname again when its app activates. The surrounding transaction has locked the license.
   */
  readonly unname: (licenseId: string) => Effect.Effect<void>
  /** Resets some devices of a license that the surrounding transaction has locked, and ends their leases. */
  readonly resetSome: (licenseId: string, ids: ReadonlyArray<string>) => Effect.Effect<void>
  /**
   * Frees the seats of idle containers of a license that the surrounding transaction has locked: containers without a
   * live lease that were not seen for two validation intervals of the policy, or, once they went offline, for its
   * offline grace days. Judged on the database's clock. Returns how many were freed, at most `most`.
   */
  readonly lapse: (
    licenseId: string,
    options?: { readonly except?: ReadonlyArray<string>; readonly most?: number }
  ) => Effect.Effect<number>
}>()("countersign/services/licensing/licenses/Devices") {
  static readonly layer = Layer.effect(
    Devices,
    Effect.gen(function*() {
      const sql = yield* Database
      const events = yield* Events
      const leases = yield* LeaseClosing
      const licenses = yield* Licenses

      const list = Effect.fn("Devices.list")((
        licenseId: string,
        { app_version, os, q, status }: DeviceFilters,
        page: PageRequest
      ) =>
        Effect.andThen(
          licenses.get(licenseId),
          writtenPage({
            sql,
            list: "devices",
            products: "owned",
            filters: {
              licenseId,
              ...(q === undefined ? {} : { q }),
              ...(status === undefined ? {} : { status }),
              ...(app_version === undefined ? {} : { app_version }),
              ...(os === undefined ? {} : { os })
            },
            page,
            conditions: [
              sql`license_id = ${licenseId}`,
              ...(q === undefined ? [] : [devicesWith(sql, q)]),
              ...(status === undefined ? [] : [sql`status = ${status}`]),
              ...runningConditions(sql, { app_version, os })
            ],
            rows: (clauses) => listDevices(sql, clauses),
            write: deviceRows
          })
        )
      )

      const get = Effect.fn("Devices.get")(function*(licenseId: string, id: string) {
        const [row] = yield* findDevice(sql, licenseId, id)
        return row === undefined
          ? yield* failing(NotFound, "The license has no device with this id.")
          : readDevice(row)
      })

      /** Retires devices of a locked license by a statement, and appends an event for each. */
      const retire = Effect.fnUntraced(function*(
        licenseId: string,
        status: Retired,
        statement: Query<object>,
        metadata: JsonObject = {}
      ) {
        const devices = (yield* statement).map(readDevice)
        if (devices.length === 0) return []
        yield* updateDeviceCount(sql, licenseId)
        yield* events.appendAll(devices.map((device) => ({
          type: `device.${status}` as const,
          resourceId: device.id,
          data: device,
          metadata: { license_id: licenseId, ...metadata }
        })))
        return devices
      })

      const retireSome = (licenseId: string, ids: ReadonlyArray<string>, status: Retired, metadata?: JsonObject) =>
        retire(licenseId, status, updateRetired(sql, licenseId, ids, status), metadata)

      const steer = (status: "reset" | "blacklisted", isFreed = false) => (licenseId: string, id: string) =>
        inTransaction(
          sql,
          Effect.gen(function*() {
            const { license } = yield* licenses.hold(licenseId)
            const device = yield* get(licenseId, id)
            if (license.status === "revoked") {
              return yield* failing(StateConflict, "The devices of a revoked license stay as they are.", {
                detail: "revoked"
              })
            }
            const { reseller } = yield* CurrentActor
            const [word] = device.status === "blacklisted" ? yield* findBlockWord(sql, id) : []
            const authors = { reseller: reseller?.tag, holder: word && holderByTag(word.tag) }
            const against = heldAgainst(authors)
            if (status === "reset" && against !== undefined) {
              return yield* failing(StateConflict, "A reseller resets only devices that the reseller blocked.", {
                detail: `blacklisted by ${against}`
              })
            }
            const isHeld = isFreed && device.seat_held_until !== undefined
            if (device.status === status && !isHeld && !isResellers(authors)) return device
            const [changed] = yield* retireSome(licenseId, [id], status, isHeld ? { frees_seat: true } : {})
            if (isFreed) yield* updateSeatFreed(sql, id)
            yield* leases.end({ licenseId, deviceId: id }, status)
            return changed!
          })
        )

      const rename = Effect.fn("Devices.rename")(function*(licenseId: string, id: string, name: string) {
        const before = yield* get(licenseId, id)
        if ((before.name ?? "") === name) return before
        const [row] = yield* updateDeviceName(sql, licenseId, id, name === "" ? null : name)
        const device = readDevice(row!)
        yield* events.append({
          type: "device.renamed",
          resourceId: id,
          data: device,
          metadata: { license_id: licenseId }
        })
        return device
      })

      return Devices.of({
        list,
        get,
        reset: Effect.fn("Devices.reset")(steer("reset")),
        freeSeat: Effect.fn("Devices.freeSeat")(steer("reset", true)),
        blacklist: Effect.fn("Devices.blacklist")(steer("blacklisted")),
        giveBack: Effect.fnUntraced(function*(licenseId, id, { periodStart, used }) {
          const count = { periodStart, used: used + 1 }
          const [device] = yield* retireSome(licenseId, [id], "reset", {
            self_service: true,
            period_start: new Date(periodStart).toISOString(),
            self_service_resets: count.used
          })
          yield* leases.end({ licenseId, deviceId: id }, "reset")
          yield* updateSelfService(sql, licenseId, count)
          return device!
        }),
        rename,
        resetAll: Effect.fnUntraced(function*(licenseId: string) {
          const devices = yield* retire(licenseId, "reset", updateAllReset(sql, licenseId))
          yield* leases.end({ licenseId }, "transferred")
          return devices.length
        }),
        unname: (licenseId) => Effect.asVoid(updateUnnamed(sql, licenseId)),
        resetSome: Effect.fnUntraced(function*(licenseId: string, ids: ReadonlyArray<string>) {
          if (ids.length === 0) return
          yield* retireSome(licenseId, ids, "reset")
          yield* leases.end({ licenseId, deviceId: ids }, "reset")
        }),
        lapse: (licenseId, { except = [], most = lapsedAtOnce } = {}) =>
          Effect.map(
            retire(licenseId, "expired", updateIdle(sql, licenseId, { except, most })),
            ({ length }) => length
          )
      })
    })
  )
}

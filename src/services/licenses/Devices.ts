import { Context, Effect, Layer } from "effect"
import type { Statement } from "effect/sql"
import { Device, lapsesAfterIntervals } from "../../domain/licenses/Device.ts"
import type { SelfService } from "../../domain/terms/SelfService.ts"
import type { JsonObject } from "../../domain/wire/CanonicalJson.ts"
import type { InvalidCursor } from "../../domain/wire/Errors.ts"
import { failing, NotFound, StateConflict } from "../../domain/wire/Errors.ts"
import type { Page, PageRequest } from "../../domain/wire/Page.ts"
import { Events } from "../events/Events.ts"
import { Database } from "../persistence/Database.ts"
import { sortedPage } from "../persistence/KeysetPagination.ts"
import { rowReader } from "../persistence/RowToWire.ts"
import { inTransaction } from "../persistence/Transaction.ts"
import { effectiveInterval, effectiveOfflineDays } from "../terms/TermsSql.ts"
import { LeaseClosing } from "./LeaseClosing.ts"
import { Licenses } from "./Licenses.ts"

/** The columns of `devices` that appear on the wire. */
export const deviceColumns = `
  id, license_id, binding_kind, binding_key, fingerprint, hostname, os, ip_address, is_vm, is_container, container_id,
  cluster_id, namespace, pod_name, status, first_seen_at, last_seen_at, last_validated_at, metadata, created_at,
  updated_at, CASE WHEN components IS NOT NULL
    THEN ARRAY(SELECT k FROM jsonb_object_keys(components) k ORDER BY k COLLATE "C") END AS components,
  components_changed_at`

const readDevice = rowReader(Device)

/** How long a container may go without validating, in SQL; `l` is its license, `p` the policy. */
export const intervalsAway = `${lapsesAfterIntervals} * ${effectiveInterval} * interval '1 minute'`

/**
 * How long a container may be unseen before its seat is freed, in SQL: as long as it may go without validating, or,
 * once it went offline, as long as its offline time may last. `device` is the name of its row, `l` its license, `p` the policy.
 */
export const idleAfter = (device: "d" | "devices"): string =>
  `greatest(${intervalsAway},
    CASE WHEN ${device}.offline_counter > 0 THEN ${effectiveOfflineDays} * interval '24 hours' END)`

/** JSON Pointers to the personal values of a device in its events. */
export const devicePersonal: ReadonlyArray<string> = ["/data/hostname", "/data/ip_address"]

/** The default of how many seats of idle containers one transaction frees. */
const lapsedAtOnce = 1000

type Retired = "reset" | "blacklisted" | "expired"

/** The devices of a license: bound by apps, listed and managed by management. */
export class Devices extends Context.Service<Devices, {
  readonly list: (licenseId: string, page: PageRequest) => Effect.Effect<Page<Device>, NotFound | InvalidCursor>
  readonly get: (licenseId: string, id: string) => Effect.Effect<Device, NotFound>
  /** Frees the seat; the device may return, even if it was blocked. Idempotent. */
  readonly reset: (licenseId: string, id: string) => Effect.Effect<Device, NotFound | StateConflict>
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
   * Resets every active device of a license that is being transferred. The surrounding transaction has locked the
   * license.
   */
  readonly resetAll: (licenseId: string) => Effect.Effect<number>
  /**
   * Takes the hostnames and IP addresses of a former owner's machines away. A device that the next owner keeps is named
   * again when its app activates. The surrounding transaction has locked the license.
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
}>()("countersign/services/licenses/Devices") {
  static readonly layer = Layer.effect(
    Devices,
    Effect.gen(function*() {
      const sql = yield* Database
      const events = yield* Events
      const leases = yield* LeaseClosing
      const licenses = yield* Licenses
      const columns = sql.literal(deviceColumns)

      const list = Effect.fn("Devices.list")((licenseId: string, page: PageRequest) =>
        Effect.andThen(
          licenses.get(licenseId),
          sortedPage({
            sql,
            list: "devices",
            products: "owned",
            filters: { licenseId },
            page,
            conditions: [sql`license_id = ${licenseId}`],
            rows: ({ orderBy, place, where }, limit) =>
              sql`SELECT ${columns} ${place} FROM devices ${where} ${orderBy} LIMIT ${limit}`,
            read: readDevice
          })
        )
      )

      const get = Effect.fn("Devices.get")(function*(licenseId: string, id: string) {
        const rows = yield* sql`
          SELECT ${columns} FROM devices WHERE license_id = ${licenseId} AND id = ${id}`
        return rows[0] === undefined
          ? yield* failing(NotFound, "The license has no device with this id.")
          : readDevice(rows[0])
      })

      /** Retires devices of a locked license, and appends an event for each. */
      const retire = Effect.fnUntraced(function*(
        licenseId: string,
        which: Statement.Fragment,
        status: Retired,
        metadata: JsonObject = {}
      ) {
        const rows = yield* sql`
          UPDATE devices SET status = ${status}, updated_at = now()
          WHERE license_id = ${licenseId} AND ${which} RETURNING ${columns}`
        if (rows.length === 0) return []
        const devices = rows.map(readDevice)
        yield* sql`
          UPDATE licenses SET updated_at = now(), active_device_count =
            (SELECT count(*) FROM devices WHERE license_id = ${licenseId} AND status = 'active' AND NOT floating)
          WHERE id = ${licenseId}`
        yield* events.appendAll(devices.map((device) => ({
          type: `device.${status}` as const,
          resourceId: device.id,
          data: device,
          metadata: { license_id: licenseId, ...metadata },
          personal: devicePersonal
        })))
        return devices
      })

      const steer = (status: "reset" | "blacklisted") => (licenseId: string, id: string) =>
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
            if (device.status === status) return device
            const [changed] = yield* retire(licenseId, sql`id = ${id}`, status)
            yield* leases.end({ licenseId, deviceId: id }, status)
            return changed!
          })
        )

      const lapse: Devices["Service"]["lapse"] = (licenseId, { except = [], most = lapsedAtOnce } = {}) =>
        Effect.map(
          retire(
            licenseId,
            sql`id = ANY(ARRAY(SELECT id FROM devices WHERE license_id = ${licenseId} AND
              binding_kind = 'container' AND status = 'active' AND NOT floating AND id <> ALL(${except}::text[])
              AND last_seen_at < clock_timestamp() - (SELECT ${sql.literal(idleAfter("devices"))}
                FROM licenses l JOIN policies p ON p.id = l.policy_id WHERE l.id = devices.license_id)
              AND NOT EXISTS (SELECT 1 FROM leases e WHERE e.license_id = ${licenseId} AND e.device_id = devices.id
                AND e.ended_at IS NULL AND e.expires_at > clock_timestamp())
              ORDER BY id LIMIT ${most}))`,
            "expired"
          ),
          (devices) => devices.length
        )

      return Devices.of({
        list,
        get,
        reset: Effect.fn("Devices.reset")(steer("reset")),
        blacklist: Effect.fn("Devices.blacklist")(steer("blacklisted")),
        giveBack: Effect.fnUntraced(function*(licenseId, id, { periodStart, used }) {
          const period_start = new Date(periodStart).toISOString()
          const self_service_resets = used + 1
          const [device] = yield* retire(licenseId, sql`id = ${id}`, "reset", {
            self_service: true,
            period_start,
            self_service_resets
          })
          yield* leases.end({ licenseId, deviceId: id }, "reset")
          yield* sql`
            UPDATE licenses SET self_service_start = ${period_start}::text::timestamptz,
              self_service_resets = ${self_service_resets}
            WHERE id = ${licenseId}`
          return device!
        }),
        resetAll: Effect.fnUntraced(function*(licenseId: string) {
          const devices = yield* retire(licenseId, sql`status = 'active'`, "reset")
          yield* leases.end({ licenseId }, "transferred")
          return devices.length
        }),
        unname: (licenseId) =>
          Effect.asVoid(sql`
            UPDATE devices SET hostname = NULL, ip_address = NULL, updated_at = now()
            WHERE license_id = ${licenseId} AND (hostname IS NOT NULL OR ip_address IS NOT NULL)`),
        resetSome: Effect.fnUntraced(function*(licenseId: string, ids: ReadonlyArray<string>) {
          if (ids.length === 0) return
          yield* retire(licenseId, sql`id = ANY(${ids}::text[])`, "reset")
          yield* leases.end({ licenseId, deviceId: ids }, "reset")
        }),
        lapse
      })
    })
  )
}

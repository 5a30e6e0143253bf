import { Context, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import type { Device } from "../domain/Device.ts"
import type { InvalidCursor } from "../domain/Errors.ts"
import { failing, NotFound } from "../domain/Errors.ts"
import type { Page, PageRequest } from "../domain/Page.ts"
import { keysetPage } from "./Keyset.ts"
import { Licenses } from "./Licenses.ts"
import { toWire } from "./Row.ts"

/** The columns of `devices` that the wire shows. */
export const deviceColumns = `
  id, license_id, binding_kind, binding_key, fingerprint, hostname, os, ip_address, is_vm, is_container, container_id,
  cluster_id, namespace, pod_name, status, first_seen_at, last_seen_at, last_validated_at, metadata, created_at,
  updated_at`

/** The devices of a license, as management sees them. */
export class Devices extends Context.Service<Devices, {
  readonly list: (licenseId: string, page: PageRequest) => Effect.Effect<Page<Device>, NotFound | InvalidCursor>
  readonly get: (licenseId: string, id: string) => Effect.Effect<Device, NotFound>
}>()("countersign/services/Devices") {
  static readonly layer = Layer.effect(
    Devices,
    Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      const licenses = yield* Licenses
      const columns = sql.literal(deviceColumns)

      const list = Effect.fn("Devices.list")((licenseId: string, page: PageRequest) =>
        Effect.andThen(
          licenses.get(licenseId),
          keysetPage({
            list: "devices",
            filters: { licenseId },
            page,
            rows: (after, limit) =>
              sql`
                SELECT ${columns} FROM devices
                WHERE license_id = ${licenseId} ${after === undefined ? sql`` : sql`AND id < ${after}`}
                ORDER BY id DESC LIMIT ${limit}`.pipe(Effect.map((rows) => rows.map(toWire<Device>)), Effect.orDie)
          })
        )
      )

      const get = Effect.fn("Devices.get")(function*(licenseId: string, id: string) {
        const rows = yield* sql`
          SELECT ${columns} FROM devices WHERE license_id = ${licenseId} AND id = ${id}`.pipe(Effect.orDie)
        return rows[0] === undefined
          ? yield* failing(NotFound, "The license has no device with this id.")
          : toWire<Device>(rows[0])
      })

      return Devices.of({ list, get })
    })
  )
}

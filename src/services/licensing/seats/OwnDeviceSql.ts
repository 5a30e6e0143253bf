import { Schema } from "effect"
import type { Statement } from "effect/sql"
import { Device } from "../../../domain/licensing/licenses/Device.ts"
import { seatHeldUntil } from "../licenses/DeviceSql.ts"
import type { Database, Fragments, Query } from "../../ground/persistence/Database.ts"
import type { SortedClauses } from "../../ground/persistence/KeysetPagination.ts"
import { rowReader } from "../../ground/persistence/RowToWire.ts"
import { deviceOwner } from "../standings/UserStandingSql.ts"

const { binding_kind, hostname, id, last_seen_at, name, seat_held_until, status } = Device.fields

/** Reads a device as whoever has the license key sees it. */
export const readOwn = rowReader(
  Schema.Struct({ id, name, hostname, binding_kind, status, last_seen_at, seat_held_until })
)

/** The status of a device `d`, in SQL: one that is bound through a lease only is `expired` once the lease has run out. */
const standing = `
  CASE WHEN d.floating AND d.status = 'active' AND NOT EXISTS (
      SELECT 1 FROM leases e WHERE e.license_id = d.license_id AND e.device_id = d.id AND e.ended_at IS NULL
        AND e.expires_at > clock_timestamp())
    THEN 'expired' ELSE d.status END`

const columns = `d.id, d.name, d.hostname, d.binding_kind, d.last_seen_at, ${standing} AS status,
  ${seatHeldUntil("d")} AS seat_held_until`

/** The devices `d` of a license that hold a seat or a lease, as conditions. */
export const seatedConditions = (sql: Fragments, licenseId: string): ReadonlyArray<Statement.Fragment> => [
  sql`d.license_id = ${licenseId}`,
  sql`${sql.literal(standing)} = 'active'`
]

/** The same, and those whose seat stays taken although they gave it back. */
export const seatTakingConditions = (sql: Fragments, licenseId: string): ReadonlyArray<Statement.Fragment> => [
  sql`d.license_id = ${licenseId}`,
  sql`(${sql.literal(standing)} = 'active' OR ${sql.literal(seatHeldUntil("d"))} IS NOT NULL)`
]

/** The devices `d` that a user may see, as conditions: its own, and those that are nobody's; without a user all of them. */
export const reachConditions = (
  sql: Fragments,
  user: { readonly id: string | undefined } | undefined
): ReadonlyArray<Statement.Fragment> =>
  user === undefined ? [] : [sql`coalesce(${sql.literal(deviceOwner)}, '') IN ('', ${user.id ?? ""})`]

/** A page of devices `d`. */
export const listOwnDevices = (
  sql: Database,
  { orderBy, place, where }: SortedClauses,
  limit: number
): Query<object> =>
  sql`
    -- name: devices.list own
    SELECT ${sql.literal(columns)} ${place} FROM devices d ${where} ${orderBy} LIMIT ${limit}`

/** A device of a license that a user may see. */
export const findOwnDevice = (
  sql: Database,
  licenseId: string,
  deviceId: string,
  user?: { readonly id: string | undefined }
): Query<object> =>
  sql`
    -- name: devices.find own
    SELECT ${sql.literal(columns)} FROM devices d WHERE ${
    sql.and([sql`d.license_id = ${licenseId} AND d.id = ${deviceId}`, ...reachConditions(sql, user)])
  }`

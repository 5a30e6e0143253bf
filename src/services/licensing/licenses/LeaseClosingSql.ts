import type { LeaseEnd } from "../../../domain/licensing/entitlements/Lease.ts"
import type { Database, Query } from "../../ground/persistence/Database.ts"

/** Selects open leases: all of a license or of several, those of some of its devices, or single ones. */
export interface LeaseSelection {
  readonly licenseId: string | ReadonlyArray<string>
  readonly deviceId?: string | ReadonlyArray<string>
  readonly leaseId?: string | ReadonlyArray<string>
}

/** The columns of an open or ended lease in wire form; `status` is judged on the database's clock. */
export const leaseColumns = `
  id, license_id, device_id, product_id, nullif(process_id, '') AS process_id, checked_out_at, last_heartbeat_at, expires_at, ended_at,
  coalesce(end_reason, CASE WHEN expires_at > clock_timestamp() THEN 'active' ELSE 'expired' END) AS status`

const among = (sql: Database, column: string, ids: string | ReadonlyArray<string> | undefined) => {
  if (ids === undefined) return sql`true`
  return typeof ids === "string" ? sql`${sql(column)} = ${ids}` : sql`${sql(column)} = ANY(${ids}::text[])`
}

/**
 * Ends the selected leases that are open, of those that have expired at most `most`; answers them as they are then. A
 * heartbeat takes no license lock and may be extending a lease right now. This statement then waits for it and evaluates
 * the lease again, so that one of the two sees the other's result; with `most` it passes over the lease.
 */
export const updateEnded = (
  sql: Database,
  { deviceId, leaseId, licenseId }: LeaseSelection,
  reason: LeaseEnd,
  most?: number
): Query<object> => {
  const ofLicenses = among(sql, "license_id", licenseId)
  const some = most === undefined ? sql`` : sql`AND id = ANY(ARRAY(
    SELECT id FROM leases WHERE ${ofLicenses} AND ended_at IS NULL AND expires_at <= clock_timestamp()
    -- guard: a sweep waits for no heartbeat
    ORDER BY expires_at, id LIMIT ${most} FOR NO KEY UPDATE SKIP LOCKED))`
  const due = reason !== "expired" ? sql`` : sql`
    -- guard: a lease that lives does not expire
    AND expires_at <= clock_timestamp()`
  return sql`
    -- name: leases.update ended
    UPDATE leases SET ended_at = date_trunc('milliseconds', clock_timestamp()), end_reason = ${reason}
    WHERE ${ofLicenses} AND ${among(sql, "device_id", deviceId)} AND ${among(sql, "id", leaseId)}
      -- guard: a lease ends once
      AND ended_at IS NULL
      ${due}
      ${some}
    RETURNING ${sql.literal(leaseColumns)}`
}

/** Whether no lease of a device is open, in SQL: the last one of several closes the device. */
export const hasNoLease = (device: string): string =>
  `NOT EXISTS (SELECT 1 FROM leases e WHERE e.license_id = ${device}.license_id AND e.device_id = ${device}.id
        AND e.ended_at IS NULL)`

/** Closes devices that were bound for their leases only, and have none left. */
export const updateUnbound = (
  sql: Database,
  deviceIds: ReadonlyArray<string>,
  status: string
): Query<{ readonly id: string }> =>
  sql<{ readonly id: string }>`
    -- name: devices.update closed
    UPDATE devices SET status = ${status}, updated_at = now()
    WHERE id = ANY(${deviceIds}::text[])
      -- guard: an activated device outlives its lease
      AND floating AND status = 'active'
      -- guard: a device is bound until its last lease ends
      AND ${sql.literal(hasNoLease("devices"))}
    RETURNING id`

import type { SeatsGivenOut } from "../../../domain/licensing/entitlements/SeatsBeyond.ts"
import type { Database, Query } from "../../ground/persistence/Database.ts"

/** The devices with an activation seat of a locked license, the newest first. */
export const listSeatedDevices = (sql: Database, licenseId: string): Query<SeatsGivenOut["devices"][number]> =>
  sql<SeatsGivenOut["devices"][number]>`
    -- name: devices.list seated
    SELECT d.id, d.binding_kind, h.user_id FROM devices d LEFT JOIN license_user_devices h ON h.device_id = d.id
    WHERE d.license_id = ${licenseId} AND d.status = 'active' AND NOT d.floating
    ORDER BY d.created_at DESC, d.id DESC`

/** The leases of a locked license that live, the newest first. */
export const listLiveLeases = (sql: Database, licenseId: string): Query<SeatsGivenOut["leases"][number]> =>
  sql<SeatsGivenOut["leases"][number]>`
    -- name: leases.list live
    SELECT e.id, e.device_id, h.user_id FROM leases e LEFT JOIN license_user_devices h ON h.device_id = e.device_id
    WHERE e.license_id = ${licenseId} AND e.ended_at IS NULL AND e.expires_at > clock_timestamp()
    ORDER BY e.checked_out_at DESC, e.id DESC`

/** The purchase that pays for a license. */
export const findPaying = (sql: Database, licenseId: string): Query<{ readonly purchase_id: string }> =>
  sql<{ readonly purchase_id: string }>`
    -- name: purchase_licenses.find paying
    SELECT purchase_id FROM purchase_licenses WHERE license_id = ${licenseId} AND NOT is_adopted
    ORDER BY created_at DESC LIMIT 1`

import type { SeatsGivenOut } from "../../domain/entitlements/SeatsBeyond.ts"
import type { Database, Query } from "../persistence/Database.ts"

/** The devices with an activation seat of a locked license, the newest first. */
export const listSeatedDevices = (sql: Database, licenseId: string): Query<SeatsGivenOut["devices"][number]> =>
  sql<SeatsGivenOut["devices"][number]>`
    -- name: devices.list seated
    SELECT id, binding_kind FROM devices WHERE license_id = ${licenseId} AND status = 'active' AND NOT floating
    ORDER BY created_at DESC, id DESC`

/** The leases of a locked license that live, the newest first. */
export const listLiveLeases = (sql: Database, licenseId: string): Query<SeatsGivenOut["leases"][number]> =>
  sql<SeatsGivenOut["leases"][number]>`
    -- name: leases.list live
    SELECT id, device_id FROM leases WHERE license_id = ${licenseId} AND ended_at IS NULL
      AND expires_at > clock_timestamp()
    ORDER BY checked_out_at DESC, id DESC`

import { OfflineFile } from "../../../domain/licensing/offline/OfflineFile.ts"
import type { Database, Query } from "../../ground/persistence/Database.ts"
import { rowReader } from "../../ground/persistence/RowToWire.ts"

/** Reads a file that was revoked. */
export const readRevokedFile = rowReader(OfflineFile)

/** Revokes the files of a locked license that its machines may still run on; returns them. They hold the seats of the machines until their end. */
export const updateFilesRevoked = (sql: Database, licenseId: string): Query<object> =>
  sql`
    -- name: offline_files.update revoked of license
    UPDATE offline_files SET revoked_at = now(), seat_held_until = valid_until
    WHERE license_id = ${licenseId} AND revoked_at IS NULL AND valid_until > clock_timestamp()
    RETURNING id, license_id, device_id, fingerprint_hash, offline_counter, issued_at, valid_until, revoked_at,
      'revoked' AS status`

/** Asks for looks at the purchases of a license that wait: whose it is by now may be what they waited for. */
export const insertWorkOfWaitingFor = (sql: Database, licenseId: string): Query<object> =>
  sql`
    -- name: purchase_work.insert for a transferred license
    INSERT INTO purchase_work (purchase_id) SELECT p.id FROM purchases p
    JOIN purchase_licenses pl ON pl.purchase_id = p.id AND pl.license_id = ${licenseId} AND NOT pl.is_adopted
    WHERE p.status = 'waiting'`

/** Ends the sessions of the portal that a key of a license opened. */
export const deleteKeySessions = (sql: Database, licenseId: string): Query<object> =>
  sql`
    -- name: portal_sessions.delete of license
    DELETE FROM portal_sessions WHERE license_id = ${licenseId} RETURNING 1`

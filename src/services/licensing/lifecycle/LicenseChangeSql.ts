import type { Statement } from "effect/sql"
import type { SeatsGivenOut } from "../../../domain/licensing/entitlements/SeatsBeyond.ts"
import { OfflineFile } from "../../../domain/licensing/offline/OfflineFile.ts"
import type { Database, Query } from "../../ground/persistence/Database.ts"
import { isOfProducts } from "../../ground/persistence/ProductLimit.ts"
import type { ProductLimit } from "../../ground/persistence/ProductLimit.ts"
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

/**
 * When a locked license was renewed for an order. The log knows: each of its renewals is in the feed or waits for its
 * place there.
 */
export const findRenewalFor = (
  sql: Database,
  licenseId: string,
  orderId: string
): Query<{ readonly created_at: Date }> =>
  sql<{ readonly created_at: Date }>`
    -- name: events.find renewal for order
    SELECT created_at FROM events
    WHERE resource_key = right(${licenseId}, 7) AND resource_id = ${licenseId} AND event_type = 'license.renewed'
      AND metadata::jsonb ->> 'order_id' = ${orderId}
    UNION ALL
    SELECT created_at FROM event_outbox
    WHERE resource_id = ${licenseId} AND event_type = 'license.renewed' AND metadata::jsonb ->> 'order_id' = ${orderId}
    LIMIT 1`

/** When keys would end that a rotation replaces after so many minutes. */
export const findOverlapEnd = (sql: Database, minutes: number): Query<{ readonly at: Date }> =>
  sql<{ readonly at: Date }>`
    -- name: clock.find overlap end
    SELECT now() + ${minutes} * interval '1 minute' AS at`

/**
 * Ends the keys of a license after so many minutes; returns them, with whether it is the one in use. A key replaced
 * earlier keeps its own end, unless this rotation ends it sooner.
 */
export const updateReplaced = (
  sql: Database,
  licenseId: string,
  minutes: number
): Query<{ readonly expires_at: Date; readonly in_use: boolean }> =>
  sql<{ readonly expires_at: Date; readonly in_use: boolean }>`
    -- name: license_keys.update replaced
    UPDATE license_keys k SET expires_at = least(k.expires_at, now() + ${minutes} * interval '1 minute')
    FROM license_keys before
    WHERE before.key_hash = k.key_hash AND k.license_id = ${licenseId}
      AND (k.expires_at IS NULL OR k.expires_at > now())
    RETURNING k.expires_at, before.expires_at IS NULL AS in_use`

/** Gives a license another key. */
export const insertKey = (sql: Database, licenseId: string, keyHash: Uint8Array): Query<object> =>
  sql`
    -- name: license_keys.insert
    INSERT INTO license_keys (key_hash, license_id) VALUES (${keyHash}, ${licenseId})`

/** The license that has, or ever had, a key; one beyond the products of a limited key, or the `further` conditions, is not there for it. */
export const findKey = (
  sql: Database,
  keyHash: Uint8Array,
  limit: ProductLimit,
  further: ReadonlyArray<Statement.Fragment>
): Query<{ readonly license_id: string }> =>
  sql<{ readonly license_id: string }>`
    -- name: license_keys.find
    SELECT license_id FROM license_keys WHERE key_hash = ${keyHash} ${
    limit === undefined
      ? sql``
      : sql`AND EXISTS (SELECT FROM licenses WHERE id = license_id AND ${
        sql.and([isOfProducts(sql, "product_id", limit), ...further])
      })`
  }`

import { Schema } from "effect"
import type { Statement } from "effect/sql"
import { OfflineFile } from "../../../domain/licensing/offline/OfflineFile.ts"
import type { Database, Fragments, Query } from "../../ground/persistence/Database.ts"
import type { SortedClauses } from "../../ground/persistence/KeysetPagination.ts"
import { rowReader } from "../../ground/persistence/RowToWire.ts"

const columns = (sql: Fragments): Statement.Fragment =>
  sql`id, license_id, device_id, fingerprint_hash, offline_counter, issued_at, valid_until, revoked_at,
    CASE WHEN revoked_at IS NOT NULL THEN 'revoked' WHEN valid_until <= clock_timestamp() THEN 'expired'
      ELSE 'active' END AS status`

/** Reads a row of `offline_files`. */
export const readFile = rowReader(OfflineFile)

/** Reads how many times a device was given something to run on offline. */
export const readCounter = rowReader(Schema.Struct({ offline_counter: Schema.Finite }))

/** A page of the files of a license. */
export const listFiles = (sql: Database, { orderBy, place, where }: SortedClauses, limit: number): Query<object> =>
  sql`
    -- name: offline_files.list
    SELECT ${columns(sql)} ${place} FROM (SELECT *, issued_at AS created_at FROM offline_files) f
    ${where} ${orderBy} LIMIT ${limit}`

/** A file of a license. */
export const findFile = (sql: Database, licenseId: string, id: string): Query<object> =>
  sql`
    -- name: offline_files.find
    SELECT ${columns(sql)} FROM offline_files WHERE license_id = ${licenseId} AND id = ${id}`

/** A file that a device can still run on. */
export const findLiveFile = (sql: Database, deviceId: string): Query<object> =>
  sql`
    -- name: offline_files.find live of device
    SELECT id FROM offline_files
    WHERE device_id = ${deviceId} AND revoked_at IS NULL AND valid_until > clock_timestamp() LIMIT 1`

/** The machines of a license, or this one of them, that have no seat and a file that they can still run on; until the end of the last file. */
export const countOutstanding = (
  sql: Database,
  licenseId: string,
  deviceId: string | undefined
): Query<{ readonly machines: number; readonly until: Date | null }> =>
  sql<{ readonly machines: number; readonly until: Date | null }>`
    -- name: offline_files.count outstanding
    SELECT count(DISTINCT d.id)::int AS machines, max(f.valid_until) AS until
    FROM offline_files f JOIN devices d ON d.id = f.device_id
    WHERE f.license_id = ${licenseId} AND d.id = coalesce(${deviceId ?? null}::text, d.id) AND d.status <> 'active'
      AND f.revoked_at IS NULL AND f.valid_until > clock_timestamp()`

/** A file to store. */
export type NewFile = Omit<OfflineFile, "status" | "revoked_at">

/** Stores a file; returns it. */
export const insertFile = (sql: Database, file: NewFile): Query<object> =>
  sql`
    -- name: offline_files.insert
    INSERT INTO offline_files (
      id, license_id, device_id, fingerprint_hash, offline_counter, issued_at, valid_until
    ) VALUES (
      ${file.id}, ${file.license_id}, ${file.device_id}, ${file.fingerprint_hash}, ${file.offline_counter},
      ${file.issued_at}::text::timestamptz, ${file.valid_until}::text::timestamptz
    ) RETURNING ${columns(sql)}`

/** Revokes a file that is not revoked yet; returns it. */
export const updateRevoked = (sql: Database, licenseId: string, id: string): Query<object> =>
  sql`
    -- name: offline_files.update revoked
    UPDATE offline_files SET revoked_at = now()
    WHERE license_id = ${licenseId} AND id = ${id} AND revoked_at IS NULL RETURNING ${columns(sql)}`

/** Revokes the files that a device can still run on; returns them. */
export const updateRevokedOfDevice = (sql: Database, deviceId: string): Query<object> =>
  sql`
    -- name: offline_files.update revoked of device
    UPDATE offline_files SET revoked_at = now()
    WHERE device_id = ${deviceId} AND revoked_at IS NULL AND valid_until > clock_timestamp() RETURNING ${columns(sql)}`

/** Counts a file that a device is given. The device has not been seen: somebody else sent its fingerprint. */
export const updateFileCounter = (sql: Database, deviceId: string): Query<object> =>
  sql`
    -- name: devices.update offline counter of file
    UPDATE devices SET offline_counter = offline_counter + 1 WHERE id = ${deviceId} RETURNING offline_counter`

/** Counts an envelope that a device fetches, which is seen by that. */
export const updateEnvelopeCounter = (sql: Database, deviceId: string): Query<object> =>
  sql`
    -- name: devices.update offline counter
    UPDATE devices SET offline_counter = offline_counter + 1, last_seen_at = now() WHERE id = ${deviceId}
    RETURNING offline_counter`

/** Notes until when the last envelope of a device is good: for so long its seat may stay taken. */
export const updateEnvelopeUntil = (sql: Database, deviceId: string, validUntil: string): Query<object> =>
  sql`
    -- name: devices.update envelope until
    UPDATE devices SET envelope_until = greatest(envelope_until, ${validUntil}::text::timestamptz)
    WHERE id = ${deviceId} RETURNING id`

/** A key of a license that has not expired. */
export const findKeyOfLicense = (sql: Database, licenseId: string, keyHash: Uint8Array): Query<object> =>
  sql`
    -- name: license_keys.find of license
    SELECT 1 FROM license_keys WHERE key_hash = ${keyHash} AND license_id = ${licenseId}
      AND (expires_at IS NULL OR expires_at > clock_timestamp())`

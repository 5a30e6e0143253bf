import type { Told } from "../licenses/DeviceBindings.ts"
import type { Database, Query } from "../../ground/persistence/Database.ts"

/** A device whose sighting was written. */
export interface LastSeenRow {
  readonly id: string
}

/**
 * Writes sightings, and skips devices whose rows are locked. Its parameters are the devices, when each was seen, when
 * each was validated, the instant that means "never validated", and which version and system each named; empty text is none.
 */
export const lastSeenQuery = `
  -- name: devices.update last seen
  WITH free AS (
    SELECT d.id, v.seen, v.validated, nullif(v.version, '') AS version, nullif(v.os, '') AS os FROM devices d JOIN unnest(
      $1::text[], $2::timestamptz[],
      $3::timestamptz[], $5::text[], $6::text[]
    ) AS v (id, seen, validated, version, os) ON v.id = d.id
    -- guard: a sighting waits for no device
    ORDER BY d.id FOR NO KEY UPDATE OF d SKIP LOCKED
  )
  UPDATE devices d SET
    -- guard: a device was seen at the latest time
    last_seen_at = greatest(d.last_seen_at, free.seen),
    -- guard: a device was validated at the latest time
    last_validated_at = greatest(d.last_validated_at, nullif(free.validated, $4)),
    -- guard: a device runs what it named last
    os = CASE WHEN free.seen >= d.last_seen_at THEN coalesce(free.os, d.os) ELSE d.os END,
    app_version = CASE WHEN free.seen >= d.last_seen_at THEN coalesce(free.version, d.app_version) ELSE d.app_version END,
    app_version_since = CASE WHEN free.seen >= d.last_seen_at AND free.version IS NOT NULL
        AND free.version IS DISTINCT FROM d.app_version THEN free.seen ELSE d.app_version_since END
  FROM free WHERE d.id = free.id RETURNING d.id`

/** Stands for no instant in an array, which has no NULL. */
const never = new Date(0)

/** A device that was seen, and when it was validated, if that is known. */
export interface LastSeenUpdate {
  readonly id: string
  readonly seen: Date
  readonly validated: Date | undefined
  readonly told: Told
}

/** Writes when devices were seen; answers those that it wrote. */
export const updateLastSeen = (sql: Database, devices: ReadonlyArray<LastSeenUpdate>): Query<LastSeenRow> =>
  sql.unsafe<LastSeenRow>(lastSeenQuery, [
    devices.map(({ id }) => id),
    devices.map(({ seen }) => seen),
    devices.map(({ validated }) => validated ?? never),
    never,
    devices.map(({ told }) => told.app_version ?? ""),
    devices.map(({ told }) => told.os ?? "")
  ])

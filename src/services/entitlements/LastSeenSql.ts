import type { Database, Query } from "../persistence/Database.ts"

/** A device whose sighting was written. */
export interface LastSeenRow {
  readonly id: string
}

/**
 * Writes sightings, and skips devices whose rows are locked. Its parameters are the devices, when each was seen, when
 * each was validated, and the instant that means "never validated".
 */
export const lastSeenQuery = `
  -- name: devices.update last seen
  WITH free AS (
    SELECT d.id, v.seen, v.validated FROM devices d JOIN unnest(
      $1::text[], $2::timestamptz[],
      $3::timestamptz[]
    ) AS v (id, seen, validated) ON v.id = d.id
    -- guard: a sighting waits for no device
    ORDER BY d.id FOR NO KEY UPDATE OF d SKIP LOCKED
  )
  UPDATE devices d SET
    -- guard: a device was seen at the latest time
    last_seen_at = greatest(d.last_seen_at, free.seen),
    -- guard: a device was validated at the latest time
    last_validated_at = greatest(d.last_validated_at, nullif(free.validated, $4))
  FROM free WHERE d.id = free.id RETURNING d.id`

/** Stands for no instant in an array, which has no NULL. */
const never = new Date(0)

/** A device that was seen, and when it was validated, if that is known. */
export interface LastSeenUpdate {
  readonly id: string
  readonly seen: Date
  readonly validated: Date | undefined
}

/** Writes when devices were seen; answers those that it wrote. */
export const updateLastSeen = (sql: Database, devices: ReadonlyArray<LastSeenUpdate>): Query<LastSeenRow> =>
  sql.unsafe<LastSeenRow>(lastSeenQuery, [
    devices.map(({ id }) => id),
    devices.map(({ seen }) => seen),
    devices.map(({ validated }) => validated ?? never),
    never
  ])

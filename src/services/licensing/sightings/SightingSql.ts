import { several } from "../../../domain/evidence/recording/DecidedUse.ts"
import type { DecidedCalls } from "../../../domain/evidence/recording/DecidedUse.ts"
import type { Database, Query } from "../../ground/persistence/Database.ts"
import type { Told } from "../licenses/DeviceBindings.ts"

/** Counts calls, each row of another key, on top of those that are recorded of their hour. */
export const insertDecidedCalls = (sql: Database, calls: ReadonlyArray<DecidedCalls>): Query<object> => {
  const ofLease = sql.literal("excluded.operation IN ('checkout', 'heartbeat', 'checkin')")
  // Where the calls of two nodes alternate it is negative: then no pause is longer than those that each of the nodes knows.
  const apart = sql.literal(
    "ceil(1000 * extract(epoch FROM greatest(excluded.first_at - t.last_at, t.first_at - excluded.last_at)))::bigint"
  )
  return sql`
    -- name: decided_calls.insert
    INSERT INTO decided_calls AS t (license_id, hour, device, operation, result, is_vm, is_container, calls, first_at, last_at,
      app_version, os, user_id, feature_code, amount, remaining, shortest_pause, longest_pause)
    SELECT * FROM json_to_recordset(${
    JSON.stringify(calls)
  }::json) AS c (license_id text, hour timestamptz, device text,
      operation text, result text, is_vm boolean, is_container boolean, calls bigint, first_at timestamptz, last_at timestamptz,
      app_version text, os text, user_id text, feature_code text, amount bigint, remaining bigint,
      shortest_pause bigint, longest_pause bigint)
    -- guard: calls of two nodes add up
    ON CONFLICT (license_id, hour, device, operation, result, is_vm) DO UPDATE SET calls = t.calls + excluded.calls,
      first_at = least(t.first_at, excluded.first_at), last_at = greatest(t.last_at, excluded.last_at),
      app_version = CASE WHEN excluded.last_at >= t.last_at THEN coalesce(excluded.app_version, t.app_version) ELSE t.app_version END,
      os = CASE WHEN excluded.last_at >= t.last_at THEN coalesce(excluded.os, t.os) ELSE t.os END,
      user_id = CASE WHEN excluded.user_id IS NOT DISTINCT FROM t.user_id THEN t.user_id ELSE ${several} END,
      feature_code = CASE WHEN excluded.feature_code IS NOT DISTINCT FROM t.feature_code THEN t.feature_code ELSE ${several} END,
      amount = coalesce(t.amount, 0) + excluded.amount, remaining = least(t.remaining, excluded.remaining),
      shortest_pause = CASE WHEN ${ofLease} THEN least(t.shortest_pause, excluded.shortest_pause, greatest(0, ${apart})) END,
      longest_pause = CASE WHEN ${ofLease} THEN greatest(t.longest_pause, excluded.longest_pause, ${apart}) END`
}

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

import { effectiveGrace } from "../../catalog/terms/TermsSql.ts"
import type { Database, Query } from "../../ground/persistence/Database.ts"
import { allReminded, hasReminder, remindedAt, reminderDays } from "../../licensing/lifecycle/LicenseSweeperSql.ts"

/** The time of the environment's clock, and where its log ends, in events that were recorded. */
export const findClock = (sql: Database): Query<{ readonly now: Date; readonly ordinal: bigint }> =>
  sql<{ readonly now: Date; readonly ordinal: bigint }>`
    -- name: clock.find time and log
    SELECT clock_timestamp() AS now, coalesce((SELECT max(ordinal) FROM event_records), 0) AS ordinal`

/** Moves the clock forward to an instant; it never goes back. Answers its time. */
export const updateClock = (sql: Database, to: Date): Query<{ readonly now: Date }> =>
  sql<{ readonly now: Date }>`
    -- name: clock.update
    SELECT environment_clock_moved(${to}::timestamptz) AS now`

/** The next instants at which something is due by itself, by what sees to it; null where nothing is. */
export interface DeadlineRow {
  readonly licenses: Date | null
  readonly containers: Date | null
  readonly leases: Date | null
  readonly warnings: Date | null
  readonly retries: Date | null
}

/**
 * The next deadlines. Each is the first entry of an index: the time is read once, because a condition with
 * `clock_timestamp()` is judged for every row. A grace period has its deadline once it has begun.
 */
export const findNextDeadlines = (sql: Database): Query<DeadlineRow> => {
  const grace = sql.literal(effectiveGrace)
  const now = sql.literal("(SELECT at FROM clock)")
  return sql<DeadlineRow>`
    -- name: clock.find next deadlines
    WITH RECURSIVE clock AS MATERIALIZED (SELECT clock_timestamp() AS at), ${sql.literal(allReminded)}
    SELECT
      least(
        (SELECT min(d.at) FROM reminded r CROSS JOIN policies p
          CROSS JOIN LATERAL unnest(${sql.literal(reminderDays)}) day
          CROSS JOIN LATERAL (
            SELECT l.expires_at - day * interval '24 hours' AS at FROM licenses l
            WHERE ${sql.literal(hasReminder)} AND ${sql.literal(remindedAt)} = r.at AND l.policy_id = p.id
              AND l.expires_at > ${now} + day * interval '24 hours'
            ORDER BY l.expires_at LIMIT 1) d
          WHERE day < r.at),
        (SELECT min(expires_at) FROM licenses
          WHERE state = 'active' AND announced = 'nothing' AND expires_at > ${now}),
        (SELECT min(expires_at) FROM licenses
          WHERE state = 'active' AND announced = 'expiring' AND expires_at > ${now}),
        (SELECT min(l.expires_at + ${grace}) FROM policies p JOIN licenses l ON l.policy_id = p.id
          WHERE l.state = 'active' AND l.announced = 'grace_period' AND l.expires_at + ${grace} > ${now})
      ) AS licenses,
      (SELECT min(idle_check_at) FROM devices
        WHERE binding_kind = 'container' AND status = 'active' AND idle_check_at > ${now}) AS containers,
      (SELECT min(expires_at) FROM leases WHERE ended_at IS NULL AND expires_at > ${now}) AS leases,
      (SELECT min(due_at) FROM usage_watches WHERE due_at > ${now} AND due_at < 'infinity') AS warnings,
      (SELECT min(due_at) FROM webhook_retries WHERE due_at > ${now}) AS retries`
}

/** How many events were recorded after an ordinal. */
export const countEventsSince = (sql: Database, ordinal: bigint): Query<{ readonly count: bigint }> =>
  sql<{ readonly count: bigint }>`
    -- name: event_records.count since
    SELECT count(*) AS count FROM event_records WHERE ordinal > ${ordinal}`

/** Whether an event that was recorded up to an ordinal has no place in the feed yet. */
export const findUnplaced = (sql: Database, ordinal: bigint): Query<{ readonly waits: boolean }> =>
  sql<{ readonly waits: boolean }>`
    -- name: event_pending.find up to
    SELECT EXISTS (SELECT FROM event_pending WHERE ordinal <= ${ordinal}) AS waits`

/** The instant that an earlier request with this key moved the clock to. */
export const findMove = (sql: Database, key: string): Query<{ readonly target: Date }> =>
  sql<{ readonly target: Date }>`
    -- name: clock.find move
    SELECT target FROM environment_clock_moves WHERE key = ${key}`

/** Keeps where a move leads, before it begins; answers what an earlier request with this key kept, if there was one. */
export const insertMove = (sql: Database, key: string, target: Date): Query<{ readonly target: Date }> =>
  sql<{ readonly target: Date }>`
    -- name: clock.insert move
    INSERT INTO environment_clock_moves (key, target) VALUES (${key}, ${target})
    ON CONFLICT (key) DO UPDATE SET key = excluded.key
    RETURNING target`

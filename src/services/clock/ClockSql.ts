import { expiringAhead } from "../../domain/lifecycle/LicenseExpiry.ts"
import type { Database, Query } from "../persistence/Database.ts"
import { effectiveGrace } from "../terms/TermsSql.ts"

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

/** The next instant at which something is due by itself; null where nothing is. */
export const findNextDeadline = (sql: Database): Query<{ readonly due: Date | null }> => {
  const ahead = sql`${expiringAhead} * interval '1 millisecond'`
  const grace = sql.literal(effectiveGrace)
  return sql<{ readonly due: Date | null }>`
    -- name: licenses.find next deadline
    SELECT min(due) AS due FROM (
      SELECT min(expires_at - ${ahead}) AS due FROM licenses
      WHERE state = 'active' AND announced = 'nothing' AND expires_at - ${ahead} > clock_timestamp()
      UNION ALL
      SELECT min(expires_at) FROM licenses
      WHERE state = 'active' AND announced IN ('nothing', 'expiring') AND expires_at > clock_timestamp()
      UNION ALL
      SELECT min(l.expires_at + ${grace}) FROM licenses l JOIN policies p ON p.id = l.policy_id
      WHERE l.state = 'active' AND l.announced <> 'expired' AND l.expires_at + ${grace} > clock_timestamp()
      UNION ALL
      SELECT min(expires_at) FROM leases WHERE ended_at IS NULL AND expires_at > clock_timestamp()
      UNION ALL
      SELECT min(idle_check_at) FROM devices
      WHERE binding_kind = 'container' AND status = 'active' AND idle_check_at > clock_timestamp()
      UNION ALL
      SELECT min(due_at) FROM webhook_retries WHERE due_at > clock_timestamp()
    ) d`
}

/** How many events were recorded after an ordinal. */
export const countEventsSince = (sql: Database, ordinal: bigint): Query<{ readonly count: bigint }> =>
  sql<{ readonly count: bigint }>`
    -- name: event_records.count since
    SELECT count(*) AS count FROM event_records WHERE ordinal > ${ordinal}`

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

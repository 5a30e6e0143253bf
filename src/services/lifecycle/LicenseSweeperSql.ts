import { expiringAhead } from "../../domain/lifecycle/LicenseExpiry.ts"
import type { Announced } from "../../domain/lifecycle/LicenseExpiry.ts"
import { intervalsAway } from "../licenses/DeviceSql.ts"
import type { Database, Query } from "../persistence/Database.ts"
import { effectiveGrace, effectiveGraceDays, hasOwnGrace } from "../terms/TermsSql.ts"

/**
 * At most `limit` licenses with an announcement to come, but those in `passed`. Each branch is a range scan of an index
 * that holds only licenses with such an announcement.
 */
export const listDue = (
  sql: Database,
  passed: ReadonlyArray<string>,
  limit: number
): Query<{ readonly id: string }> => {
  const ahead = sql`${expiringAhead} * interval '1 millisecond'`
  const grace = sql`p.grace_period_days * interval '24 hours'`
  const ownGrace = sql.literal(hasOwnGrace)
  return sql<{ readonly id: string }>`
    -- name: licenses.list due
    SELECT id FROM (
    (SELECT id FROM licenses
      WHERE state = 'active' AND announced = 'nothing' AND expires_at <= now() + ${ahead}
        AND id <> ALL(${passed}::text[])
      ORDER BY expires_at LIMIT ${limit})
    UNION ALL
    (SELECT id FROM licenses
      WHERE state = 'active' AND announced = 'expiring' AND expires_at <= now()
        AND id <> ALL(${passed}::text[])
      ORDER BY expires_at LIMIT ${limit})
    UNION ALL
    (SELECT d.id FROM policies p CROSS JOIN LATERAL (
        SELECT l.id FROM licenses l
        WHERE l.policy_id = p.id AND l.state = 'active' AND l.announced = 'grace_period'
          AND l.expires_at <= now() - ${grace} AND (${ownGrace}) IS NOT TRUE
          AND l.id <> ALL(${passed}::text[]) LIMIT ${limit}) d
      LIMIT ${limit})
    UNION ALL
    (SELECT l.id FROM licenses l JOIN policies p ON p.id = l.policy_id
      WHERE l.state = 'active' AND l.announced = 'grace_period' AND ${ownGrace}
        AND l.expires_at <= now() - ${sql.literal(effectiveGrace)} AND l.id <> ALL(${passed}::text[])
      LIMIT ${limit})
    UNION ALL
    (SELECT d.id FROM policies p CROSS JOIN LATERAL (
        SELECT l.id FROM licenses l
        WHERE l.policy_id = p.id AND l.state = 'active' AND l.announced = 'expired'
          AND l.expires_at > now() - ${grace} AND (${ownGrace}) IS NOT TRUE AND l.id <> ALL(${passed}::text[])
        LIMIT ${limit}) d
      WHERE p.grace_period_days > 0 LIMIT ${limit})
    ) d LIMIT ${limit}`
}

/** An active license with an end, locked. */
export interface DueRow {
  readonly id: string
  readonly announced: Announced
  readonly expires_at: Date
  readonly grace_period_days: number
  readonly now: Date
}

/** The locked licenses that are active and end. Read after the lock, they are as another sweep or a renewal left them. */
export const listEnding = (sql: Database, ids: ReadonlyArray<string>): Query<DueRow> =>
  sql<DueRow>`
    -- name: licenses.list ending
    SELECT l.id, l.announced, l.expires_at, ${sql.literal(effectiveGraceDays)} AS grace_period_days,
      clock_timestamp() AS now
    FROM licenses l JOIN policies p ON p.id = l.policy_id
    WHERE l.id = ANY(${ids}::text[]) AND l.state = 'active' AND l.expires_at IS NOT NULL
    ORDER BY l.expires_at, l.id`

/** Writes what is announced of locked licenses. */
export const updateAnnounced = (
  sql: Database,
  licenses: ReadonlyArray<{ readonly id: string; readonly announced: Announced }>
): Query<object> =>
  sql`
    -- name: licenses.update announced
    UPDATE licenses l SET announced = c.announced
    FROM unnest(
      ${licenses.map(({ id }) => id)}::text[], ${licenses.map(({ announced }) => announced)}::text[]
    ) AS c (id, announced)
    WHERE l.id = c.id`

/** At most `limit` licenses whose containers may be idle, but those in `passed`. */
export const listToCheck = (
  sql: Database,
  passed: ReadonlyArray<string>,
  limit: number
): Query<{ readonly license_id: string }> =>
  sql<{ readonly license_id: string }>`
    -- name: devices.list to check
    SELECT DISTINCT license_id FROM (
      SELECT license_id FROM devices
      WHERE binding_kind = 'container' AND status = 'active'
        AND (idle_check_at IS NULL OR idle_check_at <= now()) AND license_id <> ALL(${passed}::text[])
      ORDER BY idle_check_at NULLS FIRST LIMIT ${limit}) d`

/**
 * Notes when the remaining containers of a locked license may become idle. Those that something else keeps in use are
 * examined again in a minute.
 */
export const updateChecked = (sql: Database, licenseId: string): Query<object> =>
  sql`
    -- name: devices.update checked
    UPDATE devices d SET idle_check_at = greatest(
      d.last_seen_at + ${sql.literal(intervalsAway)}, now() + interval '1 minute')
    FROM licenses l JOIN policies p ON p.id = l.policy_id
    WHERE l.id = ${licenseId} AND d.license_id = l.id AND d.binding_kind = 'container'
      AND d.status = 'active' AND (d.idle_check_at IS NULL OR d.idle_check_at <= now())`

import type { Statement } from "effect/sql"
import { usualExpiringDays, usualReminderDays } from "../../../domain/licensing/lifecycle/LicenseExpiry.ts"
import type { Announced } from "../../../domain/licensing/lifecycle/LicenseExpiry.ts"
import { effectiveGrace, effectiveGraceDays, hasOwnGrace } from "../../catalog/terms/TermsSql.ts"
import { seldom } from "../../ground/agenda/AgendaSql.ts"
import type { Database, Query } from "../../ground/persistence/Database.ts"
import { integers } from "../../ground/persistence/StatementParts.ts"
import { intervalsAway } from "../licenses/DeviceSql.ts"

const arrayOf = (days: ReadonlyArray<number>): string => `ARRAY[${days.join(", ")}]`

/**
 * How many days before the end of a license of the policy `p` it is announced as expiring, or its owner reminded. The mail has days of
 * its own where the policy names none.
 */
export const reminderDays = `coalesce(p.expiring_days,
  CASE WHEN 'license_expiring' = ANY(p.mails) THEN ${arrayOf(usualReminderDays)} ELSE ${
  arrayOf(usualExpiringDays)
} END)`

/** Licenses that may have a reminder to come, and what was announced of each last: the words of an index. */
export const hasReminder = "l.state = 'active' AND l.announced IN ('nothing', 'expiring') AND l.expires_at IS NOT NULL"
export const remindedAt = "(CASE WHEN l.announced = 'nothing' THEN 1000000 ELSE coalesce(l.announced_days, 7) END)"

/** The values of {@link remindedAt} that there are, as rows of the table `reminded`: one look into the index for each. */
export const allReminded = `
  reminded (at) AS (
    (SELECT ${remindedAt} FROM licenses l WHERE ${hasReminder} ORDER BY ${remindedAt} LIMIT 1)
    UNION ALL
    SELECT (SELECT ${remindedAt} FROM licenses l WHERE ${hasReminder} AND ${remindedAt} > r.at ORDER BY ${remindedAt} LIMIT 1)
    FROM reminded r WHERE r.at IS NOT NULL
  )`

/** Licenses with an announcement to come, and which of them are taken. */
interface Coming {
  readonly passed: ReadonlyArray<string>
  readonly limit: number
  /** The time until which it comes. */
  readonly until: Statement.Fragment
}

/**
 * The query of at most `limit` licenses with an announcement that comes until a time, but those in `passed`. Each branch is
 * a range scan of an index that holds only licenses with such an announcement; the first one for each policy and what was
 * announced last.
 */
const coming = (sql: Database, { limit, passed, until }: Coming): Statement.Fragment => {
  const grace = sql`p.grace_period_days * interval '24 hours'`
  const ownGrace = sql.literal(hasOwnGrace)
  return sql`
    WITH RECURSIVE ${sql.literal(allReminded)}
    SELECT id FROM (
    (SELECT d.id FROM reminded r CROSS JOIN policies p
      CROSS JOIN LATERAL (SELECT max(day) AS days FROM unnest(${sql.literal(reminderDays)}) day WHERE day < r.at) next
      CROSS JOIN LATERAL (
        SELECT l.id FROM licenses l
        WHERE ${sql.literal(hasReminder)} AND ${sql.literal(remindedAt)} = r.at AND l.policy_id = p.id
          AND l.expires_at <= ${until} + next.days * interval '24 hours' AND l.id <> ALL(${passed}::text[])
        ORDER BY l.expires_at LIMIT ${limit}) d
      WHERE next.days IS NOT NULL LIMIT ${limit})
    UNION ALL
    (SELECT id FROM licenses
      WHERE state = 'active' AND announced = 'expiring' AND expires_at <= ${until}
        AND id <> ALL(${passed}::text[])
      ORDER BY expires_at LIMIT ${limit})
    UNION ALL
    (SELECT d.id FROM policies p CROSS JOIN LATERAL (
        SELECT l.id FROM licenses l
        WHERE l.policy_id = p.id AND l.state = 'active' AND l.announced = 'grace_period'
          AND l.expires_at <= ${until} - ${grace} AND (${ownGrace}) IS NOT TRUE
          AND l.id <> ALL(${passed}::text[]) LIMIT ${limit}) d
      LIMIT ${limit})
    UNION ALL
    (SELECT l.id FROM licenses l JOIN policies p ON p.id = l.policy_id
      WHERE l.state = 'active' AND l.announced = 'grace_period' AND ${ownGrace}
        AND l.expires_at <= ${until} - ${sql.literal(effectiveGrace)} AND l.id <> ALL(${passed}::text[])
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

/** At most `limit` licenses with an announcement to come, but those in `passed`. */
export const listDue = (
  sql: Database,
  passed: ReadonlyArray<string>,
  limit: number
): Query<{ readonly id: string }> =>
  sql<{ readonly id: string }>`
    -- name: licenses.list due
    ${coming(sql, { passed, limit, until: sql`now()` })}`

/** How long before its announcement a license is looked at, in seconds: longer than the agenda lets pass between two readings. */
const ahead = seldom / 1000 + 5

/**
 * When licenses are to be looked at: from a while before the next announcement on, as often as a look rests, and when a
 * container may be idle. The agenda reads this often enough to miss none.
 */
export const licensesDue = (sql: Database): Statement.Fragment =>
  sql`SELECT least(
    CASE WHEN EXISTS (${
    coming(sql, { passed: [""], limit: 1, until: sql`now() + interval '${sql.literal(String(ahead))} seconds'` })
  }) THEN now() END,
    (SELECT coalesce(idle_check_at, now()) FROM devices WHERE binding_kind = 'container' AND status = 'active'
      ORDER BY idle_check_at NULLS FIRST LIMIT 1))`

/** An active license with an end, locked. */
export interface DueRow {
  readonly id: string
  readonly announced: Announced
  readonly announced_days: number | null
  readonly expires_at: Date
  readonly grace_period_days: number
  readonly created_at: Date
  /** The kinds of mails that the owner of the license may get. */
  readonly mails: ReadonlyArray<string> | null
  readonly expiring_days: ReadonlyArray<number> | null
  readonly reminder_days: ReadonlyArray<number>
  readonly now: Date
}

/** The locked licenses that are active and end. Read after the lock, they are as another sweep or a renewal left them. */
export const listEnding = (sql: Database, ids: ReadonlyArray<string>): Query<DueRow> =>
  sql<DueRow>`
    -- name: licenses.list ending
    SELECT l.id, l.announced, l.announced_days, l.expires_at, ${sql.literal(effectiveGraceDays)} AS grace_period_days,
      l.created_at, p.mails, p.expiring_days, ${sql.literal(reminderDays)} AS reminder_days, clock_timestamp() AS now
    FROM licenses l JOIN policies p ON p.id = l.policy_id
    WHERE l.id = ANY(${ids}::text[]) AND l.state = 'active' AND l.expires_at IS NOT NULL
    ORDER BY l.expires_at, l.id`

/** An announcement about a license, with how many days before its end while it is expiring. */
export interface AnnouncedNow {
  readonly id: string
  readonly announced: Announced
  readonly announced_days?: number
}

/** Writes what is announced of locked licenses. */
export const updateAnnounced = (sql: Database, licenses: ReadonlyArray<AnnouncedNow>): Query<object> =>
  sql`
    -- name: licenses.update announced
    UPDATE licenses l SET announced = c.announced, announced_days = nullif(c.days, 0)
    FROM unnest(
      ${licenses.map(({ id }) => id)}::text[], ${licenses.map(({ announced }) => announced)}::text[],
      ${integers(licenses.map(({ announced_days = 0 }) => announced_days))}::int[]
    ) AS c (id, announced, days)
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

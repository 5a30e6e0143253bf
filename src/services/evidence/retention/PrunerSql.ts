import type { Effect } from "effect"
import { decidedDays } from "../../../domain/evidence/recording/DecidedUse.ts"
import type { Database, Query } from "../../ground/persistence/Database.ts"

/** Leases, and uses, that one transaction deletes. */
export const slice = 1000

/** The tables whose rows go when they are past their time. */
export const prunedTables = ["activities", "billing_events", "leases", "usage_records"] as const

/** One of the {@link prunedTables}. */
export type PrunedTable = (typeof prunedTables)[number]

/**
 * Deletes leases that ended longer ago than `days`, the oldest first. A lease goes only after its events: an erasure
 * finds them by the lease, an explanation of a time since the drop reads it, and until then the doctor compares it. An
 * event may be a little later in the log than its time says, so the time alone does not tell that it was dropped. It is
 * looked up for one lease after another, because a join might read all events.
 */
export const deleteLeases = (sql: Database, days: number): Query<{ readonly id: string }> =>
  sql<{ readonly id: string }>`
    -- name: leases.delete pruned
    DELETE FROM leases WHERE id = ANY(ARRAY(
      SELECT l.id FROM leases l CROSS JOIN event_archive a
      WHERE l.ended_at < now() - ${days} * interval '24 hours'
        -- guard: a lease outlives the log of its time
        AND l.ended_at <= a.dropped_until
        -- guard: a lease outlives its events
        AND (SELECT p.sequence FROM event_places p
          WHERE right(p.resource_id, 7) = right(l.id, 7) AND p.resource_id = l.id LIMIT 1) IS NULL
        -- guard: a lease outlives its events that wait for a place
        AND (SELECT o.ordinal FROM event_outbox o WHERE o.resource_id = l.id LIMIT 1) IS NULL
      ORDER BY l.ended_at LIMIT ${slice} FOR UPDATE OF l SKIP LOCKED
    )) RETURNING id`

/** Finds the full day of UTC that uses are kept from, and about how many keys of uses there are. */
export const findUsageBorder = (
  sql: Database,
  days: number
): Query<{ readonly until: string; readonly keys: number }> =>
  sql<{ readonly until: string; readonly keys: number }>`
    -- name: catalog.find size of usage keys
    SELECT date_trunc('day', now() - ${days} * interval '24 hours', 'UTC')::text AS until, reltuples AS keys
    FROM pg_class WHERE oid = 'usage_keys'::regclass`

/** Has PostgreSQL count the rows of `usage_keys` anew: without statistics it would read the table for each slice. */
export const analyzeUsageKeys = (sql: Database): Effect.Effect<unknown> => sql`ANALYZE usage_keys`.unprepared

/** Finds the age of the oldest row of each table, in seconds. */
export const findOldestRows = (
  sql: Database
): Query<{ readonly table: PrunedTable; readonly age: number | null }> =>
  sql<{ readonly table: PrunedTable; readonly age: number | null }>`
    -- name: activities.find oldest rows
    SELECT 'activities' AS table, extract(epoch FROM now() - min(occurred_at))::float8 AS age FROM activities
    UNION ALL
    SELECT 'billing_events', extract(epoch FROM now() - min(received_at))::float8 FROM billing_events
      WHERE body IS NOT NULL
    UNION ALL
    SELECT 'leases', extract(epoch FROM now() - min(ended_at))::float8 FROM leases WHERE ended_at IS NOT NULL
    UNION ALL
    SELECT 'usage_records', extract(epoch FROM now() - min(created_at))::float8 FROM usage_records`

/** Forgets a slice of the values of periods that are over for longer than uses may be late, and no counter is of. */
export const pruneValues = (sql: Database, slice: number): Query<object> =>
  sql`
    -- name: usage_values.delete pruned
    DELETE FROM usage_values WHERE ctid = ANY(ARRAY(
      SELECT v.ctid FROM usage_values v
      LEFT JOIN license_features a ON a.license_id = v.license_id AND a.feature_id = v.feature_id
      WHERE v.period_start < now() - interval '400 days' AND v.period_start > '-infinity'
        AND a.period_start IS DISTINCT FROM v.period_start LIMIT ${slice}::int)) RETURNING 1`

/** Deletes a slice of the calls that are past their time, and marks up to when calls may be gone. */
export const deleteDecidedCalls = (sql: Database, slice: number): Query<object> =>
  sql`
    -- name: decided_calls.delete pruned
    WITH gone AS (
      DELETE FROM decided_calls WHERE ctid = ANY(ARRAY(
        SELECT ctid FROM decided_calls WHERE hour < now() - ${decidedDays} * interval '24 hours' LIMIT ${slice}::int))
      RETURNING hour
    ), marked AS (
      INSERT INTO pruned_tables AS t (name, until)
      SELECT 'decided_calls', max(hour) + interval '1 hour' FROM gone HAVING count(*) > 0
      ON CONFLICT (name) DO UPDATE SET until = EXCLUDED.until WHERE t.until < EXCLUDED.until
    )
    SELECT 1 FROM gone`

import type { Statement } from "effect/sql"
import { Activity } from "../../../domain/evidence/audit/Activity.ts"
import { refusalDays } from "../../../domain/keys/settings/ActivityRetention.ts"
import type { Database, Query } from "../../ground/persistence/Database.ts"
import { timedRecords } from "../../ground/persistence/KeysetPagination.ts"
import type { PageLimits, TimedRow } from "../../ground/persistence/KeysetPagination.ts"
import type { ProductLimit } from "../../ground/persistence/ProductLimit.ts"
import { recordRows } from "../../ground/records/RecordRows.ts"
import { activityById } from "./ActivityQuery.ts"

/** Rows of activities, without what is not theirs: names, and what changed. */
export const activityRows = recordRows(Activity, [
  "actor_name",
  "actor_roles",
  "opened_by",
  "opener_name",
  "names",
  "changes",
  "withheld"
])

/** The activities of a query. */
export const listActivities = (
  sql: Database,
  query: Statement.Fragment,
  { returned }: Pick<PageLimits, "returned">
): Query<TimedRow> =>
  sql<TimedRow>`
    -- name: activities.list
    ${timedRecords(sql, activityRows, query, returned)}`

/** One activity of these products: of a use, from the ledger, which has it under the id of its event. */
export const findActivity = (sql: Database, id: string, limit: ProductLimit): Query<TimedRow> =>
  sql<TimedRow>`
    -- name: activities.find
    ${timedRecords(sql, activityRows, activityById(sql, id, limit))}`

/** A refused request as it becomes an activity. An absent member is null. */
export interface RefusalRow {
  readonly id: string
  /** Milliseconds since the refusal. */
  readonly age: number
  readonly action: string
  readonly status_code: number
  readonly code: string
  readonly request_id: string | undefined
  readonly feature_code: string | undefined
  readonly binding_kind: string | undefined
  readonly binding_key: string | undefined
  readonly key_hash?: string
  readonly license_id?: string | undefined
  readonly actor_type?: string
  readonly actor_id?: string
}

/** Inserts refused requests as activities, each with what is known of its license and device. */
export const insertRefusals = (sql: Database, rows: ReadonlyArray<RefusalRow>): Query<object> =>
  sql`
    -- name: activities.insert refusals
    INSERT INTO activities (id, occurred_at, action, source, actor_type, actor_id, result_class, status_code,
      code, resource_type, resource_id, product_id, customer_id, license_id, order_id, subscription_id,
      device_id, feature_code, request_id)
    SELECT r.id, now() - r.age * interval '1 millisecond', r.action,
      CASE WHEN r.actor_type IS NULL THEN 'runtime' ELSE 'management' END, coalesce(r.actor_type, 'license'),
      coalesce(r.actor_id, l.id, 'unknown'), 'refused', r.status_code, r.code,
      CASE WHEN l.id IS NOT NULL THEN 'license' END, l.id, l.product_id, l.customer_id, l.id, l.order_id,
      l.subscription_id, d.id, r.feature_code, r.request_id
    FROM json_to_recordset(${JSON.stringify(rows)}::json) AS r (id text, age float8, action text,
      status_code int, code text, request_id text, feature_code text, binding_kind text, binding_key text,
      key_hash text, license_id text COLLATE "C", actor_type text, actor_id text)
    -- Each is looked up by itself: PostgreSQL takes the array for 100 rows, and would read whole tables of a few thousand.
    LEFT JOIN LATERAL (SELECT license_id FROM license_keys WHERE key_hash = decode(r.key_hash, 'hex') OFFSET 0) k ON true
    LEFT JOIN LATERAL (
      SELECT * FROM licenses WHERE id = coalesce(r.license_id, k.license_id) OFFSET 0
    ) l ON true
    LEFT JOIN LATERAL (
      SELECT id FROM devices
      WHERE license_id = l.id AND binding_kind = r.binding_kind AND binding_key = r.binding_key OFFSET 0
    ) d ON true`

/** Before which instants activities go, and refusals. */
export interface PurgeBorder {
  readonly happened: string
  readonly refused: string
}

/** Finds the {@link PurgeBorder}. 0 days keep everything but refusals. */
export const findPurgeBorder = (sql: Database, days: number, refusals: number): Query<PurgeBorder> =>
  sql<PurgeBorder>`
    -- name: activities.find purge border
    SELECT CASE WHEN ${days}::int8 = 0 THEN '-infinity'
        ELSE (now() - ${days}::int8 * interval '24 hours')::text END AS happened,
      greatest(now() - ${refusalDays} * interval '24 hours',
        (SELECT occurred_at FROM activities WHERE result_class = 'refused'
          ORDER BY occurred_at DESC OFFSET ${refusals - 1} LIMIT 1))::text AS refused`

/** Deletes a slice of what is before the border, and marks up to when activities may be gone. */
export const deletePurged = (sql: Database, border: PurgeBorder, limit: number): Query<object> =>
  sql`
    -- name: activities.delete purged
    WITH gone AS (
      DELETE FROM activities WHERE id = ANY(ARRAY(
        SELECT id FROM activities
        WHERE occurred_at < ${border.happened}::text::timestamptz
          OR (result_class = 'refused' AND occurred_at < ${border.refused}::text::timestamptz)
        ORDER BY occurred_at LIMIT ${limit}
        FOR UPDATE SKIP LOCKED
      )) RETURNING result_class
    ), marked AS (
      INSERT INTO pruned_tables AS t (name, until)
      SELECT 'activities', ${border.happened}::text::timestamptz
      WHERE EXISTS (SELECT 1 FROM gone WHERE result_class <> 'refused')
      ON CONFLICT (name) DO UPDATE SET until = EXCLUDED.until WHERE t.until < EXCLUDED.until
    )
    SELECT 1 FROM gone`

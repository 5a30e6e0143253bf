import type { Statement } from "effect/sql"
import { Activity } from "../../../domain/evidence/audit/Activity.ts"
import type { Comparison } from "../../../domain/evidence/audit/ActivityChange.ts"
import type { StoredEvent } from "../../../domain/evidence/audit/DeviceReplay.ts"
import { refusalDays } from "../../../domain/keys/settings/ActivityRetention.ts"
import type { Database, Query } from "../../ground/persistence/Database.ts"
import { timedRecords } from "../../ground/persistence/KeysetPagination.ts"
import type { PageLimits, TimedRow } from "../../ground/persistence/KeysetPagination.ts"
import type { ProductLimit } from "../../ground/persistence/ProductLimit.ts"
import { recordRows } from "../../ground/records/RecordCells.ts"
import { activityById } from "./ActivityQuery.ts"

/** An event that an activity is of, and what it is compared with. */
interface AskedEvent extends Partial<Comparison> {
  readonly id: string
}

/** An event, and the one before it about the same part of the same resource. */
export interface EventWithBefore extends StoredEvent {
  readonly id: string
  readonly before: StoredEvent | null
  /** Whether events were archived, so that one before may be gone. */
  readonly is_cut: boolean
}

const columns = "event_type, resource_id, metadata, data, commitments, personal"

/**
 * The events behind activities, each with the one before it. The events of metered use are left out in the words of the index
 * that does not have them: they are most of the log.
 */
export const listEventsBehind = (sql: Database, asked: ReadonlyArray<AskedEvent>): Query<EventWithBefore> => {
  const ids = asked.map(({ id }) => id)
  const shown = sql.literal(columns)
  // A value of a custom field is compared with the value before, and an event of one part with that part.
  const isSame = sql`e.event_type = ANY(a.kinds)
    AND (a.part IS NULL OR (e.data::jsonb ->> a.part) = (f.data::jsonb ->> a.part))
    AND ((f.metadata::jsonb ->> 'field_id') IS NULL
      OR (e.metadata::jsonb ->> 'field_id') = (f.metadata::jsonb ->> 'field_id'))`
  return sql<EventWithBefore>`
    -- name: events.list behind activities
    WITH found AS MATERIALIZED (
      SELECT id, sequence AS place, ${shown} FROM events WHERE id = ANY(${ids}::text[])
      UNION ALL
      SELECT id, 9000000000000000000 + ordinal, ${shown} FROM event_outbox WHERE id = ANY(${ids}::text[])
    )
    SELECT f.id, f.event_type, f.resource_id, f.metadata, f.data, f.commitments, f.personal, row_to_json(b.*) AS before,
      (SELECT dropped_sequence > 0 FROM event_archive) AS is_cut
    FROM json_to_recordset(${JSON.stringify(asked)}::text::json) AS a (id text COLLATE "C", kinds text[], part text)
    JOIN found f ON f.id = a.id
    LEFT JOIN LATERAL (
      SELECT ${shown} FROM (
        (SELECT sequence AS place, ${shown} FROM events e
        WHERE e.resource_key = right(f.resource_id, 7) AND e.resource_id = f.resource_id AND e.sequence < f.place
          AND e.event_type NOT IN ('license.usage_recorded', 'license.quota_reached', 'lease.checked_out',
            'lease.checked_in', 'lease.expired', 'offline.issued')
          AND ${isSame}
        ORDER BY sequence DESC LIMIT 1)
        UNION ALL
        (SELECT 9000000000000000000 + ordinal, ${shown} FROM event_outbox e
        WHERE e.resource_id = f.resource_id AND 9000000000000000000 + ordinal < f.place AND ${isSame})
      ) e ORDER BY place DESC LIMIT 1
    ) b ON a.kinds IS NOT NULL`
}

/** The ids of a page of activities whose names are asked for, each once. */
interface NamelessIds {
  readonly people: ReadonlyArray<string>
  readonly keys: ReadonlyArray<string>
  readonly products: ReadonlyArray<string>
  readonly customers: ReadonlyArray<string>
  readonly licenses: ReadonlyArray<string>
  readonly devices: ReadonlyArray<string>
}

/** A name of an id: its own, or for a license that of its policy or of whoever it is issued to. */
interface NamedId {
  readonly kind: "own" | "policy" | "holder"
  readonly id: string
  readonly name: string
}

/** The names of ids, of several tables at once: each is one look into a primary key. */
export const listActivityNames = (sql: Database, ids: NamelessIds): Query<NamedId> =>
  sql<NamedId>`
    -- name: catalog.list names of activities
    SELECT 'own' AS kind, id, name FROM people WHERE id = ANY(${ids.people}::text[])
    UNION ALL SELECT 'own', id, name FROM management_keys WHERE id = ANY(${ids.keys}::text[])
    UNION ALL SELECT 'own', id, name FROM products WHERE id = ANY(${ids.products}::text[])
    UNION ALL SELECT 'own', id, name FROM customers WHERE id = ANY(${ids.customers}::text[])
    UNION ALL SELECT 'own', id, coalesce(name, hostname) FROM devices
      WHERE id = ANY(${ids.devices}::text[]) AND coalesce(name, hostname) IS NOT NULL
    UNION ALL SELECT 'policy', l.id, p.name FROM licenses l JOIN policies p ON p.id = l.policy_id
      WHERE l.id = ANY(${ids.licenses}::text[])
    UNION ALL SELECT 'holder', id, coalesce(customer_name, customer_email) FROM licenses
      WHERE id = ANY(${ids.licenses}::text[]) AND coalesce(customer_name, customer_email) IS NOT NULL`

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

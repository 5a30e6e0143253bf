import type { Comparison } from "../../../domain/evidence/audit/ActivityChange.ts"
import type { StoredEvent } from "../../../domain/evidence/audit/StoredEvent.ts"
import type { Database, Query } from "../../ground/persistence/Database.ts"

/** An event that an activity is of, and what it is compared with. */
export interface AskedEvent extends Partial<Comparison> {
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
export interface NamelessIds {
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

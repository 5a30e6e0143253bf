import type { Database, Query } from "../../ground/persistence/Database.ts"
import { isPersonal } from "./OwnedSpanSql.ts"
import type { Erasable } from "./OwnedSpanSql.ts"

/** Types of resources that a customer does not own, and whose reasons, in events and activities, may name the customer. */
export type ReasonedType = "approval" | "job"

/** The events of resources that still have personal values: their reasons. */
export const listErasableOf = (sql: Database, ids: ReadonlyArray<string>): Query<Erasable> =>
  sql<Erasable>`
    -- name: events.list erasable of resources
    SELECT e.ordinal FROM unnest(${ids}::text[]) AS r (id)
    JOIN events e ON e.resource_key = right(r.id, 7) AND e.resource_id = r.id
    WHERE ${sql.literal(isPersonal("e"))}
    UNION
    SELECT e.ordinal FROM event_outbox e WHERE e.resource_id = ANY(${ids}::text[]) AND ${sql.literal(isPersonal("e"))}`

/** Takes the reasons of what was done with resources. */
export const updateReasonsErased = (sql: Database, type: ReasonedType, ids: ReadonlyArray<string>): Query<object> =>
  sql`
    -- name: activities.update reasons of resources erased
    UPDATE activities SET reason = NULL
    WHERE resource_type = ${type} AND resource_id = ANY(${ids}::text[]) AND reason IS NOT NULL RETURNING 1`

/** How many reasons {@link updateReasonsErased} would take. */
export const countReasons = (
  sql: Database,
  type: ReasonedType,
  ids: ReadonlyArray<string>
): Query<{ readonly reasons: number }> =>
  sql<{ readonly reasons: number }>`
    -- name: activities.count reasons of resources
    SELECT count(*)::int AS reasons FROM activities
    WHERE resource_type = ${type} AND resource_id = ANY(${ids}::text[]) AND reason IS NOT NULL`

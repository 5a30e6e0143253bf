import { Schema } from "effect"
import { mostReached } from "../../domain/explaining/PolicyDryRun.ts"
import type { SeatLimits } from "../../domain/explaining/PolicyDryRun.ts"
import { idleAfter } from "../licenses/DeviceSql.ts"
import type { Database, Query } from "../persistence/Database.ts"
import { rowReader } from "../persistence/RowToWire.ts"

/** Reads the row of {@link countReached}. */
export const readReached = rowReader(Schema.Struct({
  licenses: Schema.Finite,
  is_complete: Schema.Boolean,
  overridden: Schema.Record(Schema.String, Schema.Finite),
  beyond: Schema.Struct({
    max_activations: Schema.Finite,
    max_container_instances: Schema.Finite,
    max_floating_users: Schema.Finite
  })
}))

/** Which licenses to count. */
export interface Reached {
  readonly policyId: string
  /** The rules whose overrides are counted. */
  readonly rules: ReadonlyArray<string>
  /** The limits that more may be in use than; of those that are undefined nothing is counted. */
  readonly limits: SeatLimits
}

/** Counts the newest licenses of a policy that are not revoked. Of each no more seats are read than its limit and one. */
export const countReached = (sql: Database, { limits, policyId, rules }: Reached): Query<object> => {
  const devices = (kind: "hardware" | "container") =>
    sql.literal(
      `(SELECT id, last_seen_at, offline_counter FROM devices WHERE license_id = l.id AND binding_kind = '${kind}'
      AND status = 'active' AND NOT floating)`
    )
  const limit = (name: keyof SeatLimits) => sql`${limits[name] ?? null}::bigint`
  const applies = (name: keyof SeatLimits) =>
    sql`${limit(name)} IS NOT NULL AND l.overrides -> ${sql.literal(`'${name}'`)} IS NULL`
  return sql`
    -- name: licenses.count reached
    WITH newest AS MATERIALIZED (
      SELECT id, policy_id, state, overrides FROM licenses WHERE policy_id = ${policyId}
      ORDER BY id DESC LIMIT ${mostReached + 1}
    ), reached AS MATERIALIZED (
      SELECT * FROM newest WHERE state <> 'revoked' ORDER BY id DESC LIMIT ${mostReached}
    )
    SELECT count(*)::int AS licenses,
      (SELECT count(*) <= ${mostReached} FROM newest) AS is_complete,
      (SELECT coalesce(jsonb_object_agg(name, n), '{}') FROM (
        SELECT name, count(*)::int AS n FROM reached r, jsonb_object_keys(r.overrides) name
        WHERE name = ANY(${rules}::text[]) GROUP BY name) o) AS overridden,
      jsonb_build_object(
        'max_activations', count(*) FILTER (WHERE ${applies("max_activations")}
          AND EXISTS (SELECT 1 FROM ${devices("hardware")} d OFFSET ${limit("max_activations")})),
        'max_container_instances', count(*) FILTER (WHERE ${applies("max_container_instances")}
          AND EXISTS (SELECT 1 FROM ${devices("container")} d
            WHERE (d.last_seen_at >= now() - ${sql.literal(idleAfter("d"))} OR EXISTS (SELECT 1 FROM leases e
              WHERE e.license_id = l.id AND e.device_id = d.id AND e.ended_at IS NULL AND e.expires_at > now()))
            OFFSET ${limit("max_container_instances")})),
        'max_floating_users', count(*) FILTER (WHERE ${applies("max_floating_users")}
          AND EXISTS (SELECT 1 FROM leases e
            WHERE e.license_id = l.id AND e.ended_at IS NULL AND e.expires_at > now()
            OFFSET ${limit("max_floating_users")}))
      ) AS beyond
    FROM reached l JOIN policies p ON p.id = l.policy_id`
}

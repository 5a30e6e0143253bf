import { Schema } from "effect"
import type { Rules } from "../../../domain/catalog/terms/Rules.ts"
import { mostReached } from "../../../domain/licensing/explaining/PolicyDryRun.ts"
import type { Database, Query } from "../../ground/persistence/Database.ts"
import { rowReader } from "../../ground/persistence/RowToWire.ts"
import { idleAfter } from "../licenses/DeviceSql.ts"

/** Reads the row of {@link countReached}. */
export const readReached = rowReader(Schema.Struct({
  licenses: Schema.Finite,
  is_complete: Schema.Boolean,
  overridden: Schema.Record(Schema.String, Schema.Finite),
  beyond: Schema.Struct({
    max_activations: Schema.Finite,
    max_container_instances: Schema.Finite,
    max_floating_users: Schema.Finite,
    max_users: Schema.Finite,
    max_devices_per_user: Schema.Finite,
    activation_overage: Schema.Finite,
    floating_overage: Schema.Finite
  })
}))

/** The numbers to count of the licenses of a policy. */
export interface Reached {
  readonly policyId: string
  /** The rules that change: their overrides are counted, and the licenses that use more than those of seats serve. */
  readonly rules: ReadonlyArray<string>
  /** The rules after the change. */
  readonly after: Rules
}

/** How many seats are served under a limit with an overage, in SQL; NULL where nothing is refused (servedUpTo). */
const served = (limit: string, overage: string): string =>
  `CASE WHEN ${overage} = 'allow' THEN NULL WHEN ${overage} LIKE '%\\%'
    THEN ${limit} + ${limit} * left(${overage}, -1)::bigint / 100 ELSE ${limit} END`

/** The number of seats of each kind that each license is served under the rules after the change and its overrides. */
const servedSeats = (sql: Database, after: Rules) => {
  const own = (rule: keyof Rules, type: "bigint" | "text") =>
    sql`coalesce((l.overrides ->> ${sql.literal(`'${rule}'`)})::${sql.literal(type)}, ${after[rule] ?? null}::${
      sql.literal(type)
    })`
  return sql`LATERAL (
      SELECT ${own("max_activations", "bigint")} AS devices, ${own("max_container_instances", "bigint")} AS containers,
        ${own("max_floating_users", "bigint")} AS users, ${own("activation_overage", "text")} AS overage,
        ${own("floating_overage", "text")} AS floating_overage,
        ${own("max_users", "bigint")} AS people, ${own("max_devices_per_user", "bigint")} AS per_person
    ) own, LATERAL (
      SELECT ${sql.literal(served("own.devices", "own.overage"))} AS hardware,
        ${sql.literal(served("coalesce(own.containers, own.devices)", "own.overage"))} AS containers,
        own.containers IS NULL AS containers_are_devices,
        CASE WHEN own.users IS NULL THEN 0 ELSE ${
    sql.literal(served("own.users", "own.floating_overage"))
  } END AS floating,
        own.people, own.per_person
    ) most`
}

/**
 * Counts the newest licenses of a policy that are not revoked. Those that are beyond a limit are those that a change of
 * policy to these rules would be refused for (seatsBeyond). Containers without a limit of their own have that of devices;
 * one that is idle gives its seat to the next. Of each license no more seats are read than are served, and one.
 */
export const countReached = (sql: Database, { after, policyId, rules }: Reached): Query<object> => {
  const devices = (kind: "hardware" | "container") =>
    sql.literal(
      `(SELECT id, last_seen_at, offline_counter FROM devices WHERE license_id = l.id AND binding_kind = '${kind}'
      AND status = 'active' AND NOT floating)`
    )
  const hasChanged = (name: keyof Rules) => sql`${rules.includes(name)}::boolean`
  const applies = (name: keyof Rules) => sql`${hasChanged(name)} AND l.overrides -> ${sql.literal(`'${name}'`)} IS NULL`
  const hardware = sql`most.hardware IS NOT NULL AND EXISTS (SELECT 1 FROM ${
    devices("hardware")
  } d OFFSET most.hardware)`
  const containers = sql`most.containers IS NOT NULL AND EXISTS (SELECT 1 FROM ${devices("container")} d
            WHERE (d.last_seen_at >= now() - ${sql.literal(idleAfter("d"))} OR EXISTS (SELECT 1 FROM leases e
              WHERE e.license_id = l.id AND e.device_id = d.id AND e.ended_at IS NULL AND e.expires_at > now()))
            OFFSET most.containers)`
  const floating = sql`most.floating IS NOT NULL AND EXISTS (SELECT 1 FROM leases e
            WHERE e.license_id = l.id AND e.ended_at IS NULL AND e.expires_at > now() OFFSET most.floating)`
  const people = sql`most.people IS NOT NULL AND EXISTS (SELECT 1 FROM license_users u
            WHERE u.license_id = l.id AND u.status = 'active' OFFSET most.people)`
  const ofPeople = sql`most.per_person IS NOT NULL AND EXISTS (SELECT 1 FROM license_users u
            JOIN license_user_devices h ON h.user_id = u.id JOIN devices d ON d.id = h.device_id
            WHERE u.license_id = l.id AND u.status = 'active' AND d.status = 'active' AND (NOT d.floating
              OR EXISTS (SELECT 1 FROM leases e WHERE e.license_id = l.id AND e.device_id = d.id AND e.ended_at IS NULL
                AND e.expires_at > now()))
            GROUP BY u.id HAVING count(*) > most.per_person)`
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
        'max_activations', count(*) FILTER (WHERE ${applies("max_activations")} AND (${hardware}
          OR most.containers_are_devices AND NOT ${hasChanged("max_container_instances")} AND ${containers})),
        'max_container_instances', count(*) FILTER (WHERE ${applies("max_container_instances")} AND ${containers}),
        'max_floating_users', count(*) FILTER (WHERE ${applies("max_floating_users")} AND ${floating}),
        'max_users', count(*) FILTER (WHERE ${applies("max_users")} AND ${people}),
        'max_devices_per_user', count(*) FILTER (WHERE ${applies("max_devices_per_user")} AND ${ofPeople}),
        'activation_overage', count(*) FILTER (WHERE ${applies("activation_overage")} AND (${hardware}
          OR ${containers})),
        'floating_overage', count(*) FILTER (WHERE ${applies("floating_overage")} AND ${floating})
      ) AS beyond
    FROM reached l JOIN policies p ON p.id = l.policy_id, ${servedSeats(sql, after)}`
}

import { Effect } from "effect"
import type { ComponentMatch, Components } from "../../../domain/licensing/licenses/Components.ts"
import type { Device } from "../../../domain/licensing/licenses/Device.ts"
import type { Database, Query } from "../../ground/persistence/Database.ts"
import { effectiveComponentMatch } from "../../catalog/terms/TermsSql.ts"
import type { LicenseBinding } from "./DeviceBindingSql.ts"

/** A device that names its components. */
export interface NamedComponents extends LicenseBinding {
  readonly components: Components
}

/** A license whose terms count components. */
interface CountingLicense {
  readonly license_id: string
  readonly rule: ComponentMatch
  readonly components: Components | null
}

/** A device of the license that has components in common with the device that is looked up. */
export interface SimilarDevice extends CountingLicense {
  readonly id: string
  readonly binding_key: string
  readonly named: number
  readonly matched: number
  readonly is_blocked: boolean
  readonly last_seen_at: Date
}

/** The license without such a device: none is similar, or a device has the fingerprint itself. */
interface NoSimilarDevice extends CountingLicense {
  readonly id: null
}

export type ComponentsRow = SimilarDevice | NoSimilarDevice

/**
 * Reads the stored components of the devices with these fingerprints or, where a license has no such device, those that
 * have components in common: of those with the same counts and the same block only the one that was seen last, so that
 * there are few however many devices a license has.
 */
const componentsQuery = `
  -- name: devices.list by components
  SELECT l.id AS license_id, ${effectiveComponentMatch} AS rule, coalesce(d.components, m.components) AS components,
    m.id, m.binding_key, m.named, m.matched, m.is_blocked, m.last_seen_at
  FROM unnest($1::text[], $2::text[], $3::text[]) AS q (license_id, key, components)
  JOIN licenses l ON l.id = q.license_id
  JOIN policies p ON p.id = l.policy_id
  LEFT JOIN devices d ON d.license_id = l.id AND d.binding_kind = 'hardware' AND d.binding_key = q.key
  LEFT JOIN LATERAL (
    SELECT DISTINCT ON (named, matched, is_blocked) * FROM (
      SELECT c.id, c.binding_key, c.components, c.last_seen_at, c.status = 'blacklisted' AS is_blocked,
        (SELECT count(*)::int FROM jsonb_object_keys(c.components)) AS named, count(*)::int AS matched
      FROM jsonb_each(q.components::jsonb) g CROSS JOIN LATERAL (
        SELECT * FROM devices
        WHERE license_id = q.license_id AND binding_kind = 'hardware' AND components IS NOT NULL
          AND components @> jsonb_build_object(g.key, g.value) OFFSET 0
      ) c GROUP BY c.id, c.binding_key, c.components, c.last_seen_at, c.status
    ) n ORDER BY named, matched, is_blocked, last_seen_at DESC, id
  ) m ON d.id IS NULL
  WHERE ${effectiveComponentMatch} IS NOT NULL`

/** The stored components by which devices may be recognized; at most one device of each license may be asked about. */
export const listByComponents = (sql: Database, named: ReadonlyArray<NamedComponents>): Query<ComponentsRow> =>
  sql.unsafe<ComponentsRow>(componentsQuery, [
    named.map(({ licenseId }) => licenseId),
    named.map(({ binding }) => binding.key),
    named.map(({ components }) => JSON.stringify(components))
  ])

/** A device with other components, or another fingerprint, than it had. */
export interface DeviceChange {
  readonly device: Device
  readonly components: Components
  /** Whether it has another fingerprint than before. */
  readonly isRebound: boolean
}

/** Gives devices their new fingerprints, before they are bound. The licenses are locked. */
export const updateRebound = (sql: Database, changes: ReadonlyArray<DeviceChange>): Effect.Effect<void> => {
  const rebound = changes.filter(({ isRebound }) => isRebound)
  return rebound.length === 0 ? Effect.void : Effect.asVoid(
    sql.unsafe(
      `-- name: devices.update rebound
       UPDATE devices d SET binding_key = v.key FROM unnest($1::text[], $2::text[]) AS v (id, key) WHERE d.id = v.id`,
      [rebound.map(({ device }) => device.id), rebound.map(({ device }) => device.binding_key)]
    )
  )
}

/** Stores the components of devices, after they are bound. */
export const updateComponents = (sql: Database, changes: ReadonlyArray<DeviceChange>): Effect.Effect<void> =>
  changes.length === 0 ? Effect.void : Effect.asVoid(
    sql.unsafe(
      `-- name: devices.update components
       UPDATE devices d SET components = v.components::jsonb, components_changed_at = v.at
       FROM unnest($1::text[], $2::text[], $3::timestamptz[]) AS v (id, components, at) WHERE d.id = v.id`,
      [
        changes.map(({ device }) => device.id),
        changes.map(({ components }) => JSON.stringify(components)),
        changes.map(({ device }) => new Date(device.updated_at))
      ]
    )
  )

import { Schema } from "effect"
import type { Statement } from "effect/sql"
import type { ProductCodes } from "../../../domain/catalog/Product.ts"
import type { DeviceBinding } from "../../../domain/licensing/entitlements/DeviceBinding.ts"
import type { DeviceBindingKind } from "../../../domain/licensing/licenses/Device.ts"
import type { Started } from "../../../domain/licensing/licenses/LicenseIssue.ts"
import type { LicenseUserStatus } from "../../../domain/licensing/users/LicenseUser.ts"
import type { EventKind } from "../../../domain/log/EventKind.ts"
import type { Database, Query } from "../../ground/persistence/Database.ts"
import { eventMember } from "../../ground/persistence/EventMemberSql.ts"
import { rowReader } from "../../ground/persistence/RowToWire.ts"
import { fileUntil } from "../../ground/persistence/RunningDeviceSql.ts"
import { deviceColumns, idleAfter } from "../licenses/DeviceSql.ts"

const startQuery = `
  -- name: licenses.update started
  UPDATE licenses SET starts_at = $2::text::timestamptz, expires_at = $3::text::timestamptz,
    term_anchor = CASE WHEN term_anchor IS NULL THEN NULL ELSE $2::text::timestamptz END,
    maintenance_expires_at = $4::text::timestamptz, awaits_activation = NULL,
    -- guard: a started license announces its new end
    announced = 'nothing',
    entitlement_version = entitlement_version + 1, updated_at = now()
  WHERE id = $1 RETURNING id`

/** Starts a license, which is locked: its end is another one from now on, of which nothing was announced yet. */
export const updateStarted = (
  sql: Database,
  id: string,
  { expires_at, maintenance_expires_at, starts_at }: Started
): Query<{ readonly id: string }> =>
  sql.unsafe<{ readonly id: string }>(startQuery, [id, starts_at, expires_at, maintenance_expires_at])

/** The row of a device, and whether it is bound through a lease only. */
export interface BoundDeviceRow {
  readonly floating: boolean
}

/** The device of a binding. */
export const findBoundDevice = (
  sql: Database,
  licenseId: string,
  { key, kind }: DeviceBinding
): Query<BoundDeviceRow> =>
  sql<BoundDeviceRow>`
    -- name: devices.find bound
    SELECT ${sql.literal(deviceColumns)}, floating FROM devices
    WHERE license_id = ${licenseId} AND binding_kind = ${kind} AND binding_key = ${key}`

/** Which seats to count, at an instant. */
export interface SeatsAt {
  readonly licenseId: string
  readonly at: Date
  /** Which activation seats; undefined counts none. */
  readonly kind: DeviceBindingKind | undefined
  /** The device that does not count as another one; empty for none. */
  readonly deviceId: string
}

/** Reads activation seats of other devices, the leases that live, and those of this device, the newest first. */
export const readSeats = rowReader(Schema.Struct({
  devices: Schema.Finite,
  leases: Schema.Finite,
  held: Schema.Array(Schema.Struct({ process_id: Schema.String, live: Schema.Boolean }))
}))

/** The seats that are taken at an instant. Containers that are idle by then take none. */
export const countSeatsAt = (sql: Database, { at, deviceId, kind, licenseId }: SeatsAt): Query<object> =>
  sql`
    -- name: devices.count seats taken
    SELECT
      (SELECT count(*)::int FROM devices d
        JOIN licenses l ON l.id = d.license_id JOIN policies p ON p.id = l.policy_id
        WHERE d.license_id = ${licenseId} AND d.binding_kind = ${kind ?? ""} AND d.status = 'active'
          AND NOT d.floating AND d.id <> ${deviceId}
          AND (d.binding_kind = 'hardware' OR d.last_seen_at >= ${at} - ${sql.literal(idleAfter("d"))}
            OR EXISTS (SELECT 1 FROM leases e WHERE e.license_id = ${licenseId} AND e.device_id = d.id
              AND e.ended_at IS NULL AND e.expires_at > ${at}))) AS devices,
      (SELECT count(*)::int FROM leases e
        WHERE e.license_id = ${licenseId} AND e.ended_at IS NULL AND e.expires_at > ${at}) AS leases,
      (SELECT coalesce(json_agg(json_build_object('process_id', e.process_id, 'live', e.expires_at > ${at})
          ORDER BY e.id DESC), '[]') FROM leases e
        WHERE e.license_id = ${licenseId} AND e.ended_at IS NULL AND e.device_id = ${deviceId}) AS held`

/** The codes of products, in the order of their ids. */
export const listProductCodes = (sql: Database, ids: ReadonlyArray<string>): Query<ProductCodes> =>
  sql<ProductCodes>`
    -- name: products.list codes of bundle
    SELECT code, former_codes FROM products WHERE id = ANY(${ids}::text[]) ORDER BY id`

/** Reads the instant to judge at, and whether it is past on the database's clock. */
export const readInstant = rowReader(Schema.Struct({ at: Schema.DateFromString, is_past: Schema.Boolean }))

/** The instant to judge at: now, unless the question names one. */
export const findExplainedTime = (sql: Database, at: string | undefined): Query<object> =>
  sql`
    -- name: clock.find explained time
    SELECT coalesce(t.at, clock_timestamp()) AS at, coalesce(t.at < clock_timestamp(), false) AS is_past
    FROM (SELECT ${at ?? null}::text::timestamptz AS at) t`

// Metered use is most of the log and not needed here. The planner takes the partial index without it only if this
// condition has the very words of the index.
export const ofState = `event_type NOT IN ('license.usage_recorded', 'license.quota_reached',
  'lease.checked_out', 'lease.checked_in', 'lease.expired', 'offline.issued')`

const columns = "event_type, resource_id, metadata, data, personal, created_at"

/** The columns that {@link readLastEvent} reads. */
const lastColumns = "event_type, place, data, personal"

const among = (sql: Database, kinds: ReadonlyArray<EventKind>): Statement.Fragment =>
  sql`event_type = ANY(${kinds}::text[])`

const theId = (sql: Database, id: string): Statement.Fragment => sql`SELECT ${id}::text AS id`
const theIds = (sql: Database, ids: ReadonlyArray<string>): Statement.Fragment =>
  sql`SELECT unnest(${ids}::text[]) AS id`
const devicesOf = (sql: Database, licenseId: string): Statement.Fragment =>
  sql`SELECT id FROM devices WHERE license_id = ${licenseId}`

/**
 * The events of resources, as a FROM item; `place` orders them. Of the events that were dropped there are those that
 * nothing before the oldest kept event took the place of.
 */
export const eventsOf = (
  sql: Database,
  resourceIds: Statement.Fragment,
  which: Statement.Fragment
): Statement.Fragment => {
  const all = sql.literal(columns)
  return sql`(
    SELECT e.* FROM (${resourceIds}) about CROSS JOIN LATERAL (
      SELECT sequence AS place, ${all} FROM events
      WHERE resource_key = right(about.id, 7) AND resource_id = about.id AND ${which}
      OFFSET 0
    ) e
    UNION ALL
    SELECT place, event_type, resource_id, metadata, data, NULL, created_at FROM event_anchors
    WHERE resource_id IN (${resourceIds}) AND ${which}
    UNION ALL
    SELECT 9000000000000000000 + ordinal, ${all} FROM event_outbox
    WHERE resource_id IN (${resourceIds}) AND ${which}
  ) e`
}

/** The last event of a resource at an instant, of these kinds. */
export const findLastEvent = (
  sql: Database,
  resourceId: string,
  kinds: ReadonlyArray<EventKind>,
  at: Date
): Query<object> =>
  sql`
    -- name: events.find last of resource
    SELECT ${sql.literal(lastColumns)}
    FROM ${eventsOf(sql, theId(sql, resourceId), sql`${sql.literal(ofState)} AND ${among(sql, kinds)}`)}
    WHERE created_at <= ${at} ORDER BY place DESC LIMIT 1`

/** The last event about a user of a license at an instant. */
export const findLastUserEvent = (
  sql: Database,
  { at, licenseId, userId }: { readonly licenseId: string; readonly userId: string; readonly at: Date }
): Query<{ readonly status: LicenseUserStatus }> =>
  sql<{ readonly status: LicenseUserStatus }>`
    -- name: events.find last of user
    SELECT data::jsonb ->> 'status' AS status FROM ${
    eventsOf(
      sql,
      theId(sql, licenseId),
      among(sql, ["license.user_invited", "license.user_joined", "license.user_removed"])
    )
  }
    WHERE created_at <= ${at} AND metadata::jsonb ->> 'user_id' = ${userId} ORDER BY place DESC LIMIT 1`

/**
 * The users whose devices of a license were at an instant, by the last events about that. A device without such an event at any time was somebody's
 * before there were any: it is told whose it is today.
 */
export const listDeviceUsersAt = (
  sql: Database,
  licenseId: string,
  at: Date
): Query<{ readonly device_id: string; readonly user_id: string }> =>
  sql<{ readonly device_id: string; readonly user_id: string }>`
    -- name: events.list users of devices
    WITH told AS MATERIALIZED (
      SELECT place, created_at, metadata::jsonb ->> 'device_id' AS device_id, metadata::jsonb ->> 'user_id' AS user_id
      FROM ${eventsOf(sql, theId(sql, licenseId), among(sql, ["license.user_device_changed"]))})
    (SELECT DISTINCT ON (device_id) device_id, user_id FROM told WHERE created_at <= ${at} ORDER BY device_id, place DESC)
    UNION ALL
    SELECT h.device_id, h.user_id FROM license_user_devices h JOIN devices d ON d.id = h.device_id
    WHERE d.license_id = ${licenseId} AND NOT EXISTS (SELECT FROM told WHERE told.device_id = h.device_id)`

/** The last event about a feature that a license or a policy has, at an instant, of these kinds. */
export const findLastFeatureEvent = (
  sql: Database,
  { at, featureId, kinds, resourceId }: {
    readonly resourceId: string
    readonly featureId: string
    readonly kinds: ReadonlyArray<EventKind>
    readonly at: Date
  }
): Query<object> =>
  sql`
    -- name: events.find last of feature
    SELECT ${sql.literal(lastColumns)} FROM ${eventsOf(sql, theId(sql, resourceId), among(sql, kinds))}
    WHERE created_at <= ${at} AND data::jsonb ->> 'feature_id' = ${featureId}
    ORDER BY place DESC LIMIT 1`

/** The last use of a feature by an instant that was not late: what it says of its period is of the running one. */
export const findLastRunningUse = (
  sql: Database,
  { at, featureId, licenseId }: { readonly licenseId: string; readonly featureId: string; readonly at: Date }
): Query<object> =>
  sql`
    -- name: events.find last running use
    SELECT ${sql.literal(lastColumns)}
    FROM ${eventsOf(sql, theId(sql, licenseId), sql`event_type = 'license.usage_recorded'`)}
    WHERE created_at <= ${at} AND data::jsonb ->> 'feature_id' = ${featureId} AND data::jsonb ->> 'is_late' IS NULL
    ORDER BY place DESC LIMIT 1`

/** The last events of each device of a license at an instant: that of its state, and that of its components. */
export const listLastDeviceEvents = (
  sql: Database,
  licenseId: string,
  at: Date
): Query<{ readonly device_id: string }> => {
  const state = sql.literal(ofState)
  return sql<{ readonly device_id: string }>`
    -- name: events.list last of devices
    SELECT DISTINCT ON (device_id, is_change) ${sql.literal(lastColumns)}, device_id FROM (
      SELECT metadata::jsonb ->> 'device_id' AS device_id, * FROM ${eventsOf(sql, theId(sql, licenseId), state)}
      WHERE event_type IN ('license.activated', 'license.deactivated')
      UNION ALL
      SELECT resource_id AS device_id, * FROM ${eventsOf(sql, devicesOf(sql, licenseId), state)}
    ) d CROSS JOIN LATERAL (SELECT event_type = 'device.components_changed') r (is_change)
    WHERE created_at <= ${at} ORDER BY device_id, is_change, place DESC`
}

/**
 * Until when devices of a license had something for offline use at an instant: by the files that were issued by then, and the envelopes that were
 * fetched since somebody freed the seat.
 */
export const listOfflineAt = (
  sql: Database,
  licenseId: string,
  at: Date
): Query<{ readonly device_id: string; readonly until: Date }> =>
  sql<{ readonly device_id: string; readonly until: Date }>`
    -- name: events.list offline
    SELECT device_id, max(until) AS until FROM (
      SELECT f.device_id, ${sql.literal(fileUntil)} AS until FROM offline_files f
      WHERE f.license_id = ${licenseId} AND f.issued_at <= ${at}
      UNION ALL
      SELECT i.device_id, i.until FROM (
        SELECT metadata::jsonb ->> 'device_id' AS device_id, ${
    sql.literal(eventMember(["offline.issued"], "valid_until", "timestamptz"))
  } AS until, place
        FROM ${eventsOf(sql, theId(sql, licenseId), sql`event_type = 'offline.issued'`)} WHERE created_at <= ${at}
      ) i
      WHERE i.until > ${at} AND NOT EXISTS (
        SELECT FROM ${eventsOf(sql, devicesOf(sql, licenseId), sql`event_type = 'device.reset'`)}
        WHERE e.resource_id = i.device_id AND e.created_at <= ${at} AND e.place > i.place
          AND e.metadata::jsonb ->> 'frees_seat' = 'true')
    ) o WHERE until > ${at} GROUP BY device_id`

/** The last reset by the holder of the key, of the devices of a license at an instant. */
export const findLastSelfServiceReset = (
  sql: Database,
  licenseId: string,
  at: Date
): Query<{ readonly metadata: string }> =>
  sql<{ readonly metadata: string }>`
    -- name: events.find last self-service reset
    SELECT metadata FROM ${eventsOf(sql, devicesOf(sql, licenseId), sql`event_type = 'device.reset'`)}
    WHERE created_at <= ${at} AND metadata::jsonb ->> 'self_service' = 'true' ORDER BY place DESC LIMIT 1`

/** A feature by the code that an event calls it by, and the place of that event. */
interface NamedFeature {
  readonly id: string
  readonly code: string
  readonly place: bigint
}

/** The features that events of these kinds of these resources are about, each by the last one at an instant. */
export const listGivenFeatures = (
  sql: Database,
  givers: ReadonlyArray<string>,
  kinds: ReadonlyArray<EventKind>,
  at: Date
): Query<NamedFeature> =>
  sql<NamedFeature>`
    -- name: events.list given features
    SELECT DISTINCT ON (id) data::jsonb ->> 'feature_id' AS id, data::jsonb ->> 'feature_code' AS code, place
    FROM ${eventsOf(sql, theIds(sql, givers), among(sql, kinds))}
    WHERE created_at <= ${at} ORDER BY id, place DESC`

/** The codes that features were given by changes of theirs, each the last one at an instant. */
export const listFeatureCodes = (
  sql: Database,
  featureIds: ReadonlyArray<string>,
  at: Date
): Query<Pick<NamedFeature, "id" | "code">> =>
  sql<Pick<NamedFeature, "id" | "code">>`
    -- name: events.list feature codes
    SELECT DISTINCT ON (resource_id) resource_id AS id, data::jsonb ->> 'code' AS code
    FROM ${eventsOf(sql, theIds(sql, featureIds), among(sql, ["feature.updated"]))}
    WHERE created_at <= ${at} ORDER BY resource_id, place DESC`

/**
 * The leases of a license that were open at an instant, the newest first: whether each lived then, and whether it is
 * `mine`, of this device or, where it is not known, of this binding: a device may have had another fingerprint then, and
 * one that was only ever bound for leases has no events. They are read from their table, because a lease that ended stays
 * ended, so its row says when it was live.
 */
export const listLeasesAt = (
  sql: Database,
  { at, binding, deviceId, licenseId }: {
    readonly licenseId: string
    readonly binding: DeviceBinding | undefined
    readonly deviceId: string | undefined
    readonly at: Date
  }
): Query<object> =>
  sql`
    -- name: leases.list open at
    SELECT e.device_id, CASE WHEN ${deviceId ?? null}::text IS NULL
      THEN d.binding_kind = ${binding?.kind ?? ""} AND d.binding_key = ${binding?.key ?? ""}
      ELSE d.id = ${deviceId ?? ""} END AS mine,
      e.process_id, least(e.ended_at, e.expires_at) > ${at} AS live
    FROM leases e JOIN devices d ON d.id = e.device_id
    WHERE e.license_id = ${licenseId} AND e.checked_out_at <= ${at}
      AND (e.ended_at IS NULL OR e.ended_at > ${at})
    ORDER BY e.id DESC`

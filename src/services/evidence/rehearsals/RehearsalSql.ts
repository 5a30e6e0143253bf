import type { RecordedCalls } from "../../../domain/evidence/recording/DecidedUse.ts"
import type { EventKind } from "../../../domain/log/EventKind.ts"
import { wholeLicenseKinds } from "../../../domain/log/EventKind.ts"
import type { Database, Query } from "../../ground/persistence/Database.ts"
import { eventsOf, ofState } from "../../licensing/entitlements/LicenseHistorySql.ts"

/** The kinds of events by which a device gets or loses its seat beside those of its license. */
const seatKinds: ReadonlyArray<EventKind> = ["device.reset", "device.blacklisted", "device.expired"]

/** A license that is rehearsed. */
export interface RehearsedLicenseRow {
  readonly id: string
  readonly created_at: Date
}

/** The licenses of a policy that are rehearsed: made before the end of the window, in the order of their IDs. */
export const listRehearsedLicenses = (
  sql: Database,
  { after, limit, policyId, until }: {
    readonly policyId: string
    readonly after: string
    readonly until: Date
    readonly limit: number
  }
): Query<RehearsedLicenseRow> =>
  sql<RehearsedLicenseRow>`
    -- name: licenses.list rehearsed
    SELECT id, created_at FROM licenses WHERE policy_id = ${policyId} AND id > ${after} AND created_at < ${until}
    ORDER BY id LIMIT ${limit}`

/** The recorded calls of licenses in a window of full hours, at most `limit`. */
export const listDecidedCalls = (
  sql: Database,
  { from, licenseIds, limit, to }: {
    readonly licenseIds: ReadonlyArray<string>
    readonly from: Date
    readonly to: Date
    readonly limit: number
  }
): Query<RecordedCalls> =>
  sql<RecordedCalls>`
    -- name: decided_calls.list
    SELECT license_id, device, operation, result, is_vm,
      is_container, calls::float8 AS calls, first_at, last_at, user_id, feature_code, amount::float8 AS amount,
      remaining::float8 AS remaining, shortest_pause::float8 AS shortest_pause, longest_pause::float8 AS longest_pause
    FROM decided_calls WHERE license_id = ANY(${licenseIds}::text[]) AND hour >= ${from} AND hour < ${to}
    LIMIT ${limit}`

/** A floating seat that was held in a window. */
export interface LeaseRow {
  readonly license_id: string
  readonly device_id: string
  readonly checked_out_at: Date
  /** When it became or becomes free. */
  readonly until: Date
  readonly end_reason: string | null
}

/** The floating seats of licenses that were held in a window, at most `limit`. */
export const listHeldLeases = (
  sql: Database,
  { from, licenseIds, limit, to }: {
    readonly licenseIds: ReadonlyArray<string>
    readonly from: Date
    readonly to: Date
    readonly limit: number
  }
): Query<LeaseRow> =>
  sql<LeaseRow>`
    -- name: leases.list held in window
    SELECT license_id, device_id, checked_out_at, least(ended_at, expires_at) AS until, end_reason
    FROM leases
    WHERE license_id = ANY(${licenseIds}::text[]) AND checked_out_at < ${to}
      AND (ended_at IS NULL OR ended_at >= ${from}) AND expires_at >= ${from}
    LIMIT ${limit}`

/** A user of a license, and when the seat was taken and given back. */
export interface UserRow {
  readonly license_id: string
  readonly id: string
  readonly created_at: Date
  readonly joined_at: Date | null
  readonly removed_at: Date | null
  readonly removed_because: string | null
}

/** The users of licenses who were there at some time of a window, at most `limit`. */
export const listUsersInWindow = (
  sql: Database,
  { from, licenseIds, limit, to }: {
    readonly licenseIds: ReadonlyArray<string>
    readonly from: Date
    readonly to: Date
    readonly limit: number
  }
): Query<UserRow> =>
  sql<UserRow>`
    -- name: license_users.list in window
    SELECT license_id, id, created_at, joined_at, removed_at, removed_because FROM license_users
    WHERE license_id = ANY(${licenseIds}::text[]) AND created_at < ${to} AND (removed_at IS NULL OR removed_at >= ${from})
    LIMIT ${limit}`

/** A device, and the digest by which calls name it that were made before the license knew it. */
export interface DeviceDigest {
  readonly license_id: string
  readonly id: string
  readonly digest: string
}

/** The digests of the devices of licenses. */
export const listDeviceDigests = (sql: Database, licenseIds: ReadonlyArray<string>): Query<DeviceDigest> =>
  sql<DeviceDigest>`
    -- name: devices.list digests
    SELECT license_id, id, left(encode(sha256(convert_to(binding_kind || E'\n' || binding_key, 'UTF8')), 'hex'), 32) AS digest
    FROM devices WHERE license_id = ANY(${licenseIds}::text[])`

/** An event of a license, of one of its devices, or of a policy, as the log has it. */
export interface StateEvent {
  readonly event_type: string
  readonly resource_id: string
  readonly created_at: Date
}

/** The events of licenses and their devices before an instant that change what calls are decided by, in the order of the log. */
export const listStateEvents = (
  sql: Database,
  { licenseIds, limit, until }: {
    readonly licenseIds: ReadonlyArray<string>
    readonly until: Date
    readonly limit: number
  }
): Query<StateEvent> =>
  sql<StateEvent>`
    -- name: events.list of state
    SELECT event_type, place, data, NULL AS personal, resource_id, created_at FROM ${
    eventsOf(
      sql,
      sql`SELECT unnest(${licenseIds}::text[]) AS id UNION ALL
        SELECT id FROM devices WHERE license_id = ANY(${licenseIds}::text[])`,
      sql`${sql.literal(ofState)} AND event_type = ANY(${[...wholeLicenseKinds, ...seatKinds]}::text[])`
    )
  }
    WHERE created_at < ${until} ORDER BY place LIMIT ${limit}`

/** The events of a policy before an instant, in the order of the log. */
export const listPolicyEvents = (sql: Database, policyId: string, until: Date): Query<StateEvent> =>
  sql<StateEvent>`
    -- name: events.list of policy
    SELECT event_type, place, data, NULL AS personal, resource_id, created_at FROM ${
    eventsOf(
      sql,
      sql`SELECT ${policyId}::text AS id`,
      sql`event_type IN ('policy.created', 'policy.updated')`
    )
  }
    WHERE created_at < ${until} ORDER BY place`

/** The instant of the database's clock, and since when calls are recorded, and calls about floating seats among them. */
interface RecordedSince {
  readonly now: Date
  readonly since: Date | null
  readonly leases_since: Date | null
}

/** Finds the instant of the database's clock, and since when calls are recorded. */
export const findRecordedSince = (
  sql: Database
): Query<RecordedSince> =>
  sql<RecordedSince>`
    -- name: clock.find recorded since
    SELECT clock_timestamp() AS now, (SELECT until FROM pruned_tables WHERE name = 'decided_calls') AS since,
      (SELECT until FROM pruned_tables WHERE name = 'decided_leases') AS leases_since`

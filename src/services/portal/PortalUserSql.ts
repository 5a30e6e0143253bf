import type { Statement } from "effect/sql"
import type { Database, Fragments, Query } from "../ground/persistence/Database.ts"
import type { SortedClauses } from "../ground/persistence/KeysetPagination.ts"
import { seatedConditions } from "../licensing/seats/OwnDeviceSql.ts"

/** The people `u` of a license who have a seat or an invitation, as conditions. */
export const arePresent = (sql: Fragments, licenseId: string): ReadonlyArray<Statement.Fragment> => [
  sql`u.license_id = ${licenseId} AND u.status <> 'removed'`
]

/** A page of the people `u` of a license, with the devices that they have a seat on: all counted, and some by name. */
export const listPortalUsers = (
  sql: Database,
  { licenseId, namedDevices }: { readonly licenseId: string; readonly namedDevices: number },
  { orderBy, place, where }: SortedClauses,
  limit: number
): Query<object> =>
  sql`
    -- name: license_users.list portal
    SELECT u.id, u.email, u.name, u.subject, u.status, u.last_seen_at, s.device_count, s.device_names ${place}
    FROM license_users u CROSS JOIN LATERAL (
      SELECT count(*)::int AS device_count,
        coalesce((array_agg(coalesce(d.name, d.hostname, '') ORDER BY d.last_seen_at DESC, d.id))[1:${namedDevices}::int],
          '{}') AS device_names
      FROM license_user_devices h JOIN devices d ON d.id = h.device_id
      WHERE h.user_id = u.id AND ${sql.and([...seatedConditions(sql, licenseId)])}) s
    ${where} ${orderBy} LIMIT ${limit}`

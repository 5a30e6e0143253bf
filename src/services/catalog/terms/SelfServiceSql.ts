import type { Database, Query } from "../../ground/persistence/Database.ts"

/**
 * The self-service of licenses and their policies, by the ids of the licenses: now on the database's clock, or at an
 * instant with what is counted now.
 */
export const listSelfService = (sql: Database, licenseIds: ReadonlyArray<string>, at?: Date): Query<object> =>
  sql`
    -- name: licenses.list self service
    SELECT l.id AS license_id, coalesce(${at ?? null}::timestamptz, clock_timestamp()) AS now, l.overrides,
      json_strip_nulls(json_build_object('self_service', p.self_service,
        'max_self_service_resets', p.max_self_service_resets, 'self_service_period', p.self_service_period,
        'self_service_transfer', p.self_service_transfer)) AS rules,
      l.self_service_start, l.self_service_resets
    FROM licenses l JOIN policies p ON p.id = l.policy_id WHERE l.id = ANY(${licenseIds}::text[])`

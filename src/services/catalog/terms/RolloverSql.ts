import type { Grant } from "../../../domain/licensing/grants/Grant.ts"
import type { Database, Query } from "../../ground/persistence/Database.ts"
import { integers } from "../../ground/persistence/NumberArrays.ts"

/** Writes carried units as grants of features that are counted from then on, of locked licenses. */
export const insertCarried = (sql: Database, grants: ReadonlyArray<Grant>): Query<object> =>
  sql.unsafe(
    `
    -- name: license_grants.insert carried
    WITH v AS (
      SELECT * FROM unnest($1::text[], $2::text[], $3::text[], $4::int8[], $5::timestamptz[], $6::timestamptz[], $7::int8[],
        $8::timestamptz[]) AS v (id, license_id, feature_id, amount, starts_at, expires_at, priority, created_at)
    ), counted AS (
      INSERT INTO license_features AS a (license_id, feature_id, enabled, metadata, is_counter, granted_consumptions)
      SELECT DISTINCT license_id, feature_id, true, '{}'::jsonb, true, 0 FROM v
      ON CONFLICT (license_id, feature_id) DO UPDATE SET granted_consumptions = coalesce(a.granted_consumptions, 0)
    )
    INSERT INTO license_grants (id, license_id, feature_id, amount, starts_at, expires_at, priority, source, created_at)
    SELECT id, license_id, feature_id, amount, starts_at, expires_at, priority, 'rollover', created_at FROM v`,
    [
      grants.map(({ id }) => id),
      grants.map(({ license_id }) => license_id),
      grants.map(({ feature_id }) => feature_id),
      integers(grants.map(({ amount }) => amount)),
      grants.map(({ starts_at }) => starts_at),
      grants.map(({ expires_at }) => expires_at ?? "infinity"),
      integers(grants.map(({ priority }) => priority)),
      grants.map(({ created_at }) => created_at)
    ]
  )

/** Says up to which instant the carried units of a locked license are grants. */
export const updateRolledUntil = (sql: Database, licenseId: string, until: Date): Query<object> =>
  sql`
    -- name: licenses.update rolled until
    UPDATE licenses SET rolled_until = ${until} WHERE id = ${licenseId}`

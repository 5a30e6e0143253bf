import type { Statement } from "effect/sql"
import type { TakenUnits } from "../../../domain/catalog/terms/GrantBalance.ts"
import type { GrantIssued } from "../../../domain/licensing/grants/GrantIssue.ts"
import { notEnded } from "../../catalog/terms/OpenGrantSql.ts"
import type { Database, Query } from "../../ground/persistence/Database.ts"
import type { SortedClauses } from "../../ground/persistence/KeysetPagination.ts"
import { andWithinProducts } from "../../ground/persistence/ProductLimit.ts"
import type { ProductLimit } from "../../ground/persistence/ProductLimit.ts"
import { integers } from "../../ground/persistence/StatementParts.ts"

/** A page of the licenses of a customer, the newest first, as far as the caller may see them. */
export const listLicensesOf = (
  sql: Database,
  customerId: string,
  { after, limit, products }: {
    readonly after: string | undefined
    readonly limit: number
    readonly products: ProductLimit
  }
): Query<{ readonly id: string }> =>
  sql<{ readonly id: string }>`
    -- name: licenses.list of customer
    SELECT id FROM licenses
    WHERE customer_id = ${customerId} AND (${after ?? null}::text IS NULL OR id < ${after ?? null}::text)
      ${andWithinProducts(sql, "product_id", products)}
    ORDER BY id DESC LIMIT ${limit}`

/** A grant `g` as it is shown: what has ended has nothing left. */
const shown = (sql: Database): Statement.Fragment =>
  sql`g.id, g.license_id, g.feature_id, (SELECT f.code FROM features f WHERE f.id = g.feature_id) AS feature_code,
    (SELECT f.decimals FROM features f WHERE f.id = g.feature_id) AS decimals, g.amount, g.used,
    CASE WHEN g.revoked_at IS NULL AND ${sql.literal(notEnded)}
      THEN greatest(g.amount - g.used, 0) ELSE 0 END AS remaining,
    g.starts_at, g.expires_at, g.priority, g.source, g.reference, g.revoked_at, g.created_at`

/** Grants of a license, of one feature where it is named, as conditions of their rows. */
export const isOfLicense = (
  sql: Database,
  licenseId: string,
  featureId: string | undefined
): ReadonlyArray<Statement.Fragment> => [
  sql`license_id = ${licenseId}`,
  ...(featureId === undefined ? [] : [sql`feature_id = ${featureId}`])
]

/** A page of the grants of a license. */
export const listGrants = (
  sql: Database,
  { orderBy, place, where }: SortedClauses,
  limit: number
): Query<object> =>
  sql`
    -- name: license_grants.list
    SELECT ${shown(sql)} ${place} FROM license_grants g ${where} ${orderBy} LIMIT ${limit}`

/** A grant of a license. */
export const findGrant = (sql: Database, licenseId: string, id: string): Query<object> =>
  sql`
    -- name: license_grants.find
    SELECT ${shown(sql)} FROM license_grants g WHERE g.id = ${id} AND g.license_id = ${licenseId}`

/** The grant of a license that its giver calls by a name. */
export const findReferred = (sql: Database, licenseId: string, reference: string): Query<object> =>
  sql`
    -- name: license_grants.find referred
    SELECT ${shown(sql)} FROM license_grants g WHERE g.license_id = ${licenseId} AND g.reference = ${reference}`

/** How many grants of a feature are open and have not ended, on the database's clock. */
export const countOpen = (
  sql: Database,
  licenseId: string,
  featureId: string
): Query<{ readonly open: number; readonly now: Date }> =>
  sql<{ readonly open: number; readonly now: Date }>`
    -- name: license_grants.count open
    SELECT count(*)::int AS open, date_trunc('milliseconds', clock_timestamp()) AS now FROM license_grants g
    WHERE g.license_id = ${licenseId} AND g.feature_id = ${featureId} AND g.is_open AND ${sql.literal(notEnded)}`

/** Writes a grant of a feature, which is counted from then on if it was not before. */
export const insertGrant = (
  sql: Database,
  { featureId, id, licenseId }: { readonly id: string; readonly licenseId: string; readonly featureId: string },
  { amount, expires_at, priority, reference, source, starts_at }: GrantIssued
): Query<object> =>
  sql`
    -- name: license_grants.insert
    WITH counted AS (
      INSERT INTO license_features AS a (license_id, feature_id, enabled, metadata, is_counter, granted_consumptions)
      VALUES (${licenseId}, ${featureId}, true, '{}', true, 0)
      ON CONFLICT (license_id, feature_id) DO UPDATE SET updated_at = now(),
        granted_consumptions = coalesce(a.granted_consumptions, 0)
    ), g AS (
      INSERT INTO license_grants (id, license_id, feature_id, amount, starts_at, expires_at, priority, source, reference)
      VALUES (${id}, ${licenseId}, ${featureId}, ${BigInt(amount)}::int8, ${new Date(starts_at)}::timestamptz,
        ${expires_at === undefined ? null : new Date(expires_at)}::timestamptz, ${priority}, ${source}, ${
    reference ?? null
  })
      RETURNING *
    ) SELECT ${shown(sql)} FROM g`

/** Revokes a grant: what is left of it is gone, and what it served stays. None where it is revoked already. */
export const updateRevoked = (sql: Database, licenseId: string, id: string): Query<object> =>
  sql`
    -- name: license_grants.update revoked
    UPDATE license_grants g SET revoked_at = now(), is_open = false
    WHERE g.id = ${id} AND g.license_id = ${licenseId} AND g.revoked_at IS NULL
    RETURNING ${shown(sql)}`

const takeQuery = `
  -- name: license_grants.update used
  UPDATE license_grants g SET used = g.used + v.amount, is_open = g.revoked_at IS NULL AND g.used + v.amount < g.amount
  FROM (SELECT id, sum(amount)::int8 AS amount FROM unnest($1::text[], $2::int8[]) AS u (id, amount) GROUP BY id) v
  WHERE g.id = v.id`

/** Takes units from grants, whose licenses are locked, or gives negative ones back. One that is spent is not open. */
export const updateTaken = (sql: Database, taken: ReadonlyArray<TakenUnits>): Query<object> =>
  sql.unsafe(takeQuery, [taken.map(({ grant_id }) => grant_id), integers(taken.map(({ amount }) => amount))])

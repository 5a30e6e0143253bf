import { Effect } from "effect"
import type { Statement } from "effect/sql"
import { isOfPool } from "../../../domain/catalog/terms/GrantBalance.ts"
import type { TakenUnits } from "../../../domain/catalog/terms/GrantBalance.ts"
import type { UnitsIssued } from "../../../domain/licensing/grants/GrantIssue.ts"
import { notEnded } from "../../catalog/terms/OpenGrantSql.ts"
import { lineOf, lockTree } from "../../ground/persistence/CustomerLineSql.ts"
import type { Database, Query } from "../../ground/persistence/Database.ts"
import type { SortedClauses } from "../../ground/persistence/KeysetPagination.ts"
import { andWithinProducts, isOfProducts } from "../../ground/persistence/ProductLimit.ts"
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

/** The owner of units: a license, or a customer, whose grants are pools. */
export interface GrantOwner {
  readonly column: "license_id" | "customer_id"
  readonly id: string
}

/** A grant `g` as it is shown: what has ended has nothing left. */
const shown = (sql: Database): Statement.Fragment =>
  sql`g.id, g.license_id, g.customer_id, g.feature_id, (SELECT f.code FROM features f WHERE f.id = g.feature_id) AS feature_code,
    (SELECT f.decimals FROM features f WHERE f.id = g.feature_id) AS decimals, g.amount, g.used,
    CASE WHEN g.revoked_at IS NULL AND ${sql.literal(notEnded)}
      THEN greatest(g.amount - g.used, 0) ELSE 0 END AS remaining,
    g.max_per_license, g.starts_at, g.expires_at, g.priority, g.source, g.reference, g.revoked_at, g.created_at`

/** Whether a grant is of a feature of these products. */
export const isGrantOfProducts = (sql: Database, products: ReadonlyArray<string>): Statement.Fragment =>
  sql`feature_id IN (SELECT f.id FROM features f WHERE ${isOfProducts(sql, "f.product_id", products)})`

const isOwnedBy = (sql: Database, { column, id }: GrantOwner): Statement.Fragment => sql`${sql.literal(column)} = ${id}`

/** Grants of an owner, of one feature where it is named, as conditions of their rows. */
export const areOwned = (
  sql: Database,
  owner: GrantOwner,
  featureId: string | undefined
): ReadonlyArray<Statement.Fragment> => [
  isOwnedBy(sql, owner),
  ...(featureId === undefined ? [] : [sql`feature_id = ${featureId}`])
]

/** A page of the grants of an owner. */
export const listGrants = (sql: Database, { orderBy, place, where }: SortedClauses, limit: number): Query<object> =>
  sql`
    -- name: grants.list
    SELECT ${shown(sql)} ${place} FROM grants g ${where} ${orderBy} LIMIT ${limit}`

/** A grant of an owner, by its ID. */
export const findGrant = (sql: Database, owner: GrantOwner, id: string, products?: ProductLimit): Query<object> =>
  sql`
    -- name: grants.find
    SELECT ${shown(sql)} FROM grants g WHERE g.id = ${id} AND ${isOwnedBy(sql, owner)} ${
    products === undefined ? sql`` : sql`AND ${isGrantOfProducts(sql, products)}`
  }`

/** The grant of an owner that its giver calls by a name. */
export const findReferred = (sql: Database, owner: GrantOwner, reference: string): Query<object> =>
  sql`
    -- name: grants.find referred
    SELECT ${shown(sql)} FROM grants g WHERE ${isOwnedBy(sql, owner)} AND g.reference = ${reference}`

/** How many grants of an owner, of one feature where it is named, are open and have not ended, on the database's clock. */
export const countOpen = (
  sql: Database,
  owner: GrantOwner,
  featureId?: string
): Query<{ readonly open: number; readonly now: Date }> =>
  sql<{ readonly open: number; readonly now: Date }>`
    -- name: grants.count open
    SELECT count(*)::int AS open, date_trunc('milliseconds', clock_timestamp()) AS now FROM grants g
    WHERE ${sql.and(areOwned(sql, owner, featureId))} AND g.is_open AND ${sql.literal(notEnded)}`

/** Writes a grant. A feature of a license is counted from then on if it was not before. */
export const insertGrant = (
  sql: Database,
  { featureId, id, owner }: { readonly id: string; readonly owner: GrantOwner; readonly featureId: string },
  { amount, expires_at, max_per_license, priority, reference, source, starts_at }: UnitsIssued
): Query<object> => {
  const licenseId = owner.column === "license_id" ? owner.id : null
  const customerId = owner.column === "customer_id" ? owner.id : null
  return sql`
    -- name: grants.insert
    WITH counted AS (
      INSERT INTO license_features AS a (license_id, feature_id, enabled, metadata, is_counter, granted_consumptions)
      SELECT ${licenseId}::text, ${featureId}::text, true, '{}'::jsonb, true, 0 WHERE ${licenseId}::text IS NOT NULL
      ON CONFLICT (license_id, feature_id) DO UPDATE SET updated_at = now(),
        granted_consumptions = coalesce(a.granted_consumptions, 0)
    ), g AS (
      INSERT INTO grants (id, license_id, customer_id, feature_id, amount, max_per_license, starts_at, expires_at, priority,
        source, reference)
      VALUES (${id}, ${licenseId}::text, ${customerId}::text, ${featureId}, ${BigInt(amount)}::int8,
        ${max_per_license === undefined ? null : BigInt(max_per_license)}::int8, ${new Date(starts_at)}::timestamptz,
        ${expires_at === undefined ? null : new Date(expires_at)}::timestamptz, ${priority}, ${source ?? null}::text,
        ${reference ?? null}::text)
      RETURNING *
    ) SELECT ${shown(sql)} FROM g`
}

/** Revokes a grant: what is left of it is gone, and what it served stays. None where it is revoked already. */
export const updateRevoked = (sql: Database, owner: GrantOwner, id: string): Query<object> =>
  sql`
    -- name: grants.update revoked
    UPDATE grants g SET revoked_at = now(), is_open = false
    WHERE g.id = ${id} AND ${isOwnedBy(sql, owner)} AND g.revoked_at IS NULL
    RETURNING ${shown(sql)}`

const lockOfLicensesQuery = `
  -- name: advisory_locks.lock pools of licenses
  -- guard: units of a pool are taken by one after the other
  SELECT pg_advisory_xact_lock(hashtextextended('countersign pools of ' || c.id, 0)) FROM (
    SELECT o.id FROM licenses l CROSS JOIN LATERAL unnest(${lineOf("l.customer_id")}) o (id)
    WHERE l.id = ANY($1::text[]) AND o.id IS NOT NULL
    UNION SELECT unnest($2::text[]) ORDER BY 1
  ) c`

/**
 * Lets one after the other take units of the pools of the customers of licenses, which are locked already, and of those above,
 * and of former owners: always the licenses first, then who belongs to whom, then the pools, each in one order.
 */
export const lockPoolsOfLicenses = (
  sql: Database,
  licenseIds: ReadonlyArray<string>,
  formerOwners: ReadonlyArray<string> = []
): Effect.Effect<ReadonlyArray<object>> =>
  Effect.andThen(lockTree(sql, "held"), sql.unsafe(lockOfLicensesQuery, [licenseIds, formerOwners]))

const lockPoolsQuery = `
  -- name: advisory_locks.lock pools
  SELECT pg_advisory_xact_lock(hashtextextended('countersign pools of ' || c.id, 0)) FROM (
    SELECT DISTINCT customer_id AS id FROM grants WHERE id = ANY($1::text[]) AND customer_id IS NOT NULL ORDER BY 1
  ) c`

/** The same for those who give units back to pools, or revoke one. */
export const lockPools = (sql: Database, ids: ReadonlyArray<string>): Query<object> => sql.unsafe(lockPoolsQuery, [ids])

/** Units of grants that a license took, or, where they are negative, gives back. */
export interface UnitsOfLicense extends TakenUnits {
  readonly license_id: string
}

/** The units that a license took. */
export const takenBy = (license_id: string, taken: ReadonlyArray<TakenUnits>): ReadonlyArray<UnitsOfLicense> =>
  taken.map(({ amount, grant_id }) => ({ license_id, grant_id, amount }))

/** Adds units of rows to those that are used of grants `g`. */
const used = (units: string) =>
  `SET used = g.used + t.amount, is_open = g.revoked_at IS NULL AND g.used + t.amount < g.amount
  FROM (SELECT id, sum(amount)::int8 AS amount FROM ${units} GROUP BY 1) t WHERE g.id = t.id`

const takeQuery = `
  -- name: grants.update used
  UPDATE grants g ${used("unnest($1::text[], $2::int8[]) AS u (id, amount)")} AND g.license_id IS NOT NULL`

// A row of what is given back is there: the license took as much.
const takeSharedQuery = `
  -- name: grants.update used and shared
  WITH v AS (
    SELECT id, license_id, sum(amount)::int8 AS amount
    FROM unnest($1::text[], $2::int8[], $3::text[]) AS u (id, amount, license_id) GROUP BY 1, 2
  ), spent AS (
    UPDATE grants g ${used("v")} RETURNING g.id, g.customer_id
  ), known AS (
    UPDATE pool_uses p SET used = p.used + v.amount FROM v WHERE p.pool_id = v.id AND p.license_id = v.license_id
    RETURNING p.pool_id, p.license_id
  )
  INSERT INTO pool_uses (pool_id, license_id, used)
  SELECT v.id, v.license_id, v.amount FROM v JOIN spent s ON s.id = v.id AND s.customer_id IS NOT NULL
  WHERE (v.id, v.license_id) NOT IN (SELECT pool_id, license_id FROM known)`

/**
 * Takes units from grants, whose licenses are locked, and from pools, which are locked, too; or gives negative ones back. One that is spent
 * is not open. The units of pools are added up by license as well.
 */
export const updateTaken = (sql: Database, taken: ReadonlyArray<UnitsOfLicense>): Effect.Effect<unknown> => {
  if (taken.length === 0) return Effect.void
  const columns = [taken.map(({ grant_id }) => grant_id), integers(taken.map(({ amount }) => amount))]
  return taken.some(isOfPool)
    ? sql.unsafe(takeSharedQuery, [...columns, taken.map(({ license_id }) => license_id)])
    : sql.unsafe(takeQuery, columns)
}

import { Effect } from "effect"
import type { Statement } from "effect/sql"
import { isOfPool } from "../../../domain/catalog/terms/GrantBalance.ts"
import type { TakenUnits } from "../../../domain/catalog/terms/GrantBalance.ts"
import type { PoolIssued } from "../../../domain/licensing/grants/Pool.ts"
import { notEnded } from "../../catalog/terms/OpenGrantSql.ts"
import { lineOf, lockTree } from "../../ground/persistence/CustomerLineSql.ts"
import type { Database, Query } from "../../ground/persistence/Database.ts"
import type { SortedClauses } from "../../ground/persistence/KeysetPagination.ts"
import { isOfProducts } from "../../ground/persistence/ProductLimit.ts"
import type { ProductLimit } from "../../ground/persistence/ProductLimit.ts"
import { integers } from "../../ground/persistence/StatementParts.ts"

/** A pool `g` as it is shown: what has ended has nothing left. */
const shown = (sql: Database): Statement.Fragment =>
  sql`g.id, g.customer_id, g.feature_id, (SELECT f.code FROM features f WHERE f.id = g.feature_id) AS feature_code,
    (SELECT f.decimals FROM features f WHERE f.id = g.feature_id) AS decimals, g.amount,
    g.used, CASE WHEN g.revoked_at IS NULL AND ${sql.literal(notEnded)}
      THEN g.amount - g.used ELSE 0 END AS remaining,
    g.max_per_license, g.starts_at, g.expires_at, g.priority, g.reference, g.revoked_at, g.created_at`

/** Whether a pool is of a feature of these products. */
export const isPoolOfProducts = (sql: Database, products: ReadonlyArray<string>): Statement.Fragment =>
  sql`feature_id IN (SELECT f.id FROM features f WHERE ${isOfProducts(sql, "f.product_id", products)})`

/** The pools of a customer, as conditions of their rows. */
export const isOfCustomer = (sql: Database, customerId: string): ReadonlyArray<Statement.Fragment> => [
  sql`customer_id = ${customerId}`
]

/** A page of the pools of a customer. */
export const listPools = (sql: Database, { orderBy, place, where }: SortedClauses, limit: number): Query<object> =>
  sql`
    -- name: pools.list
    SELECT ${shown(sql)} ${place} FROM pools g ${where} ${orderBy} LIMIT ${limit}`

/** A pool of a customer, by its ID. */
export const findPool = (sql: Database, customerId: string, id: string, products: ProductLimit): Query<object> =>
  sql`
    -- name: pools.find
    SELECT ${shown(sql)} FROM pools g WHERE g.id = ${id} AND g.customer_id = ${customerId} ${
    products === undefined ? sql`` : sql`AND ${isPoolOfProducts(sql, products)}`
  }`

/** The pool of a customer that its giver calls by a name. */
export const findPoolReferred = (sql: Database, customerId: string, reference: string): Query<object> =>
  sql`
    -- name: pools.find referred
    SELECT ${shown(sql)} FROM pools g WHERE g.customer_id = ${customerId} AND g.reference = ${reference}`

/** How many pools of a customer are open and have not ended, on the database's clock. */
export const countOpenPools = (
  sql: Database,
  customerId: string
): Query<{ readonly open: number; readonly now: Date }> =>
  sql<{ readonly open: number; readonly now: Date }>`
    -- name: pools.count open
    SELECT count(*)::int AS open, date_trunc('milliseconds', clock_timestamp()) AS now FROM pools g
    WHERE g.customer_id = ${customerId} AND g.is_open AND ${sql.literal(notEnded)}`

/** Writes a pool. */
export const insertPool = (
  sql: Database,
  { customerId, featureId, id }: { readonly id: string; readonly customerId: string; readonly featureId: string },
  { amount, expires_at, max_per_license, priority, reference, starts_at }: PoolIssued
): Query<object> =>
  sql`
    -- name: pools.insert
    WITH g AS (
      INSERT INTO pools (id, customer_id, feature_id, amount, max_per_license, starts_at, expires_at, priority, reference)
      VALUES (${id}, ${customerId}, ${featureId}, ${BigInt(amount)}::int8,
        ${max_per_license === undefined ? null : BigInt(max_per_license)}::int8, ${new Date(starts_at)}::timestamptz,
        ${expires_at === undefined ? null : new Date(expires_at)}::timestamptz, ${priority}, ${reference ?? null})
      RETURNING *
    ) SELECT ${shown(sql)} FROM g`

/** Revokes a pool: what is left of it is gone, and what it served stays. None where it is revoked already. */
export const updatePoolRevoked = (sql: Database, customerId: string, id: string): Query<object> =>
  sql`
    -- name: pools.update revoked
    UPDATE pools g SET revoked_at = now(), is_open = false
    WHERE g.id = ${id} AND g.customer_id = ${customerId} AND g.revoked_at IS NULL
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
    SELECT DISTINCT customer_id AS id FROM pools WHERE id = ANY($1::text[]) ORDER BY 1
  ) c`

/** The same for those who give units back to pools, or revoke one. */
export const lockPools = (sql: Database, ids: ReadonlyArray<string>): Query<object> => sql.unsafe(lockPoolsQuery, [ids])

/** Units of a pool that a license took. */
export interface PoolUnits extends TakenUnits {
  readonly license_id: string
}

/** The units of pools among those that a license took. */
export const ofPools = (license_id: string, taken: ReadonlyArray<TakenUnits>): ReadonlyArray<PoolUnits> =>
  taken.filter(isOfPool).map(({ amount, grant_id }) => ({ license_id, grant_id, amount }))

const columnsOf = (taken: ReadonlyArray<PoolUnits>) => [
  taken.map(({ grant_id }) => grant_id),
  taken.map(({ license_id }) => license_id),
  integers(taken.map(({ amount }) => amount))
]

const units = `
  (SELECT id, license_id, sum(amount)::int8 AS amount
  FROM unnest($1::text[], $2::text[], $3::int8[]) AS u (id, license_id, amount) GROUP BY 1, 2)`

const takeQuery = `
  -- name: pools.update used
  WITH v AS ${units}, spent AS (
    UPDATE pools g SET used = g.used + t.amount, is_open = g.revoked_at IS NULL AND g.used + t.amount < g.amount
    FROM (SELECT id, sum(amount)::int8 AS amount FROM v GROUP BY 1) t WHERE g.id = t.id
  )
  INSERT INTO pool_uses AS p (pool_id, license_id, used) SELECT id, license_id, amount FROM v
  ON CONFLICT (pool_id, license_id) DO UPDATE SET used = p.used + excluded.used`

/** Takes units from pools, which are locked. One that is spent is not open. */
export const updatePooled = (sql: Database, taken: ReadonlyArray<PoolUnits>): Query<object> =>
  sql.unsafe(takeQuery, columnsOf(taken))

const returnQuery = `
  -- name: pools.update refunded
  WITH v AS ${units}, returned AS (
    UPDATE pools g SET used = g.used - v.amount, is_open = g.revoked_at IS NULL FROM v WHERE g.id = v.id
  )
  UPDATE pool_uses p SET used = p.used - v.amount FROM v WHERE p.pool_id = v.id AND p.license_id = v.license_id`

/** Gives units that a license took back to pools, which are locked. */
export const updatePoolsRefunded = (sql: Database, taken: ReadonlyArray<PoolUnits>): Query<object> =>
  sql.unsafe(returnQuery, columnsOf(taken))

import type { SnapshotRow } from "../../domain/entitlements/Snapshot.ts"
import type { SharedPoolRow } from "../../domain/terms/GrantBalance.ts"
import { snapshotText } from "../entitlements/EntitlementStateSql.ts"
import { lineOf } from "../persistence/CustomerLineSql.ts"
import type { Database, Query } from "../persistence/Database.ts"
import { andWithinProducts, isCustomerOfProducts } from "../persistence/ProductLimit.ts"
import type { ProductLimit } from "../persistence/ProductLimit.ts"
import { sharedPool } from "../terms/OpenGrantSql.ts"

/** A license that a key names, found by the hash of the key. */
export interface KeyedLicense {
  readonly key_hash: Uint8Array
  readonly license_id: string
}

/** The licenses of keys that work. */
export const listLicensesOfKeys = (sql: Database, hashes: ReadonlyArray<Uint8Array>): Query<KeyedLicense> =>
  sql<KeyedLicense>`
    -- name: license_keys.list of uses
    SELECT key_hash, license_id FROM license_keys
    WHERE key_hash = ANY(${hashes}::bytea[]) AND (expires_at IS NULL OR expires_at > clock_timestamp())`

/** The most licenses of a customer that are looked at for one that grants a feature. */
const maximumCandidates = 50

/** A license that may take a use of its customer. */
export interface Candidate {
  readonly customer_id: string
  readonly feature_code: string
  readonly license_id: string
}

/** The customers among these ids that the caller may know of. */
export const listKnownCustomers = (
  sql: Database,
  ids: ReadonlyArray<string>,
  limit: ProductLimit
): Query<{ readonly id: string }> =>
  sql<{ readonly id: string }>`
    -- name: customers.list of uses
    SELECT id FROM customers WHERE id = ANY(${ids}::text[]) ${
    limit === undefined ? sql`` : sql`AND ${isCustomerOfProducts(sql, limit)}`
  }`

/** The active licenses of customers to which a feature of a code is given, by their policy or by themselves. */
export const listCandidates = (
  sql: Database,
  uses: ReadonlyArray<Pick<Candidate, "customer_id" | "feature_code">>,
  limit: ProductLimit
): Query<Candidate> =>
  sql<Candidate>`
    -- name: licenses.list for uses
    SELECT q.customer AS customer_id, q.code AS feature_code, c.id AS license_id
    FROM (SELECT DISTINCT * FROM unnest(${uses.map(({ customer_id }) => customer_id)}::text[],
      ${uses.map(({ feature_code }) => feature_code)}::text[]) AS u (customer, code)) q
    CROSS JOIN LATERAL (
      SELECT l.id FROM licenses l
      WHERE l.customer_id = q.customer AND l.state = 'active' ${andWithinProducts(sql, "l.product_id", limit)} AND (
        EXISTS (SELECT 1 FROM policy_features g JOIN features f ON f.id = g.feature_id
          WHERE g.policy_id = l.policy_id AND f.code = q.code)
        OR EXISTS (SELECT 1 FROM license_features a JOIN features f ON f.id = a.feature_id
          WHERE a.license_id = l.id AND f.code = q.code AND a.is_counter IS NULL))
      ORDER BY l.id LIMIT ${maximumCandidates}
    ) c`

/** Locks licenses that uses are counted of, by id; returns those that there are. */
export const lockUsed = (
  sql: Database,
  ids: ReadonlyArray<string>,
  limit: ProductLimit
): Query<{ readonly id: string }> =>
  sql<{ readonly id: string }>`
    -- name: licenses.lock for uses
    SELECT id FROM licenses WHERE id = ANY(${ids}::text[]) ${andWithinProducts(sql, "product_id", limit)}
    ORDER BY id FOR NO KEY UPDATE`

const standingsQuery = snapshotText("licenses.list snapshots by id", {
  from: "(SELECT id AS license_id, NULL::timestamptz AS expires_at FROM unnest($1::text[]) AS q (id)) k",
  devices: "LEFT JOIN devices d ON false",
  version: "NULL::text",
  product: "NULL::text",
  where: "true"
})

/** The snapshots of licenses, of no device. */
export const listStandings = (sql: Database, ids: ReadonlyArray<string>): Query<SnapshotRow> =>
  sql.unsafe<SnapshotRow>(standingsQuery, [ids])

/** Grants of licenses that ended after an instant with units left. */
export const listEndedGrants = (sql: Database, licenseIds: ReadonlyArray<string>, since: Date): Query<object> =>
  sql`
    -- name: license_grants.list ended
    SELECT license_id, feature_id, id, starts_at, expires_at, priority, amount - used AS left FROM license_grants
    WHERE license_id = ANY(${licenseIds}::text[]) AND is_open
      AND expires_at > ${since} AND expires_at <= clock_timestamp()`

/** The pools that a license shared and that ended after an instant with units left. */
export interface EndedPools {
  readonly license_id: string
  readonly pools: ReadonlyArray<SharedPoolRow>
}

/** Pools of the customers of licenses, and of those above, that ended after an instant with units left. */
export const listEndedPools = (sql: Database, licenseIds: ReadonlyArray<string>, since: Date): Query<EndedPools> =>
  sql<EndedPools>`
    -- name: pools.list ended
    SELECT l.id AS license_id, json_agg(${sql.literal(sharedPool)}) AS pools
    FROM licenses l JOIN pools g ON g.customer_id = ANY(${sql.literal(lineOf("l.customer_id"))})
    LEFT JOIN pool_uses u ON u.pool_id = g.id AND u.license_id = l.id
    WHERE l.id = ANY(${licenseIds}::text[]) AND g.is_open
      AND coalesce(g.expires_at, 'infinity'::timestamptz) > ${since} AND g.expires_at <= clock_timestamp()
    GROUP BY l.id`

/** A use by what it is counted under. */
export interface UseKey {
  readonly license_id: string
  readonly feature_id: string
  readonly event_id: string
}

/** Uses that were counted before, as far as they are known: of pruned ones there is the amount alone. */
export const listRecorded = (sql: Database, keys: ReadonlyArray<UseKey>): Query<object> => {
  const columns = [
    keys.map(({ license_id }) => license_id),
    keys.map(({ feature_id }) => feature_id),
    keys.map(({ event_id }) => event_id)
  ] as const
  return sql`
    -- name: usage_records.list reported
    SELECT license_id, feature_id, event_id, coalesce(measured, amount) AS amount, overage, created_at AS used_at,
      nullif(period_start, '-infinity') AS period_start
    FROM usage_records WHERE (license_id, feature_id, event_id) IN (
      SELECT * FROM unnest(${columns[0]}::text[], ${columns[1]}::text[], ${columns[2]}::text[]))
    UNION ALL
    SELECT license_id, feature_id, event_id, amount, NULL, NULL, NULL
    FROM usage_pruned(${columns[0]}::text[], ${columns[1]}::text[], ${columns[2]}::text[])`
}

/** A period of a feature of a license that is over. */
export interface PastPeriod {
  readonly license_id: string
  readonly feature_id: string
  readonly start: Date
  readonly end: Date
}

/**
 * The counts of periods that are over, and how much of each grants served: the uses, less what was refunded of them and
 * corrected in the period. `is_pruned` says that uses of it may be deleted by age, so that nobody knows.
 */
export const listPastCounts = (sql: Database, periods: ReadonlyArray<PastPeriod>): Query<object> =>
  sql`
    -- name: usage_records.list past counts
    SELECT p.license_id, p.feature_id, p.start, coalesce(u.amount, 0) + coalesce(r.amount, 0) AS consumed,
      coalesce(u.drawn, 0) - coalesce(r.drawn, 0) AS drawn,
      p.start < coalesce((SELECT max(until) FROM pruned_tables WHERE name = 'usage_records'), '-infinity') AS is_pruned
    FROM unnest(${periods.map(({ license_id }) => license_id)}::text[],
      ${periods.map(({ feature_id }) => feature_id)}::text[],
      ${periods.map(({ start }) => start.toISOString())}::text[]::timestamptz[],
      ${periods.map(({ end }) => end.toISOString())}::text[]::timestamptz[]) AS p (license_id, feature_id, start, until)
    CROSS JOIN LATERAL (
      SELECT sum(amount) AS amount, sum((SELECT sum((t ->> 'amount')::int8) FROM jsonb_array_elements(grants) t)) AS drawn
      FROM usage_records WHERE license_id = p.license_id AND feature_id = p.feature_id
        -- Records of earlier releases do not say their period. A use that waited for its lock may stand a little before it.
        AND created_at >= p.start - interval '1 hour' AND created_at < p.until
        AND CASE WHEN period_start IS NULL THEN created_at >= p.start ELSE period_start = p.start END
    ) u
    CROSS JOIN LATERAL (
      SELECT sum(c.amount) AS amount,
        sum((SELECT sum((t ->> 'amount')::int8) FROM jsonb_array_elements(c.grants) t)) AS drawn
      FROM usage_corrections c
      WHERE c.license_id = p.license_id AND c.feature_id = p.feature_id AND CASE WHEN c.refund_of IS NULL
        THEN coalesce(c.counted_at, c.created_at) >= p.start AND coalesce(c.counted_at, c.created_at) < p.until
        ELSE EXISTS (SELECT 1 FROM usage_records v WHERE v.license_id = p.license_id AND v.feature_id = p.feature_id
          AND v.event_id = c.refund_of AND v.period_start = p.start) END
    ) r`

/** The units that periods which are over have carried into the next ones, as grants. */
export const listCarriedOut = (sql: Database, periods: ReadonlyArray<PastPeriod>): Query<object> =>
  sql`
    -- name: license_grants.list carried out
    SELECT g.license_id, g.feature_id, p.start, g.id, g.amount
    FROM unnest(${periods.map(({ license_id }) => license_id)}::text[],
      ${periods.map(({ feature_id }) => feature_id)}::text[],
      ${periods.map(({ start }) => start.toISOString())}::text[]::timestamptz[],
      ${periods.map(({ end }) => end.toISOString())}::text[]::timestamptz[]) AS p (license_id, feature_id, start, until)
    JOIN license_grants g ON g.license_id = p.license_id AND g.feature_id = p.feature_id AND g.starts_at = p.until
    WHERE g.source = 'rollover'`

import type { SharedPoolRow } from "../../../domain/catalog/terms/GrantBalance.ts"
import type { SnapshotRow } from "../../../domain/licensing/entitlements/Snapshot.ts"
import type { EventKind } from "../../../domain/log/EventKind.ts"
import { grantThen } from "../../catalog/terms/OpenGrantSql.ts"
import { recount } from "../../catalog/terms/UsedValueSql.ts"
import { lineOf } from "../../ground/persistence/CustomerLineSql.ts"
import type { Database, Query } from "../../ground/persistence/Database.ts"
import { andWithinProducts, isCustomerOfProducts } from "../../ground/persistence/ProductLimit.ts"
import type { ProductLimit } from "../../ground/persistence/ProductLimit.ts"
import { snapshotText } from "../entitlements/EntitlementStateSql.ts"
import { eventsOf, ofState } from "../entitlements/LicenseHistorySql.ts"

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

/** The kinds of events of a license or a policy that are about one feature of it. */
const aboutFeatures: ReadonlyArray<EventKind> = [
  "license.feature_assigned",
  "license.feature_removed",
  "license.usage_reset",
  "policy.feature_assigned",
  "policy.feature_removed"
]

/** An event that tells terms, and when it was, in Unix milliseconds. */
interface TermsEvent {
  readonly resource_id: string
  readonly event_type: string
  readonly place: bigint
  readonly data: string
  readonly personal: null
  readonly at: number
}

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

/** A grant as a license had it, or, where a customer owns it, shared it. */
export interface GrantThen {
  readonly license_id: string
  readonly customer_id: string | null
  readonly units: SharedPoolRow
}

/** A license, and a customer whose pools it shared. */
export interface LicenseOfCustomer {
  readonly license_id: string
  readonly customer_id: string
}

/** Whether a grant `g` had units left, and had neither ended nor been revoked, at some time since an instant. */
const hadUnits = (sql: Database, since: Date) =>
  sql`(g.amount < 0 OR g.used < g.amount)
      AND coalesce(g.expires_at, 'infinity') > ${since} AND coalesce(g.revoked_at, 'infinity') > ${since}`

/**
 * Grants that licenses may have used since an instant: those that are open, and that ended or were revoked since. Pools are of the
 * customers that each license has now, with those above, and of those that it had before.
 */
export const listGrantsThen = (
  sql: Database,
  licenseIds: ReadonlyArray<string>,
  before: ReadonlyArray<LicenseOfCustomer>,
  since: Date
): Query<GrantThen> =>
  sql<GrantThen>`
    -- name: grants.list since
    SELECT g.license_id, NULL AS customer_id, ${sql.literal(grantThen("0"))} AS units
    FROM grants g WHERE g.license_id = ANY(${licenseIds}::text[]) AND ${hadUnits(sql, since)}
    UNION ALL
    SELECT o.license_id, g.customer_id, ${sql.literal(grantThen("coalesce(u.used, 0)"))}
    FROM (
      SELECT l.id AS license_id, unnest(${sql.literal(lineOf("l.customer_id"))}) AS customer_id
      FROM licenses l WHERE l.id = ANY(${licenseIds}::text[])
      UNION
      SELECT * FROM unnest(${before.map(({ license_id }) => license_id)}::text[],
        ${before.map(({ customer_id }) => customer_id)}::text[])
    ) o JOIN grants g ON g.customer_id = o.customer_id
    LEFT JOIN pool_uses u ON u.pool_id = g.id AND u.license_id = o.license_id
    WHERE ${hadUnits(sql, since)}`

/**
 * The events of these kinds of resources since an instant, and for each resource, and each feature of it, the last one before:
 * those that held then.
 */
export const listTermsSince = (
  sql: Database,
  ids: ReadonlyArray<string>,
  kinds: ReadonlyArray<EventKind>,
  since: Date
): Query<TermsEvent> =>
  sql<TermsEvent>`
    -- name: events.list of terms
    SELECT resource_id, event_type, place, data, NULL AS personal, (extract(epoch FROM created_at) * 1000)::float8 AS at FROM (
      SELECT t.*, max(place) FILTER (WHERE created_at <= ${since}) OVER (PARTITION BY resource_id, subject) AS held FROM (
        SELECT e.*, CASE WHEN event_type = ANY(${aboutFeatures}::text[]) THEN data::jsonb ->> 'feature_id' ELSE '' END AS subject
        FROM ${
    eventsOf(
      sql,
      sql`SELECT unnest(${ids}::text[]) AS id`,
      sql`${sql.literal(ofState)} AND event_type = ANY(${kinds}::text[])`
    )
  }
      ) t
    ) t WHERE created_at > ${since} OR place = held ORDER BY place`

/** The products of features. */
export const listFeatureProducts = (
  sql: Database,
  ids: ReadonlyArray<string>
): Query<{ readonly id: string; readonly product_id: string }> =>
  sql<{ readonly id: string; readonly product_id: string }>`
    -- name: features.list products
    SELECT id, product_id FROM features WHERE id = ANY(${ids}::text[])`

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

const pastCount = recount({
  licenseId: "p.license_id",
  featureId: "p.feature_id",
  start: "p.start",
  until: "p.until"
})

/**
 * The counts of periods that are over, and how much of each grants served. `is_pruned` says that uses of it may be deleted by
 * age, so that nobody knows.
 */
export const listPastCounts = (sql: Database, periods: ReadonlyArray<PastPeriod>): Query<object> =>
  sql`
    -- name: usage_records.list past counts
    SELECT p.license_id, p.feature_id, p.start, p.until, r.consumed, r.drawn,
      p.start < coalesce((SELECT max(until) FROM pruned_tables WHERE name = 'usage_records'), '-infinity') AS is_pruned
    FROM unnest(${periods.map(({ license_id }) => license_id)}::text[],
      ${periods.map(({ feature_id }) => feature_id)}::text[],
      ${periods.map(({ start }) => start.toISOString())}::text[]::timestamptz[],
      ${periods.map(({ end }) => end.toISOString())}::text[]::timestamptz[]) AS p (license_id, feature_id, start, until)
    CROSS JOIN LATERAL ${sql.literal(pastCount)} r`

/** The units that periods which are over have carried into the next ones, as grants. */
export const listCarriedOut = (sql: Database, periods: ReadonlyArray<PastPeriod>): Query<object> =>
  sql`
    -- name: grants.list carried out
    SELECT g.license_id, g.feature_id, p.start, p.until, g.id, g.amount
    FROM unnest(${periods.map(({ license_id }) => license_id)}::text[],
      ${periods.map(({ feature_id }) => feature_id)}::text[],
      ${periods.map(({ start }) => start.toISOString())}::text[]::timestamptz[],
      ${periods.map(({ end }) => end.toISOString())}::text[]::timestamptz[]) AS p (license_id, feature_id, start, until)
    JOIN grants g ON g.license_id = p.license_id AND g.feature_id = p.feature_id AND g.starts_at = p.until
    WHERE g.source = 'rollover'`

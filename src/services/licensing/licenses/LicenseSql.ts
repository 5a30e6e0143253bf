import type { Statement } from "effect/sql"
import type { License } from "../../../domain/licensing/licenses/License.ts"
import type { DerivedChange } from "../../../domain/licensing/lifecycle/LicenseChange.ts"
import type { Announced } from "../../../domain/licensing/lifecycle/LicenseExpiry.ts"
import type { Database, Member, Query } from "../../ground/persistence/Database.ts"
import type { Counted, SortedClauses } from "../../ground/persistence/KeysetPagination.ts"
import { assignments } from "../../ground/persistence/StatementParts.ts"
import type { RecordRows } from "../../ground/records/RecordCells.ts"
import { licenseColumns, licenseNames, licenseRows, listedColumns, namedLicenseRows } from "./LicenseSearch.ts"
import type { LicenseRow } from "./LicenseSearch.ts"

const tables = "FROM licenses l JOIN policies p ON p.id = l.policy_id"

const columnsWith = (sql: Database, columns: string, names: boolean) =>
  sql.literal(names ? `${columns}, ${licenseNames}` : columns)

/** The rows of licenses; with `names`, of licenses that say what their ids stand for. */
export const rowsOfLicenses = (names: boolean): RecordRows<License> => names ? namedLicenseRows : licenseRows

/** A window of expiry; instants are RFC 3339. */
export interface ExpiryWindow {
  readonly before: string
  readonly after: string | undefined
}

// The expression of the index licenses_by_bin_of_expiry.
const binOfExpiry = "date_bin('16 days', l.expires_at, '2000-01-01T00:00:00Z')"

/**
 * The ids of the first licenses of a window of expiry in the order of ids, which `where` and `orderBy` say. The newest
 * licenses tend to expire last, so on the way through all licenses most are passed before one fits. Here the first of each
 * bin of 16 days are read, from an index of both, and the bin in which the window ends by itself: the planner knows whether
 * its expiries or its ids are fewer.
 */
export const firstExpiring = (
  sql: Database,
  { limit, orderBy, where }: Pick<SortedClauses, "limit" | "orderBy" | "where">,
  { after, before }: ExpiryWindow
): Statement.Fragment => {
  const bin = sql.literal(binOfExpiry)
  const binOf = (instant: string) => sql`date_bin('16 days', ${instant}::text::timestamptz, '2000-01-01T00:00:00Z')`
  const firstOf = (condition: Statement.Fragment) =>
    sql`(SELECT l.id FROM licenses l ${where} AND ${condition} ${orderBy} ${limit})`
  const next = (condition: Statement.Fragment) =>
    sql`SELECT min(${bin}) FROM licenses l WHERE l.expires_at IS NOT NULL AND ${bin} < ${
      binOf(before)
    } AND ${condition}`
  return sql`
    WITH RECURSIVE bins (bin) AS (
      ${next(after === undefined ? sql`true` : sql`${bin} >= ${binOf(after)}`)}
      UNION ALL SELECT (${next(sql`${bin} > b.bin`)}) FROM bins b WHERE b.bin IS NOT NULL
    )
    SELECT l.id FROM (
      SELECT w.id FROM bins b CROSS JOIN LATERAL ${firstOf(sql`${bin} = b.bin`)} w
      UNION ALL ${firstOf(sql`${bin} = ${binOf(before)} AND l.expires_at >= ${binOf(before)}`)}
    ) l ${orderBy} ${limit}`
}

/**
 * A page of licenses; with `names`, what their ids stand for. `first` has the ids of the page, where they are found by
 * another way than through the list in its order.
 */
export const listLicenses = (
  sql: Database,
  { asRecords, limit, orderBy, place, where }: SortedClauses,
  { first, names }: { readonly first: Statement.Fragment | undefined; readonly names: boolean }
): Query<object> => {
  const among = first === undefined ? where : sql`WHERE l.id = ANY(ARRAY(${first}))`
  return sql`
    -- name: licenses.list
    ${
    asRecords(
      rowsOfLicenses(names),
      sql`
        SELECT ${columnsWith(sql, listedColumns, names)} ${place} ${sql.literal(tables)} ${among} ${orderBy} ${limit}`
    )
  }`
}

/** How many licenses have these conditions, counted no further than `most`. */
export const countLicenses = (sql: Database, where: Statement.Fragment, most: Statement.Fragment): Query<Counted> =>
  sql<Counted>`
    -- name: licenses.count matching
    SELECT count(*)::int AS n FROM (SELECT ${sql.literal(tables)} ${where} ${most}) matching`

/** Licenses by their ids, in any order. */
export const listLicensesById = (sql: Database, ids: ReadonlyArray<string>): Query<LicenseRow> =>
  sql<LicenseRow>`
    -- name: licenses.list by id
    SELECT ${sql.literal(licenseColumns)} ${sql.literal(tables)} WHERE l.id = ANY(${ids}::text[])`

/** A license. */
export const findLicense = (sql: Database, id: string): Query<LicenseRow> =>
  sql<LicenseRow>`
    -- name: licenses.find
    SELECT ${sql.literal(licenseColumns)} ${sql.literal(tables)} WHERE l.id = ${id}`

/** A row of a license with its policy. */
export interface LicenseUnderPolicy extends LicenseRow {
  /** The last crossing of its expiry that was announced. */
  readonly announced: Announced
  /** The row of the policy. */
  readonly policy: object
}

/** A license with its policy; with `names`, what its ids stand for. */
export const findLicenseUnderPolicy = (sql: Database, id: string, names = false): Query<LicenseUnderPolicy> =>
  sql<LicenseUnderPolicy>`
    -- name: licenses.find under policy
    SELECT ${columnsWith(sql, licenseColumns, names)}, l.announced, row_to_json(p.*) AS policy ${sql.literal(tables)}
    WHERE l.id = ${id}`

/**
 * Locks a license until the transaction ends. The lock comes before what is read: joined with that, the policy's row
 * could be older than the lock.
 */
export const lockLicense = (sql: Database, id: string): Query<object> =>
  sql`
    -- name: licenses.lock for a change
    SELECT 1 FROM licenses WHERE id = ${id}
    -- guard: changes of a license wait for each other
    FOR NO KEY UPDATE`

/** The SQL type of each column that a change of a license sets. */
const types: Readonly<
  Record<keyof DerivedChange, "text" | "text[]" | "int" | "bigint" | "boolean" | "jsonb" | "instant">
> = {
  policy_id: "text",
  product_ids: "text[]",
  customer_id: "text",
  order_id: "text",
  subscription_id: "text",
  customer_email: "text",
  customer_name: "text",
  state: "text",
  suspended_by: "text",
  license_key_prefix: "text",
  license_key_last4: "text",
  active_device_count: "int",
  times_transferred: "int",
  starts_at: "instant",
  expires_at: "instant",
  term_anchor: "instant",
  maintenance_expires_at: "instant",
  awaits_activation: "boolean",
  follows_subscription: "boolean",
  ends_without_grace: "boolean",
  overrides: "jsonb",
  trusted_issuer: "jsonb",
  tags: "text[]",
  metadata: "jsonb",
  announced: "text",
  entitlement_version: "bigint"
}

/** Writes a change of a license under a policy, the one that it is under afterwards; returns the license as it is left. */
export const updateLicense = (
  sql: Database,
  id: string,
  policyId: string,
  change: DerivedChange
): Query<LicenseRow> => {
  const value = (column: keyof DerivedChange): Statement.Fragment => {
    const given = change[column] ?? null
    const type = types[column]
    if (type === "instant") return sql`${given as Member}::text::timestamptz`
    const member = type === "jsonb" && given !== null ? JSON.stringify(given) : given as Member
    return sql`${member}::${sql.literal(type)}`
  }
  const columns = Object.keys(change) as ReadonlyArray<keyof DerivedChange>
  return sql<LicenseRow>`
    -- name: licenses.update
    UPDATE licenses l SET ${
    assignments(sql, {
      ...Object.fromEntries(columns.map((column) => [column, value(column)])),
      updated_at: sql`now()`
    })
  }
    FROM policies p WHERE l.id = ${id} AND p.id = ${policyId} RETURNING ${sql.literal(licenseColumns)}`
}

/** Frees every seat of a license that is revoked. */
export const updateAllDeactivated = (sql: Database, licenseId: string): Query<object> =>
  sql`
    -- name: devices.update all deactivated
    UPDATE devices SET status = 'deactivated', updated_at = now()
    WHERE license_id = ${licenseId} AND status = 'active'`

/** Notes that a person suspended a license that purchases stopped; none where that is known, or no purchase did. */
export const updateSuspendedByPerson = (sql: Database, licenseId: string): Query<object> =>
  sql`
    -- name: purchase_licenses.update suspended by person
    UPDATE purchase_licenses SET is_suspended_by_person = true
    WHERE license_id = ${licenseId} AND stopped IS NOT NULL AND is_suspended_by_person IS NOT TRUE RETURNING 1`

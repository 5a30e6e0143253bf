import type { Statement } from "effect/sql"
import type { LicenseStatus } from "../../../domain/licensing/licenses/License.ts"
import type { Database, Query } from "../../ground/persistence/Database.ts"
import type { RowOrder } from "../../ground/persistence/KeysetPaginationSql.ts"
import { licenseStatus } from "../../catalog/terms/TermsSql.ts"

const tables = "licenses l JOIN policies p ON p.id = l.policy_id"

const whereAll = (sql: Database, conditions: ReadonlyArray<Statement.Fragment>): Statement.Fragment =>
  conditions.length === 0 ? sql`` : sql`WHERE ${sql.and(conditions)}`

/** How many licenses of a report there are with each status. */
export const countByStatus = (
  sql: Database,
  conditions: ReadonlyArray<Statement.Fragment>
): Query<{ readonly status: LicenseStatus; readonly count: bigint }> =>
  sql<{ readonly status: LicenseStatus; readonly count: bigint }>`
    -- name: licenses.count by status
    SELECT ${sql.literal(licenseStatus)} AS status, count(*) AS count FROM ${sql.literal(tables)}
    ${whereAll(sql, conditions)} GROUP BY 1 ORDER BY 1`

/** The licenses of a report, in its order. */
export const reportedLicenses = (
  sql: Database,
  conditions: ReadonlyArray<Statement.Fragment>,
  { by, direction }: RowOrder
): Statement.Fragment =>
  sql`
    (SELECT l.id, ${sql.literal(licenseStatus)} AS status,
      coalesce(l.customer_name, (SELECT name FROM customers WHERE id = l.customer_id)) AS owner, l.customer_email AS email,
      (SELECT name FROM products WHERE id = l.product_id) AS product_name, p.name AS policy_name,
      l.license_key_prefix || '…' || l.license_key_last4 AS key, l.created_at AS issued_at, l.expires_at,
      l.active_device_count, array_to_string(l.tags, ', ') AS tags, l.customer_id
    FROM ${sql.literal(tables)} ${whereAll(sql, conditions)}
    ORDER BY ${by === undefined ? sql`` : sql`${by.key} ${direction}, `}l.id ${direction})`

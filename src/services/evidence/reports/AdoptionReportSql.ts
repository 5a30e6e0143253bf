import type { Statement } from "effect/sql"
import type { ReportFilters } from "../../../domain/evidence/reports/Report.ts"
import type { Database, Query } from "../../ground/persistence/Database.ts"
import { withinProducts } from "../../ground/persistence/ProductLimit.ts"
import type { ProductLimit } from "../../ground/persistence/ProductLimit.ts"
import { runningConditions } from "../../ground/persistence/RunningDeviceSql.ts"

/** The devices of a report: whose, and what they run. */
export interface AdoptionQuestion {
  readonly filters: ReportFilters<"adoption">
  readonly limit: ProductLimit
}

/** Devices `d` with a seat, and their licenses `l`. */
const devicesOf = (
  sql: Database,
  { filters: { app_version, customer_id, os, policy_id, product_id }, limit }: AdoptionQuestion
): Statement.Fragment =>
  sql`devices d JOIN licenses l ON l.id = d.license_id WHERE ${
    sql.and([
      sql`d.status = 'active'`,
      ...(product_id === undefined ? [] : [sql`l.product_id = ${product_id}`]),
      ...(policy_id === undefined ? [] : [sql`l.policy_id = ${policy_id}`]),
      ...(customer_id === undefined ? [] : [sql`l.customer_id = ${customer_id}`]),
      ...runningConditions(sql, { app_version, os }),
      ...withinProducts(sql, "l.product_id", limit)
    ])
  }`

const numbers = "count(*) AS devices, count(DISTINCT l.id) AS licenses, count(DISTINCT l.customer_id) AS customers"

/** The numbers of devices, licenses and customers. */
interface AdoptionTotals {
  readonly devices: bigint
  readonly licenses: bigint
  readonly customers: bigint
}

/** Counts the devices of a report. */
export const countAdoption = (sql: Database, question: AdoptionQuestion): Query<AdoptionTotals> =>
  sql<AdoptionTotals>`
    -- name: devices.count adoption
    SELECT ${sql.literal(numbers)} FROM ${devicesOf(sql, question)}`

/** The rows of a report: by product, version and system, the most devices first. */
export const adoptionRows = (sql: Database, question: AdoptionQuestion): Statement.Fragment => {
  const isByLicense = question.filters.group_by === "license_id"
  const ids = sql.literal(isByLicense ? "l.id AS license_id, l.customer_id," : "")
  const by = sql.literal(isByLicense ? ", l.id, l.customer_id" : "")
  return sql`
    (SELECT (SELECT name FROM products WHERE id = l.product_id) AS product_name, d.app_version,
      nullif(split_part(d.os, ' ', 1), '') AS os, ${ids} ${sql.literal(numbers)}, max(d.last_seen_at) AS last_seen_at
    FROM ${devicesOf(sql, question)}
    GROUP BY l.product_id, d.app_version, nullif(split_part(d.os, ' ', 1), '') ${by}
    ORDER BY count(*) DESC, l.product_id, d.app_version COLLATE "C", nullif(split_part(d.os, ' ', 1), '') COLLATE "C" ${by})`
}

/** Counts the rows of a report. */
export const countAdoptionRows = (sql: Database, question: AdoptionQuestion): Query<{ readonly count: bigint }> =>
  sql<{ readonly count: bigint }>`
    -- name: devices.count adoption rows
    SELECT count(*) AS count FROM ${adoptionRows(sql, question)} r`

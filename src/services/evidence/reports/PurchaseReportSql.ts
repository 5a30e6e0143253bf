import type { Statement } from "effect/sql"
import type { ReportFilters, Window } from "../../../domain/evidence/reports/Report.ts"
import type { Database, Query } from "../../ground/persistence/Database.ts"
import { isOfProducts } from "../../ground/persistence/ProductLimit.ts"
import type { ProductLimit } from "../../ground/persistence/ProductLimit.ts"

/** The filters of the report, its window filled in. */
export type PurchaseFilters = ReportFilters<"purchases"> & Window

/** An instant of the state of purchases `p`; its text has nine decimals, which PostgreSQL rounds to six. */
const instant = (sql: Database, name: "began_at" | "paid_through" | "cancel_at" | "ended_at"): Statement.Fragment =>
  sql`(p.state ->> ${sql.literal(`'${name}'`)})::timestamptz`

/** When a purchase began; what is known of it too little is there since its first event came. */
const begun = (sql: Database): Statement.Fragment => sql`coalesce(${instant(sql, "began_at")}, p.created_at)`

/** Whether some or all licenses of purchases `p`, of which there is one, meet a condition on licenses `l`. */
const licensesAre = (sql: Database, which: "bool_or" | "bool_and", condition: Statement.Fragment): Statement.Fragment =>
  sql`(SELECT ${sql.literal(which)}(${condition}) FROM purchase_licenses pl JOIN licenses l ON l.id = pl.license_id
    WHERE pl.purchase_id = p.id) IS TRUE`

/** An instant of a window, as the text that states have of theirs: both are compared as texts, by the indexes of the states. */
const asText = (sql: Database, time: string): Statement.Fragment =>
  sql`to_char(${time}::text::timestamptz AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"000Z"')`

/**
 * The purchases that were in effect at some time of a window. A limited caller sees those whose licenses are all of its
 * products: the amounts of another one would tell what it costs.
 */
const reported = (sql: Database, filters: PurchaseFilters, limit: ProductLimit): Statement.Fragment => {
  const { connection_id, customer_id, from, product_id, state, status, to } = filters
  return sql`purchases p WHERE ${
    sql.and([
      sql`((p.state ->> 'began_at') COLLATE "C" < ${asText(sql, to)}
        OR (p.state ->> 'began_at' IS NULL AND p.created_at < ${to}::text::timestamptz))`,
      sql`coalesce(p.state ->> 'ended_at', 'infinity') COLLATE "C" >= ${asText(sql, from)}`,
      ...(connection_id === undefined ? [] : [sql`p.connection_id = ${connection_id}`]),
      ...(status === undefined ? [] : [sql`p.status = ${status}`]),
      ...(state === undefined ? [] : [sql`p.state ->> 'state' = ${state}`]),
      ...(customer_id === undefined ? [] : [sql`p.customer_id = ${customer_id}`]),
      ...(product_id === undefined ? [] : [licensesAre(sql, "bool_or", sql`l.product_id = ${product_id}`)]),
      ...(limit === undefined ? [] : [licensesAre(sql, "bool_and", isOfProducts(sql, "l.product_id", limit))])
    ])
  }`
}

/** The purchases of a report counted, and the licenses that they give: all of them, by state, and by status. */
export interface PurchaseCount {
  readonly by: "all" | "state" | "status"
  readonly state: string | null
  readonly status: string | null
  readonly purchases: bigint
  readonly licenses: bigint
}

/** Counts the purchases of a report, in one pass: all of them, by their state at the provider, and by how far the work is. */
export const countReported = (sql: Database, filters: PurchaseFilters, limit: ProductLimit): Query<PurchaseCount> =>
  sql<PurchaseCount>`
    -- name: purchases.count for report
    SELECT CASE WHEN grouping(r.state) = 0 THEN 'state' WHEN grouping(r.status) = 0 THEN 'status' ELSE 'all' END AS by,
      r.state, r.status, count(*) AS purchases, coalesce(sum(r.licenses), 0)::int8 AS licenses
    FROM (
      SELECT (p.state ->> 'state') COLLATE "C" AS state, p.status COLLATE "C" AS status,
        (SELECT count(*) FROM purchase_licenses pl WHERE pl.purchase_id = p.id AND NOT pl.is_adopted) AS licenses
      FROM ${reported(sql, filters, limit)}
    ) r
    GROUP BY GROUPING SETS ((), (r.state), (r.status)) ORDER BY 1, r.state NULLS LAST, r.status`

/** The customers of the purchases of a report, as a FROM item. */
export const reportedCustomers = (
  sql: Database,
  filters: PurchaseFilters,
  limit: ProductLimit
): Statement.Fragment => sql`(SELECT p.customer_id FROM ${reported(sql, filters, limit)}) r`

/** The purchases of a report, newest first. */
export const reportedRows = (sql: Database, filters: PurchaseFilters, limit: ProductLimit): Statement.Fragment =>
  sql`
    (SELECT p.began_at, given.product_name, given.policy_name,
      (SELECT coalesce(sum((s ->> 'quantity')::numeric), 0)::int8 FROM jsonb_array_elements(p.state -> 'slots') s
        WHERE s ->> 'dropped_at' IS NULL) AS quantity,
      given.licenses, p.state ->> 'state' AS state, p.status, coalesce(p.state ->> 'refund', 'none') AS refund,
      coalesce(p.state ->> 'dispute', 'none') AS dispute, p.state #>> '{paid,value}' AS paid,
      p.state #>> '{refunded,value}' AS refunded,
      coalesce(p.state #>> '{paid,currency}', p.state #>> '{refunded,currency}') AS currency,
      ${instant(sql, "paid_through")} AS paid_through,
      coalesce(${instant(sql, "ended_at")}, ${
    instant(sql, "cancel_at")
  }) AS ends_at, c.provider, c.name AS connection_name,
      substr(p.name, strpos(p.name, '/') + 1) AS external_id, 
      -- An erasure finds files by the customers in them: who pays is named beside a customer alone.
      CASE WHEN p.customer_id IS NOT NULL THEN p.state #>> '{payer,id}' END AS payer_id, p.customer_id,
      given.license_ids, p.id
    FROM (SELECT p.*, ${begun(sql)} AS began_at FROM ${reported(sql, filters, limit)}) p
    JOIN billing_connections c ON c.id = p.connection_id
    CROSS JOIN LATERAL (
      SELECT count(*) AS licenses, string_agg(DISTINCT r.name, ', ') AS product_name,
        string_agg(DISTINCT o.name, ', ') AS policy_name,
        nullif(array_to_string((array_agg(l.id ORDER BY pl.item, pl.index))[1:100], ' '), '') AS license_ids
      FROM purchase_licenses pl JOIN licenses l ON l.id = pl.license_id JOIN products r ON r.id = l.product_id
      JOIN policies o ON o.id = l.policy_id WHERE pl.purchase_id = p.id AND NOT pl.is_adopted
    ) given
    ORDER BY p.began_at DESC, p.id DESC)`

import type { Statement } from "effect/sql"
import type { PurchaseStatus, UnmappedPrice } from "../../../domain/sales/billing/Purchase.ts"
import type { PurchaseRow } from "../../../domain/sales/billing/PurchaseView.ts"
import type { Database, Query } from "../../ground/persistence/Database.ts"
import type { SortedClauses } from "../../ground/persistence/KeysetPagination.ts"

const shownColumns = (sql: Database): Statement.Fragment =>
  sql`p.id, p.connection_id, c.provider, p.name, p.status, p.state, p.holds, p.failure, p.customer_id, p.attempts,
    p.next_attempt_at, p.read_at, p.read_failure, p.created_at, p.updated_at,
    coalesce((SELECT jsonb_agg(jsonb_build_object('license_id', l.license_id, 'item', l.item, 'index', l.index,
      'stopped', l.stopped, 'is_adopted', l.is_adopted) ORDER BY l.item, l.index)
      FROM purchase_licenses l WHERE l.purchase_id = p.id), '[]') AS licenses,
    (SELECT jsonb_agg(jsonb_build_object('grant_id', u.grant_id, 'feature_id', u.feature_id, 'feature_code', f.code,
      'amount', u.amount, 'license_id', u.license_id, 'customer_id', u.customer_id, 'bill', u.bill,
      'is_taken', u.taken_by IS NOT NULL) ORDER BY u.created_at, u.bill, u.part, u.feature_id, u.number)
      FROM purchase_units u JOIN features f ON f.id = u.feature_id WHERE u.purchase_id = p.id) AS units`

const shownTables = (sql: Database): Statement.Fragment =>
  sql`FROM purchases p JOIN billing_connections c ON c.id = p.connection_id`

/** Filters of the list. */
export interface PurchaseFilters {
  readonly status?: PurchaseStatus
  readonly connection_id?: string
  readonly customer_id?: string
  readonly license_id?: string
  /** The id of the subscription or order at the provider. */
  readonly external_id?: string
  /** An id, here or at the provider, or the beginning of the payer's address. */
  readonly q?: string
}

/** The filters as conditions on purchases `p`. */
export const purchaseConditions = (
  sql: Database,
  { connection_id, customer_id, external_id, license_id, q, status }: PurchaseFilters
): ReadonlyArray<Statement.Fragment> => [
  ...(status === undefined ? [] : [sql`p.status = ${status}`]),
  ...(connection_id === undefined ? [] : [sql`p.connection_id = ${connection_id}`]),
  ...(customer_id === undefined ? [] : [sql`p.customer_id = ${customer_id}`]),
  ...(license_id === undefined
    ? []
    : [sql`p.id IN (SELECT purchase_id FROM purchase_licenses WHERE license_id = ${license_id})`]),
  ...(external_id === undefined
    ? []
    : [sql`p.name IN ('subscription/' || ${external_id}, 'order/' || ${external_id})`]),
  ...(q === undefined ? [] : [
    sql`(p.id = ${q} OR p.name IN ('subscription/' || ${q}, 'order/' || ${q})
            OR starts_with(lower(p.state #>> '{payer,email}'), lower(${q}))
            OR p.id IN (SELECT purchase_id FROM purchase_licenses WHERE license_id = ${q}))`
  ])
]

/** A page of purchases as they are shown. */
export const listPurchases = (
  sql: Database,
  { orderBy, place, where }: SortedClauses,
  limit: number
): Query<PurchaseRow & { readonly place?: string }> =>
  sql<PurchaseRow & { readonly place?: string }>`
    -- name: purchases.list
    SELECT ${shownColumns(sql)} ${place} ${shownTables(sql)} ${where} ${orderBy} LIMIT ${limit}`

/** A purchase as it is shown. */
export const findPurchase = (sql: Database, id: string): Query<PurchaseRow> =>
  sql<PurchaseRow>`
    -- name: purchases.find
    SELECT ${shownColumns(sql)} ${shownTables(sql)} WHERE p.id = ${id}`

/** Prices that purchases wait for, the most wanted first. */
export const listUnmapped = (sql: Database, limit: number): Query<UnmappedPrice & { readonly since: string }> =>
  sql<UnmappedPrice & { readonly since: string }>`
    -- name: purchases.list unmapped prices
    SELECT p.connection_id, c.provider, h ->> 'price' AS price, max(h ->> 'name') AS name,
      count(DISTINCT p.id)::int AS purchases, min(p.created_at) AS since
    ${shownTables(sql)} CROSS JOIN jsonb_array_elements(p.holds) h
    WHERE p.status = 'waiting' AND h ->> 'code' = 'unmapped' AND h ->> 'price' IS NOT NULL
    GROUP BY p.connection_id, c.provider, h ->> 'price' ORDER BY purchases DESC, since LIMIT ${limit}`

import type { Statement } from "effect/sql"
import type { Database, Query } from "../../ground/persistence/Database.ts"
import type { SortedClauses } from "../../ground/persistence/KeysetPagination.ts"
import { andWithinProducts } from "../../ground/persistence/ProductLimit.ts"
import type { ProductLimit } from "../../ground/persistence/ProductLimit.ts"

const shownColumns = (sql: Database): Statement.Fragment =>
  sql`id, product_id, policy_id, name, key, revoked_at, created_at`

/** Holds a product against its deletion. */
export const lockProduct = (sql: Database, id: string): Query<object> =>
  sql`
    -- name: products.lock for publishable keys
    SELECT 1 FROM products WHERE id = ${id} FOR KEY SHARE`

/** A page of keys as they are shown. */
export const listKeys = (sql: Database, { orderBy, place, where }: SortedClauses, limit: number): Query<object> =>
  sql`
    -- name: publishable_keys.list
    SELECT ${shownColumns(sql)} ${place} FROM publishable_keys ${where} ${orderBy} LIMIT ${limit}`

/** The columns that open trials, as a policy's row says it. */
interface PolicyRow {
  readonly product_id: string
  readonly license_type: string
  readonly duration: string | null
  readonly max_activations: number
}

/** The policy of a key that is made, held against changes, which are refused once the key is there. */
export const lockPolicy = (sql: Database, id: string, products: ProductLimit): Query<PolicyRow> =>
  sql<PolicyRow>`
    -- name: policies.lock for publishable key
    SELECT product_id, license_type, duration, max_activations FROM policies
    WHERE id = ${id} ${andWithinProducts(sql, "product_id", products)} FOR SHARE`

/** Inserts a key, which is no secret, and the hash that it is found by. */
export const insertKey = (
  sql: Database,
  { hash, id, key, name, policyId, productId }: {
    readonly id: string
    readonly productId: string
    readonly policyId: string
    readonly name: string
    readonly key: string
    readonly hash: Uint8Array
  }
): Query<object> =>
  sql`
    -- name: publishable_keys.insert
    INSERT INTO publishable_keys (id, product_id, policy_id, name, key, key_hash)
    VALUES (${id}, ${productId}, ${policyId}, ${name}, ${key}, ${hash})
    RETURNING ${shownColumns(sql)}`

/** Revokes a key for good; none where there is none that is not revoked. */
export const updateRevoked = (sql: Database, id: string): Query<object> =>
  sql`
    -- name: publishable_keys.update revoked
    UPDATE publishable_keys SET revoked_at = now()
    -- guard: a publishable key is revoked once
    WHERE id = ${id} AND revoked_at IS NULL
    RETURNING ${shownColumns(sql)}`

/** Whether there is a key, revoked or not. */
export const findExisting = (sql: Database, id: string): Query<object> =>
  sql`
    -- name: publishable_keys.find existing
    SELECT 1 FROM publishable_keys WHERE id = ${id}`

/** The key of a hash, revoked or not. */
export const findByHash = (sql: Database, hash: Uint8Array): Query<object> =>
  sql`
    -- name: publishable_keys.find by hash
    SELECT ${shownColumns(sql)} FROM publishable_keys WHERE key_hash = ${hash}`

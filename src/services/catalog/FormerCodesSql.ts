import type { Database, Query } from "../ground/persistence/Database.ts"

/** A request for a product by a former code. */
export interface CodeUse {
  readonly productId: string
  readonly code: string
  readonly at: Date
}

/**
 * Writes when former codes were asked for, and skips those whose rows are locked: they are retired at this moment, or
 * another node writes them. Its parameters are arrays: the products, the codes, and when.
 */
const lastAskedQuery = `
  -- name: product_former_codes.update last asked
  WITH free AS (
    SELECT f.product_id, f.code, v.at FROM product_former_codes f JOIN unnest(
      $1::text[], $2::text[], $3::timestamptz[]
    ) AS v (product_id, code, at) ON v.product_id = f.product_id AND v.code = f.code
    -- guard: the use of a code waits for nobody
    ORDER BY f.product_id, f.code FOR NO KEY UPDATE OF f SKIP LOCKED
  )
  UPDATE product_former_codes f SET
    -- guard: a code was asked for at the latest time
    last_asked_at = greatest(f.last_asked_at, free.at)
  FROM free WHERE f.product_id = free.product_id AND f.code = free.code`

/** Writes when former codes were asked for. */
export const updateLastAsked = (sql: Database, uses: ReadonlyArray<CodeUse>): Query<object> =>
  sql.unsafe<object>(lastAskedQuery, [
    uses.map(({ productId }) => productId),
    uses.map(({ code }) => code),
    uses.map(({ at }) => at)
  ])

/** The former codes of products, in the order in which they became that. */
export const listUses = (sql: Database, productIds: ReadonlyArray<string>): Query<object> =>
  sql`
    -- name: product_former_codes.list
    SELECT product_id, code, since, last_asked_at FROM product_former_codes
    WHERE product_id = ANY(${productIds}::text[]) ORDER BY product_id, since DESC, code`

/** Begins to watch a code that its product has no more. */
export const insertFormerCode = (sql: Database, productId: string, code: string): Query<object> =>
  sql`
    -- name: product_former_codes.insert
    INSERT INTO product_former_codes (product_id, code) VALUES (${productId}, ${code})
    ON CONFLICT (product_id, code) DO UPDATE SET since = excluded.since, last_asked_at = NULL`

/** Forgets all codes of a product but those that stay; returns what was known of the others. */
export const deleteFormerCodes = (sql: Database, productId: string, staying: ReadonlyArray<string>): Query<object> =>
  sql`
    -- name: product_former_codes.delete
    DELETE FROM product_former_codes WHERE product_id = ${productId} AND code <> ALL(${staying}::text[])
    RETURNING product_id, code, since, last_asked_at`

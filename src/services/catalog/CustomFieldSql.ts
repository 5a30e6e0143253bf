import type { Database, Query } from "../ground/persistence/Database.ts"

/** The first ten options that values of a field have, and that are not among these. */
export const listLostOptions = (
  sql: Database,
  fieldId: string,
  options: ReadonlyArray<string>
): Query<{ readonly enum_value: string }> =>
  sql<{ readonly enum_value: string }>`
    -- name: custom_field_values.list lost options
    SELECT DISTINCT enum_value FROM custom_field_values
    WHERE definition_id = ${fieldId} AND NOT enum_value = ANY(${options}::text[]) ORDER BY enum_value LIMIT 10`

/** Locks a product, so that its fields begin to be signed one after the other, and their number holds. */
export const lockSigning = (sql: Database, productId: string): Query<object> =>
  sql`
    -- name: products.lock for signed fields
    SELECT 1 FROM products WHERE id = ${productId} FOR NO KEY UPDATE`

/** How many other fields of a product are signed, and texts of this one that signed data may not have, if there are any. */
export const countSigned = (
  sql: Database,
  productId: string,
  fieldId: string
): Query<{ readonly others: number; readonly texts: ReadonlyArray<string> }> =>
  sql<{ readonly others: number; readonly texts: ReadonlyArray<string> }>`
    -- name: custom_field_definitions.count signed
    SELECT count(*)::int AS others, ARRAY(
      SELECT left(v.string_value, 256) FROM custom_field_values v
      WHERE v.definition_id = ${fieldId} AND v.string_value !~ '^[ !#-%''-;=?-\\[\\]-_a-~]{1,255}$' LIMIT 1
    ) AS texts
    FROM custom_field_definitions d WHERE d.product_id = ${productId} AND d.is_signed AND d.id <> ${fieldId}`

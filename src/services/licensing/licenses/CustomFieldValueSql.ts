import type { CustomFieldResourceType, CustomFieldValueUpsert } from "../../../domain/catalog/CustomField.ts"
import type { Database, Query } from "../../ground/persistence/Database.ts"
import { andWithinProducts } from "../../ground/persistence/ProductLimit.ts"
import type { ProductLimit } from "../../ground/persistence/ProductLimit.ts"

const columns = `
  v.definition_id, f.product_id, f.resource_type, v.resource_id, f.code, f.name, f.value_type, f.is_required,
  f.enum_options, f.metadata, v.string_value, v.integer_value, v.boolean_value, v.datetime_value, v.enum_value,
  v.updated_at`

/** The values of the signed fields of a license `l`, of its first product, as the column of a snapshot; NULL without one. */
export const signedFields = `
  (SELECT json_object_agg(c.code, coalesce(to_json(v.string_value), to_json(v.integer_value), to_json(v.boolean_value),
      to_json(to_char(v.datetime_value AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')), to_json(v.enum_value)) ORDER BY c.code)
    FROM custom_field_definitions c JOIN custom_field_values v ON v.definition_id = c.id AND v.resource_id = l.id
    WHERE c.product_id = l.product_id AND c.is_signed) AS custom_fields`

/**
 * A page of the values of a resource, after a field. Of a customer that has several products, only the fields of these are
 * shown to a limited key.
 */
export const listValues = (
  sql: Database,
  resourceId: string,
  { after, limit, products }: {
    readonly after: string | undefined
    readonly limit: number
    readonly products: ProductLimit
  }
): Query<object> =>
  sql`
    -- name: custom_field_values.list
    SELECT ${sql.literal(columns)} FROM custom_field_values v JOIN custom_field_definitions f ON f.id = v.definition_id
    WHERE v.resource_id = ${resourceId} ${andWithinProducts(sql, "f.product_id", products)}
    ${after === undefined ? sql`` : sql`AND v.definition_id < ${after}`}
    ORDER BY v.definition_id DESC LIMIT ${limit}`

/** Locks a field against a change. */
export const lockField = (sql: Database, id: string, limit: ProductLimit): Query<object> =>
  sql`
    -- name: custom_field_definitions.lock for value
    SELECT id, product_id, resource_type, code, name, value_type, is_required, enum_options, is_signed, metadata,
      created_at, updated_at
    FROM custom_field_definitions WHERE id = ${id} ${andWithinProducts(sql, "product_id", limit)} FOR SHARE`

/** Sets the value of a field of a locked resource; returns it as it is left. */
export const insertValue = (
  sql: Database,
  { id, type }: { readonly id: string; readonly type: CustomFieldResourceType },
  fieldId: string,
  input: CustomFieldValueUpsert
): Query<object> =>
  sql`
    -- name: custom_field_values.insert
    WITH v AS (
      INSERT INTO custom_field_values (
        definition_id, license_id, customer_id, string_value, integer_value, boolean_value, datetime_value, enum_value
      ) VALUES (
        ${fieldId}, ${type === "license" ? id : null}, ${type === "customer" ? id : null},
        ${input.string_value ?? null}, ${input.integer_value ?? null}::int8, ${input.boolean_value ?? null}::bool,
        ${input.datetime_value ?? null}::text::timestamptz, ${input.enum_value ?? null}
      )
      ON CONFLICT (resource_id, definition_id) DO UPDATE SET
        string_value = excluded.string_value, integer_value = excluded.integer_value,
        boolean_value = excluded.boolean_value, datetime_value = excluded.datetime_value,
        enum_value = excluded.enum_value, updated_at = now()
      RETURNING *
    )
    SELECT ${sql.literal(columns)} FROM v JOIN custom_field_definitions f ON f.id = v.definition_id`

/** Takes the value of a field away. */
export const deleteValue = (
  sql: Database,
  resourceId: string,
  fieldId: string
): Query<{ readonly definition_id: string }> =>
  sql<{ readonly definition_id: string }>`
    -- name: custom_field_values.delete
    DELETE FROM custom_field_values WHERE resource_id = ${resourceId} AND definition_id = ${fieldId}
    RETURNING definition_id`

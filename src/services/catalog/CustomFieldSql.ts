import type { Database, Query } from "../persistence/Database.ts"

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

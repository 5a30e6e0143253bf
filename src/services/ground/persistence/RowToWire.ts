import { Schema } from "effect"

/** One cell in its wire form: instants as RFC 3339 with milliseconds, 64-bit counts as (safe) numbers. */
const wire = (value: unknown): unknown => {
  if (value instanceof Date) return value.toISOString()
  return typeof value === "bigint" ? Number(value) : value
}

/**
 * Converts a row to a wire object without a check; NULL columns are left out. It is for hot statements, whose columns a
 * test compares with the schema, and for rows that no schema describes. All other rows are read with {@link rowReader}.
 */
export const toWire = <A>(row: object): A => {
  const object: Record<string, unknown> = {}
  for (const [key, value] of Object.entries(row)) {
    if (value !== null && value !== undefined) object[key] = wire(value)
  }
  return object as A
}

/**
 * Makes a reader that decodes rows with a schema. A column that is missing, of another type, or unknown to the schema
 * is a mistake in the statement: the reader throws, and the effect around it dies.
 */
export const rowReader = <A, I>(schema: Schema.Codec<A, I>): (row: object) => A => {
  const decode = Schema.decodeUnknownSync(schema, { onExcessProperty: "error" })
  return (row) => decode(toWire(row))
}

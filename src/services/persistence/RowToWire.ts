import { Schema } from "effect"

/** One cell as the wire writes it: instants as RFC 3339 with milliseconds, 64-bit counts as (safe) numbers. */
const wire = (value: unknown): unknown => {
  if (value instanceof Date) return value.toISOString()
  return typeof value === "bigint" ? Number(value) : value
}

/**
 * A row as a wire object, unchecked: columns that are NULL are left out. It is for hot statements, whose columns a test
 * holds against the schema, and for rows that no schema describes. All others are read with {@link rowReader}.
 */
export const toWire = <A>(row: object): A => {
  const object: Record<string, unknown> = {}
  for (const [key, value] of Object.entries(row)) {
    if (value !== null && value !== undefined) object[key] = wire(value)
  }
  return object as A
}

/**
 * Reads rows as what a schema says they are. A column that is missing, that has another type, or that the schema does
 * not know is a mistake in a statement: the reader throws, and the effect around it dies.
 */
export const rowReader = <A, I>(schema: Schema.Codec<A, I>): (row: object) => A => {
  const decode = Schema.decodeUnknownSync(schema, { onExcessProperty: "error" })
  return (row) => decode(toWire(row))
}

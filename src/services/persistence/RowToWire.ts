/** One cell as the wire writes it: instants as RFC 3339 with milliseconds, 64-bit counts as (safe) numbers. */
const wire = (value: unknown): unknown => {
  if (value instanceof Date) return value.toISOString()
  return typeof value === "bigint" ? Number(value) : value
}

/** A row as a wire object: columns that are NULL are left out. */
export const toWire = <A>(row: object): A => {
  const object: Record<string, unknown> = {}
  for (const [key, value] of Object.entries(row)) {
    if (value !== null && value !== undefined) object[key] = wire(value)
  }
  return object as A
}

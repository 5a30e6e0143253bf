import { PgTypes } from "@effect/sql-pg"
import { Result } from "effect"

/** The type of a row that is no row of a table, in pg_type. */
const recordOid = 2249

/**
 * The types of a connection, with rows in a cell as the bytes that `record_send` writes. They are a view of what was
 * received: millions of rows are read so, and a copy of each would cost more than everything else about it.
 */
export const types = PgTypes.makeRegistry()

types.register<Uint8Array>(recordOid, {
  encode: () => Result.fail(new PgTypes.CodecError({ message: "A row is no parameter" })),
  decode: (bytes) => Result.succeed(bytes),
  read: (bytes, offset, size) => Result.succeed(new Uint8Array(bytes.buffer, bytes.byteOffset + offset, size))
})

import { Effect, Schema } from "effect"
import type { SqlError } from "effect/sql/SqlError"
import type { connectOnce } from "../postgres/DatabaseServer.ts"

/** The tables of what people make first. */
const tables = ["licenses", "products", "customers", "webhook_endpoints", "management_keys"]

const readFound = Schema.decodeUnknownSync(Schema.Struct({ found: Schema.Boolean }))

/** A table of a database in which there is something already; undefined where there is none, or no tables yet. */
export const findUsed = (
  connection: Effect.Success<ReturnType<typeof connectOnce>>
): Effect.Effect<string | undefined, SqlError> =>
  Effect.gen(function*() {
    for (const table of tables) {
      const { rows: [there] } = yield* connection.query("SELECT to_regclass($1) IS NOT NULL AS found", [table])
      if (!readFound(there).found) continue
      const { rows: [used] } = yield* connection.query(`SELECT EXISTS (SELECT FROM ${table}) AS found`)
      if (readFound(used).found) return table
    }
    return undefined
  })

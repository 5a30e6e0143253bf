import { Data, Effect, Runtime } from "effect"
import { SqlClient } from "effect/sql"
import { exitCode } from "../terminal/ExitCode.ts"

/**
 * The numbers of the migrations that `schema.sql` came from, as first and last of each row of them. A database that has run
 * all of them is as a new one, and goes on as it stands.
 */
const rows: ReadonlyArray<readonly [first: number, last: number]> = [
  [1, 34],
  [36, 40],
  [42, 48],
  [50, 66],
  [72, 74],
  [80, 80],
  [83, 83],
  [86, 87],
  [95, 97],
  [100, 101],
  [103, 103],
  [110, 110],
  [115, 117],
  [120, 121],
  [130, 132],
  [134, 134],
  [138, 138],
  [140, 142],
  [145, 148],
  [150, 158],
  [160, 163],
  [165, 166],
  [168, 169],
  [175, 175],
  [180, 180],
  [184, 184],
  [190, 191],
  [196, 196],
  [206, 206],
  [213, 213],
  [240, 247],
  [251, 251],
  [255, 255]
]

const numbers: ReadonlyArray<number> = rows.flatMap(([first, last]) =>
  Array.from({ length: last - first + 1 }, (_, index) => first + index)
)

/** The number of the schema that `schema.sql` makes, which later migrations come on top of. */
export const base = 255

/** The step of `schema.sql` among the migrations. */
export const baseName = `0${base}_base`

/** Its purpose in one line. */
export const baseDoes = "all tables, as schema.sql has them"

/** The version that has every migration up to {@link base}: a required stop on the way from an older one. */
export const requiredStop = "v0.1.0-schema-255"

/** The refusal of a schema that is older than {@link base}, with the way to it. */
export const tooOld = (subject: string, older: string, way: string): string =>
  `Schema ${older} of ${subject} is too old for this version, which takes over schema ${base} and later ones. ` +
  `No changes were made: ${way}`

/** The database is of a schema before {@link base}. The message says which version to start once. */
class SchemaTooOld extends Data.TaggedError("SchemaTooOld")<{ readonly message: string }> {
  override readonly [Runtime.errorExitCode] = exitCode.away
}

/** Fails where not all that leads to the base was applied, though something was. Writes nothing. */
export const refuseOlder = (applied: ReadonlyMap<number, unknown>): Effect.Effect<void, SchemaTooOld> => {
  const missing = numbers.filter((number) => !applied.has(number))
  if (applied.size === 0 || missing.length === 0) return Effect.void
  const last = [...applied.keys()].reduce((a, b) => Math.max(a, b))
  const holes = missing.filter((number) => number < last)
  const older = holes.length === 0 ? String(last) : `${last} without ${holes.join(", ")}`
  return Effect.fail(
    new SchemaTooOld({
      message: tooOld("the database", older, `start version ${requiredStop} on it once, and then this one`)
    })
  )
}

/** Makes the tables of `schema.sql`, in the transaction of the caller. None of them may be there. */
export const makeBase = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  const { schemaText } = yield* Effect.promise(() => import("./SchemaText.ts"))
  // The driver sends one statement at a time, and PL/pgSQL runs as many as a text has.
  yield* sql.unsafe(`DO $base$ BEGIN EXECUTE $schema$${schemaText}$schema$; END $base$`)
  // With the numbers of before, nodes of the required stop find nothing pending.
  yield* sql.unsafe(
    `INSERT INTO schema_migrations (migration_id, name) VALUES ${
      numbers.map((number) => `(${number}, 'base')`).join(", ")
    }`
  )
})

import { Clock, Context, Data, Effect, Layer, Option, Runtime } from "effect"
import type { Redacted } from "effect"
import { SqlClient } from "effect/sql"
import { AppConfig } from "../config/Config.ts"
import { child } from "../processes/Child.ts"
import { exitCode } from "../terminal/ExitCode.ts"
import * as Database from "./Database.ts"
import type { Migration } from "./migrations/index.ts"
import { migrations } from "./migrations/index.ts"
import { IsOnline, lockPatience, untilLocked } from "./OnlineMigration.ts"

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
const baseName = `0${base}_base`

/** Its purpose in one line. */
const baseDoes = "all tables, as schema.sql has them"

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
const refuseOlder = (applied: ReadonlyMap<number, unknown>): Effect.Effect<void, SchemaTooOld> => {
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
const makeBase = Effect.gen(function*() {
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

/** The database user may not create the tables. The message says which user and which schema. */
class SchemaRefused extends Data.TaggedError("SchemaRefused")<{ readonly message: string }> {
  override readonly [Runtime.errorExitCode] = exitCode.away
}

/** The schema is older than this version, and the operator migrates it. */
class MigrationsPending extends Data.TaggedError("MigrationsPending")<{ readonly message: string }> {
  override readonly [Runtime.errorExitCode] = exitCode.away
}

/** The advisory lock that every migration in a transaction holds. */
const transactionLock = 0x436f756e

/**
 * The advisory lock of the node that migrates, held by its session. Nobody waits for it in a statement, whose snapshot
 * would keep `CREATE INDEX CONCURRENTLY` of its holder from ending.
 */
const sessionLock = 0x436f756f

/** A migration, and when it was applied; null while it is pending. */
export interface Step {
  readonly id: number
  readonly name: string
  /** Its purpose in one line. */
  readonly does: string
  readonly isOnline: boolean
  readonly appliedAt: Date | null
}

const numberOf = (name: string): number => Number.parseInt(name, 10)

/** The names in `schema_migrations` are without their number. */
const recordedName = (name: string): string => name.replace(/^\d+_/, "")

/** The migrations that come after the base, by name: those of this version. */
export const Later = Context.Reference<Readonly<Record<string, Migration>>>("countersign/runtime/postgres/Later", {
  defaultValue: () => migrations
})

/** The number of the last migration; that of the base where none came after it. */
export const newest = Object.keys(migrations).map(numberOf).reduce((last, number) => Math.max(last, number), base)

/** Blocks other creations and changes of tables until the transaction ends. */
export const lock = Effect.flatMap(
  SqlClient.SqlClient,
  (sql) => sql`SELECT pg_advisory_xact_lock(${transactionLock})`
)

/** Fails when the user may not create tables, the most common cause of a failed migration. */
const checkPrivilege = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  const rows = yield* sql<{ readonly user: string; readonly schema: string | null; readonly allowed: boolean | null }>`
    SELECT current_user AS user, current_schema() AS schema,
      has_schema_privilege(current_schema(), 'CREATE') AS allowed`.pipe(Effect.orDie)
  const { allowed, schema, user } = rows[0]!
  if (allowed === true) return
  return yield* new SchemaRefused({
    message:
      `The database user ${user} may not create tables in ${schema === null ? "any schema" : `schema ${schema}`}. ` +
      "Let it own the database that DATABASE_URL names, for example: " +
      `CREATE DATABASE countersign OWNER ${user}`
  })
})

/**
 * When each migration was applied. In a transaction PostgreSQL learns of tables that others made only where a statement
 * opens a table: a name that was looked up before, and alone, would stay unknown behind the lock of whoever made it.
 */
const applied = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  const [present] = yield* sql<{ readonly present: boolean }>`
    SELECT EXISTS (
      SELECT FROM pg_catalog.pg_class WHERE oid = to_regclass('schema_migrations')
    ) AS present`
  if (!present!.present) return new Map<number, Date>()
  const rows = yield* sql<{ readonly id: number; readonly at: Date }>`
    SELECT migration_id AS id, created_at AS at FROM schema_migrations`
  return new Map(rows.map(({ at, id }) => [id, at]))
})

/** Fails where the database is older than the base. */
export const refuseBeforeBase = Effect.flatMap(applied, refuseOlder)

/**
 * The base and every migration of this version. `newer` counts those in the database that only later versions know. A
 * database that is older than the base is refused.
 */
export const status = Effect.gen(function*() {
  const later = yield* Later
  const ids = yield* applied
  yield* refuseOlder(ids)
  const at = (id: number) => ids.get(id) ?? null
  const steps: ReadonlyArray<Step> = [
    { id: base, name: baseName, does: baseDoes, isOnline: false, appliedAt: at(base) },
    ...Object.entries(later).map(([name, { does, isOnline }]) => {
      const id = numberOf(name)
      return { id, name, does, isOnline, appliedAt: at(id) }
    })
  ]
  const known = new Set(steps.map(({ id }) => id))
  return { steps, newer: [...ids.keys()].filter((id) => id > base && !known.has(id)).length }
})

/** Logs a migration that was applied, and its duration. */
export type Report = (name: string, milliseconds: number) => Effect.Effect<void>

const record = (name: string) =>
  Effect.flatMap(
    SqlClient.SqlClient,
    (sql) =>
      sql`INSERT INTO schema_migrations (migration_id, name) VALUES (${numberOf(name)}, ${recordedName(name)})
      ON CONFLICT DO NOTHING`
  )

/** Makes the tables as they were after a migration, in the transaction of the caller. None of them may be there. */
export const makeSchema = Effect.fnUntraced(function*(last: number) {
  yield* makeBase
  for (const [name, { run }] of Object.entries(yield* Later)) {
    if (numberOf(name) > last) continue
    yield* run
    yield* record(name)
  }
})

/** Creates all tables in a database without any: nobody uses it yet. Answers whether it had none. */
const makeNew = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  return yield* sql.withTransaction(Effect.gen(function*() {
    yield* lock
    if ((yield* applied).size > 0) return false
    yield* makeSchema(Infinity)
    return true
  }))
})

const applyOnline = (name: string, { run }: Migration) =>
  run.pipe(Effect.provideService(IsOnline, true), Effect.andThen(record(name)))

const applyAtOnce = Effect.fnUntraced(function*(name: string, { run }: Migration) {
  const sql = yield* SqlClient.SqlClient
  yield* untilLocked(
    name,
    sql.withTransaction(Effect.gen(function*() {
      yield* lock
      if ((yield* applied).has(numberOf(name))) return
      yield* run
      yield* record(name)
    }))
  )
})

/** Waits until no other node migrates. */
const takeTurn = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  for (let attempt = 1;; attempt++) {
    const [row] = yield* sql<{ readonly taken: boolean }>`SELECT pg_try_advisory_lock(${sessionLock}) AS taken`
    if (row!.taken) return
    if (attempt === 20) yield* Effect.logInfo("Waiting for another node, which migrates the schema")
    yield* Effect.sleep("100 millis")
  }
})

/**
 * Migrates the schema, one migration after the other, while other nodes work with it: no statement makes them wait for
 * longer than {@link lockPatience}. Of several nodes that start together one migrates, and the others wait. What was
 * interrupted goes on at the next call. Fails where the database is older than the base, and leaves it as it is. Needs a
 * connection of its own.
 */
export const migrate = Effect.fnUntraced(function*(report: Report) {
  const sql = yield* SqlClient.SqlClient
  const later = Object.entries(yield* Later)
  const pending = Effect.gen(function*() {
    const ids = yield* applied
    yield* refuseOlder(ids)
    return ids.size === 0 ? undefined : later.filter(([name]) => !ids.has(numberOf(name)))
  })
  const before = yield* pending
  if (before?.length === 0) return
  if (before === undefined && (yield* makeNew)) return
  yield* Effect.acquireUseRelease(
    takeTurn,
    () =>
      Effect.gen(function*() {
        yield* sql.unsafe(`SET lock_timeout = ${lockPatience}`)
        for (const [name, migration] of (yield* pending) ?? []) {
          const begun = yield* Clock.currentTimeMillis
          yield* migration.isOnline ? applyOnline(name, migration) : applyAtOnce(name, migration)
          yield* report(name, (yield* Clock.currentTimeMillis) - begun)
        }
      }),
    () => Effect.ignore(sql`SELECT pg_advisory_unlock(${sessionLock})`)
  )
}, Effect.catchTag("SqlError", (cause) => Effect.andThen(checkPrivilege, Effect.die(cause))))

const logged: Report = (name, milliseconds) => Effect.logInfo(`Migrated ${name} in ${Math.round(milliseconds)} ms`)

/**
 * Whether a start migrates even with `COUNTERSIGN_MIGRATE=check`: an embedded database without tables, which a start has
 * just made. Nobody uses it, and nobody but a start could make one.
 */
export const isJustMade = (databaseUrl: Redacted.Redacted | undefined, steps: ReadonlyArray<Step>): boolean =>
  (databaseUrl === undefined || child?.isDatabaseEmbedded === true) &&
  steps.every(({ appliedAt }) => appliedAt === null)

/**
 * A start without `COUNTERSIGN_MIGRATE=auto` refuses a schema that is older than this version, unless it
 * {@link isJustMade}.
 */
const check = Effect.fnUntraced(function*(databaseUrl: Redacted.Redacted | undefined) {
  const { steps } = yield* status.pipe(Effect.catchTag("SqlError", Effect.die))
  const pending = steps.filter(({ appliedAt }) => appliedAt === null)
  if (pending.length === 0) return
  if (isJustMade(databaseUrl, steps)) return yield* migrate(logged)
  return yield* new MigrationsPending({
    message:
      `${pending.length} migrations are pending, from ${pending[0]!.name} on, and COUNTERSIGN_MIGRATE is check. ` +
      "Run them with this version while the previous version keeps running: countersign migrate up"
  })
})

/**
 * Migrates the database, or checks that it is migrated where the configuration says so. Whether it belongs to our master
 * key is checked when its data keys are read.
 */
export const layer = Layer.effectDiscard(
  Effect.gen(function*() {
    const config = yield* Effect.serviceOption(AppConfig)
    return yield* Option.isSome(config) && config.value.migrate === "check"
      ? check(config.value.databaseUrl)
      : migrate(logged)
  }).pipe(Effect.provide(Database.layerMigration))
)

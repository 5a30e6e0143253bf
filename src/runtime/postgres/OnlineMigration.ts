import { Context, Effect, Random } from "effect"
import { SqlClient } from "effect/sql"
import type { SqlError } from "effect/sql/SqlError"

/**
 * How long a statement of a migration waits for a lock, in milliseconds. Whoever needs the table waits behind it, so it
 * is less than callers notice, and less than PostgreSQL's `deadlock_timeout` (1 s): where a migration and a request wait
 * for each other, it is always the migration that gives up and tries again.
 */
export const lockPatience = 200

/** The pause before a lock is asked for again, in milliseconds: at first, and at most. */
const pauses = { least: 100, most: 2_000 } as const

/** How often a lock is asked for: about ten minutes. */
const attempts = 300

/**
 * Whether the statements of a migration are transactions of their own, beside a service that goes on working. Otherwise
 * they are in one transaction, as when a new database is made.
 */
export const IsOnline = Context.Reference<boolean>("countersign/runtime/postgres/IsOnline", {
  defaultValue: () => false
})

/** Whether a lock was not available: lock_not_available, or deadlock_detected. */
const isLockRefused = ({ reason }: SqlError): boolean =>
  reason._tag === "LockTimeoutError" || reason._tag === "DeadlockError"

const isSqlError = (error: unknown): error is SqlError =>
  typeof error === "object" && error !== null && "_tag" in error && error._tag === "SqlError"

/** The transactions that have run longest, one of which holds the lock. */
const holders = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  const found = yield* sql<{ readonly holder: string }>`
    SELECT format('pid %s of %s, %s for %s s', pid, coalesce(nullif(application_name, ''), usename), state,
      extract(epoch FROM clock_timestamp() - xact_start)::int) AS holder
    FROM pg_stat_activity
    WHERE datname = current_database() AND pid <> pg_backend_pid() AND xact_start < clock_timestamp() - interval '1 s'
    ORDER BY xact_start LIMIT 3`
  return found.map(({ holder }) => holder).join("; ")
})

/**
 * Runs a statement or transaction that needs a strong lock, and retries until the lock is granted at once. A failure
 * must leave nothing behind.
 */
export const untilLocked = Effect.fnUntraced(function*<A, E, R>(what: string, work: Effect.Effect<A, E, R>) {
  for (let attempt = 1;; attempt++) {
    const result = yield* Effect.result(work)
    if (result._tag === "Success") return result.success
    const error = result.failure
    if (!isSqlError(error) || !isLockRefused(error) || attempt === attempts) return yield* Effect.fail(error)
    if (attempt === 3 || attempt % 50 === 0) {
      const open = yield* Effect.orElseSucceed(holders, () => "")
      yield* Effect.logWarning(
        `${what} waits for a lock and lets others pass meanwhile` +
          (open === "" ? "" : `. The longest open transactions: ${open}`)
      )
    }
    const pause = Math.min(pauses.most, pauses.least * 2 ** Math.min(attempt, 10))
    yield* Effect.sleep(`${Math.round(pause * (0.5 + (yield* Random.next) / 2))} millis`)
  }
})

/** A statement that holds a strong lock for a moment: it only changes the catalogue, or a table without rows. */
export const briefly = Effect.fnUntraced(function*(statement: string) {
  const sql = yield* SqlClient.SqlClient
  const run = sql.unsafe(statement)
  yield* (yield* IsOnline) ? untilLocked(statement.trim().split("\n", 1)[0]!, run) : run
})

/**
 * A statement that takes long, beside readers and writers: `CREATE INDEX CONCURRENTLY`, `VALIDATE CONSTRAINT`. It may
 * wait for as long as older transactions run, because nobody waits behind it.
 */
export const leisurely = Effect.fnUntraced(function*(statement: string) {
  const sql = yield* SqlClient.SqlClient
  if (!(yield* IsOnline)) return yield* sql.unsafe(statement)
  // The connection is the migration's own, so the setting holds for the next statement.
  yield* sql`SET lock_timeout = 0`
  return yield* Effect.ensuring(sql.unsafe(statement), Effect.ignore(sql.unsafe(`SET lock_timeout = ${lockPatience}`)))
})

/** Whether there is an index of this name; `false` for one whose making was interrupted, which nothing uses. */
const isValid = Effect.fnUntraced(function*(name: string) {
  const sql = yield* SqlClient.SqlClient
  const [found] = yield* sql<{ readonly valid: boolean }>`
    SELECT indisvalid AS valid FROM pg_index WHERE indexrelid = to_regclass(${name})`
  return found?.valid
})

/** Makes an index beside readers and writers. `definition` is what follows its name: `ON licenses (expires_at)`. */
export const createIndex = Effect.fnUntraced(function*(name: string, definition: string, kind: "" | "UNIQUE" = "") {
  const sql = yield* SqlClient.SqlClient
  if (!(yield* IsOnline)) return yield* Effect.asVoid(sql.unsafe(`CREATE ${kind} INDEX ${name} ${definition}`))
  const valid = yield* isValid(name)
  if (valid === true) return
  if (valid === false) yield* leisurely(`DROP INDEX CONCURRENTLY ${name}`)
  yield* leisurely(`CREATE ${kind} INDEX CONCURRENTLY ${name} ${definition}`)
})

/** Replaces an index by one of the same name. Until the new one is there, the old one is used. */
export const replaceIndex = Effect.fnUntraced(function*(name: string, definition: string, kind: "" | "UNIQUE" = "") {
  if (yield* IsOnline) {
    yield* createIndex(`${name}_next`, definition, kind)
    yield* leisurely(`DROP INDEX CONCURRENTLY IF EXISTS ${name}`)
    return yield* briefly(`ALTER INDEX ${name}_next RENAME TO ${name}`)
  }
  yield* briefly(`DROP INDEX ${name}`)
  return yield* createIndex(name, definition, kind)
})

/**
 * Adds columns that are NULL in the rows that are there. A `check`, a condition over the column, or the table that it references,
 * holds for new rows at once; the rows that are there are read for it without a lock that keeps writers out.
 */
export const addColumns = Effect.fnUntraced(function*(
  table: string,
  columns: Readonly<
    Record<
      string,
      | string
      | { readonly type: string; readonly check: string }
      | { readonly type: string; readonly references: string }
    >
  >
) {
  const changes: Array<string> = []
  const checks: Array<string> = []
  for (const [name, column] of Object.entries(columns)) {
    changes.push(`ADD COLUMN IF NOT EXISTS ${name} ${typeof column === "string" ? column : column.type}`)
    if (typeof column === "string") continue
    const [check, rule] = "check" in column
      ? [`${table}_${name}_check`, `CHECK (${column.check})`]
      : [`${table}_${name}_fkey`, `FOREIGN KEY (${name}) REFERENCES ${column.references}`]
    checks.push(check)
    changes.push(`DROP CONSTRAINT IF EXISTS ${check}`, `ADD CONSTRAINT ${check} ${rule} NOT VALID`)
  }
  yield* briefly(`ALTER TABLE ${table} ${changes.join(", ")}`)
  for (const check of checks) yield* leisurely(`ALTER TABLE ${table} VALIDATE CONSTRAINT ${check}`)
})

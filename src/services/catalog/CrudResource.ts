import { Effect } from "effect"
import { SqlClient, Statement } from "effect/sql"
import type { SqlError } from "effect/sql"
import type { EventKind, Family } from "../../domain/events/EventKind.ts"
import { Conflict, failing, InUse, NotFound } from "../../domain/wire/Errors.ts"
import type { InvalidCursor } from "../../domain/wire/Errors.ts"
import type { IdType } from "../../domain/wire/Id.ts"
import type { Page, PageRequest } from "../../domain/wire/Page.ts"
import { Events } from "../events/Events.ts"
import { Identifiers } from "../persistence/Identifiers.ts"
import { keysetPage } from "../persistence/KeysetPagination.ts"
import { toWire } from "../persistence/RowToWire.ts"
import { inTransaction } from "../persistence/Transaction.ts"

/** What all plain resources have in common: a table whose rows are created, read, listed, changed and deleted. */
export interface ResourceOptions {
  readonly table: string
  readonly columns: ReadonlyArray<string>
  readonly idType: IdType
  /** The family of its events: `product.created` and so on. */
  readonly family: Extract<
    Family,
    "product" | "policy" | "feature" | "version" | "customer" | "order" | "subscription" | "custom_field"
  >
  /** What a person calls it. */
  readonly noun: string
  /** What no two of them may share; `code` unless said otherwise. */
  readonly unique?: string
  /** Columns that hold instants, written as RFC 3339. */
  readonly instants?: ReadonlyArray<string>
  /** JSON Pointers into its events at which personal values stand. */
  readonly personal?: ReadonlyArray<string>
}

type Values = Readonly<Record<string, unknown>>

/** Makes the operations of a plain resource; every write is one transaction with its event. */
export const makeCrudResource = <A extends { readonly id: string }>(options: ResourceOptions) =>
  Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const events = yield* Events
    const identifiers = yield* Identifiers
    const table = sql(options.table)
    const columns = sql.csv(options.columns.map((column) => sql`${sql(column)}`))

    const missing = () => failing(NotFound, `No ${options.noun} has this id.`)
    const taken = () => failing(Conflict, `Another ${options.noun} has this ${options.unique ?? "code"}.`)
    const inUse = (detail?: string) =>
      failing(InUse, `The ${options.noun} is in use.`, detail === undefined ? {} : { detail })

    // Objects are jsonb. Column names come from closed request schemas, never from a caller's text.
    const cell = (column: string, value: unknown): Statement.Fragment => {
      if (Statement.isFragment(value)) return value
      if (options.instants?.includes(column)) return sql`${value as string | null}::text::timestamptz`
      if (Array.isArray(value)) return sql`${value}::text[]`
      return typeof value === "object" && value !== null
        ? sql`${JSON.stringify(value)}::jsonb`
        : sql`${value as string}`
    }

    const orFailOn =
      <E>(tag: "UniqueViolation" | "ConstraintError", failure: () => E) =>
      <R>(effect: Effect.Effect<ReadonlyArray<object>, SqlError.SqlError, R>) =>
        effect.pipe(
          Effect.catch((error): Effect.Effect<never, E> =>
            error.reason._tag === tag ? Effect.fail(failure()) : Effect.die(error)
          )
        )

    const append = (change: "created" | "updated" | "deleted", resource: A) =>
      events.append({
        type: `${options.family}.${change}` satisfies EventKind,
        resourceId: resource.id,
        data: resource,
        ...(options.personal === undefined ? {} : { personal: options.personal })
      })

    /** One page, newest first; `filters` name columns that must be equal, `where` names other conditions. */
    const list = (
      page: PageRequest,
      filters: Values = {},
      where: Readonly<Record<string, Statement.Fragment>> = {}
    ): Effect.Effect<Page<A>, InvalidCursor> =>
      keysetPage({
        list: options.table,
        filters: { ...filters, ...Object.fromEntries(Object.keys(where).map((name) => [name, true])) },
        page,
        rows: (after, limit) => {
          const conditions = [
            ...Object.entries(filters).map(([column, value]) => sql`${sql(column)} = ${value as string}`),
            ...Object.values(where),
            ...(after === undefined ? [] : [sql`id < ${after}`])
          ]
          return sql`
            SELECT ${columns} FROM ${table} ${conditions.length === 0 ? sql`` : sql`WHERE ${sql.and(conditions)}`}
            ORDER BY id DESC LIMIT ${limit}`.pipe(Effect.map((rows) => rows.map(toWire<A>)), Effect.orDie)
        }
      })

    const get = (id: string): Effect.Effect<A, NotFound> =>
      sql`SELECT ${columns} FROM ${table} WHERE id = ${id}`.pipe(
        Effect.orDie,
        Effect.flatMap(([row]) => row === undefined ? Effect.fail(missing()) : Effect.succeed(toWire<A>(row)))
      )

    /** Like `get`, and keeps the row as it is until the surrounding transaction ends. */
    const lock = (id: string): Effect.Effect<A, NotFound> =>
      sql`SELECT ${columns} FROM ${table} WHERE id = ${id} FOR NO KEY UPDATE`.pipe(
        Effect.orDie,
        Effect.flatMap(([row]) => row === undefined ? Effect.fail(missing()) : Effect.succeed(toWire<A>(row)))
      )

    /** Like `get`, and keeps the row from being deleted until the surrounding transaction ends. */
    const hold = (id: string): Effect.Effect<void, NotFound> =>
      sql`SELECT id FROM ${table} WHERE id = ${id} FOR KEY SHARE`.pipe(
        Effect.orDie,
        Effect.flatMap(([row]) => row === undefined ? Effect.fail(missing()) : Effect.void)
      )

    const create = (values: Values): Effect.Effect<A, Conflict> =>
      inTransaction(
        sql,
        Effect.gen(function*() {
          const all = { id: identifiers.next(options.idType), ...values }
          const rows = yield* sql`
            INSERT INTO ${table} (${sql.csv(Object.keys(all).map((column) => sql`${sql(column)}`))})
            VALUES (${sql.csv(Object.entries(all).map(([column, value]) => cell(column, value)))})
            RETURNING ${columns}`.pipe(orFailOn("UniqueViolation", taken))
          const resource = toWire<A>(rows[0]!)
          yield* append("created", resource)
          return resource
        })
      )

    const update = (id: string, changes: Values): Effect.Effect<A, NotFound | Conflict> =>
      inTransaction(
        sql,
        Effect.gen(function*() {
          const set = sql.csv([
            ...Object.entries(changes).map(([column, value]) => sql`${sql(column)} = ${cell(column, value)}`),
            sql`updated_at = now()`
          ])
          const rows = yield* sql`UPDATE ${table} SET ${set} WHERE id = ${id} RETURNING ${columns}`.pipe(
            orFailOn("UniqueViolation", taken)
          )
          if (rows[0] === undefined) return yield* missing()
          const resource = toWire<A>(rows[0])
          yield* append("updated", resource)
          return resource
        })
      )

    /** Deletes unless a table in `users` refers to it; each entry is a table and its referring column. */
    const remove = (
      id: string,
      users: Readonly<Record<string, string>>
    ): Effect.Effect<void, NotFound | InUse> =>
      inTransaction(
        sql,
        Effect.gen(function*() {
          const locked = yield* sql`SELECT id FROM ${table} WHERE id = ${id} FOR UPDATE`.pipe(Effect.orDie)
          if (locked[0] === undefined) return yield* missing()
          const found: Array<string> = []
          for (const [user, column] of Object.entries(users)) {
            const rows = yield* sql`SELECT 1 FROM ${sql(user)} WHERE ${sql(column)} = ${id} LIMIT 1`.pipe(Effect.orDie)
            if (rows.length > 0) found.push(user.replaceAll("_", " "))
          }
          if (found.length > 0) return yield* inUse(`Referenced by ${found.join(", ")}.`)
          const rows = yield* sql`DELETE FROM ${table} WHERE id = ${id} RETURNING ${columns}`.pipe(
            orFailOn("ConstraintError", () => inUse())
          )
          yield* append("deleted", toWire<A>(rows[0]!))
        })
      )

    return { list, get, lock, hold, create, update, remove }
  })

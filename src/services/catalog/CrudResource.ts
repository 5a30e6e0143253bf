import { Effect } from "effect"
import type { Schema } from "effect"
import { Statement } from "effect/sql"
import type { EventKind, Family } from "../../domain/events/EventKind.ts"
import { Conflict, failing, InUse, NotFound } from "../../domain/wire/Errors.ts"
import type { InvalidCursor, PreconditionFailed } from "../../domain/wire/Errors.ts"
import type { IdType } from "../../domain/wire/Id.ts"
import type { Page, PageRequest } from "../../domain/wire/Page.ts"
import { Events } from "../events/Events.ts"
import { assignments } from "../persistence/Assignments.ts"
import { Database } from "../persistence/Database.ts"
import type { Query } from "../persistence/Database.ts"
import { Identifiers } from "../persistence/Identifiers.ts"
import { sortedPage } from "../persistence/KeysetPagination.ts"
import type { ListLimit } from "../persistence/KeysetPagination.ts"
import { makeEntityTags } from "../persistence/Precondition.ts"
import { rowReader } from "../persistence/RowToWire.ts"
import { inTransaction } from "../persistence/Transaction.ts"

/** The wire schema of a resource. */
type ResourceSchema<A> = Schema.Codec<A, unknown> & { readonly fields: Readonly<Record<string, unknown>> }

/** What defines a plain resource: a table whose rows are created, read, listed, changed and deleted. */
export interface ResourceOptions<A> {
  readonly table: string
  /** The schema of a row; its members are the columns. */
  readonly schema: ResourceSchema<A>
  readonly idType: IdType
  /** The family of its event kinds: `product.created` and so on. */
  readonly family: Extract<
    Family,
    "product" | "policy" | "feature" | "version" | "customer" | "order" | "subscription" | "custom_field"
  >
  /** The noun in messages to people. */
  readonly noun: string
  /** How its list keeps to the products of a limited key. */
  readonly products: ListLimit
  /** The column that must be unique; `code` by default. */
  readonly unique?: string
  /** Columns that hold instants, written as RFC 3339. */
  readonly instants?: ReadonlyArray<string>
  /** JSON Pointers to personal values in its events. */
  readonly personal?: ReadonlyArray<string>
}

/** A condition of a list, and the filter that it stands for: its name and what is asked for. */
export interface ListCondition {
  readonly filter: readonly [name: string, value: unknown]
  readonly condition: Statement.Fragment
}

type Values = Readonly<Record<string, unknown>>

/** Makes the operations of a plain resource. Each write is one transaction together with its event. */
export const makeCrudResource = <A extends { readonly id: string }>(options: ResourceOptions<A>) =>
  Effect.gen(function*() {
    const sql = yield* Database
    const events = yield* Events
    const identifiers = yield* Identifiers
    const table = sql(options.table)
    const columns = sql.csv(Object.keys(options.schema.fields).map((column) => sql`${sql(column)}`))
    const read = rowReader(options.schema)
    const tags = yield* makeEntityTags<A>((resource) => resource)

    const missing = () => failing(NotFound, `No ${options.noun} has this id.`)
    const taken = () => failing(Conflict, `Another ${options.noun} has this ${options.unique ?? "code"}.`)
    const inUse = (detail?: string) =>
      failing(InUse, `The ${options.noun} is in use.`, detail === undefined ? {} : { detail })

    // Objects are stored as jsonb. Column names come from closed request schemas, never from a caller's text.
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
      ({ fallible }: Query<Values>): Effect.Effect<ReadonlyArray<Values>, E> =>
        fallible.pipe(
          Effect.catch((error) => error.reason._tag === tag ? Effect.fail(failure()) : Effect.die(error))
        )

    const append = (change: "created" | "updated" | "deleted", resource: A) =>
      events.append({
        type: `${options.family}.${change}` satisfies EventKind,
        resourceId: resource.id,
        data: resource,
        ...(options.personal === undefined ? {} : { personal: options.personal })
      })

    /** One page; `filters` maps columns to required values, `where` adds other conditions. */
    const list = (
      page: PageRequest,
      filters: Values = {},
      where: ReadonlyArray<ListCondition> = []
    ): Effect.Effect<Page<A>, InvalidCursor> =>
      sortedPage({
        sql,
        list: options.table,
        products: options.products,
        filters: { ...filters, ...Object.fromEntries(where.map(({ filter }) => filter)) },
        page,
        conditions: [
          ...Object.entries(filters).map(([column, value]) => sql`${sql(column)} = ${value as string}`),
          ...where.map(({ condition }) => condition)
        ],
        rows: ({ orderBy, place, where }, limit) =>
          sql`SELECT ${columns} ${place} FROM ${table} ${where} ${orderBy} LIMIT ${limit}`,
        read
      })

    const get = (id: string): Effect.Effect<A, NotFound> =>
      sql`SELECT ${columns} FROM ${table} WHERE id = ${id}`.pipe(
        Effect.flatMap(([row]) => row === undefined ? Effect.fail(missing()) : Effect.succeed(read(row))),
        Effect.tap(tags.note)
      )

    /** Like `get`, and locks the row against changes until the surrounding transaction ends. */
    const lock = (id: string): Effect.Effect<A, NotFound> =>
      sql`SELECT ${columns} FROM ${table} WHERE id = ${id} FOR NO KEY UPDATE`.pipe(
        Effect.flatMap(([row]) => row === undefined ? Effect.fail(missing()) : Effect.succeed(read(row)))
      )

    /** Locks a resource that is about to be changed, if it is in the state that the request names. */
    const lockToChange = (id: string): Effect.Effect<A, NotFound | PreconditionFailed> =>
      Effect.tap(lock(id), tags.judge)

    /** Locks the row against deletion until the surrounding transaction ends. */
    const hold = (id: string): Effect.Effect<void, NotFound> =>
      sql`SELECT id FROM ${table} WHERE id = ${id} FOR KEY SHARE`.pipe(
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
          const resource = read(rows[0]!)
          yield* append("created", resource)
          return resource
        })
      )

    const update = (id: string, changes: Values): Effect.Effect<A, NotFound | Conflict | PreconditionFailed> =>
      inTransaction(
        sql,
        Effect.gen(function*() {
          yield* tags.judgeOnce(id, lock(id))
          const set = assignments(sql, {
            ...Object.fromEntries(Object.entries(changes).map(([column, value]) => [column, cell(column, value)])),
            updated_at: sql`now()`
          })
          const rows = yield* sql`UPDATE ${table} SET ${set} WHERE id = ${id} RETURNING ${columns}`.pipe(
            orFailOn("UniqueViolation", taken)
          )
          if (rows[0] === undefined) return yield* missing()
          const resource = read(rows[0])
          yield* tags.note(resource)
          yield* append("updated", resource)
          return resource
        })
      )

    /**
     * Deletes the row unless a table in `users` refers to it; each entry is a table and its referring column, or all of
     * its referring columns: one whose name is plural holds an array.
     */
    const remove = (
      id: string,
      users: Readonly<Record<string, string | ReadonlyArray<string>>>
    ): Effect.Effect<void, NotFound | InUse | PreconditionFailed> =>
      inTransaction(
        sql,
        Effect.gen(function*() {
          yield* tags.judgeOnce(id, lock(id))
          const locked = yield* sql`SELECT id FROM ${table} WHERE id = ${id} FOR UPDATE`
          if (locked[0] === undefined) return yield* missing()
          const found: Array<string> = []
          for (const [user, columns] of Object.entries(users)) {
            for (const column of typeof columns === "string" ? [columns] : columns) {
              const refers = column.endsWith("_ids")
                ? sql`${sql(column)} @> ARRAY[${id}::text]`
                : sql`${sql(column)} = ${id}`
              const rows = yield* sql`SELECT 1 FROM ${sql(user)} WHERE ${refers} LIMIT 1`
              if (rows.length > 0) found.push(user.replaceAll("_", " "))
            }
          }
          if (found.length > 0) return yield* inUse(`Referenced by ${found.join(", ")}.`)
          const rows = yield* sql`DELETE FROM ${table} WHERE id = ${id} RETURNING ${columns}`.pipe(
            orFailOn("ConstraintError", () => inUse())
          )
          yield* append("deleted", read(rows[0]!))
        })
      )

    return { list, get, lock, lockToChange, hold, create, update, remove }
  })

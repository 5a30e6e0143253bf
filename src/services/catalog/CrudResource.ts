import { Effect } from "effect"
import type { Schema } from "effect"
import type { Statement } from "effect/sql"
import type { WrittenPage } from "../../domain/ground/rows/WrittenRows.ts"
import { Conflict, failing, InUse, NotFound } from "../../domain/ground/wire/Errors.ts"
import type { InvalidCursor, PreconditionFailed } from "../../domain/ground/wire/Errors.ts"
import type { IdType } from "../../domain/ground/wire/Id.ts"
import type { PageRequest } from "../../domain/ground/wire/Page.ts"
import type { EventKind, Family } from "../../domain/log/EventKind.ts"
import { Database, inTransaction } from "../ground/persistence/Database.ts"
import type { Query } from "../ground/persistence/Database.ts"
import { Identifiers } from "../ground/persistence/Identifiers.ts"
import { writtenPage } from "../ground/persistence/KeysetPagination.ts"
import type { ListLimit } from "../ground/persistence/KeysetPagination.ts"
import type { SortKeys } from "../ground/persistence/KeysetPaginationSql.ts"
import { makeEntityTags } from "../ground/persistence/Precondition.ts"
import { CurrentProducts } from "../ground/persistence/ProductLimit.ts"
import { rowReader } from "../ground/persistence/RowToWire.ts"
import { recordRows } from "../ground/records/RecordCells.ts"
import { Events } from "../log/Events.ts"
import {
  countResources,
  deleteResource,
  findIdentical,
  findResource,
  findUser,
  insertResource,
  isWith,
  listResources,
  lockHeld,
  lockIdentical,
  lockResource,
  lockToDelete,
  updateResource
} from "./CrudSql.ts"
import type { ResourceTable, Row, Values } from "./CrudSql.ts"

/** How a resource is called, and its columns that are unique together, each list; without them, a conflict names nobody. */
interface IdentityOptions {
  readonly noun: string
  readonly identity?: ReadonlyArray<ReadonlyArray<string>>
  /** The column that must be unique, as people are told of it; `code` by default. */
  readonly unique?: string
}

/** Finds the resource that has what is unique already, and refuses a second one with its id. */
const makeResourceIdentity = <A>(
  sql: Database,
  of: ResourceTable,
  { identity = [], noun, unique: taken = "code" }: IdentityOptions,
  read: (row: Row) => A
) => {
  /** The row that has the values of one of the lists; none where each lacks one. */
  const find = Effect.fnUntraced(function*(
    values: Values,
    query: typeof findIdentical = findIdentical
  ): Effect.fn.Return<Row | undefined> {
    for (const columns of identity) {
      if (columns.some((column) => values[column] === undefined || values[column] === null)) continue
      const [row] = yield* query(
        sql,
        of,
        Object.fromEntries(columns.map((column) => [column, values[column]]))
      )
      if (row !== undefined) return row
    }
    return undefined
  })

  const unnamed = () => failing(Conflict, `Another ${noun} has this ${taken}.`)

  /** The conflict with whatever has these values. A key that is limited to products is told of no other's. */
  const conflict = Effect.fnUntraced(function*(values: Values) {
    const isBeyond = (yield* CurrentProducts) !== undefined && values["product_id"] === undefined
    const same = isBeyond ? undefined : yield* find(values)
    if (same === undefined) return yield* unnamed()
    const id = String(same["id"])
    return yield* failing(Conflict, `Another ${noun} has this ${taken}: ${id}.`, { detail: id })
  })

  /** Refuses a change that would give a resource what another one has. */
  const differing = Effect.fnUntraced(function*(id: string, changes: Values) {
    if (!identity.flat().some((column) => changes[column] !== undefined)) return
    const [before] = yield* findResource(sql, of, id)
    const left = { ...before, ...changes }
    const same = yield* find(left)
    if (same !== undefined && same["id"] !== id) return yield* conflict(left)
  })

  const readIn = (row: Row | undefined): A | undefined => row === undefined ? undefined : read(row)

  /** The resource that has the values of one of the lists. */
  const findBy = (values: Values): Effect.Effect<A | undefined> => Effect.map(find(values), readIn)

  /** The same, locked against changes until the surrounding transaction ends. */
  const lockBy = (values: Values): Effect.Effect<A | undefined> => Effect.map(find(values, lockIdentical), readIn)

  return { by: { findBy, lockBy }, unnamed, conflict, differing }
}

/** The wire schema of a resource. */
type ResourceSchema<A> = Schema.Codec<A, unknown> & { readonly fields: Readonly<Record<string, Schema.Top>> }

/** The definition of a plain resource: a table whose rows are created, read, listed, changed and deleted. */
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
  /** The keys of the orders of its list beside those by time. */
  readonly keys?: SortKeys
  /** The column that must be unique; `code` by default. */
  readonly unique?: string
  /**
   * The columns that are unique together, each list, where a conflict names the resource that has their values. A key that
   * is limited to products is told of no other's.
   */
  readonly identity?: ReadonlyArray<ReadonlyArray<string>>
  /** Columns that hold instants, written as RFC 3339. */
  readonly instants?: ReadonlyArray<string>
}

/** A condition of a list, and the filter that it stands for: its name and what is asked for. */
export interface ListCondition {
  readonly filter: readonly [name: string, value: unknown]
  readonly condition: Statement.Fragment
}

/** The rows of a statement, or a failure where one of the constraints of the database refuses it. */
const orFailOn =
  <E>(tag: "UniqueViolation" | "ConstraintError", failure: () => E) =>
  ({ fallible }: Query<Row>): Effect.Effect<ReadonlyArray<Row>, E> =>
    fallible.pipe(
      Effect.catch((error) => error.reason._tag === tag ? Effect.fail(failure()) : Effect.die(error))
    )

/** The reasons for which a resource is not changed. */
type UpdateFailure = NotFound | Conflict | PreconditionFailed

/** Makes the operations of a plain resource. Each write is one transaction together with its event. */
export const makeCrudResource = <A extends { readonly id: string }>(options: ResourceOptions<A>) =>
  Effect.gen(function*() {
    const sql = yield* Database
    const events = yield* Events
    const identifiers = yield* Identifiers
    const rows = recordRows(options.schema)
    const of: ResourceTable = {
      table: options.table,
      columns: Object.keys(options.schema.fields),
      rows,
      instants: options.instants ?? []
    }
    const read = rowReader(options.schema)
    const tags = yield* makeEntityTags<A>((resource) => resource)

    const missing = () => failing(NotFound, `No ${options.noun} has this id.`)
    const identity = makeResourceIdentity(sql, of, options, read)

    const orMissing = ([row]: ReadonlyArray<Row>): Effect.Effect<Row, NotFound> =>
      row === undefined ? Effect.fail(missing()) : Effect.succeed(row)

    const inUse = (detail?: string) =>
      failing(InUse, `The ${options.noun} is in use.`, detail === undefined ? {} : { detail })

    const append = (change: "created" | "updated" | "deleted", resource: A, eventId?: string) =>
      events.append({
        // It is given where a row of the same transaction refers to the event.
        ...(eventId === undefined ? {} : { id: eventId }),
        type: `${options.family}.${change}` satisfies EventKind,
        resourceId: resource.id,
        data: resource
      })

    /** One page; `filters` maps columns to required values, `where` adds other conditions. */
    const list = (
      page: PageRequest,
      filters: Values = {},
      where: ReadonlyArray<ListCondition> = []
    ): Effect.Effect<WrittenPage<A>, InvalidCursor> =>
      writtenPage({
        sql,
        list: options.table,
        products: options.products,
        filters: { ...filters, ...Object.fromEntries(where.map(({ filter }) => filter)) },
        page,
        conditions: [...isWith(sql, filters), ...where.map(({ condition }) => condition)],
        keys: options.keys ?? {},
        rows: (clauses) => listResources(sql, of, clauses),
        count: (where, most) => countResources(sql, of, where, most),
        write: rows
      })

    const get = (id: string): Effect.Effect<A, NotFound> =>
      findResource(sql, of, id).pipe(Effect.flatMap(orMissing), Effect.map(read), Effect.tap(tags.note))

    /** Like `get`, and locks the row against changes until the surrounding transaction ends. */
    const lock = (id: string): Effect.Effect<A, NotFound> =>
      lockResource(sql, of, id).pipe(Effect.flatMap(orMissing), Effect.map(read))

    /** Locks a resource that is about to be changed, if it is in the state that the request names. */
    const lockToChange = (id: string): Effect.Effect<A, NotFound | PreconditionFailed> =>
      Effect.tap(lock(id), tags.judge)

    /** Locks the row against deletion until the surrounding transaction ends. */
    const hold = (id: string): Effect.Effect<void, NotFound> =>
      Effect.asVoid(Effect.flatMap(lockHeld(sql, of, id), orMissing))

    const create = (values: Values): Effect.Effect<A, Conflict> =>
      inTransaction(
        sql,
        Effect.gen(function*() {
          const all = { id: identifiers.next(options.idType), ...values }
          const [row] = yield* insertResource(sql, of, all).pipe(orFailOn("UniqueViolation", identity.unnamed))
          if (row === undefined) return yield* identity.conflict(all)
          const resource = read(row)
          yield* append("created", resource)
          return resource
        })
      )

    const update = (id: string, changes: Values, eventId?: string): Effect.Effect<A, UpdateFailure> =>
      inTransaction(
        sql,
        Effect.gen(function*() {
          yield* tags.judgeOnce(id, lock(id))
          yield* identity.differing(id, changes)
          const rows = yield* updateResource(sql, of, id, changes).pipe(orFailOn("UniqueViolation", identity.unnamed))
          const resource = read(yield* orMissing(rows))
          yield* tags.note(resource)
          yield* append("updated", resource, eventId)
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
          yield* Effect.flatMap(lockToDelete(sql, of, id), orMissing)
          const found: Array<string> = []
          for (const [user, columns] of Object.entries(users)) {
            for (const column of typeof columns === "string" ? [columns] : columns) {
              if ((yield* findUser(sql, user, column, id)).length > 0) found.push(user.replaceAll("_", " "))
            }
          }
          if (found.length > 0) return yield* inUse(`Referenced by ${found.join(", ")}.`)
          const rows = yield* deleteResource(sql, of, id).pipe(orFailOn("ConstraintError", () => inUse()))
          yield* append("deleted", read(rows[0]!))
        })
      )

    return { ...identity.by, list, rows, get, lock, lockToChange, hold, create, update, remove }
  })

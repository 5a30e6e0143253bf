import { Effect, Hash, Result } from "effect"
import { Base64Url } from "effect/encoding"
import type { Statement } from "effect/sql"
import type { WrittenPage } from "../../../domain/ground/rows/WrittenRows.ts"
import { failing, InvalidCursor } from "../../../domain/ground/wire/Errors.ts"
import { notStorable } from "../../../domain/ground/wire/Fields.ts"
import { countedUpTo, pageLimit, totalLimit } from "../../../domain/ground/wire/Page.ts"
import type { Page, PageRequest } from "../../../domain/ground/wire/Page.ts"
import type { RecordRows, RecordShape } from "../records/RecordCells.ts"
import type { Database, Fragments } from "./Database.ts"
import { asRecords, orderOf, windowConditions, writtenOf } from "./KeysetPaginationSql.ts"
import type { RecordRow, RowOrder, SortKeys } from "./KeysetPaginationSql.ts"
import { CurrentProducts } from "./ProductLimit.ts"
import type { ProductLimit } from "./ProductLimit.ts"

/**
 * Keyset pagination. A cursor is the sort key of the last row of a page, together with a fingerprint of the list and
 * its filters: a cursor of another list is refused instead of returning wrong rows.
 */

const fingerprint = (list: string, filters: object): string =>
  (Hash.string(`${list}\n${JSON.stringify(filters)}`) >>> 0).toString(36)

/** The cursor after the row with this sort key. */
const encodeCursor = (list: string, filters: object, after: string): string =>
  Base64Url.encode(`${fingerprint(list, filters)}:${after}`)

const notOfThisList = () =>
  failing(InvalidCursor, "This cursor does not belong to this list with these filters and this order.")

/** The sort key to continue after; undefined for the first page. */
const decodeCursor = (
  list: string,
  filters: object,
  cursor: string | undefined
): Effect.Effect<string | undefined, InvalidCursor> => {
  if (cursor === undefined) return Effect.undefined
  const text = Result.getOrElse(Base64Url.decodeString(cursor), () => "")
  const colon = text.indexOf(":")
  const after = text.slice(colon + 1)
  return text.slice(0, colon) === fingerprint(list, filters) && after !== "" && notStorable(after) === undefined
    ? Effect.succeed(after)
    : Effect.fail(notOfThisList())
}

/**
 * How a list keeps to the products that its caller is limited to.
 * - a condition: on the rows, for these products; `judged`, where a look into the database finds the best one
 * - `owned`: all rows belong to one resource, which was found to be within the limit
 * - `not-limited`: no limited key is let in, or none is asked for
 */
export type ListLimit =
  | ((products: ReadonlyArray<string>) => Statement.Fragment)
  | { readonly judged: (products: ReadonlyArray<string>) => Effect.Effect<Statement.Fragment> }
  | "owned"
  | "not-limited"

/** The conditions of a list that a limit of its caller adds. */
const limitOf = Effect.fnUntraced(function*(products: ListLimit) {
  const limit = yield* CurrentProducts
  if (limit === undefined || typeof products === "string") return []
  return [typeof products === "function" ? products(limit) : yield* products.judged(limit)]
})

/** A list, the requested page, and the function that reads its rows after a position. */
interface KeysetOptions<A, E, R, Position = string> {
  readonly list: string
  /** How the rows keep to the products of a limited key: `rows` does it itself where it is `narrowed`. */
  readonly products: Extract<ListLimit, string> | "narrowed"
  readonly filters: object
  readonly page: PageRequest
  readonly rows: (after: Position | undefined, limit: number) => Effect.Effect<ReadonlyArray<A>, E, R>
}

/**
 * Reads one page, newest first. `rows(after, limit)` returns up to `limit` rows whose `idOf` is below `after`, in
 * descending order. It is asked for one row more than the page holds, which tells whether there is a next page.
 */
export const keysetPageBy = <A, E, R>(
  options: KeysetOptions<A, E, R> & { readonly idOf: (row: A) => string }
): Effect.Effect<Page<A>, E | InvalidCursor, R> =>
  Effect.gen(function*() {
    const after = yield* decodeCursor(options.list, options.filters, options.page.cursor)
    const rows = yield* options.rows(after, options.page.limit + 1)
    const has_more = rows.length > options.page.limit
    const items = has_more ? rows.slice(0, options.page.limit) : rows
    const last = items.at(-1)
    return {
      items,
      page_info: {
        has_more,
        next_cursor: has_more && last !== undefined
          ? encodeCursor(options.list, options.filters, options.idOf(last))
          : null
      }
    }
  })

/** The longest page, with the row that tells whether there is a next one. */
const longest = pageLimit.maximum + 1

/** How many rows the query of a list reads, and how many of them its statement returns. */
export interface PageLimits {
  readonly read: Statement.Fragment
  readonly returned: Statement.Fragment
}

/**
 * The limits of a page of up to `most` rows. A `LIMIT` that is a parameter has PostgreSQL plan the statement for each
 * page, which takes as long as reading it: in a plan for every page it expects a tenth of all rows. Of a list without
 * filters, the longest page is therefore asked for in writing, and one plan serves all: a query stops when what is returned
 * of it is enough. With filters, the best plan depends on their values.
 */
export const pageLimits = (sql: Fragments, most: number, isFiltered: boolean): PageLimits =>
  isFiltered
    ? { read: sql`LIMIT ${most}`, returned: sql`` }
    : { read: sql.literal(`LIMIT ${longest}`), returned: sql`LIMIT ${most}` }

/** Whether filters, or the products that the caller is limited to, leave rows of a list out. */
export const isNarrowed = (filters: object, products: ProductLimit): boolean =>
  products !== undefined || Object.values(filters).some((value) => value !== undefined)

/** The parts that a statement of a sorted list puts in: conditions, order, and the column that tells the place of a row. */
export interface SortedClauses {
  readonly where: Statement.Fragment
  readonly orderBy: Statement.Fragment
  /** Whether the rows are in the order of their ids, and in no window of time. */
  readonly isById: boolean
  /** The order, and the row behind which the page begins, for a statement that finds its rows by another way. */
  readonly sorted: RowOrder & {
    readonly conditions: ReadonlyArray<Statement.Fragment>
    readonly after: Position | undefined
  }
  /** A column for the end of the select list, empty for rows that are ordered by their id. */
  readonly place: Statement.Fragment
  /** How many rows the query of records reads, see {@link pageLimits}. */
  readonly limit: Statement.Fragment
  /** The rows of a query, which ends with the `limit`, as records, for {@link writtenPage}. */
  readonly asRecords: (rows: RecordShape, query: Statement.Fragment) => Statement.Fragment
}

/** A row of a list, by its sort key, if it is sorted by one, and its id. */
interface Position {
  readonly key: Statement.Fragment | undefined
  readonly id: string
}

/** Where a row of a sorted list stands. */
interface SortedRow {
  readonly id: string
  readonly place?: string
}

interface SortedOptions<E, R> {
  readonly sql: Database
  readonly list: string
  readonly filters: object
  readonly page: PageRequest
  /** The prefix of the columns of the listed table, for example `l.`; nothing by default. */
  readonly alias?: string
  readonly products: ListLimit
  readonly conditions: ReadonlyArray<Statement.Fragment>
  /** The keys of its orders beside those by time. */
  readonly keys?: SortKeys
  readonly rows: (clauses: SortedClauses, limit: number) => Effect.Effect<ReadonlyArray<object>, E, R>
  /** Counts the rows with these conditions, and no further than `most`. */
  readonly count?: (where: Statement.Fragment, most: Statement.Fragment) => Effect.Effect<ReadonlyArray<Counted>, E, R>
}

/** The answer of a statement that counts. */
export interface Counted {
  readonly n: number
}

const whereAll = (sql: Fragments, conditions: ReadonlyArray<Statement.Fragment>): Statement.Fragment =>
  conditions.length === 0 ? sql`` : sql`WHERE ${sql.and(conditions)}`

/** The row that a text of a cursor names. */
const positionOf = ({ by }: RowOrder, after: string): Effect.Effect<Position, InvalidCursor> => {
  if (by === undefined) return Effect.succeed({ key: undefined, id: after })
  const [, place = "", id] = /^(.*)~([^~]+)$/s.exec(after) ?? []
  const key = by.of(place)
  return key === undefined || id === undefined ? Effect.fail(notOfThisList()) : Effect.succeed({ key, id })
}

/** The rows that match, counted as far as a total goes. */
const withTotal = <A, E, R>(
  { count, page, sql }: Pick<SortedOptions<E, R>, "count" | "page" | "sql">,
  conditions: ReadonlyArray<Statement.Fragment>,
  { items, page_info }: Page<A>
): Effect.Effect<Page<A>, E, R> =>
  page.isCounted !== true || count === undefined
    ? Effect.succeed({ items, page_info })
    : Effect.map(count(whereAll(sql, conditions), sql.literal(`LIMIT ${totalLimit + 1}`)), ([counted]) => ({
      items,
      page_info: { ...page_info, total: countedUpTo(counted!.n, totalLimit) }
    }))

/** Reads one page in the order that is asked for, and counts all that match if that is asked for. */
const sortedRows = Effect.fnUntraced(function*<E, R>(options: SortedOptions<E, R>) {
  const { alias = "", filters, keys = {}, list, page, products, rows, sql } = options
  const sorting = page.sorting ?? {}
  const order = orderOf(sql, sorting, { alias, keys })
  const { by, comparison, direction } = order
  const id = sql.literal(`${alias}id`)
  const conditions = [
    ...options.conditions,
    ...yield* limitOf(products),
    ...windowConditions(sql, sorting, alias)
  ]
  const behind = ({ id: last, key }: Position) =>
    by === undefined || key === undefined
      ? sql`${id} ${comparison} ${last}`
      : sql`(${by.key}, ${id}) ${comparison} (${key}, ${last})`

  const found = yield* keysetPageBy({
    list,
    products: typeof products === "string" ? products : "narrowed",
    filters: { ...filters, ...sorting },
    page,
    idOf: ({ id, place }: SortedRow) => place === undefined ? id : `${place}~${id}`,
    rows: Effect.fnUntraced(function*(text: string | undefined, most: number) {
      const after = text === undefined ? undefined : yield* positionOf(order, text)
      const limits = pageLimits(sql, most, conditions.length > 0)
      return (yield* rows({
        where: whereAll(sql, [...conditions, ...(after === undefined ? [] : [behind(after)])]),
        orderBy: by === undefined
          ? sql`ORDER BY ${id} ${direction}`
          : sql`ORDER BY ${by.key} ${direction}, ${id} ${direction}`,
        isById: by === undefined && sorting.updated_from === undefined,
        sorted: { ...order, conditions, after },
        place: by === undefined ? sql`` : sql`, ${by.place} AS place`,
        limit: limits.read,
        asRecords: (of, query) =>
          asRecords(sql, by === undefined ? ["id"] : ["id", "place"], of, { query, returned: limits.returned })
      }, most)) as ReadonlyArray<SortedRow>
    })
  })
  return yield* withTotal(options, conditions, found)
})

/** One page in the order that is asked for, see {@link sortedRows}; each row is read. */
export const sortedPage = <A, E, R>(
  { read, ...options }: SortedOptions<E, R> & { readonly read: (row: object) => A }
): Effect.Effect<Page<A>, E | InvalidCursor, R> =>
  Effect.map(
    sortedRows(options),
    ({ items, page_info }) => ({ items: items.map(({ place: _place, ...row }) => read(row)), page_info })
  )

/** The same of a hot list, whose rows are records and are written. */
export const writtenPage = <A, E, R>(
  { write, ...options }: SortedOptions<E, R> & { readonly write: RecordRows<A> }
): Effect.Effect<WrittenPage<A>, E | InvalidCursor, R> =>
  Effect.map(sortedRows(options), (page) => writtenOf(write, page as Page<SortedRow & RecordRow>))

/** A position in a list ordered by time: Unix milliseconds, and the id among rows of the same time. */
export interface TimedPosition {
  readonly at: number
  readonly id: string
}

/** A row of a list that is ordered by time. */
export interface TimedRow extends RecordRow {
  readonly id: string
  readonly occurred_at: Date
}

/** The rows of a query as records with their time, for {@link timedPage}. */
export const timedRecords = (
  sql: Fragments,
  rows: RecordShape,
  query: Statement.Fragment,
  returned: Statement.Fragment = sql``
): Statement.Fragment => asRecords(sql, ["id", "occurred_at"], rows, { query, returned })

/**
 * A page of rows that are written, ordered by their time and then by id, both descending. `rows(after, limit)` returns
 * the {@link timedRecords} after a position.
 */
export const timedPage = <A, E, R>(
  { write, ...options }: KeysetOptions<TimedRow, E, R, TimedPosition> & { readonly write: RecordRows<A> }
): Effect.Effect<WrittenPage<A>, E | InvalidCursor, R> =>
  Effect.map(
    keysetPageBy({
      ...options,
      idOf: ({ id, occurred_at }: TimedRow) => `${occurred_at.getTime()}~${id}`,
      rows: (after, limit) => {
        const [at, id = ""] = after === undefined ? [] : after.split("~", 2)
        return options.rows(at === undefined ? undefined : { at: Number(at), id }, limit)
      }
    }),
    (page) => writtenOf(write, page)
  )

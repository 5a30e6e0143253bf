import { Effect, Option, Stream } from "effect"
import type { Statement } from "effect/sql"
import type { ReportColumn, ReportRow, SeriesPoint } from "../../../domain/evidence/reports/Report.ts"
import type { RowBlock } from "../../../domain/ground/rows/RowCells.ts"
import type { JsonObject } from "../../../domain/ground/wire/CanonicalJson.ts"
import type { Database, Fragments } from "../../ground/persistence/Database.ts"
import { isCustomerOfProducts, isOfProducts, isOnlyOfProducts } from "../../ground/persistence/ProductLimit.ts"
import type { ProductLimit } from "../../ground/persistence/ProductLimit.ts"
import { toWire } from "../../ground/persistence/RowToWire.ts"
import { recordMember, recordReader } from "../../ground/records/RecordCells.ts"
import { listIds, listNames, maximumNames } from "./ReportSql.ts"

/** An id that a report holds, and the member or column that holds it, which says what it is of. */
export interface HeldId {
  readonly member: string
  readonly id: string
}

/** An open report. All of it is read from one snapshot of the database. */
export interface OpenedReport {
  /** The filters with defaults filled in, above all the window. */
  readonly filters: JsonObject
  /** The head of the report: its totals and its subject, without rows. */
  readonly summary: JsonObject
  readonly columns: ReadonlyArray<ReportColumn>
  /** Use over time without gaps, oldest first, for reports with buckets. */
  readonly series?: ReadonlyArray<SeriesPoint>
  /** The number of rows. */
  readonly total: number
  /** All rows in order, in chunks of bounded size. Read it at most once, inside the transaction of `open`. */
  readonly rows: Stream.Stream<ReadonlyArray<ReportRow>>
  /** The same rows by their cells, for reports that may have millions. Read either this or `rows`. */
  readonly blocks?: Stream.Stream<RowBlock>
  /** The distinct ids that rows have without a name beside them, at most {@link maximumNames}, for reports with such rows. */
  readonly namelessIds?: Effect.Effect<ReadonlyArray<HeldId>>
}

/** Where the readable name of a kind of id is, as SQL over a row of its table, and whether a row is of products. */
interface Named {
  readonly table: string
  readonly name: string
  readonly isWithin: (sql: Fragments, products: ReadonlyArray<string>) => Statement.Fragment
}

const ofProduct: Named["isWithin"] = (sql, products) => isOfProducts(sql, "product_id", products)

const names = {
  product_id: { table: "products", name: "name", isWithin: (sql, products) => isOfProducts(sql, "id", products) },
  policy_id: { table: "policies", name: "name", isWithin: ofProduct },
  customer_id: { table: "customers", name: "name", isWithin: isCustomerOfProducts },
  api_key_id: {
    table: "management_keys",
    name: "name",
    isWithin: (sql, products) => isOnlyOfProducts(sql, "product_ids", products)
  },
  license_id: { table: "licenses", name: "license_key_prefix || '…' || license_key_last4", isWithin: ofProduct },
  order_id: { table: "orders", name: "external_system || ' ' || external_id", isWithin: ofProduct },
  subscription_id: { table: "subscriptions", name: "external_system || ' ' || external_id", isWithin: ofProduct }
} as const satisfies Readonly<Record<string, Named>>

type Kind = keyof typeof names

const kinds = Object.keys(names) as ReadonlyArray<Kind>

/** The names of the rows of a kind that a condition selects, none beyond the limit. */
const named = (sql: Fragments, kind: Kind, limit: ProductLimit, condition: Statement.Fragment): Statement.Fragment => {
  const { isWithin, name, table } = names[kind]
  const within = limit === undefined ? sql`` : sql`AND (${isWithin(sql, limit)})`
  return sql`SELECT id, ${sql.literal(name)} AS name FROM ${sql(table)} WHERE ${condition} ${within}`
}

/** The name of a single id, which is given as SQL: NULL where it is beyond the limit. */
export const nameOf = (sql: Fragments, kind: Kind, id: string, limit: ProductLimit): Statement.Fragment =>
  sql`(SELECT name FROM (${named(sql, kind, limit, sql.literal(`id = ${id}`))}) named)`

/** The kinds of the ids in a field. Only the service itself writes `id` and `actor_id`, for several kinds. */
const kindsOf = (member: string): ReadonlyArray<Kind> =>
  member === "id" || member === "actor_id"
    ? kinds
    : member === "product_ids"
    ? ["product_id"]
    : kinds.filter((kind) => kind === member)

/** The texts in a head with the members that hold them. */
const heldIn = (value: unknown, member = ""): ReadonlyArray<HeldId> =>
  typeof value === "string"
    ? [{ member, id: value }]
    : Array.isArray(value)
    ? value.flatMap((each) => heldIn(each, member))
    : typeof value === "object" && value !== null
    ? Object.entries(value).flatMap(([name, each]) => heldIn(each, name))
    : []

/** The distinct ids in these columns of what a query reads, at most {@link maximumNames}: of the first columns first. */
export const idsIn = (
  sql: Database,
  columns: ReadonlyArray<string>,
  from: Statement.Fragment
): Effect.Effect<ReadonlyArray<HeldId>> => {
  const distinct = Effect.fnUntraced(function*(member: string) {
    const rows = yield* listIds(sql, member, from)
    return rows.flatMap(({ id }) => id === null ? [] : [{ member, id }])
  })
  return Effect.map(Effect.forEach(columns, distinct), (found) => found.flat().slice(0, maximumNames))
}

/**
 * The names of the ids of a report, for people: its subject, its filters, and those of its rows that have no name
 * beside them. Read in the caller's transaction, so that it is of the same snapshot. Ids that have no name are left out,
 * and so are those beyond the products of the report.
 */
export const namesIn = Effect.fnUntraced(function*(sql: Database, report: OpenedReport, limit: ProductLimit) {
  const inRows = report.namelessIds === undefined ? [] : yield* report.namelessIds
  const idsByKind = new Map<Kind, Set<string>>()
  for (const { id, member } of [...heldIn(report.summary), ...heldIn(report.filters), ...inRows]) {
    for (const kind of kindsOf(member)) idsByKind.set(kind, (idsByKind.get(kind) ?? new Set()).add(id))
  }
  const queries = [...idsByKind].map(([kind, ids]) => named(sql, kind, limit, sql`id = ANY(${[...ids]}::text[])`))
  if (queries.length === 0) return {}
  const rows = yield* listNames(sql, queries)
  return Object.fromEntries(rows.map(({ id, name }) => [id, name])) satisfies JsonObject
})

/** Rows fetched and held at once: about two milliseconds of work for the event loop. */
const chunk = 500

/** Rows fetched at once where they are not decoded. */
const block = 1_000

/** The rows of a query, read from a cursor of the surrounding transaction. */
interface CursorRows {
  readonly total: number
  readonly rows: Stream.Stream<ReadonlyArray<ReportRow>>
}

let opened = 0

/** A name that no other cursor of the same transaction has. */
const cursorName = () => `report_${++opened % 1_000_000}`

/**
 * The rows of a query, a block of many at once, as the database sends them: nothing is decoded but what a file is
 * written from. The cursor is opened when it is read, and while a block is worked on the next one is fetched.
 */
export const blockRows = (
  sql: Database,
  query: Statement.Fragment,
  columns: ReadonlyArray<ReportColumn>
): Stream.Stream<RowBlock> => {
  const record = sql.literal(`ROW(${columns.map((column) => recordMember(column)).join(", ")})`)
  return Stream.unwrap(Effect.gen(function*() {
    const name = cursorName()
    yield* sql`DECLARE ${sql(name)} NO SCROLL CURSOR FOR SELECT ${record} AS record FROM (${query}) r`.unprepared
    const fetch = sql.unsafe<{ readonly record: Uint8Array }>(`FETCH ${block} FROM ${name}`).unprepared
    const read = recordReader(columns)
    return Stream.paginate(undefined, () =>
      Effect.map(fetch, (rows) =>
        [
          rows.length === 0 ? [] : [read(rows.map(({ record }) => record))],
          rows.length < block ? Option.none<undefined>() : Option.some(undefined)
        ] as const)).pipe(Stream.buffer({ capacity: 1 }))
  }))
}

/**
 * Opens a cursor over `query` and returns its rows in chunks. `total` is the number of rows. Without it, each row must
 * carry it in a column `total_rows`; that suits aggregates, which the database holds in full anyway.
 */
export const openRows = Effect.fnUntraced(function*(
  sql: Database,
  query: Statement.Fragment,
  total?: number
) {
  const name = cursorName()
  yield* sql`DECLARE ${sql(name)} NO SCROLL CURSOR FOR ${query}`.unprepared
  const fetch = sql.unsafe<Readonly<Record<string, unknown>>>(`FETCH ${chunk} FROM ${name}`).unprepared
  const first = yield* fetch
  const wire = (rows: ReadonlyArray<Readonly<Record<string, unknown>>>) =>
    rows.map(({ total_rows: _total, ...row }) => toWire<ReportRow>(row))
  const rows = Stream.paginate(
    first,
    (rows: typeof first) =>
      rows.length < chunk
        ? Effect.succeed([rows.length === 0 ? [] : [wire(rows)], Option.none<typeof first>()] as const)
        : Effect.map(fetch, (next) => [[wire(rows)], Option.some(next)] as const)
  )
  return { total: total ?? Number(first[0]?.["total_rows"] ?? 0), rows } satisfies CursorRows
})

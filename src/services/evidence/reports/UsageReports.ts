import { Effect, Option, Schema, Stream } from "effect"
import type { Statement } from "effect/sql"
import { dimensionOf } from "../../../domain/catalog/Dimensions.ts"
import { isUsageGroup } from "../../../domain/evidence/reports/Report.ts"
import type {
  Bucket,
  ReportColumn,
  ReportFilters,
  ReportRow,
  SeriesPoint,
  UsageGroup,
  Window
} from "../../../domain/evidence/reports/Report.ts"
import { reportColumns } from "../../../domain/evidence/reports/ReportColumns.ts"
import { bucketStarts } from "../../../domain/evidence/reports/UsageParts.ts"
import type { RowBlock } from "../../../domain/ground/rows/RowCells.ts"
import type { JsonObject } from "../../../domain/ground/wire/CanonicalJson.ts"
import { bigCount, Timestamp } from "../../../domain/ground/wire/Fields.ts"
import type { Database, Fragments } from "../../ground/persistence/Database.ts"
import type { ProductLimit } from "../../ground/persistence/ProductLimit.ts"
import { isCustomerOfProducts, isOfProducts, isOnlyOfProducts } from "../../ground/persistence/ProductLimit.ts"
import { rowReader, toWire } from "../../ground/persistence/RowToWire.ts"
import { recordMember, recordReader } from "../../ground/records/RecordCells.ts"
import {
  usageAggregates,
  usageCells,
  usageCellsByLicense,
  usageConditions,
  usedLicenses
} from "../../licensing/metering/UsageQuery.ts"
import { placedOnly } from "../../log/FeedPosition.ts"
import type { FeedPlace } from "../../log/FeedPosition.ts"
import { maximumNames } from "./RehearsalReports.ts"
import type { HeldId, OpenedReport } from "./RehearsalReports.ts"
import { countLedger, countUsedLicenses, listBuckets, listIds, listNames } from "./ReportSql.ts"

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
const nameOf = (sql: Fragments, kind: Kind, id: string, limit: ProductLimit): Statement.Fragment =>
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

/** The sums of the use in one bucket. */
const Use = Schema.Struct({
  bucket: Schema.optionalKey(Timestamp),
  uses: bigCount(0),
  amount: Schema.Int,
  overage: Schema.optionalKey(bigCount(1)),
  first_at: Timestamp,
  last_at: Timestamp,
  feature_code: Schema.optionalKey(Schema.String)
})
type Use = typeof Use.Type

const readUse = rowReader(Use)

/** Every bucket that a window touches, with the use in it. */
const seriesOf = (
  window: Window,
  bucket: Bucket,
  buckets: ReadonlyArray<Use>
): ReadonlyArray<SeriesPoint> => {
  const amounts = new Map(buckets.map((use) => [use.bucket, use.amount]))
  return bucketStarts(window, bucket).map((start) => {
    const instant = new Date(start).toISOString()
    return { bucket: instant, value: amounts.get(instant) ?? 0 }
  })
}

/** The sum over all buckets; the amount is capped at the largest integer that every JSON library reads exactly. */
const totalOf = (buckets: ReadonlyArray<Use>): JsonObject => {
  // RFC 3339 in UTC with equal lengths, so that text order is time order.
  const firsts = buckets.map((use) => use.first_at).toSorted()
  const overage = buckets.reduce((sum, { overage = 0 }) => Math.min(sum + overage, Number.MAX_SAFE_INTEGER), 0)
  const lasts = buckets.map((use) => use.last_at).toSorted()
  const feature = buckets[0]?.feature_code
  return {
    uses: buckets.reduce((sum, { uses }) => sum + uses, 0),
    amount: buckets.reduce((sum, { amount }) => Math.min(sum + amount, Number.MAX_SAFE_INTEGER), 0),
    ...(overage === 0 ? {} : { overage }),
    ...(buckets.length === 0 ? {} : { first_at: firsts[0]!, last_at: lasts.at(-1)! }),
    ...(feature === undefined || buckets.some((use) => use.feature_code !== feature) ? {} : { feature_code: feature })
  }
}

/**
 * The name of the groups in a query whose rows `g` have `group_id`, which is unique in the table that it is looked up in:
 * none beyond the limit.
 */
export const labelOf = (sql: Fragments, group: UsageGroup, limit: ProductLimit): Statement.Fragment =>
  group === "feature_code" ? sql`NULL::text` : nameOf(sql, group, "g.group_id", limit)

/** The dimensions of an entry as the cell of a table. */
const dimensionsText = `(SELECT string_agg(d.key || '=' || d.value, ', ' ORDER BY d.key COLLATE "C")
          FROM jsonb_each_text(dimensions) d) AS dimensions`

/** The sums of cells that are in the order of licenses, in that order, so that none is made before it is fetched. */
export const sumsOfLicenses = (sql: Fragments, cells: Statement.Fragment, limit: ProductLimit): Statement.Fragment =>
  sql`
    SELECT NULL::timestamptz AS bucket, g.group_id AS "group", ${labelOf(sql, "license_id", limit)} AS label, g.uses,
      g.amount, g.overage, g.first_at, g.last_at
    FROM (
      SELECT license_id AS group_id, ${usageAggregates(sql)} FROM (${cells}) c GROUP BY 1 ORDER BY 1
    ) g
    ORDER BY g.group_id`

/**
 * The usage reports of what a caller with this `limit` may see, each read inside its transaction. With a `place` of the feed they cover only its events.
 */
export const makeUsageReports = (sql: Database, limit: ProductLimit) => {
  /**
   * The use of each license. Licenses may be a million, of which an answer has the first: they are counted from indexes
   * alone, and the sums of those are made that are fetched.
   */
  const licenseRows = Effect.fnUntraced(function*(
    filters: ReportFilters<"usage-summary"> & Window,
    place: FeedPlace | undefined
  ) {
    const [licenses] = yield* countUsedLicenses(sql, usedLicenses(sql, filters, filters, { limit, place }))
    return yield* openRows(
      sql,
      sumsOfLicenses(sql, usageCellsByLicense(sql, filters, filters, { limit, place }), limit),
      Number(licenses!.count)
    )
  })

  const summary = Effect.fnUntraced(function*(filters: ReportFilters<"usage-summary"> & Window, place?: FeedPlace) {
    const { bucket, group_by: group } = filters
    const dimension = dimensionOf(group)
    const cells = usageCells(sql, filters, filters, { bucket, dimension, limit, place })
    const buckets = (yield* listBuckets(sql, cells, filters)).map(readUse)
    const totals = totalOf(buckets)
    const rows = group === undefined
      ? { total: buckets.length, rows: Stream.make(buckets.map(({ feature_code: _feature, ...row }) => row)) }
      : group === "license_id" && bucket === undefined
      ? yield* licenseRows(filters, place)
      : yield* openRows(
        sql,
        sql`
          (SELECT g.bucket, g.group_id AS "group", ${
          isUsageGroup(group) ? labelOf(sql, group, limit) : sql`NULL::text`
        } AS label, g.uses, g.amount, g.overage,
            g.first_at, g.last_at, g.total_rows
          FROM (
            -- In order in here, so that labels are looked up for the rows alone that are fetched.
            SELECT bucket, ${sql(dimension === undefined ? group : "dimension")} COLLATE "C" AS group_id, ${
          usageAggregates(sql)
        },
              count(*) OVER () AS total_rows
            FROM (${cells}) c GROUP BY 1, 2 ORDER BY 1, 2 NULLS LAST
          ) g
          ORDER BY g.bucket, g.group_id NULLS LAST)`
      )
    return {
      filters: { ...filters },
      summary: totals,
      columns: reportColumns("usage-summary", filters, { hasOverage: "overage" in totals }),
      ...(bucket === undefined ? {} : { series: seriesOf(filters, bucket, buckets) }),
      ...rows
    } satisfies OpenedReport
  })

  /** The SQL conditions for the filters of the ledger. */
  const ledgerConditions = ({ action, from, to, ...filters }: ReportFilters<"usage-ledger">) => [
    ...usageConditions(sql, filters, limit),
    ...(action === undefined ? [] : [sql`action = ${action}`]),
    ...(from === undefined ? [] : [sql`occurred_at >= ${from}::text::timestamptz`]),
    ...(to === undefined ? [] : [sql`occurred_at < ${to}::text::timestamptz`])
  ]

  /** The entries of the ledger, newest first; `more` adds conditions. */
  const ledgerQuery = (
    filters: ReportFilters<"usage-ledger">,
    more: ReadonlyArray<Statement.Fragment> = [],
    dimensions = "dimensions"
  ): Statement.Fragment => {
    const conditions = [...ledgerConditions(filters), ...more]
    return sql`
      SELECT id, occurred_at, action, license_id, feature_id, feature_code, amount, total_consumptions,
        max_consumptions, device_id, event_id, product_id, customer_id, order_id, subscription_id, request_id, overage, measured,
        ${sql.literal(dimensions)}
      FROM usage_ledger ${conditions.length === 0 ? sql`` : sql`WHERE ${sql.and(conditions)}`}
      ORDER BY occurred_at DESC, id DESC`
  }

  const ledger = Effect.fnUntraced(function*(filters: ReportFilters<"usage-ledger">, place?: FeedPlace) {
    const placed = placedOnly(sql, place, "occurred_at", "id")
    const conditions = [...ledgerConditions(filters), ...placed]
    const entries = sql`usage_ledger ${conditions.length === 0 ? sql`` : sql`WHERE ${sql.and(conditions)}`}`
    const [counted] = yield* countLedger(sql, entries)
    const { hasDimensions, hasMeasured, ...totals } = counted!
    const query = ledgerQuery(filters, placed, dimensionsText)
    const columns = reportColumns("usage-ledger", filters, {
      hasDimensions,
      hasMeasured,
      hasOverage: totals.overage !== null
    })
    return {
      filters: { ...filters },
      summary: toWire<JsonObject>(totals),
      columns,
      total: Number(totals.entries),
      rows: Stream.unwrap(Effect.map(openRows(sql, query, Number(totals.entries)), ({ rows }) => rows)),
      blocks: blockRows(sql, query, columns),
      namelessIds: idsIn(sql, ["product_id", "customer_id", "license_id", "order_id", "subscription_id"], entries)
    } satisfies OpenedReport
  })

  return { summary, ledger, ledgerQuery }
}

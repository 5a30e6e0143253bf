import { Effect } from "effect"
import type { Statement } from "effect/sql"
import type { JsonObject } from "../../../domain/ground/wire/CanonicalJson.ts"
import type { Database, Fragments } from "../../ground/persistence/Database.ts"
import { isCustomerOfProducts, isOfProducts, isOnlyOfProducts } from "../../ground/persistence/ProductLimit.ts"
import type { ProductLimit } from "../../ground/persistence/ProductLimit.ts"
import { maximumNames } from "./OpenedReport.ts"
import type { HeldId, OpenedReport } from "./OpenedReport.ts"
import { listIds, listNames } from "./ReportSql.ts"

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

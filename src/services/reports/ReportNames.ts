import { Effect } from "effect"
import type { Statement } from "effect/sql"
import type { JsonObject } from "../../domain/wire/CanonicalJson.ts"
import type { Database } from "../persistence/Database.ts"
import { maximumNames } from "./OpenedReport.ts"
import type { OpenedReport } from "./OpenedReport.ts"

/** A readable name, as SQL over a row of its table, of what each kind of id stands for. */
const names = {
  product_id: { table: "products", name: "name" },
  policy_id: { table: "policies", name: "name" },
  customer_id: { table: "customers", name: "name" },
  api_key_id: { table: "management_keys", name: "name" },
  license_id: { table: "licenses", name: "license_key_prefix || '…' || license_key_last4" },
  order_id: { table: "orders", name: "external_system || ' ' || external_id" },
  subscription_id: { table: "subscriptions", name: "external_system || ' ' || external_id" }
} as const

/** The name of a single id: SQL, with the id as SQL too. */
export const nameOf = (kind: keyof typeof names, id: string): string =>
  `(SELECT ${names[kind].name} FROM ${names[kind].table} WHERE id = ${id})`

const namesQuery = Object.values(names)
  .map(({ name, table }) => `SELECT id, ${name} AS name FROM ${table} JOIN asked USING (id)`)
  .join(" UNION ALL ")

/** All texts in a head that may be ids. */
const textsIn = (value: unknown): ReadonlyArray<string> =>
  typeof value === "string"
    ? [value]
    : typeof value === "object" && value !== null
    ? Object.values(value).flatMap(textsIn)
    : []

/** The distinct ids in these columns of what a query reads, at most {@link maximumNames}: of the first columns first. */
export const idsIn = (
  sql: Database,
  columns: ReadonlyArray<string>,
  from: Statement.Fragment
): Effect.Effect<ReadonlyArray<string>> => {
  const distinct = Effect.fnUntraced(function*(column: string) {
    const rows = yield* sql<{ readonly id: string }>`
      SELECT DISTINCT ${sql(column)} AS id FROM ${from} ORDER BY 1 NULLS LAST LIMIT ${maximumNames}`
    return rows.flatMap(({ id }) => id ?? [])
  })
  return Effect.map(Effect.forEach(columns, distinct), (found) => [...new Set(found.flat())].slice(0, maximumNames))
}

/**
 * What the ids of a report are called, for people: its subject, its filters, and those of its rows that have no name
 * beside them. Read in the caller's transaction, so that it is of the same snapshot. Ids that have no name are left out.
 */
export const namesIn = Effect.fnUntraced(function*(sql: Database, report: OpenedReport) {
  const inRows = report.namelessIds === undefined ? [] : yield* report.namelessIds
  const ids = [...new Set([...textsIn(report.summary), ...textsIn(report.filters), ...inRows])]
  const rows = yield* sql<{ readonly id: string; readonly name: string }>`
    WITH asked AS (SELECT unnest(${ids}::text[]) COLLATE "C" AS id)
    ${sql.literal(namesQuery)}`
  return Object.fromEntries(rows.map(({ id, name }) => [id, name])) satisfies JsonObject
})

import { Effect } from "effect"
import type { Statement } from "effect/sql"
import type { JsonObject } from "../../domain/wire/CanonicalJson.ts"
import type { Database } from "../persistence/Database.ts"
import { maximumNames } from "./OpenedReport.ts"
import type { OpenedReport } from "./OpenedReport.ts"

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
      SELECT DISTINCT ${sql(column)} AS id FROM ${from} ORDER BY 1 NULLS LAST LIMIT ${maximumNames + 1}`
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
    SELECT id, name FROM products JOIN asked USING (id)
    UNION ALL SELECT id, name FROM policies JOIN asked USING (id)
    UNION ALL SELECT id, name FROM customers JOIN asked USING (id)
    UNION ALL SELECT id, name FROM management_keys JOIN asked USING (id)
    UNION ALL SELECT id, license_key_prefix || '…' || license_key_last4 FROM licenses JOIN asked USING (id)
    UNION ALL SELECT id, external_system || ' ' || external_id FROM orders JOIN asked USING (id)
    UNION ALL SELECT id, external_system || ' ' || external_id FROM subscriptions JOIN asked USING (id)`
  return Object.fromEntries(rows.map(({ id, name }) => [id, name])) satisfies JsonObject
})

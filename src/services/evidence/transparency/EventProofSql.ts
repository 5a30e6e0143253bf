import type { Statement } from "effect/sql"
import type { Database, Query } from "../../ground/persistence/Database.ts"
import type { ProductLimit } from "../../ground/persistence/ProductLimit.ts"
import { placesOfProducts } from "../../log/EventSql.ts"

/** Finds the place of an event in the feed, unless it is of a product beyond the limit. */
export const findPlaceOf = (
  sql: Database,
  id: string,
  limit: ProductLimit
): Query<{ readonly sequence: bigint }> => {
  const place: Statement.Fragment = sql`SELECT * FROM event_places WHERE id = ${id}`
  return sql<{ readonly sequence: bigint }>`
    -- name: event_places.find sequence
    SELECT sequence FROM (${limit === undefined ? place : placesOfProducts(sql, place, limit)}) p`
}

import type { Statement } from "effect/sql"
import { kindsSaying } from "../../domain/evidence/audit/EventProduct.ts"
import type { Fragments } from "../ground/persistence/Database.ts"
import { eventMember } from "../ground/persistence/EventMemberSql.ts"
import { isOfProducts } from "../ground/persistence/ProductLimit.ts"

const member = (name: "product_id" | "license_id" | "policy_id"): string => eventMember(kindsSaying(name), name)

const aboutProducts = kindsSaying("resource").map((kind) => `'${kind}'`).join(", ")

// Licenses are never deleted. A policy may be; what it granted is then of no product any more.
const eventProduct = `coalesce(
  CASE WHEN event_type IN (${aboutProducts}) THEN resource_id END,
  ${member("product_id")},
  (SELECT l.product_id FROM licenses l WHERE l.id = ${member("license_id")}),
  (SELECT p.product_id FROM policies p WHERE p.id = ${member("policy_id")})
)`

/** The rows of `places` whose events belong to one of these products; they need the columns of `event_places`. */
export const placesOfProducts = (
  sql: Fragments,
  places: Statement.Fragment,
  products: ReadonlyArray<string>
): Statement.Fragment =>
  sql`
  SELECT w.* FROM (${places}) w CROSS JOIN LATERAL (
    SELECT data FROM event_records e WHERE e.ordinal = w.ordinal AND e.id = w.id AND event_sought(e.ordinal) OFFSET 0
  ) r WHERE ${isOfProducts(sql, eventProduct, products)}`

/**
 * No index knows the product of an event. So of those that match otherwise so many are looked at, and where that gives no
 * whole page, the next one goes on behind them: a page costs the same, however rare the products are.
 *
 * @param sought the places that match otherwise, in order and at most one more than `looked`
 */
export const limitedPlaces = (
  sql: Fragments,
  sought: Statement.Fragment,
  { ascending, limit, looked, products }: {
    readonly ascending: boolean
    readonly limit: number
    readonly looked: number
    readonly products: ReadonlyArray<string>
  }
): {
  /** Stands before the statement: what is looked at, found once. */
  readonly before: Statement.Fragment
  readonly places: Statement.Fragment
  /** Where the look for them ended before there was nothing more to look at; NULL where it did not. */
  readonly reached: Statement.Fragment
} => {
  const order = sql`ORDER BY sequence ${ascending ? sql`ASC` : sql`DESC`}`
  const within = sql`SELECT * FROM sought ${order} LIMIT ${looked}`
  return {
    before: sql`WITH sought AS MATERIALIZED (${sought})`,
    places: sql`SELECT * FROM (${placesOfProducts(sql, within, products)}) o ${order} LIMIT ${limit}`,
    reached: sql`
      SELECT sequence FROM sought WHERE (SELECT count(*) FROM sought) > ${looked}
      ${order} OFFSET ${looked - 1} LIMIT 1`
  }
}

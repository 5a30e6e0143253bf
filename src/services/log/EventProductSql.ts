import type { Statement } from "effect/sql"
import { kindsSaying } from "../../domain/evidence/audit/EventProduct.ts"
import type { MovedLimit } from "../../domain/licensing/metering/MovedLimits.ts"
import { lineOf } from "../ground/persistence/CustomerLineSql.ts"
import type { Database, Fragments, Query } from "../ground/persistence/Database.ts"
import { eventMember } from "../ground/persistence/EventMemberSql.ts"
import { isOfProducts } from "../ground/persistence/ProductLimit.ts"

/** Whether a row of `policy_features` or `license_features` names thresholds. */
export const announces = (feature: string): string =>
  `num_nonnulls(${feature}.quota_thresholds, ${feature}.remaining_thresholds) > 0`

/** How a subject that is watched already is looked at anew. Only what fell since its last look is announced with it. */
export const watchedAnew = `
  ON CONFLICT (subject) DO UPDATE SET due_at = least(w.due_at, greatest(excluded.due_at, w.rests_until)),
    fell = w.fell OR excluded.fell, asked = w.asked + 1`

const watchQuery = `
  -- name: usage_watches.insert moved
  WITH v AS (SELECT * FROM unnest($1::text[], $2::boolean[]) AS v (id, fell))
  INSERT INTO usage_watches AS w (subject, due_at, fell)
  SELECT subject, clock_timestamp(), bool_or(fell) FROM (
    SELECT l.id AS subject, v.fell FROM v JOIN licenses l ON l.id = v.id
    WHERE EXISTS (SELECT 1 FROM policy_features g WHERE g.policy_id = l.policy_id AND ${announces("g")})
      OR EXISTS (SELECT 1 FROM license_features a WHERE a.license_id = l.id AND ${announces("a")})
    UNION ALL
    SELECT o.id, v.fell FROM v JOIN customers o ON o.id = v.id
    WHERE EXISTS (SELECT 1 FROM pools g WHERE g.customer_id = ANY(${lineOf("o.id")}))
    UNION ALL
    SELECT p.id, v.fell FROM v JOIN policies p ON p.id = v.id
    UNION ALL
    SELECT g.customer_id, v.fell FROM v JOIN pools g ON g.id = v.id
    WHERE EXISTS (SELECT 1 FROM policy_features p WHERE p.feature_id = g.feature_id AND ${announces("p")})
      OR EXISTS (SELECT 1 FROM license_features a WHERE a.feature_id = g.feature_id AND ${announces("a")})
  ) m GROUP BY subject ORDER BY subject
  ${watchedAnew}
  RETURNING subject`

/**
 * Has it looked at whether a threshold is reached where what can be used was moved: of licenses whose policy names thresholds, of all
 * licenses below a customer, and of all under a policy.
 */
export const insertMoved = (sql: Database, moved: ReadonlyArray<MovedLimit>): Query<object> =>
  sql.unsafe(watchQuery, [moved.map(({ id }) => id), moved.map(({ fell }) => fell)])

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

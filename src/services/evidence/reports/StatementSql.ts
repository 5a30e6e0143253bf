import type { Statement } from "effect/sql"
import type { ReportFilters, Window } from "../../../domain/evidence/reports/Report.ts"
import type { Database, Query } from "../../ground/persistence/Database.ts"
import { eventMember } from "../../ground/persistence/EventMemberSql.ts"
import { andWithinProducts } from "../../ground/persistence/ProductLimit.ts"
import type { ProductLimit } from "../../ground/persistence/ProductLimit.ts"
import { safeSum } from "../../licensing/metering/UsageQuery.ts"
import { placedOnly } from "../../log/FeedPosition.ts"
import type { FeedPlace } from "../../log/FeedPosition.ts"

/** The filters of a statement, and how far it may see. */
export interface StatementScope {
  readonly filters: ReportFilters<"statement"> & Window
  readonly limit: ProductLimit
  readonly place: FeedPlace | undefined
}

/** The licenses of a statement, as a FROM item. */
const owned = (sql: Database, { filters: { customer_id, license_id }, limit }: StatementScope): Statement.Fragment =>
  sql`licenses l WHERE ${
    license_id === undefined ? sql`l.customer_id = ${customer_id ?? ""}` : sql`l.id = ${license_id}`
  } ${andWithinProducts(sql, "l.product_id", limit)}`

/** How many licenses a statement is about. */
export const countOwned = (sql: Database, of: StatementScope): Query<{ readonly count: bigint }> =>
  sql<{ readonly count: bigint }>`
    -- name: licenses.count for statement
    SELECT count(*) AS count FROM ${owned(sql, of)}`

/** Whether the event of an id waits for its place in the feed, and is left out. */
const isWaiting = (sql: Database, { place }: StatementScope, kind: "license.grant_given" | "license.grant_revoked") =>
  place?.waitingSince === undefined
    ? sql`false`
    : sql`g.id IN (SELECT ${sql.literal(eventMember([kind], "id"))} FROM event_outbox
      WHERE event_type = ${kind})`

/** Whether a use or a correction has its place in the feed. */
const isPlaced = (sql: Database, { place }: StatementScope, row: "c" | "u"): Statement.Fragment =>
  placedOnly(sql, place, `${row}.created_at`, `${row}.id`)[0] ?? sql`true`

/** Whether a grant `g` is over when a bound of the window comes: one that ends at it is not usable from then on. */
const isOver = (bound: "from_at" | "to_at"): string =>
  `(coalesce(g.expires_at <= w.${bound}, false) OR coalesce(g.revoked_at < w.${bound}, false))`

/**
 * The figures of each grant of the licenses in the window. It had left at both ends what it has left now and what was
 * used of it since, less what was refunded. Old uses may be deleted by age, so that nothing can be added up from the first.
 * What late uses took before it was there is lacking, `told_before` and `told_after`, and no balance is below zero for it.
 */
const grantFigures = `
  (SELECT license_id, feature_id, opening, told_before, told_after,
    CASE WHEN is_given AND source NOT IN ('correction', 'rollover') THEN amount ELSE 0 END AS given,
    CASE WHEN is_given AND source = 'rollover' THEN amount ELSE 0 END AS carried,
    CASE WHEN is_given AND source = 'correction' THEN amount ELSE 0 END AS corrected,
    refunded, used, closing,
    CASE WHEN is_revoked THEN 0 ELSE gone END AS ended, CASE WHEN is_revoked THEN gone ELSE 0 END AS revoked
  FROM (
    SELECT *, opening - told_before + CASE WHEN is_given THEN amount ELSE 0 END + refunded - used + told_after - closing AS gone
    FROM (
      SELECT g.license_id, g.feature_id, g.source, g.amount, m.used, m.refunded,
        g.created_at >= w.from_at AND g.created_at < w.to_at AS is_given,
        coalesce(g.revoked_at < coalesce(g.expires_at, 'infinity'), false) AS is_revoked,
        CASE WHEN ${isOver("from_at")} THEN 0 ELSE b.at_from + l.at_from END AS opening, l.at_from AS told_before,
        CASE WHEN ${isOver("to_at")} THEN 0 ELSE b.at_to + l.at_to END AS closing, l.at_to AS told_after
      FROM given g CROSS JOIN bounds w
      CROSS JOIN LATERAL (
        SELECT coalesce(sum(t.units) FILTER (WHERE NOT t.is_placed OR t.at >= w.from_at), 0) AS since_from,
          coalesce(sum(t.units) FILTER (WHERE NOT t.is_placed OR t.at >= w.to_at), 0) AS since_to,
          coalesce(sum(t.units) FILTER (WHERE t.is_inside AND t.units > 0), 0) AS used,
          coalesce(-sum(t.units) FILTER (WHERE t.is_inside AND t.units < 0), 0) AS refunded
        FROM taken t WHERE t.grant_id = g.id
      ) m
      CROSS JOIN LATERAL (
        SELECT CASE WHEN g.created_at < w.from_at THEN g.amount ELSE 0 END - g.used + m.since_from AS at_from,
          CASE WHEN g.created_at < w.to_at THEN g.amount ELSE 0 END - g.used + m.since_to AS at_to
      ) b
      CROSS JOIN LATERAL (
        SELECT CASE WHEN g.amount > 0 THEN greatest(0, -b.at_from) ELSE 0 END AS at_from,
          CASE WHEN g.amount > 0 THEN greatest(0, -b.at_to) ELSE 0 END AS at_to
      ) l
    ) f
  ) f)`

const balance = [
  "opening",
  "told_before",
  "given",
  "carried",
  "corrected",
  "refunded",
  "used",
  "ended",
  "revoked",
  "told_after",
  "closing"
] as const
const usage = ["uses", "amount", "within_quota", "from_pools", "adjusted"] as const

/**
 * The units of an entry `e` that grants and pools served, and those of pools alone. Most uses take of none: those are not unpacked, and the
 * others once for both, which takes a third of the time of a million uses.
 */
const served = `
  CASE WHEN e.is_use AND e.grants IS NOT NULL THEN (
    SELECT ARRAY[sum((t ->> 'amount')::int8), sum((t ->> 'amount')::int8) FILTER (WHERE t ->> 'grant_id' LIKE 'pool\\_%')]
    FROM jsonb_array_elements(e.grants) t) END`

/** The grants of a statement, without what waits for its place in the feed. */
const grants = (sql: Database, of: StatementScope): Statement.Fragment =>
  sql`
    (SELECT g.id, g.license_id, g.feature_id, g.source, g.amount, g.used, g.expires_at,
        -- Carried units are there when the period turns, and become a grant when they are written of next.
        CASE WHEN g.source = 'rollover' THEN g.starts_at ELSE g.created_at END AS created_at,
        CASE WHEN NOT ${isWaiting(sql, of, "license.grant_revoked")} THEN g.revoked_at END AS revoked_at
      FROM owned o JOIN grants g ON g.license_id = o.id
      WHERE NOT ${isWaiting(sql, of, "license.grant_given")})`

/** The figures of a statement by license and feature, whose rows are those in which anything is not 0. */
const figures = (sql: Database, of: StatementScope): Statement.Fragment => {
  const { filters: { feature_code, from, to }, limit, place } = of
  const waiting = place?.waitingSince
  const start = new Date(from)
  const oldest = waiting !== undefined && waiting < start ? waiting : start
  const none = sql.literal(
    [...balance.map((name) => `b.${name}`), ...usage.map((name) => `u.${name}`)]
      .map((column) => `coalesce(${column}, 0)`).join(", ")
  )
  const features = sql`JOIN features f ON f.id = feature_id ${andWithinProducts(sql, "f.product_id", limit)} ${
    feature_code === undefined ? sql`` : sql`AND f.code = ${feature_code}`
  }`
  return sql`
    WITH bounds AS (SELECT ${from}::text::timestamptz AS from_at, ${to}::text::timestamptz AS to_at),
    owned AS MATERIALIZED (SELECT l.id, l.license_key_prefix || '…' || l.license_key_last4 AS key FROM ${
    owned(sql, of)
  }),
    entries AS MATERIALIZED (
      SELECT e.*, e.is_placed AND e.at >= w.from_at AND e.at < w.to_at AS is_inside FROM (
        SELECT u.license_id, u.feature_id, u.created_at AS at, u.grants, true AS is_use, u.amount, u.overage,
          ${isPlaced(sql, of, "u")} AS is_placed
        FROM owned o JOIN usage_records u ON u.license_id = o.id AND u.created_at >= ${oldest}
        UNION ALL
        SELECT c.license_id, c.feature_id, c.created_at, c.grants, false, c.amount, NULL, ${isPlaced(sql, of, "c")}
        FROM owned o JOIN usage_corrections c ON c.license_id = o.id AND c.created_at >= ${oldest}
      ) e CROSS JOIN bounds w
    ),
    taken AS MATERIALIZED (
      SELECT t ->> 'grant_id' AS grant_id, CASE WHEN e.is_use THEN 1 ELSE -1 END * (t ->> 'amount')::int8 AS units, e.at,
        e.is_placed, e.is_inside
      FROM entries e CROSS JOIN jsonb_array_elements(e.grants) t
    ),
    given AS ${grants(sql, of)},
    balances AS (
      SELECT license_id, feature_id, ${sql.literal(balance.map((name) => `sum(${name}) AS ${name}`).join(", "))} FROM ${
    sql.literal(grantFigures)
  } g GROUP BY 1, 2
    ),
    usages AS (
      SELECT license_id, feature_id, count(*) FILTER (WHERE is_use) AS uses, sum(amount) FILTER (WHERE is_use) AS amount,
        sum(overage) AS overage,
        sum(amount - coalesce(overage, 0) - coalesce(served[1], 0)) FILTER (WHERE is_use) AS within_quota,
        sum(served[2]) AS from_pools, sum(amount) FILTER (WHERE NOT is_use) AS adjusted
      -- Without the OFFSET each reference to it would unpack the entry again.
      FROM (SELECT e.*, ${sql.literal(served)} AS served FROM entries e WHERE is_inside OFFSET 0) e GROUP BY 1, 2
    )
    SELECT license_id, o.key, f.product_id, f.code AS feature_code, f.decimals, ${
    sql.literal([
      ...balance.map((name) => `coalesce(b.${name}, 0) AS ${name}`),
      ...usage.map((name) => `coalesce(u.${name}, 0) AS ${name}`)
    ].join(", "))
  }, nullif(u.overage, 0) AS overage
    FROM balances b FULL JOIN usages u USING (license_id, feature_id) JOIN owned o ON o.id = license_id ${features}
    WHERE (${none}) IS DISTINCT FROM (${sql.literal([...balance, ...usage].map(() => "0").join(", "))})`
}

/** The figures that are absent where they are 0. */
const absentAtZero: ReadonlySet<string> = new Set(["told_before", "told_after", "overage"])

const sums = (sql: Database): Statement.Fragment => {
  const columns = [...balance, ...usage, "overage"].map((name) => {
    const all = safeSum(sql, name)
    return sql`${absentAtZero.has(name) ? sql`nullif(${all}, 0)` : all} AS ${sql.literal(name)}`
  })
  return columns.reduce((all, column) => sql`${all}, ${column}`)
}

/** The sums of each feature in a statement, and how many rows it has. */
export const listFeatureSums = (sql: Database, of: StatementScope): Query<object> =>
  sql`
    -- name: grants.list sums for statement
    SELECT product_id, feature_code, decimals, ${sums(sql)}, count(*) AS rows FROM (${figures(sql, of)}) s
    GROUP BY 1, 2, 3 ORDER BY feature_code COLLATE "C", product_id`

/** The rows of a statement, in their order. */
export const statementRows = (sql: Database, of: StatementScope): Statement.Fragment =>
  sql`
    (SELECT license_id, key, product_id, feature_code, decimals, ${sums(sql)} FROM (${figures(sql, of)}) s
    GROUP BY 1, 2, 3, 4, 5 ORDER BY license_id, feature_code COLLATE "C", product_id)`

/** The most groups of a dimension that a statement has: those with the most usage. */
const mostGroups = 1_000

/** The usage of a statement by a dimension, the most first, and how many groups there are. */
export const listGroups = (sql: Database, of: StatementScope, dimension: string): Query<object> => {
  const { filters: { feature_code, from, to }, limit } = of
  return sql`
    -- name: usage_records.list groups for statement
    SELECT *, count(*) OVER () AS total FROM (
      SELECT f.product_id, f.code AS feature_code, f.decimals, u.dimensions ->> ${dimension} AS "group", count(*) AS uses,
        ${safeSum(sql, "u.amount")} AS amount, nullif(${safeSum(sql, "u.overage")}, 0) AS overage
      FROM usage_records u JOIN features f ON f.id = u.feature_id ${andWithinProducts(sql, "f.product_id", limit)} ${
    feature_code === undefined ? sql`` : sql`AND f.code = ${feature_code}`
  }
      WHERE u.license_id IN (SELECT l.id FROM ${owned(sql, of)}) AND u.created_at >= ${from}::text::timestamptz
        AND u.created_at < ${to}::text::timestamptz AND ${isPlaced(sql, of, "u")}
      GROUP BY 1, 2, 3, 4
    ) g
    ORDER BY amount DESC, feature_code COLLATE "C", product_id, "group" COLLATE "C" NULLS LAST LIMIT ${mostGroups}`
}

/** The products of the features in a statement, as a FROM item. */
export const statedProducts = (sql: Database, of: StatementScope): Statement.Fragment =>
  sql`(SELECT product_id FROM (${figures(sql, of)}) s) r`

import type { Statement } from "effect/sql"
import type { SuspensionWords } from "../../../domain/licensing/lifecycle/StateChange.ts"
import type { Database, Query } from "../../ground/persistence/Database.ts"
import type { SortedClauses } from "../../ground/persistence/KeysetPagination.ts"
import { endKey, nameKey, sortedName } from "../../ground/persistence/KeysetPaginationSql.ts"
import type { SortKeys } from "../../ground/persistence/KeysetPaginationSql.ts"
import { firstExpiring } from "./LicenseSql.ts"
import type { ExpiryWindow } from "./LicenseSql.ts"

/**
 * The tag of the reseller by whose key the last event of a type came about; null where that was another actor, or none is kept any more.
 * The log knows: each event is in the feed or waits for its place there.
 */
const lastTag = (sql: Database, resourceId: string, type: string) =>
  sql`(
    SELECT k.license_tag FROM (
      (SELECT 0 AS rank, actor_type, actor_id FROM events
        WHERE resource_key = right(${resourceId}, 7) AND resource_id = ${resourceId} AND event_type = ${type}
        ORDER BY sequence DESC LIMIT 1)
      UNION ALL
      (SELECT 1, actor_type, actor_id FROM event_outbox
        WHERE resource_id = ${resourceId} AND event_type = ${type} ORDER BY ordinal DESC LIMIT 1)
      ORDER BY rank DESC LIMIT 1
    ) last
    LEFT JOIN management_keys k ON last.actor_type = 'api_key' AND k.id = last.actor_id)`

/** The words that stand about the suspension of a locked license. */
export const findSuspensionWords = (sql: Database, licenseId: string): Query<SuspensionWords> =>
  sql<SuspensionWords>`
    -- name: licenses.find words of suspension
    SELECT ${lastTag(sql, licenseId, "license.suspended")} AS tag, EXISTS (
        SELECT 1 FROM purchase_licenses WHERE license_id = l.id AND stopped IS NOT NULL
      ) AS is_stopped, (
        SELECT status FROM subscriptions WHERE id = l.subscription_id AND l.follows_subscription
      ) AS subscription
    FROM licenses l WHERE id = ${licenseId}`

/** The tag of the reseller who blocked a device of a locked license last. */
export const findBlockWord = (sql: Database, deviceId: string): Query<{ readonly tag: string | null }> =>
  sql<{ readonly tag: string | null }>`
    -- name: events.find word of block
    SELECT ${lastTag(sql, deviceId, "device.blacklisted")} AS tag`

// The expression and the condition of the index licenses_by_owner. What has no owner comes behind all that have one.
const ownOwner = sortedName(
  "coalesce(l.customer_name, CASE WHEN l.customer_id IS NULL THEN coalesce(l.customer_email, chr(1114111)) END)"
)
const namesItsOwner = "(l.customer_name IS NOT NULL OR l.customer_id IS NULL)"

const customerName = sortedName("c.name")
const productName = sortedName("n.name")

/**
 * Up to how many licenses of filters are sorted; of more the first are sought among all, where they are soon met. Written into
 * the statement, for a plan that serves all values takes a parameter for any number.
 */
const mostSorted = 5000

/** The keys that licenses `l` are sorted by beside their times. */
export const licenseKeys = (sql: Database) => ({
  expires: endKey(sql, sql.literal("l.expires_at")),
  owner: nameKey(
    sql,
    sql.literal(`coalesce(${ownOwner}, (SELECT ${customerName} FROM customers c WHERE c.id = l.customer_id))`)
  ),
  product: nameKey(sql, sql.literal(`(SELECT ${productName} FROM products n WHERE n.id = l.product_id)`))
} satisfies SortKeys)

/** The parts of a sorted list that the ids of its page are found by. */
type OrderedBy = Pick<SortedClauses, "limit" | "sorted">

/** Conditions on the page within things of one key each: the things from its first on, and ids behind those of the page before. */
const behindWithin = (
  sql: Database,
  { after, comparison, isAscending }: OrderedBy["sorted"],
  key: Statement.Fragment
): { readonly things: ReadonlyArray<Statement.Fragment>; readonly ids: ReadonlyArray<Statement.Fragment> } => {
  if (after?.key === undefined) return { things: [], ids: [] }
  // Every id of a license is greater than the one, and less than the other.
  const before = sql.literal(isAscending ? "''" : "'lid'")
  return {
    things: [sql`${key} ${comparison}= ${after.key}`],
    ids: [sql`l.id ${comparison} CASE WHEN ${key} = ${after.key} THEN ${after.id} ELSE ${before} END`]
  }
}

/** The licenses whose owners' names have an index of their own. */
interface Owned {
  readonly name: string
  readonly owner: Statement.Fragment
  readonly only: Statement.Fragment
  readonly behind: ReadonlyArray<Statement.Fragment>
  /** Licenses `l` of a table, with what their owners' names are read from. */
  readonly from: (table: string) => Statement.Fragment
}

/** Both kinds of owned licenses: those that name their owner by themselves, and those of customers. */
const bothOwned = (sql: Database, sorted: OrderedBy["sorted"]): ReadonlyArray<Owned> => {
  const { after, comparison } = sorted
  const own = sql.literal(ownOwner)
  const named = sql.literal(customerName)
  const { ids, things } = behindWithin(sql, sorted, named)
  return [{
    name: "named",
    owner: own,
    only: sql.literal(namesItsOwner),
    behind: after?.key === undefined ? [] : [sql`(${own}, l.id) ${comparison} (${after.key}, ${after.id})`],
    from: (table) => sql.literal(`${table} l`)
  }, {
    name: "of_customers",
    owner: named,
    only: sql`l.customer_name IS NULL AND l.customer_id IS NOT NULL`,
    behind: [...things, ...ids],
    from: (table) => sql.literal(`customers c JOIN ${table} l ON l.customer_id = c.id`)
  }]
}

/**
 * The ids of the first licenses in the order of their owners: those that name their owner by themselves, from an index of
 * these names, and those of customers, from an index of theirs. Few that fit filters are sorted instead: how soon a walk meets
 * them nobody knows, for a product may be sold to customers alone, and the walk through all other owners finds none of it.
 */
export const firstByOwner = (sql: Database, { limit, sorted }: OrderedBy): Statement.Fragment => {
  const { conditions, direction } = sorted
  const both = bothOwned(sql, sorted)
  const joined = sql`JOIN policies p ON p.id = l.policy_id WHERE`
  const first = (owned: Owned, from: Statement.Fragment, where: ReadonlyArray<Statement.Fragment>) =>
    sql`(SELECT l.id, ${owned.owner} AS owner FROM ${from} ${sql.and([...where, ...owned.behind])}
      ORDER BY ${owned.owner} ${direction}, l.id ${direction} ${limit})`
  const walk = (owned: Owned, ...more: ReadonlyArray<Statement.Fragment>) =>
    first(owned, sql`${owned.from("licenses")} ${joined}`, [...more, owned.only, ...conditions])
  const ordered = (parts: ReadonlyArray<Statement.Fragment>) => {
    const all = parts.reduce((before, part) => sql`${before} UNION ALL ${part}`)
    return sql`SELECT o.id FROM (${all}) o ORDER BY o.owner ${direction}, o.id ${direction} ${limit}`
  }
  if (conditions.length === 0) return ordered(both.map((owned) => walk(owned)))

  const fitting = sql.csv(both.map(({ name, only }) =>
    sql`${sql(name)} AS MATERIALIZED (
      SELECT l.id, l.customer_id, l.customer_name, l.customer_email FROM licenses l ${joined}
      ${sql.and([only, ...conditions])} LIMIT ${sql.literal(String(mostSorted + 1))})`
  ))
  // A condition that is the same for all rows is judged before any is read.
  return sql`WITH ${fitting} ${
    ordered(both.flatMap((owned) => {
      const areFew = sql`(SELECT count(*) FROM ${sql(owned.name)}) <= ${sql.literal(String(mostSorted))}`
      return [first(owned, sql`${owned.from(owned.name)} WHERE`, [areFew]), walk(owned, sql`NOT ${areFew}`)]
    }))
  }`
}

/**
 * The ids of the first licenses in the order of their products' names: of each product the first, which an index has. The
 * product is compared as a range: of an equal one PostgreSQL leaves the column out of the order, and then goes through all
 * licenses in the order of ids, however few the product has.
 */
export const firstByProduct = (sql: Database, { limit, sorted }: OrderedBy): Statement.Fragment => {
  const { conditions, direction, isAscending } = sorted
  const ofProduct = ["l.product_id >= n.id", "l.product_id <= n.id"].map((text) => sql.literal(text))
  const against = sql.literal(isAscending ? "DESC" : "ASC")
  const { ids, things } = behindWithin(sql, sorted, sql.literal("n.product"))
  const from = things.length === 0 ? sql`` : sql`WHERE ${sql.and(things)}`
  return sql`
    SELECT f.id FROM (SELECT n.id, ${sql.literal(productName)} AS product FROM products n) n
    CROSS JOIN LATERAL (
      SELECT l.id FROM licenses l JOIN policies p ON p.id = l.policy_id
      WHERE ${sql.and([...ofProduct, ...conditions, ...ids])}
      ORDER BY l.product_id ${against}, l.id ${direction} ${limit}
    ) f ${from} ORDER BY n.product ${direction}, f.id ${direction} ${limit}`
}

/** The ids of a page that no walk through the list in its order finds soon; undefined where one does. */
export const firstIds =
  (sql: Database, keys: ReturnType<typeof licenseKeys>) =>
  (clauses: SortedClauses, expiring: ExpiryWindow | undefined) => {
    if (clauses.sorted.by === keys.owner) return firstByOwner(sql, clauses)
    if (clauses.sorted.by === keys.product) return firstByProduct(sql, clauses)
    return clauses.isById && expiring !== undefined ? firstExpiring(sql, clauses, expiring) : undefined
  }

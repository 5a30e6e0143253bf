import type { Statement } from "effect/sql"
import { kindsSaying } from "../../domain/evidence/audit/LastEvents.ts"
import type { MovedLimit } from "../../domain/licensing/metering/MovedLimits.ts"
import type { AuditActorType, EventKind } from "../../domain/log/EventKind.ts"
import type { Commitments, Personal } from "../../domain/log/EventLeaf.ts"
import { lineOf } from "../ground/persistence/CustomerLineSql.ts"
import type { Database, Fragments, Member, Query } from "../ground/persistence/Database.ts"
import { eventMember } from "../ground/persistence/EventMemberSql.ts"
import { isOfProducts } from "../ground/persistence/ProductLimit.ts"
import type { ProductLimit } from "../ground/persistence/ProductLimit.ts"
import { insertedActivities } from "./ActivityRecorder.ts"
import type { NewActivity } from "./ActivityRecorder.ts"
import { feedPlaces } from "./FeedPosition.ts"
import type { FeedFilters } from "./FeedPosition.ts"

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
    WHERE EXISTS (SELECT 1 FROM grants g WHERE g.customer_id = ANY(${lineOf("o.id")}))
    UNION ALL
    SELECT p.id, v.fell FROM v JOIN policies p ON p.id = v.id
    UNION ALL
    SELECT g.customer_id, v.fell FROM v JOIN grants g ON g.id = v.id AND g.customer_id IS NOT NULL
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
const limitedPlaces = (
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

/**
 * The columns of `event_records` that an append fills besides the ordinal, with their types; `optional` ones are
 * nullable.
 */
const columns = {
  id: { type: "text" },
  event_type: { type: "text" },
  actor_type: { type: "text" },
  actor_id: { type: "text" },
  resource_id: { type: "text" },
  metadata: { type: "text" },
  data: { type: "text" },
  commitments: { type: "jsonb", optional: true },
  personal: { type: "jsonb", optional: true },
  request_id: { type: "text", optional: true },
  traceparent: { type: "text", optional: true }
} as const

type Column = keyof typeof columns

/** One row of `event_records`, as text. */
export type RecordValues = {
  readonly [Name in Column]: typeof columns[Name] extends { readonly optional: true } ? string | null : string
}

const names = Object.keys(columns) as ReadonlyArray<Column>

const listed = names.join(", ")

/** The number of parameters of {@link appendOne} and {@link appendMany}; those of what follows them come after. */
const recordParameters = names.length

// A pending row is announced first, which assigns the transaction id before an ordinal is drawn.
const appended = (qualifier: string, pending: string, selected: string, then: string | undefined): string => {
  const [before, after] = then === undefined ? [")", ""] : ["), appended AS (", `) INSERT INTO ${then}`]
  return `-- name: event_records.insert ${qualifier}
    WITH pending AS (INSERT INTO event_pending ${pending} RETURNING ordinal${before}
    INSERT INTO event_records (ordinal, ${listed}) ${selected}${after}`
}

/**
 * The statement that appends one event, as nearly all appends do. `then`: what follows the INSERT INTO of rows that are
 * inserted with it.
 */
const appendOne = (then?: string): string =>
  appended(
    "one",
    "DEFAULT VALUES",
    `(SELECT ordinal, ${names.map((name, index) => `$${index + 1}::${columns[name].type}`).join(", ")} FROM pending)`,
    then
  )

/** The parameters of {@link appendOne}. */
const oneParameters = (row: RecordValues): ReadonlyArray<string | null> => names.map((name) => row[name])

/**
 * The statement that appends several events, in their order: one array for each column, joined to the ordinals. An empty
 * string stands for null, because the driver cannot infer the type of an array that holds only nulls.
 */
const appendMany = (then?: string): string =>
  appended(
    "many",
    "(xid) (SELECT pg_current_xact_id() FROM generate_series(1, cardinality($1::text[])))",
    `(SELECT p.ordinal, ${
      names.map((name) => "optional" in columns[name] ? `nullif(e.${name}, '')::${columns[name].type}` : `e.${name}`)
        .join(", ")
    }
     FROM unnest(${names.map((_, index) => `$${index + 1}::text[]`).join(", ")})
       WITH ORDINALITY AS e (${listed}, place)
     JOIN (SELECT ordinal, row_number() OVER (ORDER BY ordinal) AS place FROM pending) p ON p.place = e.place
     ORDER BY p.ordinal)`,
    then
  )

/** The parameters of {@link appendMany}. */
const manyParameters = (rows: ReadonlyArray<RecordValues>): ReadonlyArray<ReadonlyArray<string>> =>
  names.map((name) => rows.map((row) => row[name] ?? ""))

const activities = insertedActivities(recordParameters + 1)
const appendsOne = { alone: appendOne(), withActivities: appendOne(activities) }
const appendsMany = { alone: appendMany(), withActivities: appendMany(activities) }

/** Appends events, one at least, with the activities that they are. */
export const insertEvents = (
  sql: Database,
  rows: ReadonlyArray<RecordValues>,
  activities: ReadonlyArray<NewActivity>
): Query<object> => {
  const texts = rows.length === 1 ? appendsOne : appendsMany
  const parameters: ReadonlyArray<Member> = rows.length === 1 ? oneParameters(rows[0]!) : manyParameters(rows)
  return activities.length === 0
    ? sql.unsafe(texts.alone, parameters)
    : sql.unsafe(texts.withActivities, [...parameters, JSON.stringify(activities)])
}

/** A row of `events` as the driver returns it. */
export interface EventRow {
  readonly sequence: bigint
  readonly id: string
  readonly event_type: EventKind
  readonly actor_type: AuditActorType
  readonly actor_id: string
  readonly resource_id: string | null
  readonly metadata: string
  readonly data: string
  readonly commitments: Commitments | null
  readonly personal: Personal | null
  readonly request_id: string | null
  readonly created_at: Date
  readonly previous_hash: Uint8Array
  readonly hash: Uint8Array
  readonly license_id: string | null
  readonly license_previous: bigint | null
  readonly license_previous_hash: Uint8Array | null
}

/** A place in the feed whose record is missing. */
interface NoRow {
  readonly sequence: bigint
  readonly data: null
}

/** No place matches. */
interface NoPlace {
  readonly sequence: null
  readonly data: null
}

/** How far the feed reached, and how much of it was dropped, in the snapshot that the rows were read in. */
interface FeedEnds {
  readonly head: bigint
  readonly dropped: bigint
  /** Where the look for the events of a limited key ended, with more behind it. */
  readonly reached: bigint | null
}

/** How many events are looked at for a page of a limited key, which takes about 20 milliseconds. */
const looked = 2_000

/**
 * The first `limit` events that match, in order, after or before the sequence `beyond`; one row at least, which has the ends
 * of the feed. It joins as the view `events` does: reading the view would look up the places a second time.
 */
export const listFeed = (
  sql: Database,
  filters: FeedFilters,
  { ascending, beyond, limit, products }: {
    readonly ascending: boolean
    readonly beyond: number | undefined
    readonly limit: number
    readonly products: ProductLimit
  }
): Query<(EventRow | NoRow | NoPlace) & FeedEnds> => {
  const beyondPlace = beyond === undefined ? [] : [ascending ? sql`sequence > ${beyond}` : sql`sequence < ${beyond}`]
  const sought = (limit: number) => feedPlaces(sql, filters, { ascending, beyond: beyondPlace, limit })
  const { before, places, reached } = products === undefined
    ? { before: sql``, places: sought(limit), reached: sql`NULL::bigint` }
    : limitedPlaces(sql, sought(looked + 1), { ascending, limit, looked, products })
  return sql<(EventRow | NoRow | NoPlace) & FeedEnds>`
    -- name: events.list feed
    ${before}
    SELECT h.head, h.dropped, h.reached, p.sequence, p.id, p.event_type, p.actor_type, p.resource_id, p.previous_hash, p.hash,
      coalesce(p.license_id, p.resource_id) AS license_id, p.license_previous, p.license_previous_hash, r.*
    FROM (
      SELECT last_sequence AS head, (SELECT dropped_sequence FROM event_archive) AS dropped,
        (${reached}) AS reached
      FROM event_chain
    ) h LEFT JOIN (${places}) p ON true LEFT JOIN LATERAL (
      SELECT actor_id, metadata, data, commitments, personal, request_id, created_at FROM event_records e
      WHERE e.ordinal = p.ordinal AND e.id = p.id AND e.event_type = p.event_type
        AND e.actor_type = p.actor_type AND e.resource_id IS NOT DISTINCT FROM p.resource_id
        AND event_sought(e.ordinal)
      OFFSET 0
    ) r ON true
    ORDER BY p.sequence ${ascending ? sql`ASC` : sql`DESC`}`
}

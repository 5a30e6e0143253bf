import type { AuditActorType, EventKind } from "../../domain/log/EventKind.ts"
import type { Commitments, Personal } from "../../domain/log/EventLeaf.ts"
import type { Database, Member, Query } from "../ground/persistence/Database.ts"
import type { ProductLimit } from "../ground/persistence/ProductLimit.ts"
import { insertedActivities } from "./ActivityRecorder.ts"
import type { NewActivity } from "./ActivityRecorder.ts"
import { limitedPlaces } from "./EventProductSql.ts"
import { feedPlaces } from "./FeedPlaces.ts"
import type { FeedFilters } from "./FeedPlaces.ts"

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

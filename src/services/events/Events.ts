import { Context, Effect, Layer } from "effect"
import { Hex } from "effect/encoding"
import { SqlClient } from "effect/sql"
import type { Statement } from "effect/sql"
import type { AuditActorType, EventKind } from "../../domain/events/EventKind.ts"
import { kinds, resourceTypeOf } from "../../domain/events/EventKind.ts"
import type { Commitments, EventColumns, Personal, ServedEvent } from "../../domain/events/EventLeaf.ts"
import { disclose, leafOf, withhold } from "../../domain/events/EventLeaf.ts"
import { currentEpoch, cursorOf, readCursor } from "../../domain/events/LogEpoch.ts"
import type { JsonObject } from "../../domain/wire/CanonicalJson.ts"
import { canonicalJson } from "../../domain/wire/CanonicalJson.ts"
import type { CursorAhead } from "../../domain/wire/Errors.ts"
import type { PageInfo } from "../../domain/wire/Page.ts"
import { Identifiers } from "../persistence/Identifiers.ts"
import { requireTransaction } from "../persistence/Transaction.ts"
import { Cryptography } from "../platform/Cryptography.ts"
import { activityOf, insertActivities } from "./ActivityRecorder.ts"
import { beyondHead, lostPlace } from "./FeedCursor.ts"
import { knownEpochStarts } from "./LogEpochs.ts"
import { CurrentActor, RequestOrigin } from "./Provenance.ts"
import type { Actor, Origin } from "./Provenance.ts"
import { SequencerSignal } from "./SequencerSignal.ts"

/** What happened, to be appended by the transaction that made it happen. */
export interface NewEvent {
  /** For an event that something else written beside it refers to. */
  readonly id?: string
  readonly type: EventKind
  readonly resourceId: string
  /** The resource as it was left. */
  readonly data: object
  readonly metadata?: JsonObject
  /** JSON Pointers (RFC 6901) to personal values: `/data/email` and the like. */
  readonly personal?: ReadonlyArray<string>
  /** Who acted, and for which request, where it is not the work in hand. */
  readonly actor?: Actor
  readonly origin?: Origin
}

/** Which events to read. */
export interface FeedQuery {
  readonly limit: number
  /** A place of the feed, as its pages name the one to go on from. */
  readonly cursor: number | undefined
  readonly order: "asc" | "desc"
  readonly event_type?: string
  readonly resource_type?: string
  readonly resource_id?: string
  readonly actor_type?: AuditActorType
}

/** A row of `events` as the driver answers it. */
interface EventRow {
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
}

/** A place in the feed whose record is not there. */
interface NoRow {
  readonly sequence: bigint
  readonly data: null
}

/** The leaf columns of a row, as the leaf format wants them. */
const columnsOf = (row: EventRow): EventColumns => ({
  id: row.id,
  sequence: row.sequence,
  event_type: row.event_type,
  actor_type: row.actor_type,
  actor_id: row.actor_id,
  resource_type: resourceTypeOf(row.event_type),
  resource_id: row.resource_id,
  metadata: row.metadata,
  data: row.data,
  request_id: row.request_id,
  created_at: row.created_at.toISOString(),
  commitments: row.commitments
})

/** A served event of a kind of the registry: the sequencer writes no other. */
export type FeedEvent = ServedEvent & { readonly event_type: EventKind; readonly actor_type: AuditActorType }

const served = (row: EventRow): FeedEvent => ({
  ...disclose(leafOf(columnsOf(row)), row.personal),
  event_type: row.event_type,
  actor_type: row.actor_type,
  previous_hash: Hex.encode(row.previous_hash),
  hash: Hex.encode(row.hash)
})

/** The audit-backed event log: appended by business transactions, read by position. */
export class Events extends Context.Service<Events, {
  /** Appends in the surrounding transaction, so that both happen or neither. Dies outside a transaction. */
  readonly append: (event: NewEvent) => Effect.Effect<void>
  /** Appends many at once, in this order, in one statement. */
  readonly appendAll: (events: ReadonlyArray<NewEvent>) => Effect.Effect<void>
  /** One page of the sequenced feed. */
  readonly list: (query: FeedQuery) => Effect.Effect<{
    readonly items: ReadonlyArray<FeedEvent>
    readonly page_info: PageInfo
  }, CursorAhead>
}>()("countersign/services/events/Events") {
  static readonly layer = Layer.effect(
    Events,
    Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      const crypto = yield* Cryptography
      const identifiers = yield* Identifiers
      const signal = yield* SequencerSignal
      const epochStarts = yield* knownEpochStarts(sql)

      const withheld = (event: NewEvent, ambient: Origin, actor: Actor) => {
        const origin = event.origin ?? ambient
        const pointers = ["/ip_address", ...(event.personal ?? [])]
        const { leaf, personal } = withhold(
          {
            metadata: event.metadata ?? {},
            data: event.data as JsonObject,
            ...(origin.ipAddress === undefined ? {} : { ip_address: origin.ipAddress })
          },
          pointers,
          pointers.map(() => crypto.randomBytes(16)),
          crypto.sha256
        )
        return {
          id: event.id ?? identifiers.next("evt"),
          event_type: event.type,
          actor: event.actor ?? actor,
          origin,
          resource_id: event.resourceId,
          metadata: canonicalJson(leaf.metadata),
          data: canonicalJson(leaf.data),
          commitments: leaf.commitments === undefined ? null : JSON.stringify(leaf.commitments),
          personal: Object.keys(personal).length === 0 ? null : JSON.stringify(personal)
        }
      }

      /**
       * Appends in one statement: announces the events in `pending`, which gives the transaction its id before it has
       * an ordinal, writes the `records`, and their activities.
       */
      const appending = (
        events: ReadonlyArray<NewEvent>,
        rows: ReadonlyArray<ReturnType<typeof withheld>>,
        pending: Statement.Fragment,
        records: Statement.Fragment
      ): Statement.Statement<object> => {
        const activities = rows.flatMap(({ actor, id, origin }, index) =>
          activityOf({ ...events[index]!, id, actor, requestId: origin.requestId }) ?? []
        )
        return activities.length === 0
          ? sql`WITH pending AS (${pending}) ${records}`
          : sql`WITH pending AS (${pending}), appended AS (${records}) ${insertActivities(sql, activities)}`
      }

      const appendAll = Effect.fn("Events.appendAll")(function*(events: ReadonlyArray<NewEvent>) {
        yield* requireTransaction(sql, "Events.appendAll")
        if (events.length === 0) return
        const origin = yield* RequestOrigin
        const actor = yield* CurrentActor
        const rows = events.map((event) => withheld(event, origin, actor))
        const pending = sql`
          INSERT INTO event_pending (xid) SELECT pg_current_xact_id() FROM generate_series(1, ${rows.length}::int)
          RETURNING ordinal`
        // The driver cannot tell the type of an array of nothing but nulls, so an empty text stands for none.
        const records = sql`
          INSERT INTO event_records (
            ordinal, id, event_type, actor_type, actor_id, resource_id, metadata, data, commitments, personal,
            request_id, traceparent
          )
          SELECT p.ordinal, e.id, e.event_type, e.actor_type, e.actor_id, e.resource_id, e.metadata, e.data,
            nullif(e.commitments, '')::jsonb, nullif(e.personal, '')::jsonb, nullif(e.request_id, ''),
            nullif(e.traceparent, '')
          FROM unnest(
            ${rows.map(({ id }) => id)}::text[], ${rows.map(({ event_type }) => event_type)}::text[],
            ${rows.map(({ actor }) => actor.type)}::text[], ${rows.map(({ actor }) => actor.id)}::text[],
            ${rows.map(({ resource_id }) => resource_id)}::text[], ${rows.map(({ metadata }) => metadata)}::text[],
            ${rows.map(({ data }) => data)}::text[], ${rows.map(({ commitments }) => commitments ?? "")}::text[],
            ${rows.map(({ personal }) => personal ?? "")}::text[],
            ${rows.map(({ origin }) => origin.requestId ?? "")}::text[],
            ${rows.map(({ origin }) => origin.traceparent ?? "")}::text[]
          ) WITH ORDINALITY AS e (id, event_type, actor_type, actor_id, resource_id, metadata, data, commitments,
            personal, request_id, traceparent, place)
          JOIN (SELECT ordinal, row_number() OVER (ORDER BY ordinal) AS place FROM pending) p ON p.place = e.place
          ORDER BY p.ordinal`
        yield* appending(events, rows, pending, records)
        yield* sql.afterCommit(signal.wake)
      }, Effect.orDie)

      const append = Effect.fn("Events.append")(function*(event: NewEvent) {
        yield* requireTransaction(sql, "Events.append")
        const origin = yield* RequestOrigin
        const actor = yield* CurrentActor
        const row = withheld(event, origin, actor)
        const records = sql`
          INSERT INTO event_records (
            ordinal, id, event_type, actor_type, actor_id, resource_id, metadata, data, commitments, personal,
            request_id, traceparent
          )
          SELECT ordinal, ${row.id}, ${row.event_type}, ${row.actor.type}, ${row.actor.id}, ${row.resource_id},
            ${row.metadata}, ${row.data}, ${row.commitments}::jsonb, ${row.personal}::jsonb,
            ${row.origin.requestId ?? null}, ${row.origin.traceparent ?? null}
          FROM pending`
        yield* appending([event], [row], sql`INSERT INTO event_pending DEFAULT VALUES RETURNING ordinal`, records)
        yield* sql.afterCommit(signal.wake)
      }, Effect.orDie)

      const list = Effect.fn("Events.list")(function*(query: FeedQuery) {
        const ascending = query.order === "asc"
        const { actor_type, event_type, resource_id, resource_type } = query
        const kindsOfResource = kinds.filter((kind) => resourceTypeOf(kind) === resource_type)
        const starts = yield* epochStarts
        const place = query.cursor === undefined ? undefined : readCursor(query.cursor)
        if (place !== undefined) {
          const lost = yield* lostPlace(sql, starts, place)
          if (lost !== undefined) return yield* lost
        }
        const beyond = place === undefined
          ? []
          : [ascending ? sql`sequence > ${place.sequence}` : sql`sequence < ${place.sequence}`]
        // By the columns of an index, and then by what its short keys stand for, of which the planner expects nothing.
        const found = [
          ...(event_type === undefined ? [] : [
            sql`hashtextextended(event_type, 0) = hashtextextended(${event_type}, 0)`,
            sql`coalesce(event_type = ${event_type}, false)`
          ]),
          ...(resource_id === undefined ? [] : [
            sql`right(resource_id, 7) = right(${resource_id}, 7)`,
            sql`coalesce(resource_id = ${resource_id}, false)`
          ]),
          ...(actor_type === undefined ? [] : [sql`actor_type = ${actor_type}`]),
          ...(resource_type === undefined || resource_id === undefined
            ? []
            : [sql`event_type = ANY(${kindsOfResource}::text[])`])
        ]
        const order = sql`ORDER BY sequence ${ascending ? sql`ASC` : sql`DESC`} LIMIT ${query.limit + 1}`
        const placesOf = (conditions: ReadonlyArray<Statement.Fragment>) => {
          const sought = conditions.length === 0 ? [] : [sql`event_sought(ordinal)`]
          const all = [...conditions, ...beyond, ...sought]
          return sql`SELECT * FROM event_places ${all.length === 0 ? sql`` : sql`WHERE ${sql.and(all)}`} ${order}`
        }
        // A resource type is all of its kinds, each of which has an index: no more than a page of each is read.
        const places = resource_type === undefined || resource_id !== undefined ? placesOf(found) : sql`
          SELECT p.* FROM unnest(${kindsOfResource}::text[]) AS k (kind) CROSS JOIN LATERAL (
            ${
          placesOf([
            sql`hashtextextended(event_type, 0) = hashtextextended(k.kind, 0)`,
            sql`coalesce(event_type = k.kind, false)`,
            ...found
          ])
        }
          ) p ${order}`
        // As in the view of the events, whose places would be looked up a second time.
        const rows = yield* sql<EventRow | NoRow>`
          SELECT p.sequence, p.id, p.event_type, p.actor_type, p.resource_id, p.previous_hash, p.hash, r.*
          FROM (${places}) p LEFT JOIN LATERAL (
            SELECT actor_id, metadata, data, commitments, personal, request_id, created_at FROM event_records e
            WHERE e.ordinal = p.ordinal AND e.id = p.id AND e.event_type = p.event_type
              AND e.actor_type = p.actor_type AND e.resource_id IS NOT DISTINCT FROM p.resource_id
              AND event_sought(e.ordinal)
            OFFSET 0
          ) r ON true
          ORDER BY p.sequence ${ascending ? sql`ASC` : sql`DESC`}`
        const has_more = rows.length > query.limit
        const page = has_more ? rows.slice(0, query.limit) : rows
        const last = page.at(-1)
        if (ascending && last === undefined && place !== undefined) {
          const ahead = yield* beyondHead(sql, starts, place)
          if (ahead !== undefined) return yield* ahead
        }
        const cursorAfter = (sequence: bigint | number) =>
          String(cursorOf({ epoch: currentEpoch(starts), sequence: Number(sequence) }))
        // A poller goes on from where it stands, so in ascending order there is always a cursor.
        const next_cursor = ascending
          ? cursorAfter(last?.sequence ?? place?.sequence ?? 0)
          : has_more && last !== undefined
          ? cursorAfter(last.sequence)
          : null
        // A place whose record is gone is passed over.
        const items = page.flatMap((row) => row.data === null ? [] : served(row))
        return { items, page_info: { next_cursor, has_more } }
      }, Effect.catchTag("SqlError", Effect.die))

      return Events.of({ append, appendAll, list })
    })
  )
}

import { Context, Effect, Latch, Layer } from "effect"
import type { Statement } from "effect/sql"
import { kindsOfFilters } from "../../domain/log/EventKind.ts"
import type { AuditActorType, EventKind } from "../../domain/log/EventKind.ts"
import type { Personal } from "../../domain/log/EventLeaf.ts"
import type { Database, Fragments } from "../ground/persistence/Database.ts"
import { findHeadWithWaiting } from "./FeedSql.ts"

/** An event of the feed as its deliveries need it: a hot row, which is cast. */
export interface FeedRow {
  readonly sequence: bigint
  readonly id: string
  readonly event_type: EventKind
  readonly data: string
  readonly personal: Personal | null
  readonly created_at: Date
  readonly traceparent: string | null
}

/** The most that is kept of what was placed, in rows and in characters of their data. Readers have it in a moment. */
const keptRows = 1000
const keptCharacters = 1024 * 1024

/**
 * Tells this process that the feed has grown. It is only a hint: its readers also poll, so a lost hint costs time and
 * never an event. The sequencer of this node adds the rows that it had in hand, which then need not be read again.
 */
export class FeedSignal extends Context.Service<FeedSignal, {
  /** The highest sequence announced so far. */
  readonly head: Effect.Effect<number>
  /**
   * Announces that the feed reaches up to `sequence`. `placed`: the committed rows that end with it, without a gap; they
   * are there for who asks {@link placedAfter} soon.
   */
  readonly publish: (sequence: number, placed?: ReadonlyArray<FeedRow>) => Effect.Effect<void>
  /** Waits until a sequence above `sequence` is announced, and returns it. */
  readonly beyond: (sequence: number) => Effect.Effect<number>
  /** The events that follow `sequence` without a gap, as far as they are in hand; empty when the first one is not. */
  readonly placedAfter: (sequence: number) => ReadonlyArray<FeedRow>
}>()("countersign/services/log/FeedSignal") {
  static readonly layer = Layer.effect(
    FeedSignal,
    Effect.sync(() => {
      let head = 0
      const grown = Latch.makeUnsafe(false)
      const beyond = (sequence: number): Effect.Effect<number> =>
        Effect.suspend(() => {
          if (head > sequence) return Effect.succeed(head)
          grown.closeUnsafe()
          return Effect.andThen(grown.await, beyond(sequence))
        })

      let kept: ReadonlyArray<FeedRow> = []
      let characters = 0
      const keep = (placed: ReadonlyArray<FeedRow>) => {
        const added = placed.reduce((sum, { data }) => sum + data.length, 0)
        const follows = kept.length > 0 && kept.at(-1)!.sequence + 1n === placed[0]?.sequence
        const joined = follows && kept.length + placed.length <= keptRows && characters + added <= keptCharacters
        kept = joined ? [...kept, ...placed] : added <= keptCharacters ? placed : []
        characters = joined ? characters + added : added
      }

      return FeedSignal.of({
        head: Effect.sync(() => head),
        publish: (sequence, placed = []) =>
          Effect.sync(() => {
            if (placed.length > 0) keep(placed)
            if (sequence <= head) return
            head = sequence
            grown.openUnsafe()
          }),
        beyond,
        placedAfter: (sequence) => {
          const first = kept[0]
          if (first === undefined) return []
          const known = sequence + 1 - Number(first.sequence)
          return known < 0 ? [] : kept.slice(known)
        }
      })
    })
  )
}

/** Which events of the feed are asked for. */
export interface FeedFilters {
  readonly event_type?: string
  readonly resource_type?: string
  readonly resource_id?: string
  readonly actor_type?: AuditActorType
  /** The license that events are about, as their leaves say it. */
  readonly license_id?: string
}

/** A metered use is always by a license. Uses are most of the log, so the index by type of actor leaves these out. */
const use: { readonly event_type: EventKind; readonly actor_type: AuditActorType } = {
  event_type: "license.usage_recorded",
  actor_type: "license"
}

/** The places about a license: of its own events, and of those of its devices and seats, which have an index of their own. */
const placesOfLicense = (
  sql: Fragments,
  license: string,
  placesOf: (conditions: ReadonlyArray<Statement.Fragment>) => Statement.Fragment,
  order: Statement.Fragment,
  others: ReadonlyArray<Statement.Fragment>
): Statement.Fragment => {
  const own = placesOf([
    sql`right(resource_id, 7) = right(${license}, 7)`,
    sql`coalesce(resource_id = ${license}, false)`,
    ...others
  ])
  const ofParts = placesOf([
    sql`right(license_id, 7) = right(${license}, 7)`,
    sql`license_id IS NOT NULL`,
    sql`coalesce(license_id = ${license}, false)`,
    ...others
  ])
  return sql`SELECT * FROM ((${own}) UNION ALL (${ofParts})) p ${order}`
}

/**
 * The SELECT that finds the first places in the feed which match, in order; each way to filter reads an index no further
 * than `limit` matches.
 *
 * @param beyond conditions on `sequence`, after or before which the page begins
 */
export const feedPlaces = (
  sql: Fragments,
  { actor_type, license_id, resource_id, ...filters }: FeedFilters,
  { ascending, beyond, limit }: {
    readonly ascending: boolean
    readonly beyond: ReadonlyArray<Statement.Fragment>
    readonly limit: number
  }
): Statement.Fragment => {
  // The first condition uses an expression index on a short key; the second compares the value itself, in a form that
  // the planner does not estimate.
  const ofKind = (kind: Statement.Fragment) => [
    sql`hashtextextended(event_type, 0) = hashtextextended(${kind}, 0)`,
    sql`coalesce(event_type = ${kind}, false)`
  ]
  const order = sql`ORDER BY sequence ${ascending ? sql`ASC` : sql`DESC`} LIMIT ${limit}`
  const placesOf = (conditions: ReadonlyArray<Statement.Fragment>) => {
    const sought = conditions.length === 0 ? [] : [sql`event_sought(ordinal)`]
    const all = [...conditions, ...beyond, ...sought]
    return sql`SELECT * FROM event_places ${all.length === 0 ? sql`` : sql`WHERE ${sql.and(all)}`} ${order}`
  }
  const filteredKinds = kindsOfFilters(filters)
  // There may be few events of a kind by an actor, or none, where each of the two alone has millions.
  const ofKindAndActor = (kind: Statement.Fragment, actor: AuditActorType) => [
    sql`hashtextextended(event_type, hashtextextended(actor_type, 0)) =
      hashtextextended(${kind}, hashtextextended(${actor}::text, 0))`,
    sql`coalesce(event_type = ${kind} AND actor_type = ${actor}, false)`
  ]
  const ofActor = actor_type === undefined ? [] : [sql`actor_type = ${actor_type}`]

  if (license_id !== undefined) {
    return placesOfLicense(sql, license_id, placesOf, order, [
      ...(resource_id === undefined ? [] : [sql`coalesce(resource_id = ${resource_id}, false)`]),
      ...ofActor,
      ...(filteredKinds === undefined ? [] : [sql`event_type = ANY(${filteredKinds}::text[])`])
    ])
  }

  if (resource_id !== undefined) {
    return placesOf([
      ...(filteredKinds?.length === 1 ? ofKind(sql`${filteredKinds[0]!}`) : []),
      sql`right(resource_id, 7) = right(${resource_id}, 7)`,
      sql`coalesce(resource_id = ${resource_id}, false)`,
      ...ofActor,
      ...(filteredKinds === undefined || filteredKinds.length === 1
        ? []
        : [sql`event_type = ANY(${filteredKinds}::text[])`])
    ])
  }

  const placesAmong = (
    kinds: ReadonlyArray<EventKind>,
    conditions: (kind: Statement.Fragment) => ReadonlyArray<Statement.Fragment>
  ): Statement.Fragment => {
    if (kinds.length === 1) return placesOf(conditions(sql`${kinds[0]!}::text`))
    // A family or a type of resource stands for all of its kinds. Each kind has an index, so at most one page of each is
    // read.
    return sql`
      SELECT p.* FROM unnest(${kinds}::text[]) AS k (kind) CROSS JOIN LATERAL (
        ${placesOf(conditions(sql`k.kind`))}
      ) p ${order}`
  }
  if (actor_type === undefined) return filteredKinds === undefined ? placesOf([]) : placesAmong(filteredKinds, ofKind)
  // As the indexes say it: the planner compares the texts.
  const notAUse = sql`(event_type <> 'license.usage_recorded' OR actor_type <> 'license')`
  const byActor = (kinds: ReadonlyArray<EventKind> | undefined): Statement.Fragment =>
    kinds === undefined
      ? placesOf([...ofActor, notAUse])
      : placesAmong(kinds, (kind) => [...ofKindAndActor(kind, actor_type), notAUse])
  if (actor_type !== use.actor_type) return byActor(filteredKinds)
  // Compared so that the planner does not estimate it, because nearly all uses match.
  const uses = placesOf([...ofKind(sql`${use.event_type}`), sql`coalesce(actor_type = ${actor_type}, false)`])
  const otherKinds = filteredKinds?.filter((kind) => kind !== use.event_type)
  const others = byActor(otherKinds)
  if (filteredKinds !== undefined && !filteredKinds.includes(use.event_type)) return others
  return otherKinds?.length === 0 ? uses : sql`SELECT * FROM ((${uses}) UNION ALL (${others})) p ${order}`
}

/**
 * The position of the feed in a transaction's snapshot. An event is committed before it gets its place. A reader that
 * must agree with the feed therefore leaves out rows whose event is committed but not yet placed.
 */
export interface FeedPlace {
  /** Events 1 to this one have their place and were committed in this order. */
  readonly lastSequence: number
  /** The time of the oldest event that waits for its place; undefined when none waits. */
  readonly waitingSince: Date | undefined
  /** The time at which the transaction began. */
  readonly readAt: Date
}

/** Reads the position of the feed; in a REPEATABLE READ transaction it is of the same snapshot as every other read. */
export const feedPlace = (sql: Database) =>
  findHeadWithWaiting(sql).pipe(
    Effect.map(([row]): FeedPlace => ({
      lastSequence: Number(row!.last_sequence),
      waitingSince: row!.waiting_since ?? undefined,
      readAt: row!.now
    }))
  )

/**
 * The condition that a row's event has its place; empty when no event waits or no place is given. `time` and `event`
 * are the row's columns for the event's time and id. A row without an event, such as a refusal, is included.
 */
export const placedOnly = (
  sql: Fragments,
  place: FeedPlace | undefined,
  time: string,
  event: string
): ReadonlyArray<Statement.Fragment> =>
  place?.waitingSince === undefined ? [] : [
    // A row older than every waiting event needs no look-up.
    sql`(${sql(time)} < ${place.waitingSince} OR coalesce(${sql(event)}, '') NOT IN (SELECT id FROM event_outbox))`
  ]

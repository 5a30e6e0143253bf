import { Context, Effect, Layer } from "effect"
import type { EnvironmentName } from "../../domain/ground/environments/EnvironmentName.ts"
import type { EpochStart } from "../../domain/log/EpochPlace.ts"
import { epochAt } from "../../domain/log/EpochPlace.ts"
import type { EventKind } from "../../domain/log/EventKind.ts"
import { kinds } from "../../domain/log/EventKind.ts"
import { deliveryBody } from "../../domain/log/EventLeaf.ts"
import { matches } from "../../domain/log/Subscription.ts"
import { CurrentEnvironment } from "../ground/environments/CurrentEnvironment.ts"
import { databaseOf } from "../ground/persistence/Database.ts"
import { DeliverySql } from "../ground/persistence/TransactionSql.ts"
import { FeedSignal } from "../log/FeedPosition.ts"
import type { FeedRow } from "../log/FeedPosition.ts"
import { findHead } from "../log/FeedSql.ts"
import { knownEpochStarts } from "../log/MerkleLog.ts"
import { listAfter, listAt, listTaken } from "./LanesWithWorkSql.ts"

/** An event as it is delivered. The body is made once, however many endpoints it goes to. */
export interface FeedEvent {
  readonly sequence: number
  /** The epoch of the log: after a restore, sequences are assigned again in a later epoch. */
  readonly epoch: number
  readonly id: string
  readonly type: EventKind
  readonly body: string
  /** Unix milliseconds on the database's clock. */
  readonly createdAt: number
  readonly traceparent: string | null
}

const eventsOf = (
  environment: EnvironmentName,
  rows: ReadonlyArray<FeedRow>,
  starts: ReadonlyArray<EpochStart>
): ReadonlyArray<FeedEvent> => rows.map((row) => eventOf(environment, row, epochAt(starts, Number(row.sequence))))

const eventOf = (environment: EnvironmentName, row: FeedRow, epoch: number): FeedEvent => ({
  sequence: Number(row.sequence),
  epoch,
  id: row.id,
  type: row.event_type,
  body: deliveryBody({ ...row, environment, created_at: row.created_at.toISOString(), epoch }, row.personal),
  createdAt: row.created_at.getTime(),
  traceparent: row.traceparent
})

const ringEvents = 4096
const ringCharacters = 16 * 1024 * 1024
const tailBatch = 500
const readBytes = 2 * 1024 * 1024

/**
 * The most places of the feed that one read looks at. Without statistics, as after a restore, PostgreSQL sorts every
 * candidate, and that must not be the whole backlog of a lane.
 */
const readSpan = 20_000

/**
 * The feed as the lanes of this node read it. Its newest events are read once and kept in a bounded buffer that all
 * lanes share; a lane that is further behind reads from the table itself.
 */
export class FeedBuffer extends Context.Service<FeedBuffer, {
  /** The last sequence that is in the buffer, and so the point up to which a lane can read now. */
  readonly tail: () => number
  /**
   * Takes what came after the buffer's end into it, from the sequencer's hand or the table; answers the new events,
   * oldest first.
   */
  readonly advance: Effect.Effect<ReadonlyArray<FeedEvent>>
  /** Starts the buffer anew at the head of the feed, leaving out what lies between; answers the head. */
  readonly skipToHead: Effect.Effect<number>
  /** Some of the buffered events after `position`, or undefined when the buffer no longer holds the first of them. */
  readonly buffered: (position: number) => ReadonlyArray<FeedEvent> | undefined
  /**
   * From the table: up to `limit` events that a subscription takes, after `position` and no further than the tail. The
   * position in the answer says how far the read went: it missed no such event up to there, and more may follow, even
   * if it found none.
   */
  readonly read: (options: {
    readonly position: number
    readonly eventTypes: ReadonlyArray<string>
    readonly limit: number
  }) => Effect.Effect<{ readonly events: ReadonlyArray<FeedEvent>; readonly position: number }>
  /** The events at these places. */
  readonly at: (sequences: ReadonlyArray<number>) => Effect.Effect<ReadonlyArray<FeedEvent>>
}>()("countersign/services/delivery/FeedBuffer") {
  static readonly layer = Layer.effect(
    FeedBuffer,
    Effect.gen(function*() {
      const environment = yield* CurrentEnvironment
      const sql = databaseOf(yield* DeliverySql)
      const signal = yield* FeedSignal
      const epochStarts = yield* knownEpochStarts(sql)
      let ring: Array<FeedEvent> = []
      let characters = 0
      let tail = 0

      const skipToHead = Effect.gen(function*() {
        const [chain] = yield* findHead(sql)
        ring = []
        characters = 0
        tail = Math.max(tail, Number(chain?.last_sequence ?? 0))
        return tail
      })

      const advance = Effect.gen(function*() {
        const placed = signal.placedAfter(tail)
        const rows = placed.length > 0
          ? placed
          : yield* listAfter(sql, tail, tailBatch)
        const events = eventsOf(environment, rows, yield* epochStarts)
        if (events.length === 0) return events
        for (const event of events) characters += event.body.length
        ring = ring.concat(events)
        let drop = Math.max(0, ring.length - ringEvents)
        for (let index = 0; index < drop; index++) characters -= ring[index]!.body.length
        while (characters > ringCharacters && drop < ring.length) characters -= ring[drop++]!.body.length
        if (drop > 0) ring = ring.slice(drop)
        tail = events.at(-1)!.sequence
        return events
      })

      const buffered = (position: number): ReadonlyArray<FeedEvent> | undefined => {
        if (position >= tail) return []
        // The feed has no gaps, so a place in the buffer is a subtraction away.
        const first = tail - ring.length + 1
        return position + 1 < first ? undefined : ring.slice(position + 1 - first, position + 1 - first + tailBatch)
      }

      const read = Effect.fnUntraced(function*({ eventTypes, limit, position }: {
        readonly position: number
        readonly eventTypes: ReadonlyArray<string>
        readonly limit: number
      }) {
        const upTo = Math.min(tail, position + readSpan)
        const rows = yield* listTaken(sql, {
          position,
          upTo,
          kinds: eventTypes.length === 0 ? undefined : kinds.filter((kind) => matches(eventTypes, kind)),
          limit,
          bytes: readBytes
        })
        const events = eventsOf(environment, rows, yield* epochStarts)
        return { events, position: rows.at(-1)?.more === true ? events.at(-1)!.sequence : Math.max(upTo, position) }
      })

      const at = (sequences: ReadonlyArray<number>) =>
        listAt(sql, sequences).pipe(
          Effect.flatMap((rows) => Effect.map(epochStarts, (starts) => eventsOf(environment, rows, starts)))
        )

      return FeedBuffer.of({ tail: () => tail, advance, skipToHead, buffered, read, at })
    })
  )
}

import { Context, Effect, Layer } from "effect"
import type { StoredEvent } from "../../../domain/evidence/audit/DeviceReplay.ts"
import { anchorSlots, makeEventReplay, readState, stateText } from "../../../domain/evidence/audit/EventReplay.ts"
import { Database, databaseOf } from "../../ground/persistence/Database.ts"
import { limitIdleTime, LongReadSql, readOneSnapshotLong } from "../../ground/persistence/TransactionSql.ts"
import { readDropped } from "../../log/DroppedEvents.ts"
import { baselineSql, byRootSql, deleteSuperseded, insertAnchors, insertStates } from "./LogBaselineSql.ts"
import type { Anchor } from "./LogBaselineSql.ts"

/** Rows that are fetched at once. */
const page = 500

/** Reads the rows of a query in their order, a page at a time. */
interface Reader<Row> {
  /** The row that is next, undefined at the end. */
  readonly peek: Effect.Effect<Row | undefined>
  readonly skip: () => void
}

/** Opens a reader of a query in the open transaction. `name` tells it from the others of the transaction. */
export const openReader = Effect.fnUntraced(function*<Row extends object>(sql: Database, name: string, query: string) {
  yield* sql.unsafe(`DECLARE doctor_${name} NO SCROLL CURSOR FOR ${query}`).unprepared
  let rows: ReadonlyArray<Row> = []
  let next = 0
  let isOver = false
  const peek = Effect.gen(function*() {
    if (next === rows.length && !isOver) {
      rows = yield* sql.unsafe<Row>(`FETCH ${page} FROM doctor_${name}`).unprepared
      next = 0
      isOver = rows.length < page
    }
    return rows[next]
  })
  return { peek, skip: () => void next++ } satisfies Reader<Row>
})

/** Does something with each row of a query, in their order. */
export const forEachRow = Effect.fnUntraced(function*<Row extends object>(
  sql: Database,
  name: string,
  query: string,
  told: (row: Row) => Effect.Effect<void>
) {
  const { peek, skip } = yield* openReader<Row>(sql, name, query)
  for (let row = yield* peek; row !== undefined; row = yield* peek) {
    skip()
    yield* told(row)
  }
})

/**
 * Begins a read of everything in one snapshot, in the open transaction and without a transaction id, which the
 * sequencer would wait for.
 */
export const readOnlySnapshot = Effect.fnUntraced(function*(sql: Database) {
  yield* readOneSnapshotLong(sql)
  // Between two pages it may wait for whoever takes what it found.
  yield* limitIdleTime(sql, "30s")
})

/** Resources whose state is written by one statement, and anchors at most. */
const batchSize = 200
const anchorsAtOnce = 2000
/** Rows that one statement deletes. */
const slice = 1000

interface BaselineRow {
  readonly doctor_root: string
  readonly state: string
}

interface LogRow extends StoredEvent {
  readonly doctor_root: string
  readonly place: bigint
  readonly created_at: Date
}

/** The state that is kept of dropped events, so that the rest of the log can still be understood and checked. */
export class LogBaseline extends Context.Service<LogBaseline, {
  /**
   * Writes what is needed of the events up to `upto`, without personal values: the state that they replay to, and the
   * last events that tell what a license was. Nobody reads it before the events are declared dropped. It may be
   * repeated, also with another place. It reads in one snapshot and writes in short transactions of their own.
   */
  readonly prepare: (upto: number) => Effect.Effect<void>
  /** Deletes what later baselines took the place of, and what was prepared and never used; answers how many rows. */
  readonly prune: Effect.Effect<number>
}>()("countersign/services/evidence/audit/LogBaseline") {
  static readonly layer = Layer.effect(
    LogBaseline,
    Effect.gen(function*() {
      const sql = yield* Database
      const snapshot = databaseOf(yield* LongReadSql)
      const columns = "event_type, resource_id, metadata, data, commitments, created_at"

      const prepare = Effect.fn("LogBaseline.prepare")(function*(upto: number) {
        yield* readOnlySnapshot(snapshot)
        const { sequence: dropped } = yield* readDropped(snapshot)
        const log = `(SELECT sequence AS place, resource_type, ${columns} FROM events
          WHERE sequence > ${dropped} AND sequence <= ${upto})`
        const events = yield* openReader<LogRow>(snapshot, "log", byRootSql(log, columns))
        const baselines = yield* openReader<BaselineRow>(snapshot, "baselines", baselineSql)
        let states: Array<readonly [string, string]> = []
        let anchors: Array<Anchor> = []
        const flush = Effect.suspend(() => {
          const written = { states, anchors }
          states = []
          anchors = []
          return Effect.andThen(
            written.states.length === 0 ? Effect.void : insertStates(sql, upto, written.states),
            written.anchors.length === 0 ? Effect.void : insertAnchors(sql, upto, written.anchors)
          )
        })

        for (let head = yield* events.peek; head !== undefined; head = yield* events.peek) {
          const root = head.doctor_root
          let before = yield* baselines.peek
          for (; before !== undefined && before.doctor_root < root; before = yield* baselines.peek) baselines.skip()
          const replay = makeEventReplay(before?.doctor_root === root ? readState(before.state) : undefined)
          const last = new Map<string, Anchor>()
          for (let event: LogRow | undefined = head; event?.doctor_root === root; event = yield* events.peek) {
            // Without its personal values: what is kept of the event holds nothing that an erasure would have to find.
            replay.apply({ ...event, personal: null })
            for (const slot of anchorSlots(event)) {
              const { created_at, data, event_type, metadata, place, resource_id } = event
              last.set(`${resource_id} ${slot}`, {
                resource_id,
                slot,
                place: String(place),
                event_type,
                metadata,
                data,
                created_at: created_at.toISOString()
              })
            }
            events.skip()
          }
          states.push([root, stateText(replay.rows())])
          for (const anchor of last.values()) anchors.push(anchor)
          if (states.length >= batchSize || anchors.length >= anchorsAtOnce) yield* flush
        }
        yield* flush
      }, snapshot.withTransaction)

      const pruneTable = Effect.fnUntraced(function*(table: "event_baselines" | "event_anchors") {
        let pruned = 0
        for (let step = slice; step === slice; pruned += step) {
          step = (yield* deleteSuperseded(sql, table, slice)).length
        }
        return pruned
      })

      const prune = Effect.gen(function*() {
        return (yield* pruneTable("event_baselines")) + (yield* pruneTable("event_anchors"))
      })

      return LogBaseline.of({ prepare, prune })
    })
  )
}

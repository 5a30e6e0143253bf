import { Context, Effect, Layer } from "effect"
import type { StoredEvent } from "../../domain/audit/EventReplay.ts"
import { makeEventReplay } from "../../domain/audit/EventReplay.ts"
import type { StateDifference } from "../../domain/audit/StateDifference.ts"
import { differencesOf } from "../../domain/audit/StateDifference.ts"
import { Database } from "../persistence/Database.ts"
import { replayedTables } from "./ReplayedTables.ts"
import type { ReplayedTable } from "./ReplayedTables.ts"
import { wholeLogSql } from "./WholeLogSql.ts"

/** Rows that are fetched at once. */
const page = 500

/** What was looked at, and how many differences were found. */
export interface Examination {
  readonly events: number
  readonly resources: number
  readonly differences: number
}

interface LogRow extends StoredEvent {
  readonly doctor_root: string
}

interface TableRow extends Readonly<Record<string, unknown>> {
  readonly doctor_root: string
  readonly doctor_id: string
}

interface ApartRow {
  readonly id: string
  readonly is_placed: boolean
}

interface UseRow {
  readonly resource: "usage_record" | "usage_correction" | "usage_day"
  readonly id: string
  readonly member: string | null
  readonly in_table: string | null
  readonly by_log: string | null
}

const columns = "event_type, resource_id, metadata, data, commitments, personal"
const log = wholeLogSql(`resource_type, id, request_id, created_at, ${columns}`)

// Devices and leases are judged with their license, whose events change them too.
const logByRoot = `
  SELECT doctor_root, ${columns} FROM (
    SELECT resource_id AS doctor_root, place, ${columns} FROM (${log}) e
    WHERE resource_type NOT IN ('device', 'lease') AND resource_id IS NOT NULL
    UNION ALL
    SELECT (data::jsonb ->> 'license_id') COLLATE "C", place, ${columns} FROM (${log}) e
    WHERE resource_type IN ('device', 'lease')
  ) r ORDER BY doctor_root, place`

// One row for each use that is only in the table or only in the log, and for each member in which the two differ. A
// correction is matched by the id of its event, and a day of use is added up from the log.
const usedByLog = `
  SELECT id, resource_id AS license_id, event_type, request_id, created_at, data::jsonb ->> 'feature_id' AS feature_id,
    data::jsonb ->> 'feature_code' AS feature_code, data::jsonb ->> 'event_id' AS event_id,
    (data::jsonb ->> 'amount')::int8 AS amount, (data::jsonb ->> 'total_consumptions')::int8 AS total,
    data::jsonb ->> 'device_id' AS device_id
  FROM (${log}) l WHERE event_type IN ('license.usage_recorded', 'license.usage_reset', 'license.feature_removed')`

const uses = `
  WITH e AS MATERIALIZED (${usedByLog}), j AS (
    SELECT 'usage_record' AS resource,
      coalesce(u.license_id || '/' || u.feature_id || '/' || u.event_id,
        e.license_id || '/' || e.feature_id || '/' || e.event_id) AS id,
      u.amount IS NULL OR e.amount IS NULL AS is_alone, m.*
    FROM usage_records u FULL JOIN (SELECT * FROM e WHERE event_type = 'license.usage_recorded') e
      ON e.license_id = u.license_id AND e.feature_id = u.feature_id AND e.event_id = u.event_id
    CROSS JOIN LATERAL (VALUES (NULL, u.amount::text, e.amount::text), ('amount', u.amount::text, e.amount::text),
      ('device_id', u.device_id, e.device_id), ('id', u.id, e.id), ('feature_code', u.feature_code, e.feature_code),
      ('total_consumptions', u.total_consumptions::text, e.total::text), ('request_id', u.request_id, e.request_id),
      ('created_at', u.created_at::text, e.created_at::text)) AS m (member, in_table, by_log)
    UNION ALL
    SELECT 'usage_correction', coalesce(u.id, e.id), u.id IS NULL OR e.id IS NULL, m.*
    FROM usage_corrections u
    FULL JOIN (SELECT * FROM e WHERE event_type <> 'license.usage_recorded') e ON e.id = u.id
    CROSS JOIN LATERAL (VALUES (NULL, u.id, e.id), ('action', u.action, e.event_type),
      ('license_id', u.license_id, e.license_id), ('feature_id', u.feature_id, e.feature_id),
      ('total_consumptions', u.total_consumptions::text,
        CASE e.event_type WHEN 'license.feature_removed' THEN '0' ELSE e.total::text END),
      ('created_at', u.created_at::text, e.created_at::text)) AS m (member, in_table, by_log)
    UNION ALL
    SELECT 'usage_day', coalesce(u.license_id, e.license_id) || '/' || coalesce(u.feature_id, e.feature_id) || '/' ||
        to_char(coalesce(u.day, e.day) AT TIME ZONE 'UTC', 'YYYY-MM-DD'), u.day IS NULL OR e.day IS NULL, m.*
    FROM (SELECT license_id, feature_id, feature_code, day, sum(uses) AS uses, sum(amount) AS amount,
        min(first_at) AS first_at, max(last_at) AS last_at FROM usage_days GROUP BY 1, 2, 3, 4) u
    FULL JOIN (SELECT license_id, feature_id, feature_code, date_trunc('day', created_at, 'UTC') AS day,
        count(*) AS uses, sum(amount) AS amount, min(created_at) AS first_at, max(created_at) AS last_at
        FROM e WHERE event_type = 'license.usage_recorded' GROUP BY 1, 2, 3, 4) e
      ON e.license_id = u.license_id AND e.feature_id = u.feature_id AND e.feature_code = u.feature_code
        AND e.day = u.day
    CROSS JOIN LATERAL (VALUES (NULL, u.day::text, e.day::text), ('uses', u.uses::text, e.uses::text),
      ('amount', u.amount::text, e.amount::text), ('first_at', u.first_at::text, e.first_at::text),
      ('last_at', u.last_at::text, e.last_at::text)) AS m (member, in_table, by_log)
  )
  SELECT resource, id, member, in_table, by_log FROM j
  WHERE CASE WHEN is_alone THEN member IS NULL ELSE in_table IS DISTINCT FROM by_log AND member IS NOT NULL END`

// The record of an event is in one table and its place in another; the ordinal joins them.
const apart = `
  WITH p AS (
    SELECT ordinal, id, event_type, actor_type, resource_id FROM event_places
    UNION ALL
    SELECT q.ordinal, r.id, r.event_type, r.actor_type, r.resource_id
    FROM event_pending q LEFT JOIN event_records r USING (ordinal)
  )
  SELECT coalesce(p.id, r.id, p.ordinal::text) AS id, r.ordinal IS NULL AS is_placed
  FROM p FULL JOIN event_records r ON r.ordinal = p.ordinal AND r.id = p.id AND r.event_type = p.event_type
    AND r.actor_type = p.actor_type AND coalesce(r.resource_id, '') = coalesce(p.resource_id, '')
  WHERE p.ordinal IS NULL OR r.ordinal IS NULL ORDER BY 1, 2`

/** Reads the rows of a query in order of `doctor_root`, a page at a time. */
interface Reader<Row> {
  /** The row that is next, undefined at the end. */
  readonly peek: () => Effect.Effect<Row | undefined>
  readonly skip: () => void
}

/** Compares the tables with what the event log says they must be. */
export class ConsistencyCheck extends Context.Service<ConsistencyCheck, {
  /**
   * Rebuilds the state of every resource from the whole event log and compares it with the tables, in one snapshot of
   * the database and without writing, so that it may run beside the service. Memory holds a page of the log, a page of
   * each table, and the one resource in hand with what belongs to it.
   */
  readonly examine: (found: (difference: StateDifference) => Effect.Effect<void>) => Effect.Effect<Examination>
}>()("countersign/services/audit/ConsistencyCheck") {
  static readonly layer = Layer.effect(
    ConsistencyCheck,
    Effect.gen(function*() {
      const sql = yield* Database

      const open = Effect.fnUntraced(function*<Row extends object>(name: string, query: string) {
        yield* sql.unsafe(`DECLARE doctor_${name} NO SCROLL CURSOR FOR ${query}`).unprepared
        let rows: ReadonlyArray<Row> = []
        let next = 0
        let isOver = false
        const peek = Effect.fnUntraced(function*() {
          if (next === rows.length && !isOver) {
            rows = yield* sql.unsafe<Row>(`FETCH ${page} FROM doctor_${name}`).unprepared
            next = 0
            isOver = rows.length < page
          }
          return rows[next]
        })
        return { peek, skip: () => void next++ } satisfies Reader<Row>
      })

      const openTable = (table: ReplayedTable) =>
        Effect.map(
          open<TableRow>(table.resource, `${table.select} ORDER BY ${table.root}`),
          (reader) => ({ ...table, reader })
        )

      const examine = Effect.fn("Doctor.examine")(
        function*(found: (difference: StateDifference) => Effect.Effect<void>) {
          // One snapshot of everything, and no transaction id, which the sequencer would wait for.
          yield* sql`SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY`.unprepared
          yield* sql`SET LOCAL statement_timeout = 0`.unprepared
          // Between two pages it may wait for whoever reads what it found.
          yield* sql`SET LOCAL idle_in_transaction_session_timeout = '30s'`.unprepared
          const events = yield* open<LogRow>("log", logByRoot)
          const tables = yield* Effect.forEach(replayedTables, openTable)
          const counts = { events: 0, resources: 0, differences: 0 }
          const report = (difference: StateDifference) => {
            counts.differences++
            return found(difference)
          }

          const replayOf = Effect.fnUntraced(function*(root: string) {
            const replay = makeEventReplay()
            for (let event = yield* events.peek(); event?.doctor_root === root; event = yield* events.peek()) {
              replay.apply(event)
              events.skip()
              counts.events++
            }
            return replay.rows()
          })

          const compare = Effect.fnUntraced(function*(root: string) {
            const replayed = yield* replayOf(root)
            for (const { outside, reader, resource } of tables) {
              const expected = new Map(replayed.get(resource))
              counts.resources += expected.size
              for (let row = yield* reader.peek(); row?.doctor_root === root; row = yield* reader.peek()) {
                reader.skip()
                const { doctor_id: id, doctor_root: _root, ...cells } = row
                for (const column of outside) delete (cells as Record<string, unknown>)[column]
                const known = expected.get(id)
                if (known === undefined) {
                  counts.resources++
                  yield* report({ resource, id, in_table: "a row" })
                  continue
                }
                expected.delete(id)
                yield* Effect.forEach(differencesOf({ resource, id }, cells, known), report, { discard: true })
              }
              for (const id of expected.keys()) yield* report({ resource, id, by_log: "a row" })
            }
          })

          while (true) {
            const heads = [yield* events.peek(), ...(yield* Effect.forEach(tables, ({ reader }) => reader.peek()))]
            const roots = heads.flatMap((head) => head?.doctor_root ?? [])
            if (roots.length === 0) break
            yield* compare(roots.reduce((first, root) => root < first ? root : first))
          }

          const otherUses = yield* open<UseRow>("uses", uses)
          for (let use = yield* otherUses.peek(); use !== undefined; use = yield* otherUses.peek()) {
            otherUses.skip()
            const { by_log, id, in_table, member, resource } = use
            yield* report({
              resource,
              id,
              ...(member === null ? {} : { member }),
              ...(in_table === null ? {} : { in_table }),
              ...(by_log === null ? {} : { by_log })
            })
          }
          const incomplete = yield* open<ApartRow>("apart", apart)
          for (let event = yield* incomplete.peek(); event !== undefined; event = yield* incomplete.peek()) {
            incomplete.skip()
            yield* report({ resource: "event", id: event.id, [event.is_placed ? "by_log" : "in_table"]: "a row" })
          }
          return counts satisfies Examination
        },
        sql.withTransaction
      )

      return ConsistencyCheck.of({ examine })
    })
  )
}

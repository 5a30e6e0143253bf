import { Context, Effect, Layer } from "effect"
import { makeEventReplay } from "../../domain/audit/EventReplay.ts"
import { readState } from "../../domain/audit/ReplayState.ts"
import type { ReplayedRow } from "../../domain/audit/ReplayTables.ts"
import type { StateDifference } from "../../domain/audit/StateDifference.ts"
import { differencesOf } from "../../domain/audit/StateDifference.ts"
import { erased } from "../../domain/audit/StoredEvent.ts"
import type { StoredEvent } from "../../domain/audit/StoredEvent.ts"
import { readDropped } from "../events/DroppedEvents.ts"
import { Database } from "../persistence/Database.ts"
import { eventMember, standingTime } from "../persistence/EventMemberSql.ts"
import { forEachRow, openReader, readOnlySnapshot } from "./CursorReader.ts"
import type { LinkRow } from "./LicenseLinks.ts"
import { brokenLinks } from "./LicenseLinks.ts"
import { replayedTables } from "./ReplayedTables.ts"
import type { ReplayedTable } from "./ReplayedTables.ts"
import { baselineSql, byRootSql, wholeLogSql } from "./WholeLogSql.ts"

/** The number of rows that were compared, and of differences. */
export interface Examination {
  readonly events: number
  readonly resources: number
  readonly differences: number
  /** The events up to this one were archived and dropped; 0 when none were. */
  readonly dropped: number
}

interface LogRow extends StoredEvent {
  readonly doctor_root: string
}

interface BaselineRow {
  readonly doctor_root: string
  readonly state: string
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
  readonly resource: "usage_record" | "usage_key" | "usage_correction" | "usage_day" | "pool"
  readonly id: string
  readonly member: string | null
  readonly in_table: string | null
  readonly by_log: string | null
}

const columns = "event_type, resource_id, metadata, data, commitments, personal"
const log = wholeLogSql(`resource_type, id, request_id, created_at, actor_type, actor_id, ${columns}`)

const logByRoot = byRootSql(log, columns)

// One row for each use that is only in the table or only in the log, and for each member in which the two differ. A
// correction is matched by the id of its event, and a day of use is added up from the log. Of a use that was deleted by
// age its key is left, and tells its amount. Uses whose events may have been dropped are not compared; while none were,
// each key must be that of a use.
const droppedUntil = "(SELECT coalesce(dropped_until, '-infinity') FROM event_archive)"

const prunedUntil = "(SELECT coalesce(max(until), '-infinity') FROM pruned_tables WHERE name = 'usage_records')"

const counting = ["license.usage_recorded", "license.usage_reset", "license.feature_removed"] as const

const use = ["license.usage_recorded"] as const

/** A member of the metadata of a refund: an event that shows the feature as the refund left it. */
const refundMember = (arrow: "->" | "->>", member: string): string =>
  `(CASE WHEN event_type = 'license.usage_reset' THEN metadata::jsonb ${arrow} '${member}' END)`

const usedByLog = `
  (SELECT id, resource_id AS license_id, event_type, request_id,
    CASE WHEN actor_type <> 'license' THEN actor_type || '/' || actor_id END AS actor,
    CASE WHEN ${eventMember(use, "used_at")} IS NOT NULL THEN created_at END AS reported_at,
    ${standingTime} AS created_at,
    ${eventMember(counting, "feature_id")} AS feature_id, ${eventMember(counting, "feature_code")} AS feature_code,
    ${eventMember(use, "event_id")} AS event_id, ${eventMember(use, "amount", "int8")} AS amount,
    ${eventMember(use, "measured", "int8")} AS measured,
    -- Uses of earlier releases say it as \`overage\` alone.
    coalesce(${eventMember(use, "over_quota", "int8")}, ${eventMember(use, "overage", "int8")}) AS overage,
    ${eventMember(counting, "total_consumptions", "int8")} AS total, ${eventMember(use, "device_id")} AS device_id,
    ${eventMember(use, "period_start", "timestamptz")} AS period_start,
    ${eventMember(use, "dimensions", "object")} AS dimensions,
    coalesce(${eventMember(use, "grants", "jsonb")}, ${refundMember("->", "grants")}) AS grants,
    ${refundMember("->>", "refund_of")} AS refund_of, ${refundMember("->>", "refunded")}::int8 AS refunded,
    ${refundMember("->>", "counted")}::int8 AS counted
  FROM ${log} l WHERE event_type IN (${counting.map((kind) => `'${kind}'`).join(", ")}))`

const uses = `
  (WITH e AS MATERIALIZED ${usedByLog}, j AS (
    SELECT 'usage_record' AS resource,
      coalesce(u.license_id || '/' || u.feature_id || '/' || u.event_id,
        e.license_id || '/' || e.feature_id || '/' || e.event_id) AS id,
      coalesce(u.amount, k.amount) IS NULL OR e.amount IS NULL AS is_alone,
      (e.amount IS NOT NULL OR u.created_at > ${droppedUntil}) AND (k.amount IS NULL OR member = 'amount') AS is_kept,
      m.*
    FROM usage_records u FULL JOIN (SELECT * FROM e WHERE event_type = 'license.usage_recorded') e
      ON e.license_id = u.license_id AND e.feature_id = u.feature_id AND e.event_id = u.event_id
    LEFT JOIN (SELECT license_id, feature_id, refund_of, sum(refunded) AS refunded FROM e WHERE refund_of IS NOT NULL
      GROUP BY 1, 2, 3) r ON r.license_id = e.license_id AND r.feature_id = e.feature_id AND r.refund_of = e.event_id
    LEFT JOIN usage_keys k ON k.digest = CASE WHEN u.amount IS NULL AND e.created_at < ${prunedUntil}
      THEN usage_key(e.license_id, e.feature_id, e.event_id) END
    CROSS JOIN LATERAL (VALUES (NULL, u.amount::text, e.amount::text),
      ('amount', coalesce(u.amount, k.amount)::text, CASE WHEN u.amount IS NULL THEN coalesce(e.measured, e.amount) ELSE e.amount END::text),
      ('measured', u.measured::text, e.measured::text),
      ('actor_id', u.actor_type || '/' || u.actor_id, e.actor),
      ('reported_at', u.reported_at::text, e.reported_at::text), ('device_id', u.device_id, e.device_id), ('id', u.id, e.id), ('feature_code', u.feature_code, e.feature_code),
      ('total_consumptions', u.total_consumptions::text, e.total::text),
      ('overage', u.overage::text, e.overage::text), ('grants', u.grants::text, e.grants::text),
      ('dimensions', u.dimensions::text, e.dimensions::text), ('refunded', u.refunded::text, r.refunded::text),
      -- Uses of earlier releases do not say their period.
      ('period_start', u.period_start::text,
        CASE WHEN u.period_start IS NOT NULL THEN coalesce(e.period_start, '-infinity')::text END), ('request_id', u.request_id, e.request_id),
      ('created_at', u.created_at::text, e.created_at::text)) AS m (member, in_table, by_log)
    UNION ALL
    SELECT 'usage_key', k.digest::text, TRUE, ${droppedUntil} = '-infinity', NULL, k.amount::text, NULL
    FROM usage_keys k WHERE NOT EXISTS (
      SELECT 1 FROM e
      WHERE event_type = 'license.usage_recorded' AND usage_key(license_id, feature_id, event_id) = k.digest)
    UNION ALL
    SELECT 'usage_correction', coalesce(u.id, e.id), u.id IS NULL OR e.id IS NULL,
      e.id IS NOT NULL OR u.created_at > ${droppedUntil}, m.*
    FROM usage_corrections u
    FULL JOIN (SELECT * FROM e WHERE event_type <> 'license.usage_recorded') e ON e.id = u.id
    CROSS JOIN LATERAL (VALUES (NULL, u.id, e.id), ('action', u.action, e.event_type),
      ('license_id', u.license_id, e.license_id), ('feature_id', u.feature_id, e.feature_id),
      ('total_consumptions', u.total_consumptions::text,
        CASE e.event_type WHEN 'license.feature_removed' THEN '0' ELSE e.total::text END),
      ('amount', CASE WHEN e.refund_of IS NOT NULL THEN u.amount::text END, (-e.counted)::text),
      ('refund_of', u.refund_of, e.refund_of), ('grants', nullif(u.grants, '[]')::text, e.grants::text),
      ('created_at', u.created_at::text, e.created_at::text)) AS m (member, in_table, by_log)
    UNION ALL
    SELECT 'usage_day', coalesce(u.license_id, e.license_id) || '/' || coalesce(u.feature_id, e.feature_id) || '/' ||
        to_char(coalesce(u.day, e.day) AT TIME ZONE 'UTC', 'YYYY-MM-DD'), u.day IS NULL OR e.day IS NULL,
      coalesce(u.day, e.day) > ${droppedUntil}, m.*
    FROM (SELECT license_id, feature_id, feature_code, day, sum(uses) AS uses, sum(amount) AS amount,
        sum(overage) AS overage, min(first_at) AS first_at, max(last_at) AS last_at FROM usage_days GROUP BY 1, 2, 3, 4) u
    FULL JOIN (SELECT license_id, feature_id, feature_code, date_trunc('day', created_at, 'UTC') AS day,
        count(*) AS uses, sum(amount) AS amount, sum(overage) AS overage, min(created_at) AS first_at, max(created_at) AS last_at
        FROM e WHERE event_type = 'license.usage_recorded' GROUP BY 1, 2, 3, 4) e
      ON e.license_id = u.license_id AND e.feature_id = u.feature_id AND e.feature_code = u.feature_code
        AND e.day = u.day
    CROSS JOIN LATERAL (VALUES (NULL, u.day::text, e.day::text), ('uses', u.uses::text, e.uses::text),
      ('amount', u.amount::text, e.amount::text), ('overage', u.overage::text, e.overage::text), ('first_at', u.first_at::text, e.first_at::text),
      ('last_at', u.last_at::text, e.last_at::text)) AS m (member, in_table, by_log)
    UNION ALL
    SELECT 'pool', g.id, FALSE, ${droppedUntil} = '-infinity', 'used', g.used::text, coalesce(d.used, 0)::text
    FROM pools g LEFT JOIN (
      SELECT t ->> 'grant_id' AS id, sum(CASE event_type WHEN 'license.usage_recorded' THEN 1 ELSE -1 END
        * (t ->> 'amount')::int8) AS used
      FROM e CROSS JOIN jsonb_array_elements(e.grants) t GROUP BY 1) d ON d.id = g.id
  )
  SELECT resource, id, member, in_table, by_log FROM j
  WHERE CASE WHEN is_alone THEN member IS NULL ELSE in_table IS DISTINCT FROM by_log AND member IS NOT NULL END
    AND is_kept)`

// The record of an event is in one table and its place in another; the ordinal joins them.
const apart = `
  (WITH p AS (
    SELECT ordinal, id, event_type, actor_type, resource_id FROM event_places
    UNION ALL
    SELECT q.ordinal, r.id, r.event_type, r.actor_type, r.resource_id
    FROM event_pending q LEFT JOIN event_records r USING (ordinal)
  )
  SELECT coalesce(p.id, r.id, p.ordinal::text) AS id, r.ordinal IS NULL AS is_placed
  FROM p FULL JOIN event_records r ON r.ordinal = p.ordinal AND r.id = p.id AND r.event_type = p.event_type
    AND r.actor_type = p.actor_type AND coalesce(r.resource_id, '') = coalesce(p.resource_id, '')
  WHERE p.ordinal IS NULL OR r.ordinal IS NULL ORDER BY 1, 2)`

/** Compares the tables with what the event log says they must be. */
export class ConsistencyCheck extends Context.Service<ConsistencyCheck, {
  /**
   * Rebuilds the state of every resource from the whole event log and compares it with the tables, in one snapshot of
   * the database and without writing, so that it may run beside the service. Of events that were dropped it takes the
   * state that they replayed to when they were, and single uses of that time are not compared; a lease that ended in
   * it may be missing. Memory
   * holds a page of the log, a page of each table, and the one resource in hand with what belongs to it. `compared` is
   * called after each event that was replayed.
   */
  readonly examine: (
    found: (difference: StateDifference) => Effect.Effect<void>,
    compared?: () => void
  ) => Effect.Effect<Examination>
}>()("countersign/services/audit/ConsistencyCheck") {
  static readonly layer = Layer.effect(
    ConsistencyCheck,
    Effect.gen(function*() {
      const sql = yield* Database

      const open = <Row extends object>(name: string, query: string) => openReader<Row>(sql, name, query)

      const openTable = (table: ReplayedTable) =>
        Effect.map(
          open<TableRow>(table.resource, `${table.select} ORDER BY ${table.root}`),
          (reader) => ({ ...table, reader })
        )

      const examine = Effect.fn("Doctor.examine")(
        function*(found: (difference: StateDifference) => Effect.Effect<void>, compared?: () => void) {
          yield* readOnlySnapshot(sql)
          const { sequence: dropped, until } = yield* readDropped(sql)
          // A lease that ended before the drop may be pruned. Nothing of the log that is left tells of it.
          const isPruned = (resource: string, row: ReplayedRow) =>
            resource === "lease" && until !== undefined && Date.parse(String(row["ended_at"])) <= until.getTime()
          // With a value of a license's custom field its row is erased; earlier versions left it.
          const mayBeGone = (resource: string, row: ReplayedRow) =>
            isPruned(resource, row) || (resource === "custom_field_value" && Object.values(row).includes(erased))
          const baselines = yield* open<BaselineRow>("baselines", baselineSql)
          const events = yield* open<LogRow>("log", logByRoot)
          const tables = yield* Effect.forEach(replayedTables, openTable)
          const counts = { events: 0, resources: 0, differences: 0, dropped }
          const report = (difference: StateDifference) => {
            counts.differences++
            return found(difference)
          }

          const replayOf = Effect.fnUntraced(function*(root: string) {
            const baseline = yield* baselines.peek
            const replay = makeEventReplay(baseline?.doctor_root === root ? readState(baseline.state) : undefined)
            if (baseline?.doctor_root === root) baselines.skip()
            for (let event = yield* events.peek; event?.doctor_root === root; event = yield* events.peek) {
              replay.apply(event)
              events.skip()
              counts.events++
              compared?.()
            }
            return replay.rows()
          })

          const compare = Effect.fnUntraced(function*(root: string) {
            const replayed = yield* replayOf(root)
            for (const { outside, reader, resource } of tables) {
              const expected = new Map(replayed.get(resource))
              counts.resources += expected.size
              for (let row = yield* reader.peek; row?.doctor_root === root; row = yield* reader.peek) {
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
              for (const [id, row] of expected) {
                if (!mayBeGone(resource, row)) yield* report({ resource, id, by_log: "a row" })
              }
            }
          })

          while (true) {
            const heads = [
              yield* events.peek,
              yield* baselines.peek,
              ...(yield* Effect.forEach(tables, ({ reader }) => reader.peek))
            ]
            const roots = heads.flatMap((head) => head?.doctor_root ?? [])
            if (roots.length === 0) break
            yield* compare(roots.reduce((first, root) => root < first ? root : first))
          }

          yield* forEachRow<UseRow>(sql, "uses", uses, ({ by_log, id, in_table, member, resource }) =>
            report({
              resource,
              id,
              ...(member === null ? {} : { member }),
              ...(in_table === null ? {} : { in_table }),
              ...(by_log === null ? {} : { by_log })
            }))
          yield* forEachRow<ApartRow>(
            sql,
            "apart",
            apart,
            ({ id, is_placed }) => report({ resource: "event", id, [is_placed ? "by_log" : "in_table"]: "a row" })
          )
          yield* forEachRow<LinkRow>(sql, "links", brokenLinks, ({ by_log, id, in_table }) =>
            report({
              resource: "event",
              id,
              member: "previous_of_license",
              in_table: in_table ?? "null",
              by_log: by_log ?? "null"
            }))
          return counts satisfies Examination
        },
        sql.withTransaction
      )

      return ConsistencyCheck.of({ examine })
    })
  )
}

import { Context, Effect, Layer } from "effect"
import { erased } from "../../../domain/evidence/audit/DeviceReplay.ts"
import type { StoredEvent } from "../../../domain/evidence/audit/DeviceReplay.ts"
import { differencesOf, makeEventReplay, readState } from "../../../domain/evidence/audit/EventReplay.ts"
import type { StateDifference } from "../../../domain/evidence/audit/EventReplay.ts"
import type { ReplayedRow } from "../../../domain/evidence/audit/ReplayTables.ts"
import { familyOf, kinds, resourceTypeOf } from "../../../domain/log/EventKind.ts"
import { familiesNamingLicense } from "../../../domain/log/LicenseChain.ts"
import { Database } from "../../ground/persistence/Database.ts"
import { eventMember } from "../../ground/persistence/EventMemberSql.ts"
import { readDropped } from "../../log/DroppedEvents.ts"
import { forEachRow, openReader, readOnlySnapshot } from "./LogBaseline.ts"
import { baselineSql, byRootSql, wholeLogSql } from "./LogBaselineSql.ts"
import type { MailRow, ReplayedTable } from "./ReplayedTables.ts"
import { brokenMails, replayedTables } from "./ReplayedTables.ts"
import { brokenUses } from "./UseRows.ts"
import type { UseRow } from "./UseRows.ts"

const ofLicenses = kinds.filter((kind) => resourceTypeOf(kind) === "license").map((kind) => `'${kind}'`).join(", ")

const named = eventMember(kinds.filter((kind) => familiesNamingLicense.has(familyOf(kind))), "license_id")

/** An event that does not name the previous one of its license. */
interface LinkRow {
  readonly id: string
  readonly in_table: string | null
  readonly by_log: string | null
}

const said = (sequence: string, hash: string): string => `${sequence} || coalesce(' ' || encode(${hash}, 'hex'), '')`

/**
 * Events whose place names another event than the previous one of their license, of all that are in the log. Of leaves that name
 * none, those are of the chain whose resource is the license.
 */
const brokenLinks = `
  (WITH placed AS (
    SELECT p.sequence, p.id, p.hash, p.license_id AS kept, p.license_previous AS previous,
      p.license_previous_hash AS previous_hash, p.sequence >= coalesce(c.linked_from, 9223372036854775807) AS is_linked,
      CASE WHEN p.event_type IN (${ofLicenses}) THEN p.resource_id END AS own,
      (SELECT ${named} FROM event_records r WHERE r.ordinal = p.ordinal AND event_sought(r.ordinal)) AS of_part
    FROM event_places p CROSS JOIN event_chain c
  ), chained AS (
    SELECT *, CASE WHEN is_linked THEN coalesce(own, of_part) ELSE own END AS license_id FROM placed
  ), linked AS (
    SELECT l.*, CASE WHEN l.is_linked AND l.license_id IS NOT NULL THEN coalesce(lag(l.sequence) OVER w, d.sequence, 0) END AS expected,
      CASE WHEN l.is_linked AND l.license_id IS NOT NULL THEN coalesce(lag(l.hash) OVER w, d.hash) END AS expected_hash
    FROM chained l LEFT JOIN dropped_license_ends d ON d.license_id = l.license_id
    WINDOW w AS (PARTITION BY l.license_id ORDER BY l.sequence)
  )
  SELECT id, ${said("previous", "previous_hash")} AS in_table, ${
  said("expected", "expected_hash")
} AS by_log FROM linked
  WHERE previous IS DISTINCT FROM expected OR previous_hash IS DISTINCT FROM expected_hash
    OR kept IS DISTINCT FROM CASE WHEN is_linked THEN of_part END
  ORDER BY sequence)`

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

const columns = "event_type, resource_id, metadata, data, commitments, personal"
const log = wholeLogSql(`resource_type, id, request_id, created_at, actor_type, actor_id, ${columns}`)

const logByRoot = byRootSql(log, columns)

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
}>()("countersign/services/evidence/audit/ConsistencyCheck") {
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

          const reportRow = ({ by_log, id, in_table, member, resource }: UseRow | MailRow) =>
            report({
              resource,
              id,
              ...(member === null ? {} : { member }),
              ...(in_table === null ? {} : { in_table }),
              ...(by_log === null ? {} : { by_log })
            })
          yield* forEachRow<UseRow>(sql, "uses", brokenUses, reportRow)
          yield* forEachRow<MailRow>(sql, "mails", brokenMails, reportRow)
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

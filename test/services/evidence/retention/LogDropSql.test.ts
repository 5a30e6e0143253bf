import { assert, describe, layer } from "@effect/vitest"
import { Effect } from "effect"
import type { DropBorder } from "../../../../src/services/evidence/retention/LogDropSql.ts"
import {
  deleteCheckpoints,
  deletePlaces,
  findDropBorder,
  updateDropped
} from "../../../../src/services/evidence/retention/LogDropSql.ts"
import { readDropped } from "../../../../src/services/log/DroppedEvents.ts"
import { listLicenseEnds } from "../../../../src/services/log/SequencerSql.ts"
import { makeRows } from "../../../fixtures/Rows.ts"
import { Workers } from "../../../fixtures/Workers.ts"

/** When the events of the log were, by their place: one is later than those after it. */
const day = (n: number) => new Date(Date.UTC(2026, 0, n))
const late = day(31)

const world = Effect.gen(function*() {
  const workers = yield* Workers
  const { first } = workers
  const rows = makeRows(first)
  yield* first`DELETE FROM event_places`
  yield* first`DELETE FROM event_records`
  yield* first`UPDATE event_archive SET dropped_sequence = 0, dropped_until = NULL`
  for (let n = 1; n <= 48; n++) yield* rows.event(n, { created_at: n === 10 ? late : day(1 + Math.floor(n / 16)) })
  const drop = (upto: number) =>
    Effect.flatMap(findDropBorder(first, upto), ([border]) => updateDropped(first, upto, border!))
  return { ...workers, drop, rows }
})

describe("the statements that drop the log", () => {
  layer(Workers.layer)((it) => {
    it.effect("the border of the dropped time never moves back, though later events are of an earlier time", () =>
      Effect.gen(function*() {
        const { drop, first } = yield* world
        yield* drop(16)
        assert.deepStrictEqual((yield* readDropped(first)).until, late)
        yield* drop(32)
        const { sequence, until } = yield* readDropped(first)
        assert.deepStrictEqual({ sequence, until }, { sequence: 32, until: late })
      }))

    it.effect("the border is the latest time of what is dropped, and of nothing after it", () =>
      Effect.gen(function*() {
        const { drop, first } = yield* world
        yield* first`UPDATE event_records SET created_at = ${day(2)} WHERE ordinal = 10`
        yield* drop(32)
        assert.deepStrictEqual((yield* readDropped(first)).until, day(3))
      }))

    it.effect("the log is dropped once up to a place, by one of two commands", () =>
      Effect.gen(function*() {
        const { first, second, waiting } = yield* world
        const [border] = yield* findDropBorder(first, 32)
        const other: DropBorder = { hash: new Uint8Array(32), until: day(1) }
        const [won, lost] = yield* waiting(updateDropped(first, 32, border!), updateDropped(second, 32, other))
        assert.deepStrictEqual([won.length, lost.length], [1, 0])
        assert.lengthOf(yield* updateDropped(second, 16, other), 0)
        const { hash, sequence } = yield* readDropped(first)
        assert.deepStrictEqual({ hash, sequence }, { hash: border!.hash, sequence: 32 })
      }))

    it.effect("an event after the border is not deleted, and a record goes with its place", () =>
      Effect.gen(function*() {
        const { first } = yield* world
        assert.lengthOf(yield* deletePlaces(first, 16, 10), 10)
        assert.lengthOf(yield* deletePlaces(first, 16, 10), 6)
        assert.lengthOf(yield* deletePlaces(first, 16, 10), 0)
        const [left] = yield* first`
          SELECT (SELECT min(sequence)::int FROM event_places) AS place,
            (SELECT min(ordinal)::int FROM event_records) AS record, (SELECT count(*)::int FROM event_records) AS records`
        assert.deepStrictEqual(left, { place: 17, record: 17, records: 32 })
      }))

    it.effect("the last event of a license stays known, which its next one names, and an older slice takes nothing back", () =>
      Effect.gen(function*() {
        const { first } = yield* world
        yield* first`UPDATE event_places SET resource_id = 'lic_one' WHERE sequence IN (1, 9, 20)`
        yield* first`UPDATE event_places SET license_id = 'lic_one', license_previous = 9 WHERE sequence = 12`
        yield* first`UPDATE event_places SET resource_id = 'lic_two' WHERE sequence = 5`
        const ends = Effect.map(
          listLicenseEnds(first, ["lic_one", "lic_two", "lic_none"]),
          (rows) => rows.map(({ license_id, sequence }) => [license_id, Number(sequence)] as const).toSorted()
        )
        const before = yield* ends
        assert.deepStrictEqual(before, [["lic_one", 20], ["lic_two", 5]])
        yield* deletePlaces(first, 16, 10)
        yield* deletePlaces(first, 16, 10)
        assert.deepStrictEqual(yield* ends, before)
        yield* first`DELETE FROM event_places WHERE sequence = 20`
        assert.deepStrictEqual(yield* ends, [["lic_one", 12], ["lic_two", 5]])
        yield* first`INSERT INTO event_places (sequence, ordinal, id, event_type, resource_id, actor_type, previous_hash, hash)
          VALUES (2, 999, 'evt_again', 'license.activated', 'lic_one', 'system', ''::bytea, ''::bytea)`
        yield* deletePlaces(first, 16, 10)
        assert.deepStrictEqual(yield* ends, [["lic_one", 12], ["lic_two", 5]])
      }))

    it.effect("the checkpoint at the border stays, and those before it go", () =>
      Effect.gen(function*() {
        const { first, rows } = yield* world
        for (const tree_size of [8, 16, 24]) {
          yield* rows.insert("event_checkpoints", {
            tree_size,
            root_hash: first`sha256('')`,
            kid: "k",
            note: "n",
            created_at: late
          })
        }
        assert.lengthOf(yield* deleteCheckpoints(first, 16, 10), 1)
        const left = yield* first`SELECT tree_size::int AS size FROM event_checkpoints ORDER BY 1`
        assert.deepStrictEqual(left.map(({ size }) => size), [16, 24])
      }))
  })
})

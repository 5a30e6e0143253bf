import { PgClient } from "@effect/sql-pg"
import { assert, describe, layer } from "@effect/vitest"
import { Effect } from "effect"
import { Reactivity } from "effect/reactivity"
import { databaseOf } from "../../../src/services/ground/persistence/Database.ts"
import type { Database } from "../../../src/services/ground/persistence/Database.ts"
import { listLicenseEnds, listOwnPending, listPending, placeEvents } from "../../../src/services/log/SequencerSql.ts"
import type { Placement } from "../../../src/services/log/SequencerSql.ts"
import { freshDatabase } from "../../fixtures/Postgres.ts"
import { makeRows } from "../../fixtures/Rows.ts"
import { Workers } from "../../fixtures/Workers.ts"

const hashOf = (n: number) => n.toString(16).padStart(64, "0")

/** Places what was read after the end that was read with it; the tree lags behind. */
const placement = (found: ReadonlyArray<object>): Placement => {
  const rows = found as Placement["rows"]
  const chain = found[0] as Placement["chain"]
  const end = Number(chain.last_sequence) + rows.length
  const sequences = rows.map((_, index) => Number(chain.last_sequence) + index + 1)
  return {
    chain,
    rows,
    extension: {
      sequences,
      previousHashes: sequences.map((n) => hashOf(n - 1)),
      hashes: sequences.map(hashOf),
      licenses: sequences.map(() => undefined),
      end: { sequence: end, hash: new Uint8Array(32) }
    }
  }
}

const world = Effect.gen(function*() {
  const workers = yield* Workers
  const { first } = workers
  /** Appends an event in a transaction; answers its ordinal. */
  const append = Effect.fnUntraced(function*(sql: Database) {
    const [row] = yield* sql<{ readonly ordinal: bigint }>`INSERT INTO event_pending DEFAULT VALUES RETURNING ordinal`
    yield* makeRows(sql).insert("event_records", {
      ordinal: row!.ordinal,
      id: `evt_pending_${row!.ordinal}`,
      event_type: "license.activated",
      actor_type: "system",
      actor_id: "system",
      metadata: "{}",
      data: "{}"
    })
    return row!.ordinal
  })
  const pending = (sql: Database) =>
    Effect.map(listPending(sql, 100), (found) => ({
      found,
      ordinals: found.flatMap(({ ordinal }) => ordinal === null ? [] : [ordinal]),
      waits: found[0]!.waits
    }))
  /** What may be placed, once it is this many: transactions of other databases hold events up for a moment. */
  const settled = Effect.fnUntraced(function*(sql: Database, count: number) {
    for (let tries = 0;; tries++) {
      const now = yield* pending(sql)
      if (now.ordinals.length >= count) return now
      assert.isBelow(tries, 2_000, "no event may be placed")
      yield* Effect.promise(() => new Promise((resolve) => setTimeout(resolve, 5)))
    }
  })
  const places = Effect.map(
    first<{ readonly sequence: number }>`SELECT sequence::int FROM event_places ORDER BY 1`,
    (found) => found.map(({ sequence }) => sequence)
  )
  yield* first`DELETE FROM event_pending`
  return { ...workers, append, pending, places, settled }
})

/** A transaction of another database of the server, which has written and is open until `end`. */
const heldElsewhere = Effect.gen(function*() {
  const { target } = yield* freshDatabase
  const elsewhere = databaseOf(yield* PgClient.makeClient({ url: target.url, applicationName: "elsewhere" }))
  yield* elsewhere`CREATE TABLE kept (n int)`
  yield* elsewhere`BEGIN`.unprepared
  yield* elsewhere`INSERT INTO kept VALUES (1)`
  return { elsewhere, end: elsewhere`ROLLBACK`.unprepared }
}).pipe(Effect.provide(Reactivity.layer))

describe("the statements of the sequencer", () => {
  layer(Workers.layer)((it) => {
    it.effect("an event waits for transactions that are running and have no event yet", () =>
      Effect.gen(function*() {
        const { append, first, passing, pending, second, settled } = yield* world
        // The first one has an id and no event yet: it may still append one with a lower ordinal's commit.
        const [, seen] = yield* passing(
          first`SELECT pg_current_xact_id()::text`,
          Effect.andThen(append(second), pending(second))
        )
        assert.deepStrictEqual([seen.ordinals, seen.waits], [[], true])
        assert.lengthOf((yield* settled(second, 1)).ordinals, 1)
      }))

    it.effect("an event waits for earlier ones of a running transaction, though its own began before that", () =>
      Effect.gen(function*() {
        const { append, first, passing, pending, second, settled } = yield* world
        const committed = yield* append(second)
        yield* settled(second, 1)
        const [running, seen] = yield* passing(append(first), Effect.andThen(append(second), pending(second)))
        assert.notInclude(seen.ordinals, running)
        for (const ordinal of seen.ordinals) assert.isTrue(ordinal < running)
        const { ordinals } = yield* settled(second, 3)
        assert.strictEqual(ordinals[0], committed)
        assert.deepStrictEqual(ordinals, ordinals.toSorted((a, b) => a < b ? -1 : 1))
      }))

    it.effect("a sequencer that read an older end places nothing, and the feed has no gap", () =>
      Effect.gen(function*() {
        const { append, first, places, second, settled, waiting } = yield* world
        for (let n = 0; n < 3; n++) yield* append(second)
        const { found } = yield* settled(second, 3)
        const [won, lost] = yield* waiting(
          placeEvents(first, placement(found)),
          placeEvents(second, placement(found))
        )
        assert.deepStrictEqual([won[0]!.placed, lost[0]!.placed], [3, 0])
        assert.deepStrictEqual(yield* places, [1, 2, 3])
        assert.strictEqual((yield* placeEvents(second, placement(found)))[0]!.placed, 0)
        const [chain] = yield* first<{ readonly last: number; readonly left: number }>`
          SELECT last_sequence::int AS last, (SELECT count(*)::int FROM event_pending) AS left FROM event_chain`
        assert.deepStrictEqual(chain, { last: 3, left: 0 })
      }))

    it.effect("events of which one is gone are not placed at all", () =>
      Effect.gen(function*() {
        const { append, first, places, second, settled } = yield* world
        const before = yield* places
        yield* append(second)
        const gone = yield* append(second)
        const { found } = yield* settled(second, 2)
        yield* first`DELETE FROM event_pending WHERE ordinal = ${gone}`
        const exit = yield* Effect.exit(placeEvents(second, placement(found)))
        assert.strictEqual(exit._tag, "Failure")
        assert.deepStrictEqual(yield* places, before)
      }))

    it.effect("a place keeps the license and its previous event, and the end of the chain no hash for older nodes then", () =>
      Effect.gen(function*() {
        const { append, first, second, settled } = yield* world
        yield* append(second)
        yield* append(second)
        yield* append(second)
        const { found } = yield* settled(second, 3)
        yield* first`UPDATE event_records SET resource_id = 'lic_aaaaaaa' WHERE ordinal = ${found[1]!.ordinal}`
        const { found: again } = yield* settled(second, 3)
        const { extension, ...placed } = placement(again)
        const [before] = yield* first<{ readonly hash: unknown }>`SELECT last_hash AS hash FROM event_chain`
        assert.isNotNull(before!.hash)
        const hash = new Uint8Array(32).fill(7)
        yield* placeEvents(first, {
          ...placed,
          linkedFrom: 9n,
          extension: {
            ...extension,
            licenses: [
              undefined,
              { license_id: "lic_aaaaaaa", license_previous: 0, license_previous_hash: null },
              { license_id: "lic_aaaaaaa", license_previous: 8, license_previous_hash: hash }
            ]
          }
        })
        const rows = yield* first`
          SELECT resource_id, license_id, license_previous::int AS previous, license_previous_hash AS hash
          FROM event_places ORDER BY sequence DESC LIMIT 3`
        assert.deepStrictEqual<unknown>(rows, [
          { resource_id: null, license_id: "lic_aaaaaaa", previous: 8, hash: Buffer.from(hash) },
          { resource_id: "lic_aaaaaaa", license_id: null, previous: 0, hash: null },
          { resource_id: null, license_id: null, previous: null, hash: null }
        ])
        const [last] = yield* listLicenseEnds(second, ["lic_aaaaaaa", "lic_bbbbbbb"])
        assert.deepStrictEqual(last, {
          license_id: "lic_aaaaaaa",
          sequence: BigInt(extension.end.sequence),
          hash: Buffer.from(hashOf(extension.end.sequence), "hex")
        })
        const [after] = yield* first`SELECT last_hash AS hash, linked_from::int AS linked FROM event_chain`
        assert.deepStrictEqual(after, { hash: null, linked: 9 })
        // A node of an earlier release signs nothing any more; what it signed before stays.
        for (const [tree_size, leaf_version] of [[8, null], [9, null], [10, 2]] as const) {
          yield* makeRows(first).insert("event_checkpoints", {
            tree_size,
            root_hash: hash,
            kid: "sig_1",
            note: "",
            created_at: new Date(),
            leaf_version
          })
        }
        const kept = yield* first<
          { readonly size: number }
        >`SELECT tree_size::int AS size FROM event_checkpoints ORDER BY 1`
        assert.deepStrictEqual(kept.map(({ size }) => size), [8, 10])
        yield* first`UPDATE event_chain SET linked_from = NULL, last_hash = ${hash}`
      }))

    it.effect("an event waits for no transaction of another database, and for those of its own all the same", () =>
      Effect.gen(function*() {
        const { append, first, passing, second } = yield* world
        /** What may be placed, once nothing holds it up: a transaction without a lock on a table may be of any database. */
        const own = Effect.fnUntraced(function*(sql: Database, least = 1) {
          for (let tries = 0;; tries++) {
            const found = yield* listOwnPending(sql, 100)
            const { besides, waits } = found[0]!
            const ordinals = found.flatMap(({ ordinal }) => ordinal === null ? [] : [ordinal])
            if (ordinals.length >= least) return { ordinals, waits, besides }
            assert.isBelow(tries, 2_000, `${ordinals.length} events may be placed`)
            yield* Effect.promise(() => new Promise((resolve) => setTimeout(resolve, 5)))
          }
        })
        const { elsewhere, end } = yield* heldElsewhere
        const appended = yield* append(second)
        assert.deepStrictEqual(yield* own(second), { ordinals: [appended], waits: null, besides: true })
        const [any] = yield* listPending(second, 100)
        assert.deepInclude(any, { ordinal: null, waits: true })
        // The transaction of this database began after that of the other one, and before the event.
        const [running, seen] = yield* passing(append(first), Effect.andThen(append(second), own(second)))
        assert.deepStrictEqual(seen, { ordinals: [appended], waits: null, besides: true })
        const { ordinals } = yield* own(second, 3)
        assert.deepStrictEqual([ordinals[0], ordinals[1], ordinals.length], [appended, running, 3])
        yield* elsewhere`INSERT INTO kept VALUES (2)`
        yield* end
        yield* first`DELETE FROM event_pending`
      }))

    it.effect("an event waits for a transaction whose locks do not say of which database it is", () =>
      Effect.gen(function*() {
        const { append, second } = yield* world
        const { elsewhere, end } = yield* heldElsewhere
        yield* elsewhere`COMMIT`.unprepared
        yield* elsewhere`BEGIN`.unprepared
        yield* elsewhere`SELECT pg_current_xact_id()::text`
        yield* append(second)
        const [found] = yield* listOwnPending(second, 100)
        // Whether others run beside says nothing here: the server may analyze another database at that moment.
        assert.deepInclude(found, { ordinal: null, waits: true })
        yield* end
      }))
  })
})

import { PgClient } from "@effect/sql-pg"
import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Fiber, Layer } from "effect"
import { Hex } from "effect/encoding"
import { Reactivity } from "effect/reactivity"
import { SqlClient } from "effect/sql"
import { verifyChain } from "../../../src/domain/log/EventChain.ts"
import { servedLeafHash } from "../../../src/domain/log/EventLeaf.ts"
import { feedColumns } from "../../../src/services/delivery/LanesWithWorkSql.ts"
import { Agenda } from "../../../src/services/ground/agenda/Agenda.ts"
import { Cryptography } from "../../../src/services/ground/platform/Cryptography.ts"
import type { FeedEvent } from "../../../src/services/log/Events.ts"
import { Events } from "../../../src/services/log/Events.ts"
import { FeedSignal } from "../../../src/services/log/FeedPosition.ts"
import { makeMerkleLog } from "../../../src/services/log/MerkleLog.ts"
import { Sequencer } from "../../../src/services/log/Sequencer.ts"
import type { SequencerSignal } from "../../../src/services/log/Sequencer.ts"
import { append, layerNode } from "../../fixtures/Delivery.ts"
import { naiveRoot } from "../../fixtures/NaiveTree.ts"
import { freshDatabase } from "../../fixtures/Postgres.ts"
import { layerTarget } from "../../fixtures/Target.ts"

const layer = Sequencer.layer.pipe(Layer.provideMerge(layerNode), Layer.provide(layerTarget))

const test = <A, E>(
  body: Effect.Effect<A, E, Sequencer | SequencerSignal | Events | SqlClient.SqlClient | FeedSignal | Cryptography>
) => body.pipe(Effect.provide(layer), Effect.scoped)

/** The whole feed as it is served, read page by page. */
const readAll = Effect.gen(function*() {
  const events = yield* Events
  const all: Array<FeedEvent> = []
  let cursor = 0
  while (true) {
    const page = yield* events.list({ limit: 7, cursor, order: "asc" })
    all.push(...page.items)
    if (!page.page_info.has_more) return all
    cursor = Number(page.page_info.next_cursor)
  }
})

/** Sequences `count` events. Transactions in other databases of the server can hold them up for a moment. */
const sequence = (count: number) =>
  Effect.gen(function*() {
    const sequencer = yield* Sequencer
    let placed = 0
    while (placed < count) {
      placed += yield* sequencer.step
      if (placed < count) yield* Effect.sleep(5)
    }
    assert.strictEqual(placed, count)
  }).pipe(Effect.timeout("120 seconds"))

const isGapless = (all: ReadonlyArray<{ readonly sequence: number }>) =>
  assert.deepStrictEqual(all.map(({ sequence }) => sequence), all.map((_, index) => index + 1))

describe("Sequencer", () => {
  it.live("numbers without gaps, in an order that no reader sees change, when commits come in reverse", () =>
    test(Effect.gen(function*() {
      const sequencer = yield* Sequencer
      const sql = yield* SqlClient.SqlClient
      const written = yield* Deferred.make<void>()
      const commit = yield* Deferred.make<void>()
      const early = yield* Effect.forkChild(sql.withTransaction(
        Effect.gen(function*() {
          yield* append(3, { data: { who: "early" } })
          yield* Deferred.succeed(written, undefined)
          yield* Deferred.await(commit)
        })
      ))
      yield* Deferred.await(written)
      yield* append(3, { data: { who: "late" } })
      // The later transaction has committed, and still has no place: the earlier one may yet commit.
      assert.strictEqual(yield* sequencer.step, 0)
      assert.deepStrictEqual(yield* readAll, [])
      yield* Deferred.succeed(commit, undefined)
      yield* Fiber.join(early)
      yield* sequence(6)
      const all = yield* readAll
      isGapless(all)
      assert.deepStrictEqual(all.map(({ data }) => data["who"]), ["early", "early", "early", "late", "late", "late"])
    })))

  it.live("loses and repeats nothing while writers overlap, a reader pages, and two sequencers run", () =>
    test(Effect.gen(function*() {
      const sequencer = yield* Sequencer
      const events = yield* Events
      const writers = Effect.forEach(
        Array.from({ length: 60 }, (_, index) => index),
        (index) => append(5, { data: { writer: index } }),
        { concurrency: 8, discard: true }
      )
      const seen: Array<number> = []
      const reader = { isOver: false }
      const sequencing = Effect.gen(function*() {
        while (!reader.isOver) yield* Effect.andThen(sequencer.step, Effect.sleep(1))
      })
      const reading = Effect.gen(function*() {
        while (seen.length < 300) {
          const page = yield* events.list({ limit: 50, cursor: seen.at(-1) ?? 0, order: "asc" })
          seen.push(...page.items.map(({ sequence }) => sequence))
          yield* Effect.sleep(1)
        }
        reader.isOver = true
      })
      yield* Effect.all([writers, sequencing, sequencing, reading], { concurrency: "unbounded" })
      assert.deepStrictEqual(seen, Array.from({ length: 300 }, (_, index) => index + 1))
      const all = yield* readAll
      assert.strictEqual(new Set(all.map(({ data }) => data["writer"])).size, 60)
      const crypto = yield* Cryptography
      assert.strictEqual(verifyChain(all, { sha256: crypto.sha256 }).ok, true)
      assert.strictEqual(yield* (yield* FeedSignal).head, 300)
    })))

  it.live("hands on what it placed as the table has it, and nothing after a gap", () =>
    test(Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      const signal = yield* FeedSignal
      yield* append(3, { data: { customer_email: "a@example.com" } })
      yield* sequence(3)
      yield* append(2)
      yield* sequence(2)
      const rows = yield* sql`SELECT ${sql.literal(feedColumns)} FROM events ORDER BY sequence`
      assert.deepStrictEqual<unknown>(signal.placedAfter(0), rows)
      assert.deepStrictEqual<unknown>(signal.placedAfter(4), rows.slice(4))
      assert.deepStrictEqual(signal.placedAfter(5), [])
      const [, , third] = signal.placedAfter(0)
      yield* signal.publish(9, [{ ...third!, sequence: 9n }])
      assert.deepStrictEqual(signal.placedAfter(5), [])
      assert.deepStrictEqual(signal.placedAfter(8).map(({ sequence }) => sequence), [9n])
    })))

  it.live("keeps a bounded part of what was placed", () =>
    test(Effect.gen(function*() {
      const signal = yield* FeedSignal
      yield* append(1)
      yield* sequence(1)
      const [row] = signal.placedAfter(0)
      const rows = (first: number, count: number, data = "{}") =>
        Array.from({ length: count }, (_, index) => ({ ...row!, sequence: BigInt(first + index), data }))
      const heldAfter = (sequence: number) => signal.placedAfter(sequence).length
      yield* signal.publish(900, rows(2, 899))
      assert.strictEqual(heldAfter(0), 900)
      yield* signal.publish(1200, rows(901, 300))
      assert.deepStrictEqual([heldAfter(0), heldAfter(900)], [0, 300])
      yield* signal.publish(1202, rows(1201, 2, "x".repeat(600_000)))
      assert.deepStrictEqual([heldAfter(900), heldAfter(1200)], [0, 0])
    })))

  it.live("places nothing of a transaction that was rolled back", () =>
    test(Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      yield* Effect.exit(sql.withTransaction(Effect.andThen(append(2), Effect.fail("no"))))
      yield* append(1)
      yield* sequence(1)
      isGapless(yield* readAll)
    })))

  it.live("names the previous event of each license, which another sequencer looks up, once it is due", () =>
    Effect.gen(function*() {
      const other = Sequencer.layer.pipe(Layer.fresh, Layer.provide(Agenda.layer))
      yield* test(Effect.gen(function*() {
        const sql = yield* SqlClient.SqlClient
        /** Appends and places the events; each time by a sequencer that knows nothing yet. */
        const place = (count: number, event: Parameters<typeof append>[1]) =>
          Effect.andThen(append(count, event), sequence(count).pipe(Effect.provide(other), Effect.scoped))
        const license = "lic_01k6f3q8zve8rbkm1v4t2c9dxa"
        const data = { license_id: license }
        yield* place(1, { type: "product.created", resourceId: "prod_0", data: {} })
        // As where a node of version 0.1.0 was there a moment ago.
        yield* sql`UPDATE event_chain SET linked_from = NULL, link_after = now() + interval '1 day'`
        yield* place(2, {})
        yield* sql`UPDATE event_chain SET link_after = now()`
        yield* place(1, { type: "lease.checked_out", resourceId: "lse_1", data })
        yield* place(17, { type: "mail.sent", data })
        yield* place(1, { type: "product.created", resourceId: "prod_1", data: {} })
        yield* place(2, { type: "device.reset", resourceId: "dev_1", data })
        yield* place(1, { resourceId: "lic_01k6f3q8zve8rbkm1v4t2c9dxb" })
        const all = yield* readAll
        assert.deepStrictEqual(
          all.map(({ previous_of_license }) => previous_of_license?.sequence),
          [
            undefined,
            undefined,
            undefined,
            3,
            ...all.slice(3, 20).map(({ sequence }) => sequence),
            undefined,
            21,
            23,
            0
          ]
        )
        for (const { previous_of_license: previous } of all) {
          if (previous?.sequence) assert.strictEqual(all[previous.sequence - 1]!.hash, previous.hash)
        }
        // The tree was continued from events as they are read again.
        const { sha256 } = yield* Cryptography
        const tree = yield* makeMerkleLog
        const [root] = yield* tree.hashes([[0, all.length]])
        assert.deepStrictEqual(
          Hex.encode(root!),
          Hex.encode(naiveRoot(all.map((event) => servedLeafHash(event, sha256))))
        )
        assert.isTrue(verifyChain(all, { sha256 }).ok)
      }))
    }))

  it.live("places rows whose transaction ids come from another server", () =>
    test(Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      yield* append(2)
      yield* sql`UPDATE event_pending SET xid = '999999999999'::xid8`
      yield* sequence(2)
      isGapless(yield* readAll)
    })))

  it.live("places events while a transaction of another database stays open, and goes back to the cheaper look", () =>
    Effect.gen(function*() {
      const { target } = yield* freshDatabase
      const elsewhere = yield* PgClient.makeClient({ url: target.url, applicationName: "elsewhere" })
      yield* elsewhere`CREATE TABLE kept (n int)`
      yield* elsewhere`BEGIN`.unprepared
      yield* elsewhere`INSERT INTO kept VALUES (1)`
      yield* test(Effect.gen(function*() {
        for (let n = 0; n < 3; n++) {
          yield* append(2)
          yield* sequence(2)
        }
        yield* elsewhere`ROLLBACK`.unprepared
        yield* append(2)
        yield* sequence(2)
        isGapless(yield* readAll)
      }))
    }).pipe(Effect.provide(Reactivity.layer), Effect.scoped))
})

import { assert, describe, layer } from "@effect/vitest"
import { Effect } from "effect"
import type { SignedTree } from "../../../../src/services/evidence/transparency/CheckpointSql.ts"
import {
  findCoveringCheckpoint,
  findLatestCheckpoint,
  insertCheckpoint,
  listFormerKeys,
  listLogKeys
} from "../../../../src/services/evidence/transparency/CheckpointSql.ts"
import { Workers } from "../../../fixtures/Workers.ts"

const signed = (size: number, note: string): SignedTree => ({
  size,
  root: new Uint8Array(32),
  kid: "a key",
  note,
  time: 1_767_225_600
})

const world = Effect.gen(function*() {
  const workers = yield* Workers
  const { first } = workers
  yield* first`DELETE FROM event_checkpoints`
  return workers
})

describe("the statements about checkpoints", () => {
  layer(Workers.layer)((it) => {
    it.effect("the first signature of a tree stays, when two nodes sign it at once", () =>
      Effect.gen(function*() {
        const { first, second, waiting } = yield* world
        yield* waiting(insertCheckpoint(first, signed(10, "first")), insertCheckpoint(second, signed(10, "second")))
        const kept = yield* findLatestCheckpoint(first)
        assert.deepStrictEqual(kept.map(({ note, tree_size }) => [Number(tree_size), note]), [[10, "first"]])
      }))

    it.effect("a checkpoint that was rolled back leaves the tree to the other node", () =>
      Effect.gen(function*() {
        const { first, second, undone } = yield* world
        yield* undone(insertCheckpoint(first, signed(10, "first")), insertCheckpoint(second, signed(10, "second")))
        assert.deepStrictEqual((yield* findLatestCheckpoint(first)).map(({ note }) => note), ["second"])
      }))

    it.effect("the keys of the log are those that are not revoked; the newest retired one that is here still signs", () =>
      Effect.gen(function*() {
        const { first } = yield* world
        yield* first`INSERT INTO signing_keys (id, public_key, private_key, status, created_at, retired_at, revoked_at)
          SELECT 'sig_' || n, decode(lpad(n::text, 64, '0'), 'hex'), CASE n WHEN 3 THEN '\\x00'::bytea ELSE '\\x01'::bytea END,
            CASE n WHEN 6 THEN 'active' WHEN 2 THEN 'revoked' ELSE 'retired' END, now(),
            CASE WHEN n NOT IN (2, 6) THEN now() + n * interval '1 second' END, CASE n WHEN 2 THEN now() END
          FROM generate_series(1, 6) n`
        assert.strictEqual((yield* listLogKeys(first)).length, 5)
        assert.deepStrictEqual((yield* listFormerKeys(first, 0)).map(({ kid }) => kid), ["sig_5"])
        yield* first`UPDATE signing_keys SET private_key = '\\x00' WHERE id IN ('sig_4', 'sig_5')`
        assert.deepStrictEqual((yield* listFormerKeys(first, 0)).map(({ kid }) => kid), ["sig_1"])
        yield* first`DELETE FROM signing_keys`
      }))

    it.effect("the first checkpoint that covers an event is the one of just its size, or the next", () =>
      Effect.gen(function*() {
        const { first } = yield* world
        for (const size of [30, 10, 20]) yield* insertCheckpoint(first, signed(size, `of ${size}`))
        const covering = (size: number) =>
          Effect.map(findCoveringCheckpoint(first, size), (rows) => rows.map(({ note }) => note))
        assert.deepStrictEqual(yield* covering(1), ["of 10"])
        assert.deepStrictEqual(yield* covering(20), ["of 20"])
        assert.deepStrictEqual(yield* covering(21), ["of 30"])
        assert.deepStrictEqual(yield* covering(31), [])
        assert.deepStrictEqual((yield* findLatestCheckpoint(first)).map(({ note }) => note), ["of 30"])
      }))
  })
})

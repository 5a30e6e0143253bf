import { assert, describe, layer } from "@effect/vitest"
import { Effect } from "effect"
import type { SignedTree } from "../../../src/services/transparency/CheckpointSql.ts"
import {
  findCoveringCheckpoint,
  findLatestCheckpoint,
  insertCheckpoint
} from "../../../src/services/transparency/CheckpointSql.ts"
import { Workers } from "../../fixtures/Workers.ts"

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

import { assert, describe, layer } from "@effect/vitest"
import { Effect, Fiber, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { insertCosignature } from "../../../../src/services/evidence/transparency/CosignatureSql.ts"
import {
  makeCosigningQuorum,
  Witnesses,
  WitnessUnavailable
} from "../../../../src/services/evidence/transparency/WitnessKeeper.ts"
import { Workers } from "../../../fixtures/Workers.ts"

const away = Effect.fail(new WitnessUnavailable({ message: "away" }))
const witness = (id: string) => ({
  id,
  key: { name: id, type: 4, publicKey: new Uint8Array(32) },
  add: () => away,
  addKeyEvent: () => away,
  checkpoint: () => away
})

/** Checkpoints of these sizes, signed so many seconds ago, and the signatures of witnesses; two of three must sign. */
const log = Effect.gen(function*() {
  const { first } = yield* Workers
  yield* first`DELETE FROM event_checkpoints`
  yield* first`DELETE FROM checkpoint_cosignatures`
  const quorum = yield* makeCosigningQuorum.pipe(Effect.provide(Layer.merge(
    Layer.succeed(SqlClient.SqlClient, first.client),
    Layer.succeed(Witnesses, { all: ["a", "b", "c"].map(witness), quorum: 2 })
  )))
  return {
    covers: quorum.covers,
    checkpoint: (size: number, ago: number) =>
      first`INSERT INTO event_checkpoints (tree_size, root_hash, kid, note, created_at)
        VALUES (${size}, sha256(''), 'a key', 'n', now() - ${ago} * interval '1 second')`,
    sign: (size: number, ...ids: ReadonlyArray<string>) =>
      Effect.forEach(ids, (id) => insertCosignature(first, { size, witness: id, line: id, time: 0 })),
    /** Lets time pass for the database, and for who waits. */
    pass: (seconds: number) =>
      Effect.andThen(
        first`UPDATE event_checkpoints SET created_at = created_at - ${seconds} * interval '1 second'`,
        TestClock.adjust("1 second")
      )
  }
})

/** On a clock that stands: whoever waits on it never goes on. */
describe("who asks for the signatures of a quorum", () => {
  layer(Workers.layer)((it) => {
    it.effect("waits for no witness that is away, however often, and for none beyond a quorum", () =>
      Effect.gen(function*() {
        const { checkpoint, covers, sign } = yield* log
        yield* checkpoint(10, 60)
        yield* sign(10, "a", "b")
        assert.isTrue(yield* covers(10))
        yield* checkpoint(20, 6)
        yield* sign(20, "a")
        assert.isFalse(yield* covers(20))
        // Those after it are as late.
        yield* checkpoint(30, 0)
        assert.isFalse(yield* covers(30))
        assert.isTrue(yield* covers(10))
        // The witness is back.
        yield* sign(30, "a", "c")
        assert.isTrue(yield* covers(30))
        assert.isTrue(yield* covers(20))
      }))

    it.effect("waits for a checkpoint that is new, until it is signed, or is five seconds old", () =>
      Effect.gen(function*() {
        const { checkpoint, covers, pass, sign } = yield* log
        for (const isSigned of [true, false]) {
          const size = isSigned ? 10 : 20
          yield* checkpoint(size, 0)
          const waiting = yield* Effect.forkChild(covers(size), { startImmediately: true })
          if (isSigned) yield* sign(size, "b", "c")
          // A look at the database takes as long as it takes, and the pause after it begins then.
          while (waiting.pollUnsafe() === undefined) {
            yield* pass(isSigned ? 0 : 1)
            yield* Effect.promise(() => new Promise((resolve) => setTimeout(resolve, 2)))
          }
          assert.strictEqual(yield* Fiber.join(waiting), isSigned)
        }
      }))
  })
})

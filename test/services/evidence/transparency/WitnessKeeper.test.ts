import { assert, describe, it } from "@effect/vitest"
import { Context, Effect, Layer, Logger } from "effect"
import { SqlClient } from "effect/sql"
import { Checkpoints } from "../../../../src/services/evidence/transparency/Checkpoints.ts"
import {
  Witness,
  WitnessKeeper,
  WitnessUnavailable
} from "../../../../src/services/evidence/transparency/WitnessKeeper.ts"
import { Halt } from "../../../../src/services/ground/platform/Ports.ts"
import { Signing } from "../../../../src/services/keys/security/Signing.ts"
import { Sequencer } from "../../../../src/services/log/Sequencer.ts"
import { append, layerNode } from "../../../fixtures/Delivery.ts"
import { noteOver, signedFeed, signingKey } from "../../../fixtures/SignedFeed.ts"
import { layerTarget } from "../../../fixtures/Target.ts"

/** A witness in memory, which can be away. */
const memory = () => {
  const state = { note: undefined as string | undefined, isAway: false, written: 0 }
  const away = Effect.suspend(() =>
    state.isAway ? Effect.fail(new WitnessUnavailable({ message: "it is away" })) : Effect.void
  )
  const place = {
    name: "memory",
    read: Effect.andThen(away, Effect.sync(() => state.note)),
    replace: (note: string) =>
      Effect.andThen(
        away,
        Effect.sync(() => {
          state.note = note
          state.written += 1
        })
      )
  }
  return { state, layer: Layer.succeed(Witness, { place }) }
}

const layer = Layer.mergeAll(Sequencer.layer, Checkpoints.layer, Halt.layer).pipe(
  Layer.provideMerge(Signing.layer),
  Layer.provideMerge(layerNode),
  Layer.provide(layerTarget),
  // What it warns of is what is wanted here.
  Layer.merge(Logger.layer([]))
)

/** Everything that was appended is in the feed, and signed. */
const signAll = Effect.gen(function*() {
  const sequencer = yield* Sequencer
  const sql = yield* SqlClient.SqlClient
  while ((yield* sql`SELECT 1 FROM event_outbox LIMIT 1`).length > 0) {
    if ((yield* sequencer.step) === 0) yield* Effect.sleep(5)
  }
  yield* Checkpoints.use((checkpoints) => checkpoints.sign)
  return yield* Checkpoints.use((checkpoints) => checkpoints.latest)
}).pipe(Effect.timeout("120 seconds"))

/** The keeper as a start makes it. */
const keeper = (witness: ReturnType<typeof memory>) =>
  Layer.build(Layer.fresh(WitnessKeeper.layer).pipe(Layer.provide(witness.layer))).pipe(
    Effect.map(Context.get(WitnessKeeper))
  )

const halted = Halt.use(({ awaited }) => Effect.flip(awaited)).pipe(Effect.timeout("120 seconds"))

describe("the keeper of the witness", () => {
  it.live("keeps the latest checkpoint, once, and goes on from what is kept", () =>
    Effect.gen(function*() {
      const witness = memory()
      const first = yield* keeper(witness)
      for (const count of [3, 20]) {
        yield* append(count)
        const { note } = yield* signAll
        assert.isTrue(yield* first.step)
        assert.strictEqual(witness.state.note, note)
        assert.isFalse(yield* first.step)
      }
      assert.strictEqual(witness.state.written, 2)
      // Another node, or the same one after a start.
      const second = yield* keeper(witness)
      assert.isFalse(yield* second.step)
      yield* append(1)
      const { note } = yield* signAll
      assert.isTrue(yield* second.step)
      assert.strictEqual(witness.state.note, note)
    }).pipe(Effect.provide(layer), Effect.scoped))

  it.live("does not start on a log that does not continue what is kept", () =>
    Effect.gen(function*() {
      const { note, origin, tree_size } = yield* signAll
      const other = signedFeed(40)
      const wrong: ReadonlyArray<readonly [string, string]> = [
        [noteOver(other, signingKey(9), origin), `the events from ${tree_size + 1} to 40 are not in it`],
        [noteOver(other.slice(0, 1), signingKey(9), origin), "countersign restore --new-epoch --after <sequence>"],
        [noteOver(other.slice(0, 1), signingKey(9), `${origin}/epoch/2`), "epoch 2, 1 event"],
        [noteOver(other, signingKey(9)), "this is another database, or the witness of another service"],
        ["a shopping list\n", "does not hold a checkpoint"]
      ]
      for (const [kept, says] of wrong) {
        const witness = memory()
        witness.state.note = kept
        const failure = yield* Effect.flip(keeper(witness))
        assert.include(failure.message, says)
        assert.strictEqual(witness.state.note, kept)
      }
      const witness = memory()
      witness.state.note = note
      yield* keeper(witness)
    }).pipe(Effect.provide(layer), Effect.scoped))

  it.live(
    "starts without its witness, and ends the service when it is back and keeps what the log does not have",
    () =>
      Effect.gen(function*() {
        const { origin } = yield* signAll
        const witness = memory()
        const kept = noteOver(signedFeed(40), signingKey(9), origin)
        Object.assign(witness.state, { note: kept, isAway: true })
        const made = yield* keeper(witness)
        assert.isFalse(yield* made.step)
        witness.state.isAway = false
        assert.isFalse(yield* made.step)
        assert.include((yield* halted).message, "The log does not continue what its witness keeps")
        assert.strictEqual(witness.state.note, kept)
      }).pipe(Effect.provide(layer), Effect.scoped)
  )

  it.live("ends the service when the database is exchanged under it for an older one", () =>
    Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      const witness = memory()
      yield* signAll
      yield* append(20)
      const { note } = yield* signAll
      const made = yield* keeper(witness)
      assert.isTrue(yield* made.step)
      // What a restore of an older state leaves of the log.
      yield* sql`DELETE FROM event_places WHERE sequence > 1`
      yield* sql`DELETE FROM event_checkpoints WHERE tree_size > 1`
      yield* sql`UPDATE event_chain SET last_sequence = 1, tree_size = 1`
      assert.isFalse(yield* made.step)
      assert.include((yield* halted).message, "The database was restored from an older backup")
      assert.strictEqual(witness.state.note, note)
    }).pipe(Effect.provide(layer), Effect.scoped))
})

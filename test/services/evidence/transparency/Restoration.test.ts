import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Schedule } from "effect"
import { SqlClient } from "effect/sql"
import { cursorOf } from "../../../../src/domain/log/EpochPlace.ts"
import { Checkpoints } from "../../../../src/services/evidence/transparency/Checkpoints.ts"
import { Restoration } from "../../../../src/services/evidence/transparency/Restoration.ts"
import { Witness } from "../../../../src/services/evidence/transparency/WitnessKeeper.ts"
import { Signing } from "../../../../src/services/keys/security/Signing.ts"
import { Events } from "../../../../src/services/log/Events.ts"
import { Sequencer } from "../../../../src/services/log/Sequencer.ts"
import { append, layerNode } from "../../../fixtures/Delivery.ts"
import { noteOver, signedFeed, signingKey } from "../../../fixtures/SignedFeed.ts"
import { layerTarget } from "../../../fixtures/Target.ts"

/** A node that is stopped, and what its witness keeps. */
const nodeWith = (kept: { note: string | undefined } | undefined) =>
  Restoration.layer.pipe(
    Layer.provideMerge(Layer.mergeAll(Sequencer.layer, Checkpoints.layer)),
    Layer.provideMerge(Signing.layer),
    Layer.provide(Layer.succeed(Witness, {
      place: kept === undefined ? undefined : {
        name: "memory",
        read: Effect.sync(() => kept.note),
        replace: () => Effect.die(new Error("a restore writes no witness"))
      }
    })),
    Layer.provideMerge(layerNode),
    Layer.provide(layerTarget)
  )

/** Everything that was appended is in the feed; answers it, from its beginning. */
const sequenced = Effect.gen(function*() {
  const sequencer = yield* Sequencer
  const sql = yield* SqlClient.SqlClient
  while ((yield* sql`SELECT 1 FROM event_outbox LIMIT 1`).length > 0) {
    if ((yield* sequencer.step) === 0) yield* Effect.sleep(5)
  }
  yield* Checkpoints.use((checkpoints) => checkpoints.sign)
  return (yield* Events.use((events) => events.list({ limit: 200, cursor: 0, order: "asc" }))).items
}).pipe(Effect.timeout("120 seconds"))

const begin = (more: { readonly after?: number; readonly least?: number } = {}) =>
  Restoration.use((restoration) => restoration.begin({ reason: "a test", after: more.after, least: more.least }))

const begun = Effect.fnUntraced(function*(more: Parameters<typeof begin>[0] = {}) {
  const restored = yield* begin(more)
  return "begun" in restored ? restored.begun : assert.fail(restored.unneeded)
})

const unneeded = Effect.fnUntraced(function*(more: Parameters<typeof begin>[0] = {}) {
  const restored = yield* begin(more)
  return "unneeded" in restored ? restored.unneeded : assert.fail(`epoch ${restored.begun.epoch} began`)
})

describe("a restore that is declared", () => {
  it.live("begins an epoch with its event, before the events of the backup that had no place yet", () =>
    Effect.gen(function*() {
      yield* append(4)
      const before = yield* sequenced
      yield* append(3)
      const sql = yield* SqlClient.SqlClient
      yield* sql`
        INSERT INTO mails (event_id, kind, recipient, license_id, secret, key_hash)
        VALUES ('evt_1', 'license_issued', 'ada@example.com', 'lic_1', '', '')`
      const started = yield* begun()
      assert.deepStrictEqual(yield* sql`SELECT FROM mails`, [], "they may have been sent after the backup")
      assert.deepInclude(started, {
        epoch: 2,
        first_sequence: before.length + 1,
        restored_sequence: before.length,
        restored_hash: before.at(-1)!.hash
      })
      assert.notProperty(started, "witness")
      assert.include(yield* unneeded(), "Epoch 2 has begun")
      yield* append(1)
      const feed = yield* sequenced
      assert.deepStrictEqual(feed.slice(0, before.length), before)
      assert.deepStrictEqual(feed.slice(before.length).map(({ data, event_type }) => data["index"] ?? event_type), [
        "log.epoch_started",
        0,
        1,
        2,
        0
      ])
      assert.deepStrictEqual(feed[before.length]!.data, { ...started })
      // Nothing tells a repeat of the command from a second restore once the epoch has events of its own.
      assert.deepInclude(yield* begun(), { epoch: 3, restored_sequence: feed.length })
    }).pipe(Effect.provide(nodeWith(undefined)), Effect.scoped))

  it.live("of which the service learned late, parts the epochs where the backup ended", () =>
    Effect.gen(function*() {
      yield* append(9)
      const feed = yield* sequenced
      for (const after of [feed.length + 1, -1]) {
        assert.include((yield* Effect.flip(begin({ after }))).message, `--after ${after} is no event of epoch 1`)
      }
      const started = yield* begun({ after: 4 })
      assert.deepInclude(started, {
        first_sequence: feed.length + 1,
        restored_sequence: 4,
        restored_hash: feed[3]!.hash
      })
      assert.include(yield* unneeded({ after: 4 }), "Epoch 2 has begun")
      yield* sequenced
      const events = yield* Events
      for (const cursor of [5, feed.length]) {
        // What a node knows of epochs may be a second old.
        const lost = yield* Effect.flip(events.list({ limit: 5, cursor, order: "asc" })).pipe(
          Effect.retry({ schedule: Schedule.spaced("50 millis"), times: 200 })
        )
        assert.include(lost.error.detail, `continue with cursor=${cursorOf({ epoch: 2, sequence: 4 })}.`)
      }
      const { items } = yield* events.list({ limit: 200, cursor: cursorOf({ epoch: 2, sequence: 4 }), order: "asc" })
      assert.strictEqual(items[0]!.sequence, 5)
      // An epoch cannot be parted from one that is before it.
      assert.include((yield* Effect.flip(begin({ after: 3 }))).message, "is no event of epoch 2")
      assert.deepInclude(yield* begun({ after: feed.length + 1, least: 7 }), { epoch: 7 })
    }).pipe(Effect.provide(nodeWith(undefined)), Effect.scoped))

  it.live("gets a number that no epoch had, as far as the witness knows, and needs none when nothing is lost", () => {
    const kept = { note: undefined as string | undefined }
    return Effect.gen(function*() {
      yield* append(3)
      const { length } = yield* sequenced
      const { note, origin } = yield* Checkpoints.use((checkpoints) => checkpoints.latest)
      const examine = Restoration.use((restoration) => restoration.examine)
      kept.note = note
      assert.isUndefined(yield* examine)
      assert.include(yield* unneeded(), "nothing of it is lost")

      // It was in epoch 3 already when this backup, of epoch 1, was restored.
      kept.note = noteOver(signedFeed(20), signingKey(9), `${origin}/epoch/3`)
      assert.include(yield* examine, "epoch 3, 20 events")
      const started = yield* begun()
      assert.deepInclude(started, { epoch: 4, previous_origin: origin, restored_sequence: length })
      assert.deepInclude(started.witness, { origin: `${origin}/epoch/3`, tree_size: 20 })
      // Until its first checkpoint, the witness keeps what is lost.
      assert.isUndefined(yield* examine)
      assert.include(yield* unneeded(), "Epoch 4 has begun")
      yield* append(3)
      yield* sequenced
      assert.include(yield* unneeded(), "Epoch 4 has begun")

      kept.note = noteOver(signedFeed(2), signingKey(9), origin)
      assert.include((yield* Effect.flip(begin())).message, "--after <sequence>")
      kept.note = noteOver(signedFeed(2), signingKey(9))
      assert.include((yield* Effect.flip(begin())).message, "this is another database")
    }).pipe(Effect.provide(nodeWith(kept)), Effect.scoped)
  })
})

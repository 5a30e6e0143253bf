import { assert, describe, it } from "@effect/vitest"
import { Cause, Effect, Exit, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { verifyEvents } from "../../../../src/client/verify/index.ts"
import type { ServedEvent } from "../../../../src/domain/log/EventLeaf.ts"
import { servedLeafHash } from "../../../../src/domain/log/EventLeaf.ts"
import { Checkpoints } from "../../../../src/services/evidence/transparency/Checkpoints.ts"
import { EventProofs } from "../../../../src/services/evidence/transparency/EventProofs.ts"
import { Signing } from "../../../../src/services/keys/security/Signing.ts"
import { Events } from "../../../../src/services/log/Events.ts"
import { Sequencer } from "../../../../src/services/log/Sequencer.ts"
import { append, layerNode } from "../../../fixtures/Delivery.ts"
import { naiveRoot, sha256 } from "../../../fixtures/NaiveTree.ts"
import { layerTarget } from "../../../fixtures/Target.ts"

const layer = Layer.mergeAll(Sequencer.layer, EventProofs.layer).pipe(
  Layer.provideMerge(Checkpoints.layer),
  Layer.provideMerge(Signing.layer),
  Layer.provideMerge(layerNode),
  Layer.provide(layerTarget)
)

const test = <A, E>(
  body: Effect.Effect<A, E, Sequencer | Events | SqlClient.SqlClient | Checkpoints | EventProofs | Signing>
) => body.pipe(Effect.provide(layer), Effect.scoped)

const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString("hex")

/** Sequences until nothing is left. Transactions in other databases of the server can hold rows up for a moment. */
const sequenceAll = Effect.gen(function*() {
  const sequencer = yield* Sequencer
  const sql = yield* SqlClient.SqlClient
  while ((yield* sql`SELECT 1 FROM event_outbox LIMIT 1`).length > 0) {
    if ((yield* sequencer.step) === 0) yield* Effect.sleep(5)
  }
}).pipe(Effect.timeout("120 seconds"))

const readAll = Effect.gen(function*() {
  const events = yield* Events
  const all: Array<ServedEvent> = []
  for (let cursor = 0;;) {
    const page = yield* events.list({ limit: 200, cursor, order: "asc" })
    all.push(...page.items)
    if (!page.page_info.has_more) return all
    cursor = Number(page.page_info.next_cursor)
  }
})

/** The checkpoint that is signed now has the root that RFC 6962 gives, word for word, and verifies with the events. */
const assertCheckpoint = Effect.gen(function*() {
  const checkpoints = yield* Checkpoints
  yield* checkpoints.sign
  const { note, root_hash, tree_size } = yield* checkpoints.latest
  const events = yield* readAll
  assert.strictEqual(tree_size, events.length)
  assert.strictEqual(root_hash, hex(naiveRoot(events.map((event) => servedLeafHash(event, sha256)))))
  const { keys: publicKeys } = yield* (yield* Signing).published
  const verdict = yield* Effect.promise(() =>
    verifyEvents({ lines: [...events, { checkpoint: { note } }], publicKeys })
  )
  assert.deepInclude(verdict, { ok: true, events: tree_size })
  return tree_size
})

describe("Checkpoints", () => {
  it.live("are made of whatever batches came, once for each size, and only when there is something new", () =>
    test(Effect.gen(function*() {
      const checkpoints = yield* Checkpoints
      const sql = yield* SqlClient.SqlClient
      yield* sequenceAll
      assert.strictEqual(yield* assertCheckpoint, 1)
      assert.isUndefined(yield* checkpoints.sign)
      for (const count of [1, 15, 16, 240, 3]) {
        yield* append(count)
        yield* sequenceAll
        yield* assertCheckpoint
        assert.isUndefined(yield* checkpoints.sign)
      }
      yield* append(1)
      yield* sequenceAll
      const sizes = yield* Effect.all([checkpoints.sign, checkpoints.sign], { concurrency: 2 })
      assert.include(sizes, 277)
      const rows = yield* sql<{ readonly size: number }>`
        SELECT tree_size::int AS size FROM event_checkpoints ORDER BY 1`
      assert.deepStrictEqual(rows.map(({ size }) => size), [1, 2, 17, 33, 273, 276, 277])
      assert.strictEqual((yield* checkpoints.covering(34)).tree_size, 273)
      assert.strictEqual((yield* checkpoints.covering(33)).tree_size, 33)
      assert.strictEqual((yield* Effect.flip(checkpoints.covering(278)))._tag, "NOT_FOUND")
    })))

  it.live("are of one log, whichever node signs them, and of each key while it is the active one", () =>
    test(Effect.gen(function*() {
      const checkpoints = yield* Checkpoints
      const signing = yield* Signing
      yield* sequenceAll
      yield* checkpoints.sign
      const before = yield* checkpoints.latest
      const { kid } = yield* signing.rotate
      yield* sequenceAll
      yield* assertCheckpoint
      const after = yield* checkpoints.latest
      assert.deepStrictEqual([after.kid, after.origin], [kid, before.origin])
      assert.notStrictEqual(before.kid, kid)
      // Both verify together: a retired key stays published.
      const lines = [...(yield* readAll), { checkpoint: after }]
      const { keys: publicKeys } = yield* signing.published
      const both = yield* Effect.promise(() => verifyEvents({ lines, publicKeys, notes: [before.note] }))
      assert.isTrue(both.ok)
      const withoutOld = publicKeys.filter((key) => key.kid === kid)
      const one = yield* Effect.promise(() => verifyEvents({ lines, publicKeys: withoutOld, notes: [before.note] }))
      assert.deepInclude(one, { ok: false, fault: "unknown_key" })
    })))
})

describe("a feed from before there was a tree", () => {
  it.live(
    "gets it piece by piece, while the feed goes on, and from where it was when it ended in between",
    () =>
      test(Effect.gen(function*() {
        const sequencer = yield* Sequencer
        const sql = yield* SqlClient.SqlClient
        yield* append(600)
        yield* append(500)
        yield* sequenceAll
        yield* sql`DELETE FROM event_tiles`
        yield* sql`UPDATE event_chain SET tree_size = 0`

        assert.strictEqual(yield* sequencer.fill, 1000)
        // The feed does not wait for the tree.
        yield* append(20)
        yield* sequenceAll
        const [chain] = yield* sql<{ readonly last: number; readonly size: number }>`
        SELECT last_sequence::int AS last, tree_size::int AS size FROM event_chain`
        assert.deepStrictEqual(chain, { last: 1121, size: 1000 })
        yield* Checkpoints.use((checkpoints) => checkpoints.sign)
        assert.strictEqual((yield* Checkpoints.use((checkpoints) => checkpoints.latest)).tree_size, 1000)

        assert.strictEqual(yield* sequencer.fill, 121)
        assert.strictEqual(yield* sequencer.fill, 0)
        yield* append(7)
        yield* sequenceAll
        assert.strictEqual(yield* assertCheckpoint, 1128)
        const proofs = yield* EventProofs
        const proof = yield* proofs.consistency(1000, undefined)
        assert.strictEqual(proof.from_root_hash, (yield* Checkpoints.use((all) => all.covering(1000))).root_hash)
      }))
  )

  it.live("gets it by itself when the service runs", () =>
    test(
      Effect.gen(function*() {
        const sequencer = yield* Sequencer
        const sql = yield* SqlClient.SqlClient
        yield* append(1100)
        yield* sequenceAll
        yield* sql`DELETE FROM event_tiles`
        yield* sql`UPDATE event_chain SET tree_size = 0`
        yield* Effect.forkChild(sequencer.run)
        const isWhole = sql`SELECT 1 FROM event_chain WHERE tree_size = last_sequence AND tree_size > 0`
        while ((yield* isWhole).length === 0) yield* Effect.sleep(5)
        assert.strictEqual(yield* assertCheckpoint, 1101)
      }).pipe(Effect.timeout("120 seconds"))
    ))

  it.live("whose events are not all there gets none, and goes on", () =>
    test(Effect.gen(function*() {
      const sequencer = yield* Sequencer
      const sql = yield* SqlClient.SqlClient
      yield* append(20)
      yield* sequenceAll
      yield* sql`DELETE FROM event_tiles`
      yield* sql`UPDATE event_chain SET tree_size = 0`
      yield* sql`DELETE FROM event_places WHERE sequence = 7`
      const failed = yield* Effect.exit(sequencer.fill)
      assert.include(Exit.isFailure(failed) ? Cause.pretty(failed.cause) : "", "The event 7 is not there")
      yield* append(3)
      yield* sequenceAll
      const [chain] = yield* sql<{ readonly last: number; readonly size: number }>`
        SELECT last_sequence::int AS last, tree_size::int AS size FROM event_chain`
      assert.deepStrictEqual(chain, { last: 24, size: 0 })
    })))
})

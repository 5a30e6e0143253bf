import { assert, describe, it } from "@effect/vitest"
import { Context, Effect, Layer, Logger } from "effect"
import { SqlClient } from "effect/sql"
import { timestamped } from "../../../../src/domain/evidence/transparency/SignedNote.ts"
import { readVerifierKey } from "../../../../src/domain/evidence/transparency/VerifierKey.ts"
import type { KnownLog } from "../../../../src/domain/evidence/witnessing/Cosigning.ts"
import type { KeptChange } from "../../../../src/domain/evidence/witnessing/FollowedLogs.ts"
import { makeCosigner } from "../../../../src/runtime/witness/Cosigner.ts"
import { makeWitnessState } from "../../../../src/runtime/witness/WitnessState.ts"
import { Checkpoints } from "../../../../src/services/evidence/transparency/Checkpoints.ts"
import { Cosignatures } from "../../../../src/services/evidence/transparency/Cosignatures.ts"
import { Witnesses, WitnessUnavailable } from "../../../../src/services/evidence/transparency/WitnessKeeper.ts"
import type { CosigningWitness, WitnessReply } from "../../../../src/services/evidence/transparency/WitnessKeeper.ts"
import { Cryptography } from "../../../../src/services/ground/platform/Cryptography.ts"
import { Signing } from "../../../../src/services/keys/security/Signing.ts"
import { Sequencer } from "../../../../src/services/log/Sequencer.ts"
import { append, layerNode } from "../../../fixtures/Delivery.ts"
import { sha256 } from "../../../fixtures/NaiveTree.ts"
import { layerTarget } from "../../../fixtures/Target.ts"

/** How a witness misbehaves; undefined: it does not. */
type Wrong = "away" | "slow" | { readonly says: WitnessReply }

/** A witness in this process, by the program's own rules, whose memory may be put back. */
const witnessCalled = Effect.fnUntraced(function*(name: string) {
  const { ed25519Generate } = yield* Cryptography
  const { privateKey, publicKey } = ed25519Generate()
  const notes = new Map<string, string>()
  const logs: Array<KnownLog> = []
  const verifier = { name, type: timestamped, publicKey }
  const changes = new Map<string, ReadonlyArray<KeptChange>>()
  const state = makeWitnessState(notes, () => Effect.void, changes)
  const cosigner = yield* makeCosigner({ seed: privateKey, verifier, isNew: true }, state, Effect.sync(() => logs))
  const behaviour = { wrong: undefined as Wrong | undefined, asked: 0, tellsKeys: undefined as number | undefined }
  const answered = (answer: Effect.Effect<WitnessReply>) =>
    Effect.suspend((): Effect.Effect<WitnessReply, WitnessUnavailable> => {
      behaviour.asked += 1
      const { wrong } = behaviour
      if (wrong === "away") return Effect.fail(new WitnessUnavailable({ message: "it is away" }))
      if (wrong === "slow") return Effect.never
      return wrong === undefined ? answer : Effect.succeed(wrong.says)
    })
  const witness: CosigningWitness = {
    id: `${name}+00000000`,
    key: verifier,
    add: (body) => answered(cosigner.add(body)),
    addKeyEvent: (body) =>
      behaviour.tellsKeys === undefined
        ? cosigner.follow(body)
        : Effect.succeed({ status: behaviour.tellsKeys, body: "" }),
    checkpoint: (hash) => Effect.map(cosigner.latest(hash), ({ body, status }) => status === 200 ? body : undefined)
  }
  return { ...witness, notes, changes, logs, behaviour }
})

const complaints: Array<string> = []
const complaining = Logger.make(({ message }) => void complaints.push(String(message)))

const layer = Sequencer.layer.pipe(
  Layer.provideMerge(Signing.layer),
  Layer.provideMerge(layerNode),
  Layer.provide(layerTarget),
  // What it warns of is what is wanted here.
  Layer.merge(Logger.layer([complaining]))
)

/** Three witnesses that know the log, of which two must sign. */
const party = Effect.gen(function*() {
  const all = yield* Effect.forEach(["w1", "w2", "w3"], witnessCalled)
  const layerOf = Layer.mergeAll(Layer.fresh(Checkpoints.layer), Layer.fresh(Cosignatures.layer)).pipe(
    Layer.provide(Layer.succeed(Witnesses, { all, quorum: 2 }))
  )
  const context = yield* Layer.build(layerOf)
  const checkpoints = Context.get(context, Checkpoints)
  const cosignatures = Context.get(context, Cosignatures)
  const signAll = Effect.gen(function*() {
    const sequencer = yield* Sequencer
    const sql = yield* SqlClient.SqlClient
    while ((yield* sql`SELECT 1 FROM event_outbox LIMIT 1`).length > 0) {
      if ((yield* sequencer.step) === 0) yield* Effect.sleep(5)
    }
    yield* checkpoints.sign
    return yield* checkpoints.latest
  }).pipe(Effect.timeout("60 seconds"))
  const { origin, verifier_key } = yield* signAll
  for (const { logs } of all) logs.push({ origin, key: readVerifierKey(verifier_key!, sha256)! })
  const [w1, w2, w3] = all
  return { w1: w1!, w2: w2!, w3: w3!, checkpoints, step: cosignatures.step, signAll }
})

describe("asking witnesses to cosign", () => {
  it.live("a checkpoint is cosigned once a quorum has signed it, whatever the third witness does", () =>
    Effect.gen(function*() {
      const { checkpoints, signAll, step, w1, w2, w3 } = yield* party
      w3.behaviour.wrong = "slow"
      yield* Effect.forkScoped(step(w3))
      assert.strictEqual(yield* step(w1), "cosigned")
      const { note, tree_size } = yield* checkpoints.latest
      assert.isUndefined((yield* checkpoints.latest).cosigned_tree_size)
      assert.strictEqual((yield* Effect.flip(checkpoints.cosigned(undefined))).error.code, "NOT_FOUND")
      assert.strictEqual(yield* step(w2), "cosigned")
      const cosigned = yield* checkpoints.cosigned(undefined)
      assert.strictEqual(cosigned.tree_size, tree_size)
      assert.strictEqual(cosigned.cosigned_tree_size, tree_size)
      assert.deepStrictEqual(cosigned.cosignatures?.map(({ witness }) => witness), [w1.id, w2.id])
      assert.include(cosigned.note, note.slice(0, note.indexOf("\n\n")))
      // Who has signed is not asked again.
      assert.isUndefined(yield* step(w1))
      assert.strictEqual(w1.behaviour.asked, 1)

      w3.behaviour.wrong = "away"
      yield* append(7)
      yield* signAll
      assert.strictEqual(yield* step(w3), "unavailable")
      assert.strictEqual(yield* step(w1), "cosigned")
      assert.strictEqual((yield* checkpoints.latest).cosigned_tree_size, tree_size)
      assert.strictEqual(yield* step(w2), "cosigned")
      assert.strictEqual((yield* checkpoints.latest).cosigned_tree_size, tree_size + 7)
      assert.strictEqual((yield* checkpoints.cosigned(1)).tree_size, tree_size)
      assert.strictEqual((yield* checkpoints.cosigned(tree_size + 1)).tree_size, tree_size + 7)
      // A witness that comes late is proven everything since.
      w3.behaviour.wrong = undefined
      assert.strictEqual(yield* step(w3), "cosigned")
    }).pipe(Effect.provide(layer), Effect.scoped))

  it.live("what a witness lies counts for nothing and ends nothing", () =>
    Effect.gen(function*() {
      const { checkpoints, signAll, step, w1, w2 } = yield* party
      yield* append(3)
      yield* signAll
      const lies: ReadonlyArray<readonly [WitnessReply, string]> = [
        [{ status: 200, body: "" }, "invalid"],
        [{ status: 200, body: `\u2014 ${w1.key.name} ${Buffer.alloc(76, 1).toString("base64")}\n` }, "invalid"],
        [{ status: 409, body: "9007199254740991\n" }, "ahead"],
        [{ status: 409, body: "many\n" }, "invalid"],
        [{ status: 422, body: "" }, "inconsistent"],
        [{ status: 403, body: "" }, "unknown_key"],
        [{ status: 404, body: "" }, "unknown_log"],
        [{ status: 500, body: "" }, "invalid"]
      ]
      for (const [says, outcome] of lies) {
        w1.behaviour.wrong = { says }
        assert.strictEqual(yield* step(w1), outcome)
      }
      // The signature of another witness, and its own on another checkpoint.
      yield* step(w2)
      const { note } = yield* checkpoints.latest
      w1.behaviour.wrong = { says: { status: 200, body: note.slice(note.lastIndexOf("\u2014")) } }
      assert.strictEqual(yield* step(w1), "invalid")
      assert.isUndefined((yield* checkpoints.latest).cosigned_tree_size)
    }).pipe(Effect.provide(layer), Effect.scoped))

  it.live("a witness that was restored from an old disk is proven what it has forgotten", () =>
    Effect.gen(function*() {
      const { signAll, step, w1, w2 } = yield* party
      yield* step(w1)
      yield* step(w2)
      const old = new Map(w1.notes)
      yield* append(5)
      const { tree_size } = yield* signAll
      yield* step(w1)
      yield* step(w2)
      for (const [origin, note] of old) w1.notes.set(origin, note)
      yield* append(5)
      yield* signAll
      assert.strictEqual(yield* step(w1), "cosigned")
      assert.include([...w1.notes.values()][0]!, `\n${tree_size + 5}\n`)
    }).pipe(Effect.provide(layer), Effect.scoped))

  /** What a restore of an older state leaves of the log. */
  const restoreOld = Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    yield* sql`DELETE FROM event_places WHERE sequence > 1`
    yield* sql`DELETE FROM event_checkpoints`
    yield* sql`DELETE FROM checkpoint_cosignatures`
    yield* sql`UPDATE event_chain SET last_sequence = 1, tree_size = 1`
  })

  it.live("says so when a witness shows what this log signed and does not have any more, and goes on", () =>
    Effect.gen(function*() {
      const { checkpoints, signAll, step, w1, w2 } = yield* party
      yield* append(20)
      yield* signAll
      yield* step(w1)
      yield* step(w2)
      yield* restoreOld
      yield* checkpoints.sign
      complaints.length = 0
      assert.strictEqual(yield* step(w1), "discontinued")
      assert.include(complaints.join("\n"), "The database was restored from an older backup")
      assert.include(complaints.join("\n"), "The service keeps running")
      // A witness without anything to show says the same of nothing.
      w2.notes.clear()
      w2.behaviour.wrong = { says: { status: 422, body: "" } }
      assert.strictEqual(yield* step(w2), "inconsistent")
    }).pipe(Effect.provide(layer), Effect.scoped))

  it.live("what a key signed that was revoked since is no word of this log", () =>
    Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      const { checkpoints, signAll, step, w1, w2 } = yield* party
      yield* append(20)
      yield* signAll
      yield* step(w1)
      yield* step(w2)
      yield* (yield* Signing).rotate
      yield* sql`UPDATE signing_keys SET status = 'revoked', revoked_at = now() WHERE status = 'retired'`
      yield* restoreOld
      yield* checkpoints.sign
      w1.behaviour.wrong = { says: { status: 409, body: "9007199254740991\n" } }
      assert.strictEqual(yield* step(w1), "ahead")
      w2.behaviour.wrong = { says: { status: 422, body: "" } }
      assert.strictEqual(yield* step(w2), "inconsistent")
    }).pipe(Effect.provide(layer), Effect.scoped))

  it.live("a witness follows a key that was rotated by the one that it knows, until that one is revoked", () =>
    Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      const { checkpoints, signAll, step, w1, w2 } = yield* party
      const known = (yield* checkpoints.latest).verifier_key
      for (const one of [w1, w2]) assert.strictEqual(yield* step(one), "cosigned")
      yield* (yield* Signing).rotate
      yield* append(1)
      assert.notStrictEqual((yield* signAll).verifier_key, known)
      assert.strictEqual(yield* step(w1), "cosigned")
      yield* sql`UPDATE signing_keys SET status = 'revoked', revoked_at = now() WHERE status = 'retired'`
      yield* append(1)
      yield* signAll
      const { note } = yield* checkpoints.latest
      // The second one was asked nothing since, and knows the key alone that was revoked.
      assert.strictEqual((yield* w2.add(`old 0\n\n${note}`)).status, 403)
      assert.strictEqual((yield* w1.add(`old 0\n\n${note}`)).status, 409)
    }).pipe(Effect.provide(layer), Effect.scoped))

  it.live("a witness follows the keys of the log by the log, also when it was away for some of them", () =>
    Effect.gen(function*() {
      const signing = yield* Signing
      const { checkpoints, signAll, step, w1, w2, w3 } = yield* party
      const { kid: first, note: oldest, origin, verifier_key: given } = yield* checkpoints.latest
      for (const one of [w1, w2, w3]) assert.strictEqual(yield* step(one), "cosigned")
      const rotated = Effect.gen(function*() {
        yield* signing.rotate
        yield* append(1)
        return yield* signAll
      })
      /** What a witness was told, by the events' places. */
      const told = ({ changes }: typeof w1) => changes.get(origin) ?? []
      const { note, verifier_key: second } = yield* rotated
      for (const one of [w1, w3]) assert.strictEqual(yield* step(one), "cosigned")
      const [introduced] = told(w1)
      assert.deepInclude(introduced, { introduced: second!, by: given! })
      assert.deepStrictEqual(told(w2), [])

      // Two at once are under one checkpoint, which all keys sign that introduce one.
      yield* signing.rotate
      const { note: both, verifier_key: newest } = yield* rotated
      assert.strictEqual(both.split("\n").filter((line) => line.startsWith("\u2014")).length, 6)
      assert.strictEqual(yield* step(w1), "cosigned")
      assert.strictEqual(told(w1).length, 3)
      assert.deepInclude(told(w1).at(-1), { introduced: newest! })
      // One of another maker takes no events of keys. The key that it knows still signs here, and no longer after this.
      w3.behaviour.tellsKeys = 404
      assert.strictEqual(yield* step(w3), "cosigned")

      // The first key was stolen. A witness that was told so takes nothing of it any more.
      yield* signing.revoke(first)
      yield* append(1)
      yield* signAll
      assert.strictEqual(yield* step(w1), "cosigned")
      assert.deepInclude(told(w1).at(-1), { revoked: given! })
      assert.strictEqual((yield* w1.add(`old 0\n\n${oldest}`)).status, 403)
      assert.strictEqual((yield* w3.add(`old 0\n\n${oldest}`)).status, 409)

      // One that knows the first key alone is led there by the checkpoints that this key signed while it was good.
      assert.strictEqual(yield* step(w2), "cosigned")
      assert.deepStrictEqual(told(w2), told(w1))
      assert.strictEqual((yield* w2.add(`old 0\n\n${note}`)).status, 409)
      const latest = yield* checkpoints.latest
      assert.include(w2.notes.get(origin)!, `\n${latest.tree_size}\n`)
      assert.strictEqual(yield* step(w3), "unknown_key")
      assert.strictEqual(told(w3).length, 1)
    }).pipe(Effect.provide(layer), Effect.scoped))

  it.live("a witness that missed what it was told, or has forgotten it, is led to the newest key again", () =>
    Effect.gen(function*() {
      const signing = yield* Signing
      const { signAll, step, w1, w2, checkpoints } = yield* party
      const { origin } = yield* checkpoints.latest
      for (const one of [w1, w2]) assert.strictEqual(yield* step(one), "cosigned")
      const old = new Map(w2.notes)
      const next = (rotate: boolean) =>
        Effect.gen(function*() {
          if (rotate) yield* signing.rotate
          yield* append(1)
          yield* signAll
          return [yield* step(w1), yield* step(w2)]
        })
      w1.behaviour.tellsKeys = 500
      assert.deepStrictEqual(yield* next(true), ["cosigned", "cosigned"])
      assert.deepStrictEqual(yield* next(false), ["cosigned", "cosigned"])
      assert.isUndefined(w1.changes.get(origin))
      w1.behaviour.tellsKeys = undefined
      assert.deepStrictEqual(yield* next(true), ["cosigned", "cosigned"])
      assert.strictEqual(w1.changes.get(origin)?.length, 2)
      assert.deepStrictEqual(w1.changes, w2.changes)
      // From an old disk.
      w2.notes.set(origin, old.get(origin)!)
      w2.changes.clear()
      assert.deepStrictEqual(yield* next(false), ["cosigned", "cosigned"])
      assert.deepStrictEqual(w1.changes, w2.changes)
      // It is led there once: the rest is for its operator.
      w2.logs.length = 0
      w2.logs.push({ origin, key: { name: origin, type: 1, publicKey: new Uint8Array(32) } })
      assert.deepStrictEqual(yield* next(false), ["cosigned", "unknown_key"])
      const before = w2.behaviour.asked
      assert.strictEqual(yield* step(w2), "unknown_key")
      assert.strictEqual(w2.behaviour.asked, before + 1)
    }).pipe(Effect.provide(layer), Effect.scoped))

  it.live("a witness shows the lines that it verified and its own, whatever a caller adds", () =>
    Effect.gen(function*() {
      const { checkpoints, w1 } = yield* party
      const { note, origin } = yield* checkpoints.latest
      const junk = Array.from(
        { length: 60 },
        (_, at) => `\u2014 other${at} ${Buffer.alloc(68, at).toString("base64")}\n`
      )
      assert.strictEqual((yield* w1.add(`old 0\n\n${note}${junk.join("")}`)).status, 200)
      const shown = yield* w1.checkpoint(Buffer.from(sha256(origin)).toString("hex"))
      assert.isTrue(shown?.startsWith(note), shown)
      assert.strictEqual(shown!.split("\n").filter((line) => line.startsWith("\u2014")).length, 3)
      assert.strictEqual(w1.notes.get(origin), note)
    }).pipe(Effect.provide(layer), Effect.scoped))
})

import { assert, describe, it } from "@effect/vitest"
import { byWebCrypto } from "../../../src/client/hashing/sha256.ts"
import type { CheckpointFault, RevokedKey, VerifyCheckpointOptions } from "../../../src/client/verify/index.ts"
import { verifyCheckpoint } from "../../../src/client/verify/index.ts"
import { originOf } from "../../../src/domain/log/EpochPlace.ts"
import { servedLeafHash } from "../../../src/domain/log/EventLeaf.ts"
import { naiveProof, sha256 } from "../../fixtures/NaiveTree.ts"
import { noteOver, origin, rechained, signedFeed, signingKey } from "../../fixtures/SignedFeed.ts"

const key = signingKey(9)
const feed = signedFeed(40)
const leaves = feed.map((event) => servedLeafHash(event, sha256))
const noteOf = (size: number, name = origin) => noteOver(feed.slice(0, size), key, name)
const note = noteOf(40)
const revoked: RevokedKey = { ...key.published, status: "revoked", revoked_at: "2026-06-01T00:00:00.000Z" }

/** Proofs as the service makes them, over some leaves. */
const proving = (of = leaves) => (from: number, to: number) =>
  Promise.resolve({
    hashes: naiveProof(from, of.slice(0, to)).map((hash) => Buffer.from(hash).toString("hex"))
  })

const verify = (more: Partial<VerifyCheckpointOptions> = {}) =>
  verifyCheckpoint({ note, publicKeys: [signingKey(3).published, key.published], ...more })

const assertFault = async (fault: CheckpointFault, more: Partial<VerifyCheckpointOptions>) => {
  const verdict = await verify(more)
  assert.deepInclude(verdict, { ok: false, fault }, JSON.stringify(verdict))
  return verdict
}

describe("a checkpoint", () => {
  it("is verified by its note alone", async () => {
    const verdict = await verify()
    assert.isTrue(verdict.ok)
    if (!verdict.ok) return
    const { rootHash, ...rest } = verdict.checkpoint
    assert.deepStrictEqual(rest, { origin, size: 40, kid: "sig_9", time: "2026-05-28T20:26:40.000Z" })
    assert.match(rootHash, /^[0-9a-f]{64}$/)
    assert.notProperty(verdict, "since")
  })

  it("vouches for nothing when anything of it is another", async () => {
    await assertFault("signature_mismatch", { note: note.replace("\n40\n", "\n41\n") })
    await assertFault("signature_mismatch", { note: note.replace(/\n40\n./, (text) => `${text.slice(0, -1)}+`) })
    await assertFault("checkpoint_malformed", { note: note.slice(0, -5) })
    await assertFault("checkpoint_malformed", { note: "" })
    await assertFault("unknown_key", { publicKeys: [signingKey(3).published] })
    await assertFault("unknown_key", { publicKeys: [] })
  })

  it("vouches for nothing once its key was revoked, unless it was kept from before", async () => {
    const verdict = await assertFault("revoked_key", { revokedKeys: [revoked] })
    assert.deepInclude(verdict, { revokedAt: revoked.revoked_at })
    assert.deepInclude(await verify({ revokedKeys: [revoked], since: { note, prove: proving() } }), { ok: true })
    const later = noteOver(feed, key, origin, 1_790_000_000)
    await assertFault("revoked_key", { note: later, revokedKeys: [revoked], since: { note: later, prove: proving() } })
    // What another key signs goes on from it.
    const next = noteOver(feed, signingKey(3))
    const since = { note: noteOf(7), prove: proving() }
    assert.deepInclude(await verify({ note: next, revokedKeys: [revoked], since }), { ok: true })
  })
})

describe("a checkpoint that was kept", () => {
  it("is continued, whatever both sizes are", async () => {
    for (const [from, to] of [[1, 2], [1, 40], [7, 40], [8, 16], [16, 40], [32, 33], [39, 40], [40, 40]] as const) {
      const verdict = await verify({ note: noteOf(to), since: { note: noteOf(from), prove: proving() } })
      assert.isTrue(verdict.ok, `${from} to ${to}: ${JSON.stringify(verdict)}`)
      if (verdict.ok) assert.deepStrictEqual([verdict.since?.size, verdict.checkpoint.size], [from, to])
    }
  })

  it("is not continued by other events, whatever proof is given", async () => {
    const forged = rechained(feed.with(3, { ...feed[3]!, actor_id: "lic_2" }))
    const theirs = forged.map((event) => servedLeafHash(event, sha256))
    const since = noteOf(20)
    for (const prove of [proving(), proving(theirs), async () => ({ hashes: [] }), async () => ({ hashes: ["x"] })]) {
      await assertFault("rewritten", { note: noteOver(forged, key), since: { note: since, prove } })
    }
    await assertFault("rewritten", {
      note: noteOver(forged.slice(0, 20), key),
      since: { note: since, prove: proving() }
    })
  })

  it("shows that events are missing, were lost in a restore, or are of another log", async () => {
    const prove = proving()
    await assertFault("truncated", { note: noteOf(20), since: { note, prove } })
    await assertFault("lost_part", { note: noteOf(20, originOf(origin, 2)), since: { note, prove } })
    await assertFault("truncated", { since: { note: noteOf(20, originOf(origin, 2)), prove } })
    await assertFault("other_log", { since: { note: noteOf(20, "other.example/events/1"), prove } })
    const other = rechained(feed.with(30, { ...feed[30]!, actor_id: "lic_2" }))
    const leavesAfter = other.map((event) => servedLeafHash(event, sha256))
    const restored = noteOver(other, key, originOf(origin, 2))
    await assertFault("lost_part", { note: restored, since: { note: noteOf(35), prove: proving(leavesAfter) } })
    // What both have in common is continued in the next epoch too.
    assert.deepInclude(await verify({ note: restored, since: { note: noteOf(30), prove: proving(leavesAfter) } }), {
      ok: true
    })
  })

  it("must be one itself", async () => {
    const since = { note: noteOver(feed.slice(0, 7), signingKey(5)), prove: proving() }
    const verdict = await assertFault("unknown_key", { since })
    assert.match(verdict.ok ? "" : verdict.detail, /kept/)
  })

  it("is not asked about where the answer is known, and what asking comes to is told", async () => {
    const prove = () => Promise.reject(new Error("away"))
    assert.deepInclude(await verify({ since: { note, prove } }), { ok: true })
    assert.deepInclude(await verify({ note: noteOver(feed, signingKey(3)), since: { note, prove } }), { ok: true })
    const asked = await verify({ since: { note: noteOf(7), prove } }).catch((error: unknown) => error)
    assert.deepInclude(asked, { message: "away" })
  })
})

describe("SHA-256 by WebCrypto", () => {
  it("hashes what synchronous code asks for, parts and chains of digests included", async () => {
    const chain = (hash: typeof sha256) => {
      let last = hash("ab", Uint8Array.of(1, 2), "é")
      for (let index = 0; index < 30; index++) last = hash(last, String(index))
      return Buffer.from(last).toString("hex")
    }
    assert.strictEqual(await byWebCrypto(chain), chain(sha256))
    assert.strictEqual(await byWebCrypto(async (hash) => chain(hash)), chain(sha256))
  })

  it("passes on what the code throws itself", async () => {
    const thrown = await byWebCrypto(() => {
      throw new RangeError("of its own")
    }).catch((error: unknown) => error)
    assert.instanceOf(thrown, RangeError)
  })

  it("verifies a checkpoint where there is nothing else", async () => {
    const { getBuiltinModule } = process
    try {
      process.getBuiltinModule = undefined as never
      assert.deepInclude(await verify({ since: { note: noteOf(7), prove: proving() } }), { ok: true })
      await assertFault("signature_mismatch", { note: note.replace("\n40\n", "\n41\n") })
    } finally {
      process.getBuiltinModule = getBuiltinModule
    }
  })
})

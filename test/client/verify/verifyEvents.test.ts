import { assert, describe, it } from "@effect/vitest"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import type { EventsFault, PublicKey, VerifyEventsOptions } from "../../../src/client/verify/index.ts"
import { verifyEvents } from "../../../src/client/verify/index.ts"
import { kinds } from "../../../src/domain/log/EventKind.ts"
import type { ServedEvent } from "../../../src/domain/log/EventLeaf.ts"
import { servedHash } from "../../../src/domain/log/EventLeaf.ts"
import { sha256 } from "../../fixtures/NaiveTree.ts"
import { linesOf, noteOver, origin, rechained, signedFeed, signingKey } from "../../fixtures/SignedFeed.ts"
import { texts } from "../../vectors/makeEvents.ts"
import { vectors, verdictsText } from "../../vectors/makeVerdicts.ts"

const key = signingKey(9)
const feed = signedFeed(40)
const note = noteOver(feed, key)

const verify = (lines: Iterable<unknown>, more: Partial<VerifyEventsOptions> = {}) =>
  verifyEvents({ lines, publicKeys: [signingKey(3).published, key.published], ...more })

const assertFault = async (
  lines: Iterable<unknown>,
  fault: EventsFault,
  sequence?: number,
  more: Partial<VerifyEventsOptions> = {}
) => {
  const verdict = await verify(lines, more)
  assert.isFalse(verdict.ok, `expected ${fault}`)
  if (!verdict.ok) assert.deepStrictEqual([verdict.fault, verdict.sequence], [fault, sequence], verdict.detail)
}

const rehashed = (event: ServedEvent): ServedEvent => ({
  ...event,
  hash: servedHash(event, event.previous_hash, sha256)
})
const renumbered = (events: ReadonlyArray<ServedEvent>, by: number) =>
  events.map((event) => Object.assign({}, event, { sequence: event.sequence + by }))

describe("an export that is as it was signed", () => {
  it("is verified, as text or parsed, with what was erased counted and the time of signing", async () => {
    const checkpoint = { origin, size: 40, kid: "sig_9", time: "2026-05-28T20:26:40.000Z" }
    for (const lines of [linesOf(feed, note), [...feed, { checkpoint: { note } }]]) {
      const verdict = await verify(lines)
      assert.isTrue(verdict.ok, JSON.stringify(verdict))
      if (!verdict.ok) continue
      assert.deepInclude(verdict, { events: 40, erased: 0 })
      const { rootHash, ...rest } = verdict.checkpoints[0]!
      assert.deepStrictEqual(rest, checkpoint)
      assert.match(rootHash, /^[0-9a-f]{64}$/)
    }
  })

  it("stays so when personal values are erased, all of them or some", async () => {
    const erased = feed.map((event, index) => {
      if (index % 3 === 0) return event
      const { ip_address: _ip, salts, ...rest } = event
      if (index % 3 === 1) return { ...rest, salts: { "/data/customer_email": salts!["/data/customer_email"] } }
      const { customer_email: _email, ...data } = rest.data
      return { ...rest, data }
    })
    const verdict = await verify(linesOf(erased, note))
    assert.deepInclude(verdict, { ok: true, erased: 13 + 13 * 2 })
  })

  it("agrees with checkpoints kept from before", async () => {
    const [early, later] = [noteOver(feed.slice(0, 7), key), noteOver(feed.slice(0, 32), signingKey(3))]
    const verdict = await verify([...linesOf(feed, note), ""], { notes: [later, early] })
    assert.isTrue(verdict.ok)
    if (verdict.ok) assert.deepStrictEqual(verdict.checkpoints.map(({ size }) => size), [7, 32, 40])
  })

  it("is read from a stream", async () => {
    async function* stream() {
      yield* linesOf(feed, note)
    }
    assert.isTrue((await verifyEvents({ lines: stream(), publicKeys: [key.published] })).ok)
  })

  it("is that of the published vectors, which are as they were made", async () => {
    const read = (name: keyof typeof texts) => readFileSync(join(import.meta.dirname, "../../vectors", name), "utf8")
    for (const name of ["events.ndjson", "events.keys.json"] as const) assert.strictEqual(read(name), texts[name])
    const keys = JSON.parse(read("events.keys.json")) as { readonly data: ReadonlyArray<PublicKey> }
    const lines = read("events.ndjson").split("\n")
    assert.deepInclude(await verifyEvents({ lines, publicKeys: keys.data }), { ok: true, events: 8, erased: 2 })
    assert.strictEqual(read("events-kinds.ndjson"), texts["events-kinds.ndjson"])
    const ofEachKind = await verifyEvents({ lines: read("events-kinds.ndjson").split("\n"), publicKeys: keys.data })
    assert.deepInclude(ofEachKind, { ok: true, events: kinds.length })
  })
})

describe("the published verdicts", () => {
  it("are as they were made", () => {
    const path = join(import.meta.dirname, "../../vectors/events.verdicts.json")
    assert.strictEqual(readFileSync(path, "utf8"), verdictsText)
  })

  it.each(vectors.cases.map((one) => [one.name, one] as const))("%s", async (_name, one) => {
    const verdict = await verifyEvents({
      lines: one.export.split("\n"),
      publicKeys: vectors.keys.data,
      revokedKeys: vectors.keys.revoked,
      notes: one.notes ?? []
    })
    const said = verdict.ok ? ["verified", undefined] : [verdict.fault, verdict.sequence]
    assert.deepStrictEqual(said, [one.expected, one.sequence], verdict.ok ? "" : verdict.detail)
  })

  it("say of a note that its key was revoked later", async () => {
    const one = vectors.cases.find(({ name }) => name.startsWith("a note was kept that a key signed before"))!
    const { data: publicKeys, revoked: revokedKeys } = vectors.keys
    const asked = { lines: one.export.split("\n"), publicKeys, notes: one.notes! }
    const verdict = await verifyEvents({ ...asked, revokedKeys })
    assert.isTrue(verdict.ok)
    if (!verdict.ok) return
    assert.deepStrictEqual(verdict.checkpoints.map(({ revokedAt }) => revokedAt), [
      revokedKeys[0]!.revoked_at,
      undefined
    ])
    // Without the keys that were revoked it is a note of nobody.
    assert.deepInclude(await verifyEvents(asked), { ok: false, fault: "unknown_key" })
    // In the list of those that are trusted it verifies nothing either.
    const mixed = await verifyEvents({ ...asked, publicKeys: [...publicKeys, ...revokedKeys] })
    assert.deepInclude(mixed, { ok: false, fault: "unknown_key" })
  })
})

describe("an event that was altered", () => {
  it("is named, wherever it is", async () => {
    for (let index = 0; index < feed.length; index++) {
      const altered = feed.with(index, { ...feed[index]!, actor_id: "lic_2" })
      await assertFault(linesOf(altered, note), "altered", index + 1)
    }
  })

  it("is named when its own hash was made right again", async () => {
    for (const index of [0, 1, 20, 38]) {
      const altered = feed.with(index, rehashed({ ...feed[index]!, actor_id: "lic_2" }))
      await assertFault(linesOf(altered, note), "altered", index + 1)
    }
  })

  it("shows when every hash after it was made right again", async () => {
    for (const index of [0, 20, 39]) {
      const forged = rechained(feed.with(index, { ...feed[index]!, actor_id: "lic_2" }))
      await assertFault(linesOf(forged, note), "rewritten", 1)
      // A checkpoint in between, or one that was kept, says more closely where.
      const early = noteOver(feed.slice(0, 15), key)
      await assertFault(linesOf(forged, note), "rewritten", index < 15 ? 1 : 16, { notes: [early] })
    }
  })

  it("shows in a personal value that is not the one that was committed to", async () => {
    await assertFault(
      linesOf(feed.with(4, { ...feed[4]!, ip_address: "203.0.113.10" }), note),
      "commitment_mismatch",
      5
    )
  })

  it("is named when its line is no JSON", async () => {
    await assertFault(linesOf(feed, note).with(4, "{"), "altered", 5)
    await assertFault(linesOf(feed, note).with(4, "null"), "altered", 5)
  })
})

describe("events that are not where they were", () => {
  it("removed: the first that is missing is named", async () => {
    for (const index of [0, 1, 20, 38]) await assertFault(linesOf(feed.toSpliced(index, 1), note), "missing", index + 1)
    await assertFault(linesOf([...feed.slice(0, 9), ...renumbered(feed.slice(10), -1)], note), "altered", 10)
    await assertFault(linesOf(rechained(feed.toSpliced(9, 1)), noteOver(feed, key)), "truncated", 40)
    await assertFault(linesOf(rechained(feed.toSpliced(9, 1)), note), "rewritten", 1, {
      notes: [noteOver(feed.slice(0, 30), key)]
    })
  })

  it("cut off at the end: told by the checkpoint", async () => {
    for (const length of [0, 1, 39]) await assertFault(linesOf(feed.slice(0, length), note), "truncated", length + 1)
    await assertFault(linesOf(feed), "no_checkpoint")
    const early = noteOver(feed.slice(0, 30), key)
    await assertFault(linesOf(feed.slice(0, 30), early), "truncated", 31, { notes: [note] })
    await assertFault(linesOf(feed), "no_checkpoint", 31, { notes: [early] })
  })

  it("reordered: the first that stands too late is named", async () => {
    const swapped = feed.with(10, feed[11]!).with(11, feed[10]!)
    await assertFault(linesOf(swapped, note), "reordered", 11)
    await assertFault(linesOf([...feed.slice(1), feed[0]!], note), "reordered", 1)
    const renamed = feed.with(10, { ...feed[11]!, sequence: 11 }).with(11, { ...feed[10]!, sequence: 12 })
    await assertFault(linesOf(renamed, note), "altered", 11)
  })

  it("inserted: the one that was put in is named", async () => {
    const forged = rehashed({ ...feed[10]!, id: "evt_forged" })
    await assertFault(linesOf(feed.toSpliced(10, 0, forged), note), "inserted", 11)
    await assertFault(linesOf([...feed.slice(0, 10), forged, ...renumbered(feed.slice(10), 1)], note), "inserted", 11)
    await assertFault(linesOf(feed.toSpliced(11, 0, feed[10]!), note), "inserted", 11)
    const last = feed.at(-1)!
    const after = rehashed({ ...last, id: "evt_after", sequence: 41, previous_hash: last.hash })
    await assertFault(linesOf([...feed, after], note), "inserted", 41)
  })
})

describe("a checkpoint that vouches for nothing", () => {
  it("is told from one that does", async () => {
    const malformed = [`${origin}\n`, "", "no note", 5, undefined]
    for (const wrong of malformed) {
      await assertFault([...feed, { checkpoint: { note: wrong } }], "checkpoint_malformed")
    }
    await assertFault([...feed, { checkpoint: null }], "checkpoint_malformed")
    await assertFault(linesOf(feed, noteOver(feed, signingKey(5))), "unknown_key")
    await assertFault(linesOf(feed, note), "unknown_key", undefined, { publicKeys: [] })
    await assertFault(linesOf(feed, note), "unknown_key", undefined, {
      publicKeys: [{ ...key.published, algorithm: "RSA" }, { ...key.published, public_key: "x" }]
    })
    await assertFault(linesOf(feed, note.replace("\n40\n", "\n39\n")), "signature_mismatch")
    await assertFault(linesOf(feed, note.replaceAll(origin, "other.example.com/events/1")), "unknown_key")
  })

  it("cannot have the time of another", async () => {
    const [text, plain, timed] = [note.slice(0, note.indexOf("\n\n") + 2), ...note.trimEnd().split("\n").slice(-2)]
    const bytes = Buffer.from(timed!.split(" ").at(-1)!, "base64")
    bytes.writeUInt8(bytes.readUInt8(11) ^ 1, 11)
    const changed = `${text}${plain}\n\u2014 ${origin} ${bytes.toString("base64")}\n`
    await assertFault(linesOf(feed, changed), "signature_mismatch")
    assert.deepInclude(await verify(linesOf(feed, `${text}${plain}\n`)), { ok: true })
  })

  it("is of one log", async () => {
    const other = noteOver(feed.slice(0, 5), key, "other.example.com/events/1")
    await assertFault(linesOf(feed, note), "other_log", undefined, { notes: [other] })
  })
})

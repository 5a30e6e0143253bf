import { assert, describe, it } from "@effect/vitest"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import type { PublicKey } from "../../../src/client/verify/index.ts"
import { verifyEvents } from "../../../src/client/verify/index.ts"
import { originOf } from "../../../src/domain/log/EpochPlace.ts"
import { restoredFeed } from "../../fixtures/RestoredFeed.ts"
import { linesOf, noteOver, origin, rechained, signedFeed, signingKey } from "../../fixtures/SignedFeed.ts"
import { restoredNotes, texts } from "../../vectors/makeEvents.ts"

const key = signingKey(9)
const note = (events: Parameters<typeof noteOver>[0], epoch = 1) => noteOver(events, key, originOf(origin, epoch))

/** Epoch 1 had 30 events and was restored to 20; epoch 2 had 12 events, to 32, and was restored to 25. */
const first = signedFeed(30)
const second = restoredFeed(30, { after: 20, epoch: 2, events: 12 })
const third = restoredFeed(30, { after: 20, epoch: 2, events: 12 }, { after: 25, epoch: 4, events: 15 })

const verify = (events: ReadonlyArray<unknown>, last: string, ...notes: ReadonlyArray<string>) =>
  verifyEvents({ lines: linesOf(events, last), publicKeys: [key.published], notes })

describe("a log that was restored to an earlier state", () => {
  it("is verified, with the epochs that it was in, and with what was signed before they parted", async () => {
    const kept = [note(first.slice(0, 7)), note(first.slice(0, 20)), note(second.slice(0, 21), 2)]
    const verdict = await verify(third, note(third, 4), ...kept, note(second.slice(0, 25), 2))
    assert.deepInclude(verdict, {
      ok: true,
      events: 40,
      epochs: [
        { epoch: 2, first_sequence: 21, restored_sequence: 20 },
        { epoch: 4, first_sequence: 26, restored_sequence: 25 }
      ]
    })
    if (verdict.ok) {
      assert.deepStrictEqual(verdict.checkpoints.map(({ origin, size }) => [origin, size]), [
        [origin, 7],
        [origin, 20],
        [`${origin}/epoch/2`, 21],
        [`${origin}/epoch/2`, 25],
        [`${origin}/epoch/4`, 40]
      ])
    }
    // One that was never restored has none, and one that is looked at before it was.
    assert.deepInclude(await verify(first, note(first)), { ok: true, epochs: [] })
  })

  it("does not have what was signed of its lost parts, and says so instead of calling it rewritten", async () => {
    const lost = [
      [note(first.slice(0, 21)), 21],
      [note(first), 21],
      [note(signedFeed(60)), 21],
      [note(second.slice(0, 26), 2), 26],
      [note(second, 2), 26],
      // Of an epoch in between, which began at a place that nobody knows here.
      [note(first.slice(0, 28), 3), 1]
    ] as const
    for (const [kept, sequence] of lost) {
      const verdict = await verify(third, note(third, 4), note(first.slice(0, 7)), kept)
      assert.isFalse(verdict.ok)
      if (!verdict.ok) {
        assert.deepStrictEqual([verdict.fault, verdict.sequence], ["lost_part", sequence], verdict.detail)
      }
    }
  })

  it("cannot have another past than was signed before the epochs part", async () => {
    const forged = rechained(third.with(4, { ...third[4]!, actor_id: "lic_2" }))
    const verdict = await verify(forged, note(forged, 4), note(first.slice(0, 20)))
    assert.deepInclude(verdict, { ok: false, fault: "rewritten", sequence: 1 })
    const later = rechained(third.with(22, { ...third[22]!, actor_id: "lic_2" }))
    assert.deepInclude(await verify(later, note(later, 4), note(second.slice(0, 25), 2)), {
      ok: false,
      fault: "rewritten"
    })
  })

  it("is not vouched for by the checkpoint of an epoch that has ended, or that has not begun", async () => {
    const [earlier, unannounced] = [await verify(third, note(third, 2)), await verify(third, note(third, 5))]
    assert.deepInclude(earlier, { ok: false, fault: "no_checkpoint" })
    assert.deepInclude(unannounced, { ok: false, fault: "other_log" })
    // Its end was cut off, and a later epoch signed.
    assert.deepInclude(await verify(second, note(second, 2), note(third, 4)), { ok: false, fault: "truncated" })
    const elsewhere = noteOver(third, key, originOf("other.example.com/events/1", 4))
    assert.deepInclude(await verify(third, note(third, 4), elsewhere), { ok: false, fault: "other_log" })
  })

  it("is that of the published vectors, which are as they were made", async () => {
    const read = (name: string) => readFileSync(join(import.meta.dirname, "../../vectors", name), "utf8")
    for (const name of ["events-restored.ndjson", "events-restored.notes.json"] as const) {
      assert.strictEqual(read(name), texts[name])
    }
    const keys = JSON.parse(read("events.keys.json")) as { readonly data: ReadonlyArray<PublicKey> }
    const lines = read("events-restored.ndjson").split("\n")
    assert.deepInclude(await verifyEvents({ lines, publicKeys: keys.data }), { ok: true, events: 12 })
    for (const { note, title, verdict } of restoredNotes) {
      const { ok, ...found } = await verifyEvents({ lines, publicKeys: keys.data, notes: [note] })
      assert.deepInclude({ ok, ...found }, verdict, title)
    }
  })
})

// Writes events.ndjson and events.keys.json: an export of eight events, two personal values of which were erased, with
// everything made from fixed inputs. And events-restored.ndjson, an export of a log that was restored to event 8 when it
// had 11, with what verifiers must say of checkpoints that were kept, in events-restored.notes.json. And
// events-kinds.ndjson, an export with one event of every kind.
// `npx node test/vectors/makeEvents.ts`
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { deliveries } from "../../src/api/delivery/Webhooks.ts"
import type { JsonObject } from "../../src/domain/ground/wire/CanonicalJson.ts"
import { exampleOf } from "../../src/domain/ground/wire/Fields.ts"
import { resourceTypeOf } from "../../src/domain/log/EventKind.ts"
import { restoredFeed } from "../fixtures/RestoredFeed.ts"
import { linesOf, noteOver, origin, signedFeed, signingKey } from "../fixtures/SignedFeed.ts"

const key = signingKey(9)
const feed = signedFeed(8)
const lines = linesOf(
  feed.map((event, index) => {
    if (index !== 2) return event
    const { ip_address: _ip, salts: _salts, ...rest } = event
    const { customer_email: _email, ...data } = rest.data
    return { ...rest, data }
  }),
  noteOver(feed, key)
)
const keys = { data: [{ ...key.published, status: "active", created_at: "2026-03-01T09:00:00.000Z" }] }

const kindFeed = signedFeed(deliveries.length, (sequence) => {
  const { kind, schema } = deliveries[sequence - 1]!
  return { event_type: kind, resource_type: resourceTypeOf(kind), data: exampleOf(schema.fields.data) as JsonObject }
})

const restored = restoredFeed(11, { after: 8, epoch: 2, events: 4 })
const inEpoch2 = `${origin}/epoch/2`

/** Checkpoints that somebody kept, and what the export of the restored log is beside each. */
export const restoredNotes = [
  { title: "of epoch 1, before the restore", note: noteOver(signedFeed(6), key), verdict: { ok: true } },
  { title: "of epoch 1, of all that was restored", note: noteOver(signedFeed(8), key), verdict: { ok: true } },
  { title: "of epoch 2", note: noteOver(restored.slice(0, 10), key, inEpoch2), verdict: { ok: true } },
  {
    title: "of the lost part of epoch 1",
    note: noteOver(signedFeed(11), key),
    verdict: { ok: false, fault: "lost_part", sequence: 9 }
  },
  {
    title: "of epoch 1, of another past",
    note: noteOver(signedFeed(9).slice(1), key),
    verdict: { ok: false, fault: "rewritten", sequence: 1 }
  },
  {
    title: "of epoch 3, which the export ends before",
    note: noteOver(signedFeed(14), key, `${origin}/epoch/3`),
    verdict: { ok: false, fault: "truncated", sequence: 13 }
  }
]

/** The texts of the files, by their names. */
export const texts = {
  "events.ndjson": `${lines.join("\n")}\n`,
  "events-kinds.ndjson": `${linesOf(kindFeed, noteOver(kindFeed, key)).join("\n")}\n`,
  "events.keys.json": `${JSON.stringify(keys, null, 2)}\n`,
  "events-restored.ndjson": `${linesOf(restored, noteOver(restored, key, inEpoch2)).join("\n")}\n`,
  "events-restored.notes.json": `${JSON.stringify(restoredNotes, null, 2)}\n`
}

if (import.meta.main) {
  for (const [name, text] of Object.entries(texts)) writeFileSync(join(import.meta.dirname, name), text)
}

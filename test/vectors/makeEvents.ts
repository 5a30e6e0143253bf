// Writes events.ndjson and events.keys.json: an export of eight events, two personal values of which were erased, with
// everything made from fixed inputs. `npx node test/vectors/makeEvents.ts`
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { linesOf, noteOver, signedFeed, signingKey } from "../fixtures/SignedFeed.ts"

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

/** The texts of the files, by their names. */
export const texts = {
  "events.ndjson": `${lines.join("\n")}\n`,
  "events.keys.json": `${JSON.stringify(keys, null, 2)}\n`
}

if (import.meta.main) {
  for (const [name, text] of Object.entries(texts)) writeFileSync(join(import.meta.dirname, name), text)
}

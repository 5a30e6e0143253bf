// Writes exports of the event feed, genuine and otherwise, each with its verdict, so that a verifier in any language can
// be checked. Run it with `npx node test/vectors/makeVerdicts.ts`.
import { sign } from "node:crypto"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { checkpointText } from "../../src/domain/evidence/transparency/MerkleTree.ts"
import { originOf } from "../../src/domain/log/EpochPlace.ts"
import type { ServedEvent } from "../../src/domain/log/EventLeaf.ts"
import { disclose, genesisHash, servedHash, servedLeafHash, withhold } from "../../src/domain/log/EventLeaf.ts"
import { naiveRoot, sha256 } from "../fixtures/NaiveTree.ts"
import { restoredFeed } from "../fixtures/RestoredFeed.ts"
import { linesOf, noteOver, origin, rechained, signedFeed, signingKey } from "../fixtures/SignedFeed.ts"

const key = signingKey(9)
const revoked = signingKey(4)
const unknown = signingKey(5)
/** In Unix seconds: when the notes say that they were signed, and when the key above was revoked. */
const signedAt = 1_780_000_000
const revokedAt = signedAt + 60

const feed: Array<ServedEvent> = []
let previous = genesisHash
for (let sequence = 1; sequence <= 4; sequence++) {
  const { leaf, personal } = withhold(
    {
      id: `evt_${sequence}`,
      sequence,
      event_type: "license.updated",
      actor_type: "api_key",
      actor_id: "key_1",
      resource_type: "license",
      resource_id: "lic_1",
      metadata: {},
      data: { id: "lic_1", seats: sequence, customer_name: "a\"b\"" },
      created_at: "2026-03-01T10:00:00.000Z"
    },
    ["/data/customer_name"],
    [Uint8Array.from({ length: 16 }, (_, index) => sequence * 16 + index)],
    sha256
  )
  const served: ServedEvent = { ...disclose(leaf, personal), previous_hash: previous, hash: "" }
  previous = servedHash(served, previous, sha256)
  feed.push({ ...served, hash: previous })
}
// The first one's personal value was erased.
const { salts: _salts, ...rest } = feed[0]!
const { customer_name: _name, ...data } = rest.data
feed[0] = { ...rest, data }

const note = noteOver(feed, key, origin, signedAt)
const root = Buffer.from(naiveRoot(feed.map((event) => servedLeafHash(event, sha256)))).toString("hex")
const checkpoint = { origin, tree_size: 4, root_hash: root, kid: key.published.kid, note }
const lineOf = (value: unknown): string => `${JSON.stringify(value)}\n`
const lines = feed.map(lineOf)
const last = lineOf({ checkpoint })
const genuine = lines.join("") + last

/** The export with one of its events, counted from 1, written otherwise. */
const altered = (sequence: number, change: (line: string) => string): string =>
  lines.with(sequence - 1, change(lines[sequence - 1]!)).join("") + last
const withNote = (other: string): string => lines.join("") + lineOf({ checkpoint: { note: other } })

const [text, plain, timed] = [note.slice(0, note.indexOf("\n\n") + 2), ...note.trimEnd().split("\n").slice(-2)]
const salt = feed[1]!.salts!["/data/customer_name"]!
// The value is hashed as "a\"b\"", quotes and backslashes included: with the first three of its bytes as the end of the
// salt what is left is the JSON text of another value.
const longSalt = Buffer.concat([Buffer.from(salt, "base64"), Buffer.from(`"a\\`)]).toString("base64")
// The last letter of base64 has bits that stand for nothing.
const otherLetter = (base64: string): string =>
  base64.replace(
    /(.)(=+)$/,
    (_, letter: string, padding: string) => `${String.fromCharCode(letter.charCodeAt(0) + 1)}${padding}`
  )

const extended = checkpointText({ origin, size: 4, root: Buffer.from(root, "hex") })
const signature = sign(null, Buffer.from(extended), unknown.privateKey)
const witness = `\u2014 witness.example ${Buffer.concat([Buffer.from([1, 2, 3, 4]), signature]).toString("base64")}`
const forgedFeed = rechained(feed.with(2, { ...feed[2]!, actor_id: "key_2" }))

// A log that had 12 events and was restored to 8, had 14 in epoch 2 and was restored to 11, and is in epoch 4. Epoch 3 was
// restored to 9 and is none of its own.
const ofEpoch1 = signedFeed(12)
const ofEpoch2 = restoredFeed(12, { after: 8, epoch: 2, events: 6 })
const ofEpoch3 = restoredFeed(12, { after: 8, epoch: 2, events: 6 }, { after: 9, epoch: 3, events: 5 })
const ofEpoch4 = restoredFeed(12, { after: 8, epoch: 2, events: 6 }, { after: 11, epoch: 4, events: 3 })
const inEpoch = (epoch: number, events: ReadonlyArray<ServedEvent>) => noteOver(events, key, originOf(origin, epoch))
const exported = (events: ReadonlyArray<ServedEvent>, epoch: number) =>
  `${linesOf(events, inEpoch(epoch, events)).join("\n")}\n`
const restored = exported(ofEpoch4, 4)
// A log that was restored to 6, and in which 7 and 8 were given again before the operator said so.
const inTime = restoredFeed(12, { after: 8, epoch: 2, events: 4 })
const told = { ...inTime[8]!.data, restored_sequence: 6, restored_hash: ofEpoch1[5]!.hash }
const late = rechained(
  inTime.with(6, { ...inTime[6]!, actor_id: "lic_2" }).with(8, { ...inTime[8]!, data: told })
)

interface Case {
  readonly name: string
  /** `verified`, or the fault. */
  readonly expected: string
  /** Of the event that is to blame. */
  readonly sequence?: number
  readonly export: string
  /** Notes that were kept from before. */
  readonly notes?: ReadonlyArray<string>
}

const cases: ReadonlyArray<Case> = [
  { name: "genuine, one personal value erased", expected: "verified", export: genuine },
  { name: "genuine, without a line end after the last line", expected: "verified", export: genuine.slice(0, -1) },
  { name: "the plain signature alone", expected: "verified", export: withNote(`${text}${plain}\n`) },
  { name: "the timestamped signature alone", expected: "verified", export: withNote(`${text}${timed}\n`) },
  { name: "a signature of somebody else beside", expected: "verified", export: withNote(`${note}${witness}\n`) },
  { name: "an older note was kept", expected: "verified", export: genuine, notes: [noteOver(feed.slice(0, 2), key)] },
  {
    name: "a note was kept that a key signed before it was revoked",
    expected: "verified",
    export: genuine,
    notes: [noteOver(feed.slice(0, 2), revoked, origin, signedAt)]
  },
  {
    name: "the last line is signed by a key before it was revoked, and its note was kept",
    expected: "verified",
    export: withNote(noteOver(feed, revoked, origin, signedAt)),
    notes: [noteOver(feed, revoked, origin, signedAt)]
  },
  {
    name: "the last line is signed by a revoked key, and nobody kept the note",
    expected: "revoked_key",
    export: withNote(noteOver(feed, revoked, origin, signedAt))
  },
  {
    name: "a note was kept that a key signed after it was revoked",
    expected: "revoked_key",
    export: genuine,
    notes: [noteOver(feed.slice(0, 2), revoked, origin, revokedAt)]
  },
  {
    name: "a note of a revoked key without a time",
    expected: "revoked_key",
    export: genuine,
    notes: [noteOver(feed.slice(0, 2), revoked).split("\n").toSpliced(5, 1).join("\n")]
  },
  {
    name: "a name twice, the genuine one last",
    expected: "altered",
    sequence: 2,
    export: altered(2, (line) => line.replace(`"actor_id":`, `"actor_id":"somebody","actor_id":`))
  },
  {
    name: "a name twice, the genuine one first",
    expected: "altered",
    sequence: 2,
    export: altered(2, (line) => line.replace(`"actor_id":"key_1"`, `"actor_id":"key_1","actor_id":"somebody"`))
  },
  {
    name: "a name twice, once with an escape",
    expected: "altered",
    sequence: 2,
    export: altered(2, (line) => line.replace(`"actor_id":`, `"actor\\u005fid":"somebody","actor_id":`))
  },
  {
    name: "a name twice, inside data",
    expected: "altered",
    sequence: 3,
    export: altered(3, (line) => line.replace(`"seats":`, `"seats":99,"seats":`))
  },
  {
    name: "a name twice in the last line",
    expected: "altered",
    sequence: 5,
    export: lines.join("") + last.replace(`"tree_size":`, `"tree_size":9,"tree_size":`)
  },
  {
    name: "a number that a double rounds to the genuine one",
    expected: "altered",
    sequence: 3,
    export: altered(3, (line) => line.replace(`"seats":3`, `"seats":3.0000000000000000001`))
  },
  {
    name: "an event altered",
    expected: "altered",
    sequence: 2,
    export: altered(2, (line) => line.replace("key_1", "key_2"))
  },
  { name: "an event removed", expected: "missing", sequence: 2, export: lines.toSpliced(1, 1).join("") + last },
  {
    name: "two events exchanged",
    expected: "reordered",
    sequence: 2,
    export: [lines[0], lines[2], lines[1], lines[3], last].join("")
  },
  {
    name: "an event twice",
    expected: "inserted",
    sequence: 2,
    export: [lines[0], lines[1], ...lines.slice(1), last].join("")
  },
  { name: "the last event cut off", expected: "truncated", sequence: 4, export: lines.slice(0, 3).join("") + last },
  {
    name: "every hash made right again",
    expected: "rewritten",
    sequence: 1,
    export: forgedFeed.map(lineOf).join("") + last
  },
  {
    name: "another value shown for a commitment",
    expected: "commitment_mismatch",
    sequence: 2,
    export: altered(2, (line) => line.replace(`"a\\"b\\""`, `"c"`))
  },
  {
    name: "a salt of 19 bytes, which opens to another value",
    expected: "commitment_mismatch",
    sequence: 2,
    export: altered(2, (line) => line.replace(`"a\\"b\\""`, `"b\\""`).replace(salt, longSalt))
  },
  {
    name: "a salt in base64 that is not canonical",
    expected: "commitment_mismatch",
    sequence: 2,
    export: altered(2, (line) => line.replace(salt, otherLetter(salt)))
  },
  {
    name: "a salt without padding",
    expected: "commitment_mismatch",
    sequence: 2,
    export: altered(2, (line) => line.replace(salt, salt.replaceAll("=", "")))
  },
  {
    name: "a value without its salt",
    expected: "commitment_mismatch",
    sequence: 2,
    export: altered(2, (line) => line.replace(`"/data/customer_name":"${salt}"`, ""))
  },
  { name: "no checkpoint", expected: "no_checkpoint", export: lines.join("") },
  { name: "the checkpoint twice", expected: "checkpoint_malformed", export: genuine + last },
  {
    name: "a checkpoint between the events",
    expected: "checkpoint_malformed",
    export: [
      ...lines.slice(0, 2),
      lineOf({ checkpoint: { note: noteOver(feed.slice(0, 2), key) } }),
      ...lines.slice(2),
      last
    ].join("")
  },
  { name: "an event after the checkpoint", expected: "checkpoint_malformed", export: genuine + lines[3] },
  {
    name: "an empty line between the events",
    expected: "altered",
    sequence: 3,
    export: [...lines.slice(0, 2), "\n", ...lines.slice(2), last].join("")
  },
  {
    name: "an empty line before the checkpoint",
    expected: "altered",
    sequence: 5,
    export: `${lines.join("")}\n${last}`
  },
  { name: "an empty line at the end", expected: "altered", sequence: 5, export: `${genuine}\n` },
  {
    name: "the checkpoint says another size than its note",
    expected: "checkpoint_malformed",
    export: lines.join("") + lineOf({ checkpoint: { ...checkpoint, tree_size: 5 } })
  },
  { name: "a note without a signature", expected: "checkpoint_malformed", export: withNote(text) },
  {
    name: "a signature in base64 that is not canonical",
    expected: "checkpoint_malformed",
    export: withNote(`${text}${otherLetter(plain!)}\n`)
  },
  {
    name: "another size than was signed",
    expected: "signature_mismatch",
    export: withNote(note.replace("\n4\n", "\n5\n"))
  },
  {
    name: "one of the two signatures changed",
    expected: "signature_mismatch",
    export: withNote(note.replace(timed!, timed!.replace(/.{4}$/, "AAA=")))
  },
  { name: "a key that nobody published", expected: "unknown_key", export: withNote(noteOver(feed, unknown)) },
  {
    name: "a kept note of another log",
    expected: "other_log",
    export: genuine,
    notes: [noteOver(feed.slice(0, 2), key, "other.example.com/events/1")]
  },
  {
    name: "a log that was restored twice, with notes of before each",
    expected: "verified",
    export: restored,
    notes: [inEpoch(1, ofEpoch1.slice(0, 8)), inEpoch(2, ofEpoch2.slice(0, 9)), inEpoch(2, ofEpoch2.slice(0, 11))]
  },
  {
    name: "a kept note of the lost part of epoch 1",
    expected: "lost_part",
    sequence: 9,
    export: restored,
    notes: [inEpoch(1, ofEpoch1.slice(0, 9))]
  },
  {
    name: "a kept note of the lost part of epoch 2, of more events than there are",
    expected: "lost_part",
    sequence: 12,
    export: restored,
    notes: [inEpoch(2, restoredFeed(12, { after: 8, epoch: 2, events: 20 }))]
  },
  {
    name: "kept notes of both lost parts",
    expected: "lost_part",
    sequence: 9,
    export: restored,
    notes: [inEpoch(2, ofEpoch2), inEpoch(1, ofEpoch1)]
  },
  {
    name: "a kept note of an epoch that was left out",
    expected: "lost_part",
    sequence: 1,
    export: restored,
    notes: [inEpoch(3, ofEpoch3)]
  },
  {
    name: "a kept note of an epoch that was left out, of fewer events than the next one begins after",
    expected: "lost_part",
    sequence: 1,
    export: restored,
    notes: [inEpoch(3, ofEpoch3.slice(0, 10))]
  },
  {
    name: "a kept note of epoch 2 of another past",
    expected: "rewritten",
    sequence: 1,
    export: restored,
    notes: [inEpoch(2, ofEpoch1.slice(0, 10))]
  },
  {
    name: "a kept note of an epoch that no event begins",
    expected: "other_log",
    export: restored,
    notes: [inEpoch(5, ofEpoch4.slice(0, 13))]
  },
  {
    name: "a kept note of an epoch that begins after the events that it covers",
    expected: "other_log",
    export: restored,
    notes: [inEpoch(4, ofEpoch4.slice(0, 10))]
  },
  { name: "the last line is of an epoch that no event begins", expected: "other_log", export: exported(ofEpoch4, 5) },
  { name: "the last line is of an epoch that has ended", expected: "no_checkpoint", export: exported(ofEpoch4, 2) },
  {
    name: "a lost part, and an event that was altered",
    expected: "altered",
    sequence: 13,
    export: restored.replace(`"id":"evt_13_4"`, `"id":"evt_13"`),
    notes: [inEpoch(1, ofEpoch1)]
  },
  {
    name: "a restore that was said late, and a note of the lost part",
    expected: "lost_part",
    sequence: 7,
    export: exported(late, 2),
    notes: [inEpoch(1, ofEpoch1.slice(0, 10))]
  },
  {
    name: "a restore that was said late, and a note of the place that was given twice",
    expected: "rewritten",
    sequence: 1,
    export: exported(late, 2),
    notes: [inEpoch(1, ofEpoch1.slice(0, 8))]
  }
]

/** The vectors as they stand in events.verdicts.json; the keys are as the service answers them. */
export const vectors = {
  keys: {
    data: [{ ...key.published, status: "active", created_at: "2026-03-01T09:00:00.000Z" }],
    revoked: [{
      ...revoked.published,
      status: "revoked",
      created_at: "2026-03-01T09:00:00.000Z",
      revoked_at: new Date(revokedAt * 1000).toISOString()
    }]
  },
  cases
}

/** The text of events.verdicts.json. */
export const verdictsText = `${JSON.stringify(vectors, null, 2)}\n`

if (import.meta.main) writeFileSync(join(import.meta.dirname, "events.verdicts.json"), verdictsText)

// Writes log-keys.json: proofs of events about the keys of a log, genuine ones and forged ones, and what a follower of the log takes from
// them. It follows docs/reference/events.md and C2SP tlog-proof with the platform's cryptography and the naive tree of the tests. Run it
// with `npx node test/vectors/makeLogKeys.ts`.
import { createHash, sign } from "node:crypto"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { naivePath, naiveProof, naiveRoot } from "../fixtures/NaiveTree.ts"
import { keyOf } from "./makeEnvelopes.ts"

const origin = "licenses.example.com/events/6d1f0a2b3c4d5e6f"
const elsewhere = "licenses.example.com/events/ffffffffffffffff"
const revoked_at = "2026-03-03T10:00:00.000Z"

const sha256 = (...parts: ReadonlyArray<string | Uint8Array>): Buffer => {
  const hash = createHash("sha256")
  for (const part of parts) hash.update(part)
  return hash.digest()
}

/** The keys by their letters: A is the one that is trusted from the start, B, C and D take over in turn, X is a stranger's. */
const bytes = { A: 11, B: 12, C: 13, D: 14, X: 15 }
type Letter = keyof typeof bytes
const kidOf = (letter: Letter) => `sig_${letter.toLowerCase()}`
const rawOf = (letter: Letter) => Buffer.from(keyOf(bytes[letter]).published, "base64")
const keyIdOf = (name: string, type: number, raw: Uint8Array) =>
  sha256(`${name}\n`, Uint8Array.of(type), raw).subarray(0, 4)
const vkey = (letter: Letter, name = origin, type = 1) =>
  `${name}+${keyIdOf(name, type, rawOf(letter)).toString("hex")}+${
    Buffer.concat([Uint8Array.of(type), rawOf(letter)]).toString("base64")
  }`
const listed = (letter: Letter) => ({
  kid: kidOf(letter),
  algorithm: "Ed25519",
  public_key: rawOf(letter).toString("base64"),
  status: "retired",
  created_at: "2026-03-01T10:00:00.000Z"
})

/** Canonical JSON: all texts are ASCII, all numbers whole. */
const canonical = (value: unknown): string =>
  typeof value !== "object" || value === null
    ? JSON.stringify(value)
    : `{${
      Object.entries(value).toSorted(([a], [b]) => a < b ? -1 : 1)
        .map(([name, member]) => `${JSON.stringify(name)}:${canonical(member)}`).join(",")
    }}`

const eventOf = (sequence: number, event: object) => ({
  id: `evt_${sequence}`,
  sequence,
  actor_type: "system",
  actor_id: "system",
  metadata: {},
  created_at: "2026-03-02T10:00:00.000Z",
  ...event
})

/** The event at a place that introduces a key. */
const introduction = (sequence: number, by: Letter, key: Letter, changed: object = {}, data: object = {}) =>
  canonical(eventOf(sequence, {
    event_type: "log.key_introduced",
    resource_type: "log",
    resource_id: origin,
    data: {
      origin,
      kid: kidOf(key),
      verifier_key: vkey(key),
      introduced_by: { kid: kidOf(by), verifier_key: vkey(by) },
      ...data
    },
    ...changed
  }))

/** The event at a place that revokes a key. */
const revocation = (sequence: number, key: Letter, data: object = {}, changed: object = {}) =>
  canonical(eventOf(sequence, {
    event_type: "signing_key.revoked",
    resource_type: "signing_key",
    resource_id: kidOf(key),
    data: { ...listed(key), status: "revoked", revoked_at, ...data },
    ...changed
  }))

const lineOf = (letter: Letter, text: string, name: string) => {
  const signature = sign(null, Buffer.from(text), keyOf(bytes[letter]).privateKey)
  return `\u2014 ${name} ${Buffer.concat([keyIdOf(name, 1, rawOf(letter)), signature]).toString("base64")}\n`
}
/** The same with a time (C2SP tlog-cosignature). */
const timedLineOf = (letter: Letter, text: string) => {
  const time = Buffer.alloc(8)
  time.writeBigUInt64BE(1_772_445_600n)
  const signature = sign(null, Buffer.from(`cosignature/v1\ntime 1772445600\n${text}`), keyOf(bytes[letter]).privateKey)
  return `\u2014 ${origin} ${Buffer.concat([keyIdOf(origin, 4, rawOf(letter)), time, signature]).toString("base64")}\n`
}

const leafHash = (text: string) => sha256("\0", text)
/** A log of so many events, with these at their places. */
const leavesOf = (size: number, events: Readonly<Record<number, string>>) =>
  Array.from({ length: size }, (_, index) => leafHash(events[index + 1] ?? canonical(eventOf(index + 1, {}))))

const noteOf = (size: number, root: Uint8Array, signers: ReadonlyArray<Letter>, name = origin) => {
  const text = `${name}\n${size}\n${Buffer.from(root).toString("base64")}\n`
  return `${text}\n${signers.map((letter) => lineOf(letter, text, name)).join("")}`
}

interface Made {
  readonly events: Readonly<Record<number, string>>
  readonly at: number
  readonly size: number
  readonly signers: ReadonlyArray<Letter>
  /** The origin of the checkpoint. */
  readonly name?: string
  /** The leaf of the proof, where it is not that of the tree. */
  readonly leaf?: string
}

/** The proof of the event at a place, in a log of this size that these keys signed. */
const proofOf = ({ at, events, leaf, name, signers, size }: Made) => {
  const leaves = leavesOf(size, events)
  const hashes = naivePath(at - 1, leaves).map((hash) => Buffer.from(hash).toString("base64"))
  const extra = Buffer.from(leaf ?? events[at]!).toString("base64")
  return [
    "c2sp.org/tlog-proof@v1",
    `extra ${extra}`,
    `index ${at - 1}`,
    ...hashes,
    "",
    noteOf(size, naiveRoot(leaves), signers, name)
  ]
    .join("\n")
}

const events = {
  5: introduction(5, "A", "B"),
  9: introduction(9, "B", "C"),
  11: revocation(11, "A"),
  13: introduction(13, "A", "D")
}
const intro = (more: Partial<Made> = {}) => proofOf({ events, at: 5, size: 7, signers: ["B", "A"], ...more })
const second = (more: Partial<Made> = {}) => proofOf({ events, at: 9, size: 10, signers: ["C", "B"], ...more })
const revoking = (more: Partial<Made> = {}) => proofOf({ events, at: 11, size: 12, signers: ["C", "B"], ...more })
/** The first introduction with another leaf in its place in the tree. */
const another = (leaf: string, more: Partial<Made> = {}) => intro({ events: { ...events, 5: leaf }, ...more })
const changed = (event: object, data: object = {}) => another(introduction(5, "A", "B", event, data))

/** The log of the vectors as a witness is asked for it: a key, and the request with the checkpoint that these keys signed. */
export const log = {
  key: vkey("A"),
  request: (old: number, size: number, signers: ReadonlyArray<Letter>) => {
    const hashes = old === 0 || old === size ? [] : naiveProof(old, leavesOf(size, events))
    const proof = hashes.map((hash) => `${Buffer.from(hash).toString("base64")}\n`).join("")
    return `old ${old}\n${proof}\n${noteOf(size, naiveRoot(leavesOf(size, events)), signers)}`
  }
}

interface Case {
  readonly name: string
  /** `verified`, or why the last of the proofs is refused. */
  readonly expected: string
  readonly proofs: ReadonlyArray<string>
  /** The keys that are trusted at the start. Default: A. */
  readonly trusted?: ReadonlyArray<Letter>
  /** Those that are known to be revoked at the start. */
  readonly revoked?: ReadonlyArray<Letter>
  /** The kids that count in the end, where all proofs are taken. */
  readonly keys?: ReadonlyArray<Letter>
}

const cases: ReadonlyArray<Case> = [
  { name: "a key that the one before it introduces", expected: "verified", proofs: [intro()], keys: ["A", "B"] },
  {
    name: "that the one before it signed alone",
    expected: "verified",
    proofs: [intro({ signers: ["A"] })],
    keys: ["A", "B"]
  },
  { name: "two in turn", expected: "verified", proofs: [intro(), second()], keys: ["A", "B", "C"] },
  { name: "twice the same", expected: "verified", proofs: [intro(), intro()], keys: ["A", "B"] },
  {
    name: "two rotations under one checkpoint",
    expected: "verified",
    proofs: [5, 9].map((at) => proofOf({ events, at, size: 10, signers: ["C", "B", "A"] })),
    keys: ["A", "B", "C"]
  },
  {
    name: "one that is revoked by the next",
    expected: "verified",
    proofs: [intro(), second(), revoking()],
    keys: ["B", "C"]
  },
  {
    name: "one that is introduced though it was revoked",
    expected: "verified",
    proofs: [intro()],
    revoked: ["B"],
    keys: ["A"]
  },
  { name: "that only the new key signed", expected: "unknown_key", proofs: [intro({ signers: ["B"] })] },
  { name: "that nobody signed whom anybody knows", expected: "unknown_key", proofs: [intro({ signers: ["X"] })] },
  {
    name: "that a stranger introduces, who signed it",
    expected: "unknown_key",
    proofs: [another(introduction(5, "X", "B"), { signers: ["X", "B"] })]
  },
  {
    name: "that a stranger introduces, signed by a trusted key",
    expected: "unknown_key",
    proofs: [another(introduction(5, "X", "B"))]
  },
  {
    name: "that another trusted key has signed than the one that introduces it",
    expected: "unknown_key",
    trusted: ["A", "C"],
    proofs: [intro({ signers: ["C", "B"] })]
  },
  { name: "the second without the first", expected: "unknown_key", proofs: [second()] },
  { name: "by a key that was revoked", expected: "revoked_key", revoked: ["A"], proofs: [intro()] },
  {
    name: "after the log said that the one before it is revoked",
    expected: "revoked_key",
    proofs: [intro(), second(), revoking(), proofOf({ events, at: 13, size: 14, signers: ["D", "C", "A"] })]
  },
  {
    name: "before that, but shown after it",
    expected: "revoked_key",
    proofs: [
      intro(),
      revoking(),
      proofOf({ events: { ...events, 4: introduction(4, "A", "D") }, at: 4, size: 7, signers: ["D", "A"] })
    ]
  },
  {
    name: "by a key in a tree in which it was not yet introduced",
    expected: "unknown_key",
    proofs: [intro(), proofOf({ events: { 3: introduction(3, "B", "C") }, at: 3, size: 4, signers: ["B", "C"] })]
  },
  { name: "by itself", expected: "malformed", proofs: [another(introduction(5, "A", "A"))] },
  {
    name: "by an event of another kind",
    expected: "malformed",
    proofs: [changed({ event_type: "signing_key.created" })]
  },
  { name: "by a use", expected: "malformed", proofs: [changed({ event_type: "license.usage_recorded" })] },
  { name: "by an event about something else", expected: "malformed", proofs: [changed({ resource_type: "license" })] },
  { name: "by an event about another log", expected: "malformed", proofs: [changed({ resource_id: elsewhere })] },
  { name: "for another log", expected: "malformed", proofs: [changed({}, { origin: elsewhere })] },
  {
    name: "whose key is of another log",
    expected: "malformed",
    proofs: [changed({}, { verifier_key: vkey("B", elsewhere) })]
  },
  {
    name: "introduced by the key of another log",
    expected: "malformed",
    proofs: [changed({}, { introduced_by: { kid: "sig_a", verifier_key: vkey("A", elsewhere) } })]
  },
  { name: "in the checkpoint of another log", expected: "malformed", proofs: [intro({ name: elsewhere })] },
  {
    name: "whose key is of a witness",
    expected: "malformed",
    proofs: [changed({}, { verifier_key: vkey("B", origin, 4) })]
  },
  {
    name: "whose key has the ID of another",
    expected: "malformed",
    proofs: [changed({}, { verifier_key: vkey("B").replace(/\+[0-9a-f]{8}\+/, "+00000000+") })]
  },
  { name: "without an ID", expected: "malformed", proofs: [changed({}, { kid: 7 })] },
  { name: "introduced by nothing", expected: "malformed", proofs: [changed({}, { introduced_by: "sig_a" })] },
  { name: "at another place than the event says", expected: "malformed", proofs: [another(introduction(6, "A", "B"))] },
  {
    name: "whose leaf is no canonical JSON",
    expected: "malformed",
    proofs: [another(introduction(5, "A", "B").replace(":", ": "))]
  },
  {
    name: "whose leaf has a name twice",
    expected: "malformed",
    proofs: [another(introduction(5, "A", "B").replace("{", "{\"actor_id\":\"system\","))]
  },
  {
    name: "whose leaf is not in the tree",
    expected: "not_in_log",
    proofs: [intro({ leaf: introduction(5, "A", "C") })]
  },
  { name: "whose path is too short", expected: "not_in_log", proofs: [intro().replace(/(index 4\n)[^\n]+\n/, "$1")] },
  {
    name: "in a tree that ends before it",
    expected: "not_in_log",
    proofs: [intro().replace(`\n${origin}\n7\n`, `\n${origin}\n4\n`)]
  },
  { name: "whose checkpoint was changed", expected: "signature_mismatch", proofs: [withRoot(intro())] },
  {
    name: "that the one before it signed once and did not sign once",
    expected: "signature_mismatch",
    proofs: [`${intro()}${timedLineOf("A", "another text\n")}`]
  },
  { name: "without its event", expected: "malformed", proofs: [intro().replace(/extra [^\n]+\n/, "")] },
  { name: "with its event twice", expected: "malformed", proofs: [intro().replace(/(extra [^\n]+\n)/, "$1$1")] },
  { name: "whose event is no base64", expected: "malformed", proofs: [intro().replace("extra ", "extra !")] },
  { name: "whose event is no UTF-8", expected: "malformed", proofs: [intro().replace(/extra [^\n]+/, "extra /w==")] },
  { name: "of another version of the format", expected: "malformed", proofs: [intro().replace("@v1", "@v2")] },
  { name: "whose index begins with 0", expected: "malformed", proofs: [intro().replace("index 4", "index 04")] },
  { name: "whose path has no hashes", expected: "malformed", proofs: [intro().replace(/(index 4\n)[^\n]+/, "$1AAAA")] },
  { name: "with no checkpoint", expected: "malformed", proofs: [intro().split("\n\n")[0]!] },
  { name: "a revocation by the key itself", expected: "unknown_key", proofs: [revoking({ signers: ["A"] })] },
  { name: "a revocation by a stranger", expected: "unknown_key", proofs: [intro(), revoking({ signers: ["X"] })] },
  {
    name: "a revocation by a key that was revoked",
    expected: "unknown_key",
    trusted: ["A", "C"],
    revoked: ["C"],
    proofs: [revoking({ signers: ["C"] })]
  },
  {
    name: "the retirement of a key",
    expected: "malformed",
    proofs: [
      intro(),
      proofOf({
        events: { 11: revocation(11, "A", { status: "retired" }, { event_type: "signing_key.retired" }) },
        at: 11,
        size: 12,
        signers: ["B"]
      })
    ]
  },
  {
    name: "a revocation of no key",
    expected: "malformed",
    proofs: [
      intro(),
      proofOf({ events: { 11: revocation(11, "A", { public_key: "AAAA" }) }, at: 11, size: 12, signers: ["B"] })
    ]
  }
]

/** The same proof with another root than was signed, which the path leads to: the leaf is in a tree that nobody signed. */
function withRoot(proof: string): string {
  const leaves = leavesOf(7, { ...events, 7: "another" })
  const hashes = naivePath(4, leaves).map((hash) => Buffer.from(hash).toString("base64"))
  const [head = "", note = ""] = proof.split(/\n\n([^]*)/)
  const [, , root = ""] = note.split("\n")
  const lines = head.split("\n").slice(0, 3)
  return [...lines, ...hashes, "", note.replace(root, Buffer.from(naiveRoot(leaves)).toString("base64"))].join("\n")
}

/** The vectors as they stand in log-keys.json. */
export const vectors = {
  origin,
  cases: cases.map(({ expected, keys, name, proofs, revoked = [], trusted = ["A"] as const }) => ({
    name,
    expected,
    keys: {
      data: trusted.map(listed),
      revoked: revoked.map((letter) => ({ ...listed(letter), status: "revoked", revoked_at }))
    },
    proofs,
    trusted: keys?.map(kidOf)
  })),
  /** Checkpoints that are judged by the keys that follow from the first case. */
  notes: [
    { name: "of the new key, over its introduction", expected: "verified", note: noteOf(8, sha256("8"), ["B"]) },
    { name: "of the new key, up to its introduction", expected: "verified", note: noteOf(5, sha256("5"), ["B"]) },
    { name: "of the new key, from before it", expected: "unknown_key", note: noteOf(4, sha256("4"), ["B"]) },
    { name: "of the new key, of another log", expected: "unknown_key", note: noteOf(8, sha256("8"), ["B"], elsewhere) },
    { name: "of the key before", expected: "verified", note: noteOf(4, sha256("4"), ["A"]) }
  ]
}

/** The text of log-keys.json. */
export const text = `${JSON.stringify(vectors, null, 2)}\n`

if (import.meta.main) writeFileSync(join(import.meta.dirname, "log-keys.json"), text)

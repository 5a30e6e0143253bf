// Writes receipts.json: receipts of usage made from fixed inputs, genuine ones and others, so that an app in any language can be
// checked. It follows docs/reference/events.md with the platform's cryptography and the naive tree of the tests. Run it with
// `npx node test/vectors/makeReceipts.ts`.
import { createHash } from "node:crypto"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { keyOf, kid, signatureOf, vectors as envelopes } from "./makeEnvelopes.ts"

const sha256 = (...parts: ReadonlyArray<string | Uint8Array>): Buffer => {
  const hash = createHash("sha256")
  for (const part of parts) hash.update(part)
  return hash.digest()
}

const license_id = "lic_01k6f3q8zve8rbkm1v4t2c9dxc"
const event_id = "export-2026-03-01-0001"
const nonce = "n-7f3a9c21d0"
const origin = "licenses.example.com/events/6d1f0a2b3c4d5e6f"

/** Canonical JSON: the members of an object are written in order. */
const canonical = (value: unknown): string =>
  typeof value !== "object" || value === null
    ? JSON.stringify(value)
    : Array.isArray(value)
    ? `[${value.map(canonical).join(",")}]`
    : `{${
      Object.entries(value).toSorted(([a], [b]) => a < b ? -1 : 1).map(([name, member]) =>
        `${JSON.stringify(name)}:${canonical(member)}`
      ).join(",")
    }}`

const event = {
  id: "evt_01k6f3q8zve8rbkm1v4t2c9dxd",
  sequence: 5,
  event_type: "license.usage_recorded",
  actor_type: "license",
  actor_id: license_id,
  resource_type: "license",
  resource_id: license_id,
  license_id,
  previous_of_license: { hash: "00".repeat(32), sequence: 0 },
  metadata: { feature_code: "render" },
  data: { license_id, feature_code: "render", event_id, amount: 3, total_consumptions: 3 },
  created_at: "2026-03-01T10:00:00.000Z"
}
const leaf = canonical(event)
const leafHash = (text: string) => sha256("\0", text)
const nodeHash = (left: Uint8Array, right: Uint8Array) => sha256("\u0001", left, right)

// A tree of seven events, the fifth of which is the use: RFC 6962, 2.1.1, by hand.
const [one, two, three, four, , six, seven] = [1, 2, 3, 4, 5, 6, 7].map((number) => leafHash(`{"sequence":${number}}`))
const firstFour = nodeHash(nodeHash(one!, two!), nodeHash(three!, four!))
const root = nodeHash(firstFour, nodeHash(nodeHash(leafHash(leaf), six!), seven!))
const hashes = [six!, seven!, firstFour].map((hash) => hash.toString("hex"))

const noteOf = (size: number, of: Buffer, { byte = 8, name = origin }: { byte?: number; name?: string } = {}) => {
  const text = `${name}\n${size}\n${of.toString("base64")}\n`
  const key = Buffer.from(keyOf(byte).published, "base64")
  const keyId = sha256(`${name}\n`, Uint8Array.of(1), key).subarray(0, 4)
  const signature = Buffer.from(signatureOf(text, keyOf(byte)), "base64")
  return `${text}\n\u2014 ${name} ${Buffer.concat([keyId, signature]).toString("base64")}\n`
}

const receipt = {
  schema: "countersign/receipt/v1",
  license_id,
  feature_code: "render",
  event_id,
  leaf,
  hashes,
  note: noteOf(7, root),
  issued_at: "2026-03-01T10:00:05.000Z",
  nonce
}

const signed = (data: object, signature: object = {}): string => {
  const text = canonical(data)
  return `{"data":${text},"signature":${
    JSON.stringify({ alg: "Ed25519", algorithm: "Ed25519", kid, value: signatureOf(text), ...signature })
  },"meta":{"request_id":"req_1","timestamp":"2026-03-01T10:00:05.000Z"}}`
}
const bodyOf = (changed: object): string => signed({ ...receipt, ...changed })
const without = (name: keyof typeof receipt): string =>
  signed(Object.fromEntries(Object.entries(receipt).filter(([member]) => member !== name)))
const leafOf = (changed: object): { readonly leaf: string } => ({ leaf: canonical({ ...event, ...changed }) })
const genuine = signed(receipt)

const verdict = (name: string, expected: string, body: string, more: object = {}) => ({
  name,
  expected,
  body,
  event_id,
  license_id,
  nonce,
  ...more
})

const proofOf = (text: string, path: ReadonlyArray<string>, note: string) =>
  [
    "c2sp.org/tlog-proof@v1",
    `extra ${Buffer.from(text).toString("base64")}`,
    "index 4",
    ...path.map((hash) => Buffer.from(hash, "hex").toString("base64")),
    "",
    note
  ].join("\n")

/** A receipt that says its proof twice (C2SP tlog-proof), and not alike. */
const proven = (name: string, tlog_proof: unknown) =>
  verdict(`whose proof is ${name}`, "malformed", bodyOf({ tlog_proof }))

/** The vectors as they stand in receipts.json. A case whose `expected` is `verified` proves its use. */
export const vectors = {
  keys: envelopes.keys,
  cases: [
    verdict("genuine", "verified", genuine),
    verdict(
      "the only event of a log",
      "verified",
      bodyOf({
        ...leafOf({ sequence: 1 }),
        hashes: [],
        note: noteOf(1, leafHash(canonical({ ...event, sequence: 1 })))
      })
    ),
    verdict("of the test environment", "environment_mismatch", bodyOf({ environment: "test" })),
    verdict("of the test environment, by an app for tests", "verified", bodyOf({ environment: "test" }), {
      allow_test: true
    }),
    verdict("of another request", "nonce_mismatch", genuine, { nonce: "n-0000000000" }),
    verdict("of another license", "license_mismatch", genuine, { license_id: "lic_01k6f3q8zve8rbkm1v4t2c9dxz" }),
    verdict("of another use", "request_mismatch", genuine, { event_id: "export-2026-03-01-0002" }),
    verdict("whose leaf has another amount", "not_in_log", bodyOf(leafOf({ data: { ...event.data, amount: 4 } }))),
    verdict("whose leaf names another place", "not_in_log", bodyOf(leafOf({ sequence: 6 }))),
    verdict("whose leaf lies behind the checkpoint", "not_in_log", bodyOf(leafOf({ sequence: 8 }))),
    verdict("whose path is in another order", "not_in_log", bodyOf({ hashes: hashes.toReversed() })),
    verdict("whose path is too short", "not_in_log", bodyOf({ hashes: hashes.slice(1) })),
    verdict("whose path is too long", "not_in_log", bodyOf({ hashes: [...hashes, hashes[0]] })),
    verdict("whose path has no hashes", "not_in_log", bodyOf({ hashes: ["00", "00", "00"] })),
    verdict("to the checkpoint of another log", "not_in_log", bodyOf({ note: noteOf(7, one!) })),
    verdict("to a checkpoint of another size", "not_in_log", bodyOf({ note: noteOf(9, root) })),
    verdict("to a checkpoint that nobody signed", "unknown_key", bodyOf({ note: noteOf(7, root, { byte: 9 }) })),
    verdict(
      "to a checkpoint that was changed",
      "signature_mismatch",
      bodyOf({
        note: receipt.note.replace(root.toString("base64"), one!.toString("base64"))
      })
    ),
    verdict("to no checkpoint", "malformed", bodyOf({ note: "licenses.example.com\n7\n" })),
    verdict(
      "whose leaf is of another use",
      "malformed",
      bodyOf(leafOf({ data: { ...event.data, event_id: "other" } }))
    ),
    verdict("whose leaf is of another license", "malformed", bodyOf(leafOf({ resource_id: "lic_other" }))),
    verdict("whose leaf is of another feature", "malformed", bodyOf({ feature_code: "export" })),
    verdict("whose leaf is no use", "malformed", bodyOf(leafOf({ event_type: "license.usage_reset" }))),
    verdict("whose leaf has a name twice", "malformed", bodyOf({ leaf: leaf.replace("{", "{\"sequence\":4,") })),
    verdict("whose leaf is no JSON", "malformed", bodyOf({ leaf: leaf.slice(1) })),
    verdict("without a path", "malformed", without("hashes")),
    verdict("without a checkpoint", "malformed", without("note")),
    verdict("without a schema", "malformed", without("schema")),
    verdict("an answer in its place", "malformed", envelopes.cases[0]!.body),
    verdict("that was changed", "signature_mismatch", genuine.replace("\"issued_at\":\"2026", "\"issued_at\":\"2027")),
    verdict(
      "by a key that nobody published",
      "unknown_key",
      signed(receipt, { kid: "sig_01k6f3q8zve8rbkm1v4t2c9dxz" })
    ),
    verdict("by a key that was revoked", "unknown_key", signed(receipt, { kid: "sig_01k6f3q8zve8rbkm1v4t2c9dx8" })),
    verdict(
      "with its proof as a text of its own",
      "verified",
      bodyOf({ tlog_proof: proofOf(leaf, hashes, receipt.note) })
    ),
    proven("of another leaf", proofOf(leaf.replace(":3", ":4"), hashes, receipt.note)),
    proven("by another path", proofOf(leaf, hashes.slice(1), receipt.note)),
    proven("of another checkpoint", proofOf(leaf, hashes, noteOf(9, root))),
    proven("none", "a shopping list"),
    proven("a number", 5),
    proven("null", null),
    verdict("no JSON", "malformed", genuine.slice(1))
  ]
}

/** The text of receipts.json. */
export const text = `${JSON.stringify(vectors, null, 2)}\n`

if (import.meta.main) writeFileSync(join(import.meta.dirname, "receipts.json"), text)

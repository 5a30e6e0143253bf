import { assert, describe, it } from "@effect/vitest"
import { verifyFiles } from "../../../src/client/evidence/verifyFiles.ts"
import { tlogProofOf, verifyTlogProof } from "../../../src/client/verify/index.ts"
import { readTlogProof } from "../../../src/domain/evidence/transparency/MerkleTree.ts"
import { sha256 } from "../../fixtures/NaiveTree.ts"
import { signedFeed, signingKey } from "../../fixtures/SignedFeed.ts"
import { readTlog } from "../../fixtures/TlogReader.ts"
import { vectors as keyVectors } from "../../vectors/makeLogKeys.ts"
import { vectors as receiptVectors } from "../../vectors/makeReceipts.ts"

const [{ keys, proofs }] = keyVectors.cases as [typeof keyVectors.cases[number]]
const proof = proofs[0]!
const known = { publicKeys: keys.data }
const { note = "" } = readTlogProof(proof) ?? {}
const leaf = readTlogProof(proof)?.leaf ?? ""

const receipt = JSON.parse(receiptVectors.cases[0]!.body).data
const receiptKeys = receiptVectors.keys.data

describe("the proof of an event (C2SP tlog-proof)", () => {
  it("says which event is in which log, to us and to a reader that was written from the standard", async () => {
    const verdict = await verifyTlogProof({ proof, ...known })
    assert.deepInclude(verdict, { ok: true, sequence: 5, note })
    assert.deepStrictEqual(verdict.ok && verdict.event, JSON.parse(leaf))
    assert.strictEqual((await verifyTlogProof({ proof, leaf, ...known })).ok, true)
    assert.deepInclude(readTlog(proof, keys.data), { origin: keyVectors.origin, size: 7, index: 4, extra: leaf })
  })

  it("is made of a receipt, and of a served event", async () => {
    const made = tlogProofOf({ event: receipt.leaf, hashes: receipt.hashes, note: receipt.note })
    assert.deepInclude(await verifyTlogProof({ proof: made, publicKeys: receiptKeys }), { ok: true, sequence: 5 })
    assert.strictEqual(readTlog(made, receiptKeys).extra, receipt.leaf)
    const [event] = signedFeed(1)
    const served = tlogProofOf({ event: event!, hashes: [], note })
    // Personal values are commitments in it.
    assert.notInclude(readTlogProof(served)!.leaf!, "person-1@example.com")
    for (const wrong of [{ event: "{}" }, { hashes: ["00"] }, { event: "[]" }]) {
      assert.throws(() => tlogProofOf({ event: receipt.leaf, hashes: receipt.hashes, note, ...wrong }), TypeError)
    }
  })

  const extra = (text: string) => `extra ${Buffer.from(text).toString("base64")}\n`
  const withLeaf = (text: string) => proof.replace(/extra [^\n]+\n/, extra(text))
  const revoked = keys.data.map((key) => ({ ...key, status: "revoked", revoked_at: "2026-03-05T10:00:00.000Z" }))
  it.each<readonly [string, string, object]>([
    ["malformed", "a shopping list", {}],
    ["malformed", note, {}],
    ["malformed", proof.replace(/extra [^\n]+\n/, ""), {}],
    ["malformed", proof.replace("index 4", "index 5"), {}],
    ["malformed", withLeaf(leaf.replace(":", ": ")), {}],
    ["malformed", withLeaf("[5]"), {}],
    ["malformed", proof.replace(/\n/g, "\r\n"), {}],
    ["other_event", proof, { leaf: leaf.replace("system", "another") }],
    ["not_in_log", withLeaf(leaf.replaceAll("system", "another")), {}],
    ["not_in_log", proof.replace(/(index 4\n)[^\n]+\n/, "$1"), {}],
    ["checkpoint_malformed", proof.slice(0, -1), {}],
    ["unknown_key", proof, { publicKeys: [signingKey(3).published] }],
    ["revoked_key", proof, { publicKeys: [], revokedKeys: revoked }],
    ["signature_mismatch", proof.replace("\n7\n", "\n8\n"), {}]
  ])("%s", async (fault, text, more) => {
    const verdict = await verifyTlogProof({ proof: text, ...known, ...more })
    assert.strictEqual(verdict.ok ? "verified" : verdict.fault, fault)
  })

  it("is refused by the other reader as well, whatever byte of it is another", () => {
    const refused = (text: string) => {
      try {
        readTlog(text, keys.data)
        return false
      } catch {
        return true
      }
    }
    // The line of the new key is of no key that is known, and the extra data is the reader's own to judge.
    const [, ...lines] = proof.split("\n")
    const at = proof.indexOf(lines[1]!)
    const end = proof.indexOf("\u2014")
    for (let index = at; index < end; index++) {
      const other = proof[index] === "7" ? "6" : "7"
      assert.isTrue(refused(proof.slice(0, index) + other + proof.slice(index + 1)), `byte ${index}`)
    }
  })

  it("is told in words, with the keys that it introduces", async () => {
    const second = keyVectors.cases.find(({ name }) => name === "two in turn")!.proofs[1]!
    const trust = {
      publicKeys: keys.data,
      revokedKeys: [],
      witnesses: [],
      quorum: 0,
      licenseKey: undefined,
      fingerprint: undefined,
      now: 0,
      sha256
    }
    const verdicts = async (...texts: ReadonlyArray<string>) => {
      const files = texts.map((text, index) => ({ name: `${index}.tlog-proof`, bytes: new TextEncoder().encode(text) }))
      return (await verifyFiles(files, trust)).map((
        { findings, verdict }
      ) => [verdict, findings.map(({ text }) => text).join(" ")])
    }
    const [first] = await verdicts(proof)
    assert.strictEqual(first![0], "proven")
    assert.include(first![1], "sig_b signs the log from then on: sig_a introduced it")
    assert.deepStrictEqual((await verdicts(second)).map(([verdict]) => verdict), ["wrong"])
    assert.deepStrictEqual((await verdicts(second, proof)).map(([verdict]) => verdict), ["proven", "proven"])
    assert.deepStrictEqual((await verdicts(proof.replace(/extra [^\n]+\n/, ""))).map(([verdict]) => verdict), ["open"])
  })
})

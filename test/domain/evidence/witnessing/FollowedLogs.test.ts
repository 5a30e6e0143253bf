import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import { createPublicKey, verify } from "node:crypto"
import { readCheckpointText, readTlogProof } from "../../../../src/domain/evidence/transparency/MerkleTree.ts"
import { ed25519, readNote } from "../../../../src/domain/evidence/transparency/SignedNote.ts"
import type { KnownLog } from "../../../../src/domain/evidence/witnessing/Cosigning.ts"
import { signedCheckpoint } from "../../../../src/domain/evidence/witnessing/Cosigning.ts"
import type { KeptChange } from "../../../../src/domain/evidence/witnessing/FollowedLogs.ts"
import { followedLogs, judgeKeyEvent } from "../../../../src/domain/evidence/witnessing/FollowedLogs.ts"
import { sha256 } from "../../../fixtures/NaiveTree.ts"
import { vectors } from "../../../vectors/makeLogKeys.ts"

const ed25519Verify = (publicKey: Uint8Array, message: Uint8Array, signature: Uint8Array): boolean => {
  const jwk = { kty: "OKP", crv: "Ed25519", x: Buffer.from(publicKey).toString("base64url") }
  return verify(null, message, createPublicKey({ key: jwk, format: "jwk" }), signature)
}
const crypto = { ed25519Verify, sha256 }
const { origin } = vectors
const publicKeyOf = (key: { readonly public_key: string }) => Uint8Array.from(Buffer.from(key.public_key, "base64"))
const logOf = (key: { readonly public_key: string }): KnownLog => ({
  origin,
  key: { name: origin, type: ed25519, publicKey: publicKeyOf(key) }
})

/** A witness that has cosigned whatever checkpoint it is shown, and what it keeps. */
const witness = (logs: ReadonlyArray<KnownLog>, kept: Array<KeptChange> = []) => {
  let cosigned: ReturnType<typeof readCheckpointText>
  const state = { last: () => cosigned, changes: () => kept }
  const told = (proof: string) => {
    const note = readTlogProof(proof)?.note ?? ""
    cosigned = readCheckpointText(readNote(note)?.text ?? "")
    return judge(proof)
  }
  const judge = (proof: string) => {
    const judged = judgeKeyEvent(proof, logs, state, crypto)
    if (Result.isFailure(judged)) return judged.failure.status
    if (judged.success.change !== undefined) kept.push(judged.success.change)
    return 200
  }
  const followed = () => followedLogs(logs, () => kept, sha256)
  const takes = (note: string) => Result.isSuccess(signedCheckpoint(note, followed(), crypto))
  return { told, judge, followed, takes, kept }
}

const statuses: Readonly<Record<string, number>> = {
  verified: 200,
  malformed: 400,
  not_in_log: 422,
  unknown_key: 403,
  revoked_key: 403,
  signature_mismatch: 403
}

describe("a witness", () => {
  // What is known to be revoked at the start, a witness has only from the log.
  it.each(vectors.cases.filter(({ keys: { revoked } }) => revoked.length === 0))(
    "is told of a key, $name: $expected",
    ({ expected, keys: { data }, proofs, trusted }) => {
      const { followed, told } = witness(data.map(logOf))
      assert.deepStrictEqual(proofs.map(told).at(-1), statuses[expected])
      if (trusted !== undefined) assert.strictEqual(followed().length, trusted.length)
    }
  )

  const [first] = vectors.cases
  const chain = vectors.cases.find(({ name }) => name === "one that is revoked by the next")
  const a = logOf(first!.keys.data[0]!)

  it("takes from the log what it was told, and what that key signs from then on", () => {
    const { takes, told } = witness([a])
    told(first!.proofs[0]!)
    const taken = vectors.notes.filter(({ note }) => takes(note)).map(({ name }) => name)
    const expected = vectors.notes.filter(({ expected }) => expected === "verified").map(({ name }) => name)
    assert.deepStrictEqual(taken, expected)
  })

  it("takes an event in the checkpoint that it cosigned last alone", () => {
    const { judge, told } = witness([a])
    assert.strictEqual(judge(first!.proofs[0]!), 409)
    told(chain!.proofs[1]!)
    assert.strictEqual(judge(first!.proofs[0]!), 409)
  })

  it("trusts nothing of a key that its operator no longer names, unless the new one is named", () => {
    const { kept, told } = witness([a])
    for (const proof of chain!.proofs) told(proof)
    const [introduced] = witness([a], kept).followed()
    assert.strictEqual(kept.length, 3)
    assert.isEmpty(witness([], kept).followed())
    // B, which the operator names now, has introduced C, and A stays revoked.
    const named = witness([{ origin, key: introduced!.key }], kept).followed()
    assert.strictEqual(named.length, 2)
    const again = witness([a, { origin, key: introduced!.key }], kept).followed()
    assert.isFalse(again.some(({ key }) => Buffer.from(key.publicKey).equals(a.key.publicKey)))
  })

  it("knows the log or says so", () => {
    const elsewhere = "licenses.example.com/events/ffffffffffffffff"
    const { told } = witness([{ ...a, origin: elsewhere }])
    assert.strictEqual(told(first!.proofs[0]!), 404)
  })
})

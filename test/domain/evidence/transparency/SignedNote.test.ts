import { assert, describe, it } from "@effect/vitest"
import { createPrivateKey, createPublicKey, sign, verify } from "node:crypto"
import { checkpointText, readCheckpointText } from "../../../../src/domain/evidence/transparency/MerkleTree.ts"
import {
  claimsOf,
  readNote,
  timestampedText,
  writeNote
} from "../../../../src/domain/evidence/transparency/SignedNote.ts"
import { readVerifierKey } from "../../../../src/domain/evidence/transparency/VerifierKey.ts"
import { sha256 } from "../../../fixtures/NaiveTree.ts"

const publicOf = (raw: Uint8Array) =>
  createPublicKey({ key: { kty: "OKP", crv: "Ed25519", x: Buffer.from(raw).toString("base64url") }, format: "jwk" })

describe("a note of another implementation", () => {
  // The example of golang.org/x/mod/sumdb/note: the verifier key, the text and its signature.
  const [name, id, encoded] = "PeterNeumann+c74f20a3+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW".split("+") as [
    string,
    string,
    string
  ]
  const publicKey = Uint8Array.from(Buffer.from(encoded, "base64").subarray(1))
  const text = "If you think cryptography is the answer to your problem,\nthen you don't know what your problem is.\n"
  const note = `${text}\n\u2014 PeterNeumann ` +
    "x08go/ZJkuBS9UG/SffcvIAQxVBtiFupLLr8pAcElZInNIuGUgYN1FFYC2pZSNXgKvqfqdngotpRZb6KE6RyyBwJnAM=\n"

  it("is read, its key found by its id, and its signature verified", () => {
    const read = readNote(note)!
    assert.strictEqual(read.text, text)
    assert.strictEqual(Buffer.from(read.signatures[0]!.keyId).toString("hex"), id)
    const [claim, ...more] = claimsOf(read, { name, publicKey }, sha256)
    assert.deepStrictEqual(more, [])
    assert.isTrue(verify(null, Buffer.from(claim!.message), publicOf(publicKey), claim!.signature))
    assert.isEmpty(claimsOf(read, { name: "another", publicKey }, sha256))
    assert.isEmpty(claimsOf(read, { name, publicKey: publicKey.with(0, 1) }, sha256))
  })

  it("carries the cosignature of a witness that others wrote", () => {
    // What litewitness (litetlog 0.4.3) answered to this service, which asked it to cosign this checkpoint.
    const witness = readVerifierKey(
      "lite.example/w1+b84d5dde+BHNjVxHW0MKWH97XqgwjTmK4swrJxGluoUKh/zEOVTpE",
      sha256
    )!
    const checkpoint = [
      "127.0.0.1/events/5ef818ec5f497106",
      "23",
      "vb0O+zPQe8l/tJ6PDi8fc2PV7yYykUw3nwqJy8Huuw4=",
      "",
      "\u2014 127.0.0.1/events/5ef818ec5f497106 " +
      "tjGj43fHOcbomJhr+QfNLOBEoTCoAf8gD6e7aUQ/WJXH2Bd6Bbwd2OGaI4+VRtGzPxa5ittQz5ETLKGMCefJA/Wnmg0=",
      "\u2014 lite.example/w1 " +
      "uE1d3gAAAABrCj7NOYiFs5Txa2x2ULclHYUdOmNAtadNn8Yt9gnplPcBm3gyjHNxOpBPMTv4FLYLAUfPS0KwIwWW1bJr9sHGiUsnDQ==",
      ""
    ].join("\n")
    const verifies = (given: string) =>
      claimsOf(readNote(given)!, witness, sha256).map(({ message, signature, time }) => ({
        time,
        ok: verify(null, Buffer.from(message), publicOf(witness.publicKey), signature)
      }))
    assert.deepStrictEqual(verifies(checkpoint), [{ time: Date.parse("2026-11-28T02:39:09Z") / 1000, ok: true }])
    assert.deepStrictEqual(verifies(checkpoint.replace("\n23\n", "\n24\n")).map(({ ok }) => ok), [false])
  })

  it("is refused when it is none", () => {
    const wrong = [
      "",
      text,
      `${text}\n`,
      note.slice(0, -1),
      note.replace("\u2014", "-"),
      note.replace("PeterNeumann ", "Peter+Neumann "),
      note.replace("x08go", "!"),
      note.replace("If", "I\u0007"),
      note.replace("\u2014 PeterNeumann x08go", "\u2014 PeterNeumann x08g"),
      `${text}\n${"\u2014 a AAAAAAAA\n".repeat(65)}`
    ]
    for (const given of wrong) assert.isUndefined(readNote(given), JSON.stringify(given.slice(-90)))
    assert.isDefined(readNote(`${text}\n${"\u2014 a AAAAAAAA\n".repeat(16)}`))
  })
})

describe("a checkpoint", () => {
  const origin = "licenses.example.com/events/6d1f0a2b3c4d5e6f"
  const root = sha256("root")

  it("is three lines, read as they were written", () => {
    const text = checkpointText({ origin, size: 20852163, root })
    assert.strictEqual(text, `${origin}\n20852163\n${Buffer.from(root).toString("base64")}\n`)
    assert.deepStrictEqual(readCheckpointText(text), { origin, size: 20852163, root })
    assert.deepStrictEqual(readCheckpointText(`${text}an extension\n`), { origin, size: 20852163, root })
    for (const size of ["01", "-1", "1.5", "1e3", "", "99999999999999999"]) {
      assert.isUndefined(readCheckpointText(text.replace("20852163", size)), size)
    }
    assert.isUndefined(readCheckpointText(text.replace("=", "A=")))
    assert.isUndefined(readCheckpointText(`\n1\n${Buffer.from(root).toString("base64")}\n`))
  })

  it("carries two signatures of one key, one of them with its time", () => {
    const seed = Buffer.alloc(32, 9)
    const privateKey = createPrivateKey({
      key: Buffer.concat([Buffer.from("302e020100300506032b657004220420", "hex"), seed]),
      format: "der",
      type: "pkcs8"
    })
    const jwk = createPublicKey(privateKey).export({ format: "jwk" }) as { readonly x: string }
    const publicKey = Uint8Array.from(Buffer.from(jwk.x, "base64url"))
    const signed = (text: string) => Uint8Array.from(sign(null, Buffer.from(text), privateKey))
    const text = checkpointText({ origin, size: 3, root })
    const time = 1_780_000_000
    const timestampedSignature = signed(timestampedText(text, time))
    const note = writeNote(
      { text, name: origin, publicKey, signature: signed(text), time, timestampedSignature },
      sha256
    )
    const claims = claimsOf(readNote(note)!, { name: origin, publicKey }, sha256)
    assert.deepStrictEqual(claims.map((claim) => claim.time), [undefined, time])
    for (const { message, signature } of claims) {
      assert.isTrue(verify(null, Buffer.from(message), publicOf(publicKey), signature))
    }
    assert.strictEqual(claims[1]!.message, `cosignature/v1\ntime 1780000000\n${text}`)
  })
})

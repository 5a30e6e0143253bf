import { assert, describe, it } from "@effect/vitest"
import { createPrivateKey, createPublicKey, generateKeyPairSync, sign } from "node:crypto"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import type { EnvelopeErrorCode, VerifyEnvelopeOptions } from "../../../src/client/verify/index.ts"
import { EnvelopeError, verifyEnvelope } from "../../../src/client/verify/index.ts"
import { signedJson } from "../../../src/domain/ground/wire/CanonicalJson.ts"
import { text, vectors } from "../../vectors/makeEnvelopes.ts"

const { privateKey, publicKey } = generateKeyPairSync("ed25519")
const rawKey = publicKey.export({ format: "der", type: "spki" }).subarray(-32).toString("base64")
const publicKeys = [
  { kid: "sig_other", algorithm: "Ed25519", public_key: Buffer.alloc(32, 1).toString("base64") },
  { kid: "sig_1", algorithm: "Ed25519", public_key: rawKey }
]
const now = Date.parse("2026-03-01T10:00:00.000Z")
const data = {
  license_id: "lic_1",
  status: "active",
  entitlement_version: 12,
  features: [{ code: "export", enabled: true, quota: 100 }],
  product_code: "studio",
  nonce: "n-7f3a9c21d0",
  valid_until: "2026-03-02T10:00:00.000Z"
}
const envelopeOf = (text: string, signature: object = {}) => {
  const value = sign(null, Buffer.from(text), privateKey).toString("base64")
  const members = { alg: "Ed25519", algorithm: "Ed25519", kid: "sig_1", value, ...signature }
  return `{"data":${text},"signature":${JSON.stringify(members)},"meta":{"request_id":"req_1"}}`
}
const body = envelopeOf(signedJson(data))

const codeOf = async (options: Partial<VerifyEnvelopeOptions>): Promise<EnvelopeErrorCode | "verified"> => {
  try {
    await verifyEnvelope({ body, publicKeys, expected: { now }, ...options })
    return "verified"
  } catch (error) {
    assert.instanceOf(error, EnvelopeError)
    return error.code
  }
}
const modes = ["canonical", "raw"] as const

describe("the published vectors", () => {
  it("are as they were made", () => {
    assert.strictEqual(readFileSync(join(import.meta.dirname, "../../vectors/envelopes.json"), "utf8"), text)
  })

  it.each(vectors.cases.map((one) => [one.name, one] as const))("%s", async (_, one) => {
    const code = await codeOf({
      body: one.body,
      publicKeys: [...vectors.keys.data, ...vectors.keys.revoked],
      expected: { now: Date.parse(one.now), nonce: one.nonce, productCode: one.product_code },
      allowTest: "allow_test" in one && one.allow_test === true
    })
    assert.strictEqual(code, one.expected)
  })
})

describe("verifyEnvelope", () => {
  it("accepts what the service signed, parsed or as text, in any order of members", async () => {
    const reordered = {
      signature: JSON.parse(body).signature,
      data: Object.fromEntries(Object.entries(data).toReversed())
    }
    for (const accepted of [body, JSON.parse(body), JSON.stringify(JSON.parse(body), null, 2), reordered]) {
      const verified = await verifyEnvelope({
        body: accepted,
        publicKeys,
        expected: { now, nonce: data.nonce, productCode: "studio" }
      })
      assert.deepStrictEqual<unknown>(verified, { data, kid: "sig_1" })
    }
  })

  it("accepts the raw bytes wherever they stand in the text", async () => {
    const { signature } = JSON.parse(body)
    const text = signedJson(data)
    const bodies = [
      body,
      ` { "meta" : {"data":1,"x":["}\\"data\\":",{}]} , "signature" : ${
        JSON.stringify(signature)
      } , "data" :\n ${text} } `,
      `{"data":${text},"signature":${JSON.stringify(signature)}}`
    ]
    for (const raw of bodies) {
      const verified = await verifyEnvelope({ body: raw, publicKeys, expected: { now }, bytes: "raw" })
      assert.deepStrictEqual<unknown>(verified.data, data)
    }
    // Spaces inside data are other bytes, though the same value.
    assert.strictEqual(
      await codeOf({ body: body.replace(":\"active\"", ": \"active\""), bytes: "raw" }),
      "signature_mismatch"
    )
    assert.strictEqual(await codeOf({ body: body.replace(":\"active\"", ": \"active\"") }), "verified")
  })

  it("verifies the test vector of RFC 8032 section 7.1 as a key", async () => {
    // The seed and public key of TEST 1.
    const seed = "9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60"
    const key = createPrivateKey({
      key: Buffer.from(`302e020100300506032b657004220420${seed}`, "hex"),
      format: "der",
      type: "pkcs8"
    })
    const publicHex = "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a"
    assert.strictEqual(
      createPublicKey(key).export({ format: "der", type: "spki" }).subarray(-32).toString("hex"),
      publicHex
    )
    const value = sign(null, Buffer.from(signedJson(data)), key).toString("base64")
    const verified = await verifyEnvelope({
      body: { data, signature: { alg: "Ed25519", kid: "sig_v", value } },
      publicKeys: [{
        kid: "sig_v",
        algorithm: "Ed25519",
        public_key: Buffer.from(publicHex, "hex").toString("base64")
      }],
      expected: { now }
    })
    assert.strictEqual(verified.kid, "sig_v")
  })

  it("refuses changed data", async () => {
    for (const bytes of modes) {
      for (
        const [from, to] of [["active", "Active"], ["12", "13"], [`"quota":100`, `"quota":101`], [
          `"status"`,
          `"state"`
        ]]
      ) {
        assert.strictEqual(await codeOf({ body: body.replace(from!, to!), bytes }), "signature_mismatch")
      }
      assert.strictEqual(
        await codeOf({ body: body.replace("{\"entitle", "{\"added\":1,\"entitle"), bytes }),
        "signature_mismatch"
      )
    }
  })

  it("refuses a name that appears twice, because readers disagree about which of the two counts", async () => {
    const forgeries = [
      body.replace(/}$/, `,"data":{"status":"forged"}}`),
      body.replace(/}$/, `,"d\\u0061ta":{"status":"forged"}}`),
      // Here the genuine one is the last, which JSON.parse takes.
      body.replace(/^{/, `{"data":{"status":"forged"},`),
      body.replace(/^{/, `{"d\\u0061ta":{"status":"forged"},`),
      body.replace(`"status":`, `"status":"forged","status":`),
      body.replace(`"kid":`, `"kid":"sig_2","kid":`),
      body.replace(`"request_id":`, `"request_id":"req_2","request_id":`)
    ]
    for (const forged of forgeries) {
      for (const bytes of modes) assert.strictEqual(await codeOf({ body: forged, bytes }), "malformed", forged)
    }
  })

  it("refuses unknown keys and other algorithms", async () => {
    const text = signedJson(data)
    const signed = (change: object) => codeOf({ body: envelopeOf(text, change) })
    assert.strictEqual(await signed({ kid: "sig_2" }), "unknown_key")
    assert.strictEqual(await signed({ kid: "sig_other" }), "signature_mismatch")
    for (const alg of ["ed25519", "EdDSA", "none", "HS256", "", null, undefined]) {
      assert.strictEqual(await signed({ alg }), "unsupported_algorithm")
    }
    assert.strictEqual(await signed({ algorithm: "RS256" }), "unsupported_algorithm")
    const withKey = (change: object) => codeOf({ publicKeys: [{ ...publicKeys[1]!, ...change }] })
    assert.strictEqual(await withKey({ algorithm: "X25519" }), "unknown_key")
    assert.strictEqual(await withKey({ public_key: "AAAA" }), "unknown_key")
    assert.strictEqual(await codeOf({ publicKeys: [] }), "unknown_key")
  })

  it("refuses malformed answers", async () => {
    const text = signedJson(data)
    const wrongs = ["", "[]", "null", "{", "1", `{"data":{}}`, `{"data":{},"signature":[]}`, 1, null, undefined, []]
    for (const wrong of wrongs) assert.strictEqual(await codeOf({ body: wrong }), "malformed", String(wrong))
    for (const value of ["", "AAAA", "!", null, 1]) {
      assert.strictEqual(await codeOf({ body: envelopeOf(text, { value }) }), "malformed")
    }
    const { data: _data, ...withoutData } = JSON.parse(body)
    assert.strictEqual(await codeOf({ body: withoutData }), "malformed")
    assert.strictEqual(await codeOf({ body: JSON.stringify(withoutData), bytes: "raw" }), "malformed")
    assert.strictEqual(await codeOf({ body: envelopeOf("[1]") }), "malformed")
    const failure = await verifyEnvelope({ body: {}, publicKeys, bytes: "raw" }).catch((error: unknown) => error)
    assert.instanceOf(failure, TypeError)
  })

  it("holds valid_until to the clock and its skew", async () => {
    const until = Date.parse(data.valid_until)
    const at = (expected: VerifyEnvelopeOptions["expected"]) => codeOf({ expected: expected! })
    assert.strictEqual(await at({ now: until + 60_000 }), "verified")
    assert.strictEqual(await at({ now: until + 60_001 }), "expired")
    assert.strictEqual(await at({ now: until + 1, clockSkewSeconds: 0 }), "expired")
    assert.strictEqual(await at({ now: until, clockSkewSeconds: 0 }), "verified")
    assert.strictEqual(await at({ now: Number.NaN }), "expired")
    // Without a time it is this machine's.
    const clock = { ...data, valid_until: "2020-01-01T00:00:00.000Z" }
    assert.strictEqual(await codeOf({ body: envelopeOf(signedJson(clock)), expected: {} }), "expired")
    const { valid_until: _until, ...endless } = data
    assert.strictEqual(await codeOf({ body: envelopeOf(signedJson(endless)) }), "malformed")
    const unreadable = { ...data, valid_until: "soon" }
    assert.strictEqual(await codeOf({ body: envelopeOf(signedJson(unreadable)) }), "malformed")
  })

  it("holds nonce and product to what was expected", async () => {
    assert.strictEqual(await codeOf({ expected: { now, nonce: "n-another-one" } }), "nonce_mismatch")
    assert.strictEqual(await codeOf({ expected: { now, productCode: "server" } }), "product_mismatch")
    const { nonce: _nonce, product_code: _code, ...bare } = data
    const unbound = envelopeOf(signedJson(bare))
    assert.strictEqual(await codeOf({ body: unbound, expected: { now, nonce: data.nonce } }), "nonce_mismatch")
    assert.strictEqual(await codeOf({ body: unbound, expected: { now, productCode: "studio" } }), "product_mismatch")
    assert.strictEqual(await codeOf({ body: unbound }), "verified")
  })
})

import { assert, describe, it } from "@effect/vitest"
import { spawnSync } from "node:child_process"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import type { VerifyOfflineOptions } from "../../../src/client/verify/index.ts"
import { EnvelopeError, OfflineError, verifyOffline } from "../../../src/client/verify/index.ts"
import { signedJson } from "../../../src/domain/ground/wire/CanonicalJson.ts"
import { text, vectors } from "../../vectors/makeOffline.ts"

const file = join(import.meta.dirname, "../../vectors/offline.json")
const published: typeof vectors = JSON.parse(readFileSync(file, "utf8"))

const options: VerifyOfflineOptions = {
  envelope: published.envelope,
  licenseKey: published.license_key_as_typed,
  deviceId: published.device_id,
  publicKeys: published.public_keys,
  expected: { now: Date.parse("2026-11-25T00:00:00Z") }
}

const refusalOf = async (asked: VerifyOfflineOptions): Promise<string> => {
  try {
    await verifyOffline(asked)
  } catch (error) {
    if (error instanceof OfflineError || error instanceof EnvelopeError) return error.code
    throw error
  }
  return "accepted"
}

const refusal = (changed: Partial<VerifyOfflineOptions>) => refusalOf({ ...options, ...changed })

const expecting = (more: VerifyOfflineOptions["expected"]) => refusal({ expected: { ...options.expected, ...more } })

/** The same text with one bit of its first byte changed. */
const flipped = (base64: string): string => {
  const bytes = Buffer.from(base64, "base64")
  bytes[0]! ^= 1
  return bytes.toString("base64")
}

describe("verifyOffline", () => {
  it("opens the published vectors, which are what their script writes", async () => {
    assert.strictEqual(readFileSync(file, "utf8"), text)
    const { data, kid, offlineCounter } = await verifyOffline(options)
    assert.strictEqual(signedJson(data), published.signed.data_utf8)
    assert.strictEqual(kid, published.envelope.kid)
    assert.strictEqual(offlineCounter, 3)
    await verifyOffline({ ...options, envelope: JSON.stringify(published.envelope) })
  })

  it.each(published.cases.map((one) => [one.name, one] as const))("judges the published vector: %s", async (_, one) => {
    const { device_id = published.device_id, envelope, expected, fingerprint, last_counter, license_key, now } = one
    const { deviceId: _device, ...others } = options
    const code = await refusalOf({
      ...others,
      envelope,
      allowTest: one.allow_test,
      licenseKey: license_key ?? published.license_key_as_typed,
      ...(fingerprint === undefined ? { deviceId: device_id } : { fingerprint }),
      expected: {
        now: Date.parse(now),
        ...(last_counter === undefined ? {} : { lastCounter: last_counter }),
        ...(one.product_code === undefined ? {} : { productCode: one.product_code }),
        ...(one.revocations === undefined ? {} : { revocations: one.revocations })
      }
    })
    assert.strictEqual(code === "accepted" ? "verified" : code, expected)
  })

  it.each(published.texts.map((one) => [one.name, one] as const))(
    "reads a file as it is handed on: %s",
    async (_, one) => {
      const { deviceId: _device, ...others } = options
      const code = await refusalOf({
        ...others,
        envelope: one.bytes === undefined ? one.text : Uint8Array.from(Buffer.from(one.bytes, "base64")),
        fingerprint: "123456"
      })
      assert.strictEqual(code === "accepted" ? "verified" : code, one.expected)
    }
  )

  it("takes the license key as people type it, and no other", async () => {
    await verifyOffline({ ...options, licenseKey: published.license_key })
    assert.strictEqual(await refusal({ licenseKey: "CS-208H4-4RM2M-B1E60-S38DH-R78YD" }), "license_key_invalid")
    assert.strictEqual(await refusal({ licenseKey: "CS-00000-00000-00000-00000-00000" }), "cannot_decrypt")
  })

  it("is bound to the device, the salt, the nonce, the key and every byte", async () => {
    const { envelope } = published
    assert.strictEqual(await refusal({ deviceId: "dev_01k6f3q8zve8rbkm1v4t2c9dxz" }), "cannot_decrypt")
    for (const member of ["salt", "nonce", "ciphertext"] as const) {
      const code = await refusal({ envelope: { ...envelope, [member]: flipped(envelope[member]) } })
      assert.strictEqual(code, "cannot_decrypt", member)
    }
    assert.strictEqual(await refusal({ envelope: { ...envelope, kid: `${envelope.kid}x` } }), "cannot_decrypt")
    assert.strictEqual(await refusal({ envelope: { ...envelope, salt: "AA==" } }), "malformed")
    for (const envelope of ["{", "[]", 7, null, {}]) assert.strictEqual(await refusal({ envelope }), "malformed")
  })

  it("needs public keys only, and the right ones", async () => {
    assert.strictEqual(await refusal({ publicKeys: [] }), "unknown_key")
    const other = published.public_keys.map((key) => ({ ...key, public_key: Buffer.alloc(32, 9).toString("base64") }))
    assert.strictEqual(await refusal({ publicKeys: other }), "signature_mismatch")
  })

  it("judges time, product, counter and revocations", async () => {
    assert.strictEqual(await expecting({ now: Date.parse("2026-12-21T10:30:59Z") }), "accepted")
    assert.strictEqual(await expecting({ now: Date.parse("2026-12-21T10:31:01Z") }), "expired")
    assert.strictEqual(await expecting({ now: Date.parse("2026-11-21T10:28:59Z") }), "not_yet_valid")
    assert.strictEqual(await expecting({ now: Number.NaN }), "expired")
    assert.strictEqual(await expecting({ productCode: "acme-studio" }), "accepted")
    assert.strictEqual(await expecting({ productCode: "other" }), "product_mismatch")
    assert.strictEqual(await expecting({ lastCounter: 3 }), "accepted")
    assert.strictEqual(await expecting({ lastCounter: 4 }), "rolled_back")
    const { license_id } = JSON.parse(published.signed.data_utf8)
    const none = { revoked_license_ids: ["lic_other"], revoked_kids: [] }
    assert.strictEqual(await expecting({ revocations: none }), "accepted")
    assert.strictEqual(await expecting({ revocations: { ...none, revoked_license_ids: [license_id] } }), "revoked")
    assert.strictEqual(await expecting({ revocations: { ...none, revoked_kids: [published.envelope.kid] } }), "revoked")
  })

  it("needs the device or its fingerprint, and holds the envelope to each that it knows", async () => {
    const { deviceId: _device, ...others } = options
    assert.strictEqual(await refusalOf(others), "device_mismatch")
    assert.strictEqual(await refusal({ fingerprint: " 123456 " }), "accepted")
    assert.strictEqual(await refusal({ fingerprint: "1234567" }), "device_mismatch")
  })

  it("is the same to Python", (context) => {
    if (spawnSync("python3", ["-c", ""]).status !== 0) return context.skip("python3 is not installed")
    const program = `
import base64, hashlib, hmac, json, sys
v = json.load(open(sys.argv[1], encoding="utf-8"))
text = v["license_key_as_typed"].upper()
for a, b in ((" ", ""), ("-", ""), ("O", "0"), ("I", "1"), ("L", "1")):
    text = text.replace(a, b)
key = "CS-" + "-".join(text[2:][i:i + 5] for i in range(0, 25, 5))
assert key == v["license_key"], key
h = v["hkdf"]
prk = hmac.new(bytes.fromhex(h["salt_hex"]), key.encode(), hashlib.sha256).digest()
okm = hmac.new(prk, h["info_utf8"].encode() + b"\\x01", hashlib.sha256).digest()
assert okm.hex() == h["output_key_hex"]
e = v["envelope"]
g = v["aes_256_gcm"]
assert e["kid"] + v["device_id"] == g["aad_utf8"]
assert base64.b64decode(e["ciphertext"]).hex() == g["ciphertext_and_tag_hex"]
inner = json.loads(g["plaintext_utf8"])
again = json.dumps(inner["data"], sort_keys=True, separators=(",", ":"), ensure_ascii=False)
assert again == v["signed"]["data_utf8"]
try:
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
    from cryptography.hazmat.primitives.ciphers.aead import AESGCM
except ImportError:
    print("standard library")
else:
    opened = AESGCM(okm).decrypt(base64.b64decode(e["nonce"]), base64.b64decode(e["ciphertext"]), g["aad_utf8"].encode())
    assert opened.decode() == g["plaintext_utf8"]
    public = Ed25519PublicKey.from_public_bytes(base64.b64decode(v["public_keys"][0]["public_key"]))
    public.verify(base64.b64decode(inner["signature"]["value"]), again.encode())
    print("everything")
`
    const python = spawnSync("python3", ["-c", program, file], { encoding: "utf8" })
    assert.strictEqual(python.stderr, "")
    assert.match(python.stdout, /^(standard library|everything)\n$/)
  })
})

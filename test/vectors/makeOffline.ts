// Writes offline.json: an envelope made from fixed inputs, with every value in between, so that an implementation in
// any language can be checked step by step. It follows docs/offline.md with the platform's cryptography alone and uses
// none of the code it is there to check. Run it with `npx node test/vectors/makeOffline.ts`.
import { createCipheriv, createPrivateKey, createPublicKey, hkdfSync, sign } from "node:crypto"
import { writeFileSync } from "node:fs"
import { join } from "node:path"

const counting = (from: number, length: number): Buffer =>
  Buffer.from(Array.from({ length }, (_, index) => from + index))

const seed = counting(1, 32)
const privateKey = createPrivateKey({
  key: Buffer.concat([Buffer.from("302e020100300506032b657004220420", "hex"), seed]),
  format: "der",
  type: "pkcs8"
})
const publicKey = createPublicKey(privateKey).export({ format: "der", type: "spki" }).subarray(-32)

const kid = "sig_01k6f3q8zve8rbkm1v4t2c9dxa"
const deviceId = "dev_01k6f3q8zve8rbkm1v4t2c9dxb"
// The bytes 0x10 to 0x1e and their check character.
const licenseKey = "CS-208H4-4RM2M-B1E60-S38DH-R78YC"
const salt = counting(0x40, 32)
const nonce = counting(0x80, 12)

/** Canonical JSON (RFC 8785): the members are written in order, all are ASCII, and the numbers are whole. */
const data = JSON.stringify({
  device_id: deviceId,
  entitlement_version: 7,
  expires_at: "2027-11-21T10:30:00.000Z",
  features: [
    { code: "export-pdf", consumed: 12, enabled: true, quota: 9007199254740991, remaining: 9007199254740979 },
    { code: "render", enabled: false }
  ],
  fingerprint_hash: "8d969eef6ecad3c29a3a629280e686cf0c3f5d5a86aff3ca12020c923adc6c92",
  issued_at: "2026-11-21T10:30:00.000Z",
  license_id: "lic_01k6f3q8zve8rbkm1v4t2c9dxc",
  license_type: "subscription",
  next_check_at: "2026-12-21T10:30:00.000Z",
  nonce: "n-7f3a9c21d0",
  offline_counter: 3,
  policy_code: "annual-3",
  product_code: "acme-studio",
  product_id: "prod_01k6f3q8zve8rbkm1v4t2c9dxd",
  status: "active",
  valid_until: "2026-12-21T10:30:00.000Z",
  version_eligibility: { app_version: "4.2.0", enforced: false, is_entitled: true }
})
const signature = sign(null, Buffer.from(data), privateKey).toString("base64")
const plaintext = `{"data":${data},"signature":${
  JSON.stringify({ alg: "Ed25519", algorithm: "Ed25519", kid, value: signature })
}}`

const info = "countersign/offline/v1"
const key = Buffer.from(hkdfSync("sha256", Buffer.from(licenseKey), salt, info, 32))
const aad = kid + deviceId
const cipher = createCipheriv("aes-256-gcm", key, nonce, { authTagLength: 16 }).setAAD(Buffer.from(aad))
const ciphertext = Buffer.concat([cipher.update(plaintext), cipher.final(), cipher.getAuthTag()])

/** The vectors as they stand in offline.json. */
export const vectors = {
  license_key: licenseKey,
  license_key_as_typed: "cs 2o8h4 4rm2m-bIe6O s38dh r78yc",
  device_id: deviceId,
  hkdf: {
    hash: "SHA-256",
    input_key_utf8: licenseKey,
    salt_hex: salt.toString("hex"),
    info_utf8: info,
    output_key_hex: key.toString("hex")
  },
  aes_256_gcm: {
    nonce_hex: nonce.toString("hex"),
    aad_utf8: aad,
    plaintext_utf8: plaintext,
    ciphertext_and_tag_hex: ciphertext.toString("hex")
  },
  signed: { data_utf8: data, signature_base64: signature },
  public_keys: [{ kid, algorithm: "Ed25519", public_key: publicKey.toString("base64") }],
  private_key_seed_hex: seed.toString("hex"),
  envelope: {
    kid,
    salt: salt.toString("base64"),
    nonce: nonce.toString("base64"),
    ciphertext: ciphertext.toString("base64")
  }
}

/** The text of offline.json. */
export const text = `${JSON.stringify(vectors, null, 2)}\n`

if (import.meta.main) writeFileSync(join(import.meta.dirname, "offline.json"), text)

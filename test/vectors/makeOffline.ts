// Writes offline.json: an envelope made from fixed inputs, with every value in between, so that an implementation in
// any language can be checked step by step. It follows docs/reference/offline.md with the platform's cryptography alone and uses
// none of the code it is there to check. Run it with `npx node test/vectors/makeOffline.ts`.
import { createCipheriv, createPrivateKey, createPublicKey, hkdfSync, sign } from "node:crypto"
import { writeFileSync } from "node:fs"
import { join } from "node:path"

/** Whole, or an envelope that must be refused. `now` is an instant. */
interface Case {
  readonly name: string
  /** `verified`, or why it is refused. */
  readonly expected: string
  readonly envelope: Readonly<Record<string, string>>
  readonly now: string
  /** The highest counter that the device has accepted. */
  readonly last_counter?: number
  readonly device_id?: string
  /** The fingerprint of the machine, where it knows no device: the envelope is a file that names it. */
  readonly fingerprint?: string
  /** `data` of a revocation list. */
  readonly revocations?: Readonly<Record<string, unknown>>
  /** Of the app that opens it, where that is judged. */
  readonly product_code?: string
  /** Whether the app that opens it is one for tests. */
  readonly allow_test?: boolean
  /** As typed, when it is another one than `license_key_as_typed`. */
  readonly license_key?: string
}

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
const foreignKid = "sig_01k6f3q8zve8rbkm1v4t2c9dxz"
const deviceId = "dev_01k6f3q8zve8rbkm1v4t2c9dxb"
// The bytes 0x10 to 0x1e and their check character.
const licenseKey = "CS-208H4-4RM2M-B1E60-S38DH-R78YC"
const salt = counting(0x40, 32)
const nonce = counting(0x80, 12)

/** Canonical JSON (RFC 8785): the members are written in order, all are ASCII, and the numbers are whole. */
const entitlement = {
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
}
const data = JSON.stringify(entitlement)
/** What is in a file that management issued: the members in order, with the id of the file. */
const fileId = "ofl_01k6f3q8zve8rbkm1v4t2c9dxe"
const dataOfFile = data.replace(`"offline_counter":3`, `"offline_counter":3,"offline_file_id":"${fileId}"`)
/** The SHA-256 of `123456` is the `fingerprint_hash`. */
const fingerprint = "123456"
const signatureOf = (text: string): string => sign(null, Buffer.from(text), privateKey).toString("base64")
const signature = signatureOf(data)
const answerOf = (text: string): string =>
  `{"data":${text},"signature":${
    JSON.stringify({ alg: "Ed25519", algorithm: "Ed25519", kid, value: signatureOf(text) })
  }}`
const plaintext = answerOf(data)

const info = "countersign/offline/v1"
const keyFrom = (licenseKey: string): Buffer => Buffer.from(hkdfSync("sha256", Buffer.from(licenseKey), salt, info, 32))
const key = keyFrom(licenseKey)
const aad = kid + deviceId
const seal = (text: string, additional = aad, under = key): Buffer => {
  const cipher = createCipheriv("aes-256-gcm", under, nonce, { authTagLength: 16 }).setAAD(Buffer.from(additional))
  return Buffer.concat([cipher.update(text), cipher.final(), cipher.getAuthTag()])
}
const ciphertext = seal(plaintext)

const envelopeOf = (sealed: Buffer) => ({
  kid,
  salt: salt.toString("base64"),
  nonce: nonce.toString("base64"),
  ciphertext: sealed.toString("base64")
})
const envelope = envelopeOf(ciphertext)
/** A key of another system, which is taken as it is. */
const importedKey = "Acme/2019:il0O-c3f#1"
const importedEnvelope = envelopeOf(seal(plaintext, aad, keyFrom(importedKey)))
/** The same bytes as a key of the test environment, and what is signed there. */
const testKey = "CST-208H4-4RM2M-B1E60-S38DH-R78YD"
const dataOfTest = data.replace(`"expires_at":`, `"environment":"test","expires_at":`)
const testEnvelope = envelopeOf(seal(answerOf(dataOfTest), aad, keyFrom(testKey)))
const now = "2026-11-25T00:00:00.000Z"
const lic = { device_id: deviceId, ...envelopeOf(seal(answerOf(dataOfFile))) }
const tag = ciphertext.length - 1
const otherTag = Buffer.concat([ciphertext.subarray(0, tag), Buffer.of(ciphertext[tag]! ^ 1)])
const noRevocations = { number: 2, revoked_license_ids: ["lic_other"], revoked_kids: [] }
const { offline_counter: _counter, ...online } = entitlement
const sealed = (name: string, expected: string, text: string): Case => ({
  name,
  expected,
  envelope: envelopeOf(seal(text)),
  now
})

const cases: ReadonlyArray<Case> = [
  { name: "genuine", expected: "verified", envelope, now },
  { name: "genuine, and the last one accepted", expected: "verified", envelope, now, last_counter: 3 },
  { name: "an older one than was accepted", expected: "rolled_back", envelope, now, last_counter: 4 },
  { name: "past its end", expected: "expired", envelope, now: "2026-12-21T10:31:01.000Z" },
  { name: "of the product that asks", expected: "verified", envelope, now, product_code: "acme-studio" },
  { name: "of another product", expected: "product_mismatch", envelope, now, product_code: "acme-server" },
  { name: "beside a list without it", expected: "verified", envelope, now, revocations: noRevocations },
  {
    name: "of a revoked license",
    expected: "revoked",
    envelope,
    now,
    revocations: { ...noRevocations, revoked_license_ids: ["lic_other", entitlement.license_id] }
  },
  {
    name: "signed by a revoked key",
    expected: "revoked",
    envelope,
    now,
    revocations: { ...noRevocations, revoked_kids: [kid] }
  },
  { name: "with another tag", expected: "cannot_decrypt", envelope: envelopeOf(otherTag), now },
  { name: "shorter than a tag", expected: "cannot_decrypt", envelope: { ...envelope, ciphertext: "AAAA" }, now },
  { name: "without a ciphertext", expected: "cannot_decrypt", envelope: { ...envelope, ciphertext: "" }, now },
  { name: "of a key without a name", expected: "cannot_decrypt", envelope: { ...envelope, kid: "" }, now },
  { name: "before its beginning", expected: "not_yet_valid", envelope, now: "2026-11-21T10:28:59.000Z" },
  {
    name: "of another device",
    expected: "cannot_decrypt",
    envelope,
    now,
    device_id: "dev_01k6f3q8zve8rbkm1v4t2c9dxz"
  },
  {
    name: "of another device inside, sealed for this one",
    expected: "device_mismatch",
    envelope: envelopeOf(seal(plaintext, `${kid}dev_01k6f3q8zve8rbkm1v4t2c9dxz`)),
    now,
    device_id: "dev_01k6f3q8zve8rbkm1v4t2c9dxz"
  },
  sealed("a signed answer that the customer sealed, without a counter", "malformed", answerOf(JSON.stringify(online))),
  sealed("a counter that is no whole number", "malformed", answerOf(data.replace(`_counter":3`, `_counter":"3"`))),
  sealed("a counter below one", "malformed", answerOf(data.replace(`_counter":3`, `_counter":0`))),
  sealed("no JSON inside", "malformed", plaintext.slice(1)),
  sealed("another algorithm inside", "unsupported_algorithm", plaintext.replace(`"alg":"Ed25519"`, `"alg":"none"`)),
  sealed("a name twice inside", "malformed", plaintext.replace(/^{/, `{"data":{"status":"active"},`)),
  sealed("data that was changed inside", "signature_mismatch", plaintext.replace(`"quota":9007`, `"quota":9006`)),
  {
    name: "another key outside than inside",
    expected: "malformed",
    envelope: {
      ...envelopeOf(seal(plaintext, `${foreignKid}${deviceId}`)),
      kid: foreignKid
    },
    now
  },
  {
    name: "base64 that is not canonical",
    expected: "malformed",
    envelope: {
      ...envelope,
      salt: envelope.salt.replace(/.=$/, (end) => `${String.fromCharCode(end.charCodeAt(0) + 1)}=`)
    },
    now
  },
  {
    name: "base64 without padding",
    expected: "malformed",
    envelope: { ...envelope, salt: envelope.salt.slice(0, -1) },
    now
  },
  {
    name: "a key that nobody published",
    expected: "unknown_key",
    envelope: {
      ...envelopeOf(seal(plaintext.replaceAll(kid, foreignKid), `${foreignKid}${deviceId}`)),
      kid: foreignKid
    },
    now
  },
  {
    name: "of the test environment",
    expected: "environment_mismatch",
    envelope: testEnvelope,
    now,
    license_key: testKey
  },
  {
    name: "of the test environment, by an app for tests",
    expected: "verified",
    envelope: testEnvelope,
    now,
    license_key: testKey,
    allow_test: true
  },
  {
    name: "of the test environment, by an app for tests, the key as it is typed",
    expected: "verified",
    envelope: testEnvelope,
    now,
    license_key: "cst 2o8h4 4rm2m-bIe6O s38dh r78yd",
    allow_test: true
  },
  {
    name: "of the test environment, by an app for tests whose clock is behind",
    expected: "verified",
    envelope: testEnvelope,
    now: "2026-11-21T10:28:59.000Z",
    license_key: testKey,
    allow_test: true
  },
  {
    name: "of the live environment, by an app for tests whose clock is behind",
    expected: "not_yet_valid",
    envelope,
    now: "2026-11-21T10:28:59.000Z",
    allow_test: true
  },
  {
    name: "no ciphertext",
    expected: "malformed",
    envelope: { kid, salt: envelope.salt, nonce: envelope.nonce },
    now
  },
  {
    name: "a salt of 16 bytes",
    expected: "malformed",
    envelope: { ...envelope, salt: salt.subarray(0, 16).toString("base64") },
    now
  },
  {
    name: "under a license key of another system",
    expected: "verified",
    envelope: importedEnvelope,
    now,
    license_key: ` ${importedKey}\n`
  },
  {
    name: "under a license key of another system, typed in capitals",
    expected: "cannot_decrypt",
    envelope: importedEnvelope,
    now,
    license_key: importedKey.toUpperCase()
  },
  {
    name: "a license key of another system that is too short",
    expected: "license_key_invalid",
    envelope: importedEnvelope,
    now,
    license_key: "1234567"
  }
]

/** A text in lines of at most `width` characters. */
const inLines = (text: string, width: number, before = "", end = "\n"): string =>
  text.match(new RegExp(`.{1,${width}}`, "g"))!.map((line) => before + line).join(end)

const file = JSON.stringify(lic)
const quotedPrintable = inLines(file.replaceAll("=", "=3D"), 75).replaceAll(/(=3?)\n(3?D?)/g, "\n$1$2").replaceAll(
  "\n",
  "=\r\n"
)

/** One file as mail programs and editors hand it on: as text, or as bytes in base64. */
const texts: ReadonlyArray<
  { readonly name: string; readonly expected: string; readonly text?: string; readonly bytes?: string }
> = [
  { name: "as it was written", expected: "verified", text: file },
  {
    name: "behind a byte order mark, with CRLF",
    expected: "verified",
    text: `\ufeff${JSON.stringify(lic, null, 2).replaceAll("\n", "\r\n")}\r\n`
  },
  { name: "broken at 76 columns", expected: "verified", text: inLines(file, 76) },
  { name: "broken at 60 columns, with CRLF", expected: "verified", text: `${inLines(file, 60, "", "\r\n")}\r\n` },
  { name: "quoted", expected: "verified", text: inLines(file, 74, "> ", "\r\n") },
  { name: "quoted twice", expected: "verified", text: inLines(file, 70, ">> ", "\n") },
  {
    name: "in a mail",
    expected: "verified",
    text: `Hi Jane,\n\nhere is your file:\n\n${inLines(file, 76)}\n\nBest, Acme\n`
  },
  { name: "quoted-printable", expected: "verified", text: quotedPrintable },
  {
    name: "with no-break spaces and typographic quotes",
    expected: "verified",
    text: JSON.stringify(lic, null, 2).replaceAll(" ", "\u00a0").replaceAll(/"([^"]*)"/g, "\u201c$1\u201d")
  },
  { name: "with zero-width spaces", expected: "verified", text: inLines(file, 30, "", "\u200b") },
  { name: "bytes", expected: "verified", bytes: Buffer.from(file).toString("base64") },
  {
    name: "bytes behind a byte order mark",
    expected: "verified",
    bytes: Buffer.from(`\ufeff${file}`).toString("base64")
  },
  { name: "bytes in UTF-16", expected: "verified", bytes: Buffer.from(`\ufeff${file}`, "utf16le").toString("base64") },
  {
    name: "bytes in UTF-16, the high byte first",
    expected: "verified",
    bytes: Buffer.from(`\ufeff${file}`, "utf16le").swap16().toString("base64")
  },
  { name: "cut off", expected: "malformed", text: file.slice(0, -20) },
  { name: "empty", expected: "malformed", text: "" },
  { name: "a mail without a file", expected: "malformed", text: "Hi Jane, the file is attached." },
  { name: "a name twice", expected: "malformed", text: inLines(file.replace("{", `{"kid":"${kid}",`), 76) },
  {
    name: "a character short",
    expected: "cannot_decrypt",
    text: inLines(JSON.stringify({ ...lic, kid: kid.slice(0, -1) }), 76)
  }
]

/** Files, which machines without a network open by their fingerprint. */
const files: ReadonlyArray<Case> = [
  { name: "a file", expected: "verified", envelope: lic, now, fingerprint },
  {
    name: "a file, white space around the fingerprint",
    expected: "verified",
    envelope: lic,
    now,
    fingerprint: " 123456\n"
  },
  { name: "a file on another machine", expected: "device_mismatch", envelope: lic, now, fingerprint: "123457" },
  {
    name: "a file whose device was changed",
    expected: "cannot_decrypt",
    envelope: { ...lic, device_id: "dev_01k6f3q8zve8rbkm1v4t2c9dxz" },
    now,
    fingerprint
  },
  { name: "an envelope that names no device", expected: "malformed", envelope, now, fingerprint },
  {
    name: "a file, and a list on which another one is",
    expected: "verified",
    envelope: lic,
    now,
    fingerprint,
    revocations: { ...noRevocations, revoked_offline_files: ["ofl_other"] }
  },
  {
    name: "a revoked file",
    expected: "revoked",
    envelope: lic,
    now,
    fingerprint,
    revocations: { ...noRevocations, revoked_offline_files: ["ofl_other", fileId] }
  }
]

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
  envelope,
  cases: [...cases, ...files],
  texts
}

/** The text of offline.json. */
export const text = `${JSON.stringify(vectors, null, 2)}\n`

if (import.meta.main) writeFileSync(join(import.meta.dirname, "offline.json"), text)

// Writes envelopes.json: signed answers made from fixed inputs, genuine ones and others, so that an app in any language can
// be checked. It follows docs/reference/runtime.md with the platform's cryptography alone and uses none of the code it is there to
// check. Run it with `npx node test/vectors/makeEnvelopes.ts`.
import { createPrivateKey, createPublicKey, sign } from "node:crypto"
import { writeFileSync } from "node:fs"
import { join } from "node:path"

/** A key pair of 32 equal bytes. */
export const keyOf = (byte: number) => {
  const privateKey = createPrivateKey({
    key: Buffer.concat([Buffer.from("302e020100300506032b657004220420", "hex"), Buffer.alloc(32, byte)]),
    format: "der",
    type: "pkcs8"
  })
  const publicKey = createPublicKey(privateKey).export({ format: "der", type: "spki" }).subarray(-32)
  return { privateKey, published: publicKey.toString("base64") }
}
const active = keyOf(8)
const revoked = keyOf(7)
const withdrawn = keyOf(6)
const doubted = keyOf(5)
export const kid = "sig_01k6f3q8zve8rbkm1v4t2c9dxa"
const revokedKid = "sig_01k6f3q8zve8rbkm1v4t2c9dx9"
const withdrawnKid = "sig_01k6f3q8zve8rbkm1v4t2c9dx8"
const doubtedKid = "sig_01k6f3q8zve8rbkm1v4t2c9dx7"
const shortKid = "sig_01k6f3q8zve8rbkm1v4t2c9dx6"
const created_at = "2026-03-01T10:00:00.000Z"

/** Canonical JSON (RFC 8785): the members are written in order, all are ASCII, and the numbers are whole. */
const data = JSON.stringify({
  device_id: "dev_01k6f3q8zve8rbkm1v4t2c9dxb",
  entitlement_version: 12,
  features: [{ code: "render", enabled: true, quota: 100 }],
  license_id: "lic_01k6f3q8zve8rbkm1v4t2c9dxc",
  nonce: "n-7f3a9c21d0",
  product_code: "acme-studio",
  status: "active",
  valid_until: "2026-03-02T10:00:00.000Z"
})
/** The same with what writers of JSON disagree about: case, empty values, signs, and text outside ASCII. */
const varied = JSON.stringify({
  Zone: "capitals come first",
  empty: {},
  list: [],
  name: "Zoë 😀 \u0000\n\"\\/<&>\u2028",
  negative: -12,
  nonce: "n-7f3a9c21d0",
  none: null,
  product_code: "acme-studio",
  unlimited: true,
  valid_until: "2026-03-02T10:00:00.000Z",
  zero: 0
})
export const signatureOf = (text: string, { privateKey } = active): string =>
  sign(null, Buffer.from(text), privateKey).toString("base64")
const answerOf = (text: string, signature: object = {}): string =>
  `{"data":${text},"signature":${
    JSON.stringify({ alg: "Ed25519", algorithm: "Ed25519", kid, value: signatureOf(text), ...signature })
  },"meta":{"request_id":"req_1","timestamp":"2026-03-01T10:00:00.000Z"}}`
const genuine = answerOf(data)
/** An answer whose data has one member more, written in one way and signed in another. */
const withNumber = (written: string, signed = written): string =>
  answerOf(data.replace("{", `{"about":${signed},`)).replace(`"about":${signed}`, `"about":${written}`)
/** Signed in an environment: the member between `entitlement_version` and `features`. */
const ofEnvironment = (environment: string): string =>
  answerOf(data.replace(`"features":`, `"environment":${environment},"features":`))
const until = (instant: string): string => answerOf(data.replace("2026-03-02T10:00:00.000Z", instant))
const inMeta = (text: string): string => genuine.replace(`"request_id"`, `"more":${text},"request_id"`)
const parsed = JSON.parse(genuine) as { readonly data: object; readonly signature: { readonly value: string } }
const { value } = parsed.signature

const now = "2026-03-01T10:00:00.000Z"
const nonce = "n-7f3a9c21d0"
const product_code = "acme-studio"
const verdict = (name: string, expected: string, body: string, more: object = {}) => ({
  name,
  expected,
  body,
  now,
  nonce,
  product_code,
  ...more
})

/** The vectors as they stand in envelopes.json; the clock may be off by 60 seconds. `allow_test`: the app is one for tests. */
export const vectors = {
  signed: { data_utf8: data, signature_base64: value },
  keys: {
    data: [
      // Entries that are no keys, or not of ours: none of them stops those beside it.
      { kid, algorithm: "ES256", public_key: revoked.published, status: "active", created_at },
      { kid: shortKid, algorithm: "Ed25519", public_key: "AQID", status: "active", created_at },
      { kid, algorithm: "Ed25519", public_key: active.published, status: "active", created_at },
      { kid, algorithm: "Ed25519", public_key: active.published, status: "active", created_at },
      { kid: doubtedKid, algorithm: "Ed25519", public_key: doubted.published, status: "active", created_at },
      {
        kid: doubtedKid,
        algorithm: "Ed25519",
        public_key: doubted.published,
        status: "revoked",
        created_at,
        revoked_at: "2026-03-04T10:00:00.000Z"
      },
      // The service lists no revoked key here, but whoever keeps one list may.
      {
        kid: withdrawnKid,
        algorithm: "Ed25519",
        public_key: withdrawn.published,
        status: "revoked",
        created_at,
        revoked_at: "2026-03-04T10:00:00.000Z"
      }
    ],
    revoked: [{
      kid: revokedKid,
      algorithm: "Ed25519",
      public_key: revoked.published,
      status: "revoked",
      created_at,
      revoked_at: "2026-03-05T10:00:00.000Z"
    }]
  },
  cases: [
    verdict("genuine", "verified", genuine),
    verdict(
      "genuine, written again with spaces and in another order",
      "verified",
      JSON.stringify(
        { meta: {}, signature: parsed.signature, data: Object.fromEntries(Object.entries(parsed.data).toReversed()) },
        null,
        2
      )
    ),
    verdict("genuine, with empty values and text outside ASCII", "verified", answerOf(varied)),
    verdict(
      "genuine, with empty values and text outside ASCII that was escaped",
      "verified",
      answerOf(varied).replaceAll("/<", "\\/<").replace(
        /[^ -~]/g,
        (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`
      )
    ),
    verdict("genuine, and its algorithm is named once", "verified", answerOf(data, { algorithm: undefined })),
    verdict("60 seconds past its end", "verified", genuine, { now: "2026-03-02T10:01:00.000Z" }),
    verdict("61 seconds past its end", "expired", genuine, { now: "2026-03-02T10:01:01.000Z" }),
    verdict("another nonce than was sent", "nonce_mismatch", genuine, { nonce: "n-0000000000" }),
    verdict("of another product", "product_mismatch", genuine, { product_code: "acme-server" }),
    verdict("changed data", "signature_mismatch", genuine.replace("active", "actif1")),
    verdict("forged data in front of the genuine", "malformed", genuine.replace(/^{/, `{"data":{"status":"active"},`)),
    verdict("forged data behind the genuine", "malformed", genuine.replace(/}$/, `,"data":{"status":"active"}}`)),
    verdict("forged data, its name escaped", "malformed", genuine.replace(/^{/, `{"d\\u0061ta":{"status":"active"},`)),
    verdict("a name twice in data", "malformed", genuine.replace(`"status":`, `"status":"revoked","status":`)),
    verdict("a name twice in the signature", "malformed", genuine.replace(`"kid":`, `"kid":"${revokedKid}","kid":`)),
    verdict("another algorithm", "unsupported_algorithm", answerOf(data, { alg: "EdDSA" })),
    verdict("two algorithms", "unsupported_algorithm", answerOf(data, { algorithm: "none" })),
    verdict("a key that nobody published", "unknown_key", answerOf(data, { kid: "sig_01k6f3q8zve8rbkm1v4t2c9dxz" })),
    verdict(
      "a key that was revoked",
      "unknown_key",
      answerOf(data, { kid: revokedKid, value: signatureOf(data, revoked) })
    ),
    verdict(
      "a key that was revoked, in one list with the others",
      "unknown_key",
      answerOf(data, { kid: withdrawnKid, value: signatureOf(data, withdrawn) })
    ),
    verdict(
      "a key that one list has twice, once as revoked",
      "unknown_key",
      answerOf(data, { kid: doubtedKid, value: signatureOf(data, doubted) })
    ),
    verdict("a key of 3 bytes", "unknown_key", answerOf(data, { kid: shortKid })),
    verdict(
      "an algorithm that is null beside the right one",
      "unsupported_algorithm",
      answerOf(data, { algorithm: null })
    ),
    verdict("no signature", "malformed", `{"data":${data}}`),
    verdict("a signature in base64 without padding", "malformed", answerOf(data, { value: value.replaceAll("=", "") })),
    verdict(
      "a signature in base64 that is not canonical",
      "malformed",
      answerOf(data, { value: value.replace(/.==$/, (end) => `${String.fromCharCode(end.charCodeAt(0) + 1)}==`) })
    ),
    verdict("a signature of 63 bytes", "malformed", answerOf(data, { value: `${value.slice(0, 84)}` })),
    verdict("a signature that is a number", "malformed", answerOf(data, { value: 1 })),
    verdict("nothing", "malformed", ""),
    verdict("no JSON", "malformed", genuine.slice(0, -1)),
    verdict("text behind the genuine", "malformed", `${genuine}{}`),
    verdict("data that is a list", "malformed", answerOf("[]")),
    verdict("an end that is no instant", "malformed", answerOf(data.replace("2026-03-02T10:00:00.000Z", "tomorrow"))),
    verdict("the last instant that can be written", "verified", until("9999-12-31T23:59:59.999Z")),
    ...[
      "2026-03-02",
      "2026-03-02T10:00:00Z",
      "2026-03-02T10:00:00.000+00:00",
      "2026-03-02t10:00:00.000z",
      "2026-03-02 10:00:00.000Z",
      "2026-02-30T10:00:00.000Z",
      "2026-03-02T24:00:00.000Z",
      "2026-03-02T10:00:60.000Z",
      "2026-03-02T10:00:00.000Z\\n"
    ].map((end) => verdict(`an end that is written ${end}`, "malformed", until(end))),
    verdict("genuine, with the character DEL", "verified", answerOf(data.replace("acme-studio", "acme-studio\u007f")), {
      product_code: "acme-studio\u007f"
    }),
    verdict("a whole number as 12.0", "verified", withNumber("12.0", "12")),
    verdict("a whole number as 1.2e1", "verified", withNumber("1.2e1", "12")),
    verdict("zero with a sign", "verified", withNumber("-0", "0")),
    verdict("zero with a sign and a fraction", "verified", withNumber("-0.0", "0")),
    verdict("the largest whole number", "verified", withNumber("9007199254740991")),
    verdict("the smallest whole number", "verified", withNumber("-9007199254740991")),
    verdict("a number that is not whole", "malformed", withNumber("1.5")),
    verdict(
      "the sample of RFC 8785, which is not whole",
      "malformed",
      withNumber("333333333.33333329", "333333333.3333333")
    ),
    verdict("a whole number that doubles have not", "malformed", withNumber("9007199254740993")),
    verdict("a whole number that readers cannot rely on", "malformed", withNumber("9007199254740992")),
    verdict("a whole number in another form that readers cannot rely on", "malformed", withNumber("1e21")),
    verdict("a number beyond all doubles", "malformed", withNumber("1e400")),
    verdict("a number beyond all doubles, not signed", "malformed", inMeta("1e400")),
    verdict("the sample of RFC 8785, not signed", "verified", inMeta("333333333.33333329")),
    verdict("more digits than a double has, not signed", "verified", inMeta("0.12345678901234567890123")),
    verdict("half of a surrogate pair", "malformed", withNumber(`"\\ud83d"`)),
    verdict("half of a surrogate pair, not signed", "malformed", inMeta(`"\\ud83d"`)),
    verdict("a byte order mark in front", "malformed", `\ufeff${genuine}`),
    ...[
      "NaN",
      "Infinity",
      "nan",
      "012",
      "+1",
      ".5",
      "1.",
      "'a'",
      "\"a\nb\"",
      "\"\t\"",
      "\"\\x41\"",
      "/**/1",
      "[1,]",
      "{a:1}",
      "True"
    ].map(
      (text) => verdict(`no JSON: ${JSON.stringify(text)}`, "malformed", inMeta(text))
    ),
    verdict("of the test environment", "environment_mismatch", ofEnvironment(`"test"`)),
    verdict("of the test environment, by an app for tests", "verified", ofEnvironment(`"test"`), { allow_test: true }),
    verdict("of the live environment, by an app for tests", "verified", genuine, { allow_test: true }),
    ...[`"staging"`, `"live"`, `"Test"`, `""`, "null", "true", `["test"]`].flatMap((environment) => [
      verdict(`of the environment ${environment}`, "environment_mismatch", ofEnvironment(environment)),
      verdict(
        `of the environment ${environment}, by an app for tests`,
        "environment_mismatch",
        ofEnvironment(environment),
        { allow_test: true }
      )
    ]),
    verdict("of the test environment, past its end", "environment_mismatch", ofEnvironment(`"test"`), {
      now: "2026-03-02T10:01:01.000Z"
    }),
    verdict("of the test environment, past its end, by an app for tests", "expired", ofEnvironment(`"test"`), {
      now: "2026-03-02T10:01:01.000Z",
      allow_test: true
    }),
    verdict(
      "of the test environment, and signed without that",
      "signature_mismatch",
      genuine.replace(`"features":`, `"environment":"test","features":`),
      { allow_test: true }
    ),
    verdict(
      "of the test environment, which was taken out",
      "signature_mismatch",
      ofEnvironment(`"test"`).replace(`"environment":"test",`, "")
    ),
    verdict("data that never ends", "malformed", answerOf(data.replace(/,"valid_until":"[^"]*"/, "")))
  ]
}

/** The text of envelopes.json. */
export const text = `${JSON.stringify(vectors, null, 2)}\n`

if (import.meta.main) writeFileSync(join(import.meta.dirname, "envelopes.json"), text)

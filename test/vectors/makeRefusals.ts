// Writes refusals.json: signed refusals made from fixed inputs, genuine ones and others, so that an app in any language can
// be checked. It follows docs/reference/runtime.md with the platform's cryptography alone. Run it with
// `npx node test/vectors/makeRefusals.ts`.
import { createHash } from "node:crypto"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { keyOf, kid, signatureOf, vectors as envelopes } from "./makeEnvelopes.ts"

const sha256 = (text: string) => createHash("sha256").update(text).digest("hex")

const license_key = "CS-7K3Q9-W4TBN-2HX8M-RD5VE-0PM2X"
const nonce = "n-7f3a9c21d0"
const fingerprint = "b8e1c6f2d4"
const request = `POST /api/v1/license/validate\n${JSON.stringify({ fingerprint, product_code: "acme-studio", nonce })}`

const statement = {
  code: "LICENSE_INACTIVE",
  credential_hash: sha256(license_key),
  detail: "revoked",
  fingerprint_hash: sha256(fingerprint),
  issued_at: "2026-03-01T10:00:00.000Z",
  license_id: "lic_01k6f3q8zve8rbkm1v4t2c9dxc",
  nonce,
  request_hash: sha256(request),
  type: "refusal"
}

/** Canonical JSON: the members are written in order. */
const canonical = (data: object): string =>
  JSON.stringify(Object.fromEntries(Object.entries(data).toSorted(([a], [b]) => a < b ? -1 : 1)))

const said = { code: "LICENSE_INACTIVE", message: "The license was revoked.", detail: "revoked" }
const bodyOf = (refusal: string | undefined, error: object = said): string =>
  `{"error":${JSON.stringify(error)},"meta":{${
    refusal === undefined ? "" : `"refusal":${refusal},`
  }"request_id":"req_1","timestamp":"2026-03-01T10:00:00.000Z"}}`
const signedBy = (data: object, signature: object = {}): string => {
  const text = canonical(data)
  return `{"data":${text},"signature":${
    JSON.stringify({ alg: "Ed25519", algorithm: "Ed25519", kid, value: signatureOf(text), ...signature })
  }}`
}
const refusalOf = (data: object, signature: object = {}): string => bodyOf(signedBy(data, signature))
const without = (name: keyof typeof statement): object =>
  Object.fromEntries(Object.entries(statement).filter(([member]) => member !== name))
const genuine = refusalOf(statement)
const unknownKey = { ...without("license_id"), code: "LICENSE_KEY_INVALID" }

const verdict = (name: string, expected: string, body: string, more: object = {}) => ({
  name,
  expected,
  body,
  nonce,
  license_key,
  request,
  ...more
})

/** The vectors as they stand in refusals.json. A case whose `expected` is `verified` is a refusal to believe. */
export const vectors = {
  keys: envelopes.keys,
  cases: [
    verdict("genuine", "verified", genuine),
    verdict(
      "genuine, whatever is said beside it",
      "verified",
      bodyOf(signedBy(statement), { code: "INTERNAL", message: "" })
    ),
    verdict("genuine, of a key that no license has", "verified", refusalOf(unknownKey)),
    verdict("genuine, without a detail", "verified", refusalOf(without("detail"))),
    verdict("genuine, of a request that names no device", "verified", refusalOf(without("fingerprint_hash"))),
    verdict("of the test environment", "environment_mismatch", refusalOf({ ...statement, environment: "test" })),
    verdict(
      "of the test environment, by an app for tests",
      "verified",
      refusalOf({ ...statement, environment: "test" }),
      { allow_test: true }
    ),
    verdict(
      "of another environment, by an app for tests",
      "environment_mismatch",
      refusalOf({ ...statement, environment: "staging" }),
      { allow_test: true }
    ),
    verdict("nothing that is signed", "malformed", bodyOf(undefined)),
    verdict("a statement that is null", "malformed", bodyOf("null")),
    verdict("a statement without its signature", "malformed", bodyOf(`{"data":${canonical(statement)}}`)),
    verdict("of another question", "nonce_mismatch", genuine, { nonce: "n-0000000000" }),
    verdict("of a question without a nonce", "nonce_mismatch", refusalOf(without("nonce"))),
    verdict("of another license", "license_mismatch", genuine, { license_key: "CS-00000-00000-00000-00000-00000" }),
    verdict("of the same key, typed otherwise", "license_mismatch", genuine, {
      license_key: license_key.toLowerCase()
    }),
    verdict("of another device", "request_mismatch", genuine, { request: request.replace(fingerprint, "c9") }),
    verdict("of another operation", "request_mismatch", genuine, { request: request.replace("validate", "check") }),
    verdict("of another method", "request_mismatch", genuine, { request: request.replace("POST", "GET") }),
    verdict("of no request", "request_mismatch", refusalOf(without("request_hash"))),
    verdict(
      "another detail than was signed",
      "signature_mismatch",
      genuine.replaceAll("revoked\",\"f", "suspended\",\"f")
    ),
    verdict(
      "signed by another key",
      "signature_mismatch",
      refusalOf(statement, {
        value: signatureOf(canonical(statement), keyOf(9))
      })
    ),
    verdict(
      "by a key that nobody published",
      "unknown_key",
      refusalOf(statement, { kid: "sig_01k6f3q8zve8rbkm1v4t2c9dxz" })
    ),
    verdict(
      "by a key that was revoked",
      "unknown_key",
      refusalOf(statement, { kid: "sig_01k6f3q8zve8rbkm1v4t2c9dx8" })
    ),
    verdict("by another algorithm", "unsupported_algorithm", refusalOf(statement, { alg: "EdDSA" })),
    verdict("an answer in the place of the statement", "malformed", bodyOf(envelopes.cases[0]!.body)),
    verdict("of another type", "malformed", refusalOf({ ...statement, type: "grant" })),
    verdict("without a type", "malformed", refusalOf(without("type"))),
    verdict("without a code", "malformed", refusalOf(without("code"))),
    verdict("a code that is a number", "malformed", refusalOf({ ...statement, code: 1 })),
    verdict("a detail that is a number", "malformed", refusalOf({ ...statement, detail: 1 })),
    verdict("a second statement", "malformed", genuine.replace(`"refusal":`, `"refusal":{},"refusal":`)),
    verdict(
      "a name twice in the statement",
      "malformed",
      genuine.replace(`"nonce":`, `"nonce":"n-0000000000","nonce":`)
    ),
    verdict("no JSON", "malformed", genuine.slice(1)),
    verdict("a page", "malformed", "<html>Please log in</html>"),
    verdict("a list", "malformed", `[${genuine}]`)
  ]
}

/** The text of refusals.json. */
export const text = `${JSON.stringify(vectors, null, 2)}\n`

if (import.meta.main) writeFileSync(join(import.meta.dirname, "refusals.json"), text)

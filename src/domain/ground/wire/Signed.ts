import { Schema } from "effect"
import { namedEnvironments } from "../environments/EnvironmentName.ts"
import { field, optional } from "./Fields.ts"

/** The member of everything that is signed, sent or recorded. */
export const environmentMember = {
  environment: optional(
    Schema.Literals(namedEnvironments),
    "`test` in everything of the test environment; absent in the live one. An app for customers must not run on it."
  )
}

/** An Ed25519 signature (RFC 8032) over the canonical bytes of `data`; `value` is standard padded base64. */
export const Signature = Schema.Struct({
  alg: field(Schema.Literal("Ed25519"), "The algorithm; always the same."),
  algorithm: field(Schema.Literal("Ed25519"), "The algorithm: Ed25519 (RFC 8032)."),
  kid: field(Schema.String, "The ID of the signing key."),
  value: field(Schema.String, "The signature, 64 bytes in base64.")
}).annotate({
  identifier: "Signature",
  description: "An Ed25519 signature (RFC 8032) over the canonical JSON (RFC 8785) of `data`.",
  examples: [{
    alg: "Ed25519",
    algorithm: "Ed25519",
    kid: "sig_06eqpx1trxz3h94vqjm3a6kz7c",
    value: "SiSLNyrG7LgIYVcwTBXW6B6Oz3d5CzyE+5Z8XCvTbWJ5m1Hj6oQq1Jgqj1gUyGbdcLwO0hGXVQ8QvGxkuXnMCA=="
  }]
})
export type Signature = typeof Signature.Type

const hash = Schema.String.annotate({ format: "hex" })

/**
 * The statement that the service signs when it refuses an app. It has no `status` and no `valid_until`, so that no verifier of answers
 * takes it for one.
 */
export const RefusalStatement = Schema.Struct({
  ...environmentMember,
  type: field(Schema.Literal("refusal"), "The type."),
  code: field(Schema.String, "The `code` of the error."),
  detail: optional(Schema.String, "The `detail` of the error."),
  license_id: optional(Schema.String, "The license; absent if the key is unknown."),
  credential_hash: field(
    hash,
    "SHA-256, in hex, of the license key as it was sent; of a trial, of the publishable key."
  ),
  fingerprint_hash: optional(
    hash,
    "The device of the request, as responses identify it; absent if the request has none."
  ),
  nonce: optional(Schema.String, "The nonce of the request."),
  request_hash: field(
    hash,
    "SHA-256, in hex, of: the method, a space, the path with its query, a line feed, and the body as sent."
  ),
  issued_at: field(Schema.String.annotate({ format: "date-time" }), "Time of the signature.")
}).annotate({
  identifier: "RefusalStatement",
  description: "The decision of the service about a request of an app, and the request that it is bound to."
})
export type RefusalStatement = typeof RefusalStatement.Type

/** A refusal with its signature, in `meta` of the error. */
export const SignedRefusal = Schema.Struct({ data: RefusalStatement, signature: Signature }).annotate({
  identifier: "SignedRefusal",
  description: "The verdict of a refused request of an app, signed: `data` in canonical bytes (RFC 8785)."
})
export type SignedRefusal = typeof SignedRefusal.Type

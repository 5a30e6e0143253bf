import { Schema } from "effect"

/** An Ed25519 signature (RFC 8032) over the canonical bytes of `data`; `value` is standard padded base64. */
export const Signature = Schema.Struct({
  alg: Schema.Literal("Ed25519"),
  algorithm: Schema.Literal("Ed25519"),
  kid: Schema.String,
  value: Schema.String
}).annotate({
  identifier: "Signature",
  examples: [{
    alg: "Ed25519",
    algorithm: "Ed25519",
    kid: "sig_06eqpx1trxz3h94vqjm3a6kz7c",
    value: "SiSLNyrG7LgIYVcwTBXW6B6Oz3d5CzyE+5Z8XCvTbWJ5m1Hj6oQq1Jgqj1gUyGbdcLwO0hGXVQ8QvGxkuXnMCA=="
  }]
})
export type Signature = typeof Signature.Type

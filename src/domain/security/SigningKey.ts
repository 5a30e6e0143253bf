import { Schema } from "effect"
import { Timestamp } from "../wire/Fields.ts"
import { Signature } from "../wire/Signed.ts"
import { keyListType } from "./KeyListFormat.ts"

/** A published verification key (RFC 8032): `public_key` is standard padded base64 of 32 bytes. */
export const PublicKey = Schema.Struct({
  kid: Schema.String,
  algorithm: Schema.Literal("Ed25519"),
  public_key: Schema.String,
  status: Schema.Literals(["active", "retired"]),
  created_at: Timestamp,
  endorses: Schema.optionalKey(
    Schema.Boolean.annotate({
      description: "True of a key that signs the list of keys (`endorsement`). An app that ships it as it is listed " +
        "takes over no key from a list that no key of its own has signed."
    })
  )
}).annotate({
  identifier: "PublicKey",
  examples: [{
    kid: "sig_06eqpx1trxz3h94vqjm3a6kz7c",
    algorithm: "Ed25519",
    public_key: "11qYAYKxCrfVS/7TyWQHOg7hcvPapiMlrwIaaPcHURo=",
    status: "active",
    created_at: "2026-11-21T10:30:00.000Z",
    endorses: true
  }]
})
export type PublicKey = typeof PublicKey.Type

/**
 * A key that was revoked. It is listed beside the keys that verify, never among them, so that a verifier that looks
 * keys up there does not accept its signatures.
 */
export const RevokedKey = Schema.Struct({
  kid: Schema.String,
  algorithm: Schema.Literal("Ed25519"),
  public_key: Schema.String,
  status: Schema.Literal("revoked"),
  created_at: Timestamp,
  revoked_at: Timestamp
}).annotate({
  identifier: "RevokedKey",
  examples: [{
    kid: "sig_06eqpx1trxz3h94vqjm3a6kz7b",
    algorithm: "Ed25519",
    public_key: "11qYAYKxCrfVS/7TyWQHOg7hcvPapiMlrwIaaPcHURo=",
    status: "revoked",
    created_at: "2026-10-21T10:30:00.000Z",
    revoked_at: "2026-11-20T10:30:00.000Z"
  }]
})
export type RevokedKey = typeof RevokedKey.Type

const endorsed = {
  kid: Schema.String,
  algorithm: Schema.Literal("Ed25519"),
  public_key: Schema.String,
  created_at: Timestamp
}
const EndorsedKey = Schema.Struct(endorsed).annotate({
  identifier: "EndorsedKey",
  description: "A key that verifies, as the keys sign it."
})
const EndorsedRevokedKey = Schema.Struct({ ...endorsed, revoked_at: Timestamp }).annotate({
  identifier: "EndorsedRevokedKey",
  description: "A key that was revoked, as the keys sign it."
})

/**
 * The list of keys as the keys themselves sign it: a verifier that has one of them learns of the others from nobody else. It
 * has no `status` and no `valid_until`, so that no verifier of answers takes it for one.
 */
export const KeyEndorsement = Schema.Struct({
  data: Schema.Struct({
    type: Schema.Literal(keyListType).annotate({ description: "Tells it from everything else that is signed." }),
    issued_at: Timestamp.annotate({ description: "When a key was made, retired or revoked last." }),
    keys: Schema.Array(EndorsedKey).annotate({ description: "The keys that verify, as in `data`." }),
    revoked: Schema.Array(EndorsedRevokedKey).annotate({ description: "The keys that were revoked." })
  }).annotate({ identifier: "EndorsedKeyList", description: "What the keys sign of their list." }),
  signatures: Schema.Array(Signature).annotate({
    description: "One of each key of which the service has the private half, the retired and revoked ones too."
  })
}).annotate({
  identifier: "KeyEndorsement",
  description: "The list of keys, signed by the keys: `data` in canonical bytes (RFC 8785)."
})
export type KeyEndorsement = typeof KeyEndorsement.Type

/** The published keys as a JSON Web Key Set (RFC 7517, RFC 8037). */
export const JsonWebKeySet = Schema.Struct({
  keys: Schema.Array(Schema.Struct({
    kty: Schema.Literal("OKP"),
    crv: Schema.Literal("Ed25519"),
    use: Schema.Literal("sig"),
    alg: Schema.Literal("EdDSA"),
    kid: Schema.String,
    x: Schema.String
  }))
}).annotate({
  identifier: "JsonWebKeySet",
  examples: [{
    keys: [{
      kty: "OKP",
      crv: "Ed25519",
      use: "sig",
      alg: "EdDSA",
      kid: "sig_06eqpx1trxz3h94vqjm3a6kz7c",
      x: "11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo"
    }]
  }]
})
export type JsonWebKeySet = typeof JsonWebKeySet.Type

/** A signing key as management sees it; the private half never leaves the service. */
export const SigningKey = Schema.Struct({
  kid: Schema.String,
  algorithm: Schema.Literal("Ed25519"),
  public_key: Schema.String,
  status: Schema.Literals(["active", "retired", "revoked"]),
  created_at: Timestamp,
  retired_at: Schema.optionalKey(Timestamp),
  revoked_at: Schema.optionalKey(Timestamp)
}).annotate({
  identifier: "SigningKey",
  examples: [{
    kid: "sig_06eqpx1trxz3h94vqjm3a6kz7c",
    algorithm: "Ed25519",
    public_key: "11qYAYKxCrfVS/7TyWQHOg7hcvPapiMlrwIaaPcHURo=",
    status: "active",
    created_at: "2026-11-21T10:30:00.000Z"
  }]
})
export type SigningKey = typeof SigningKey.Type

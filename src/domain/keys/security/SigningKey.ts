import { Schema } from "effect"
import { PlainName } from "../../ground/wire/Action.ts"
import { CreatedAt, field, optional, ShownName, text, Timestamp } from "../../ground/wire/Fields.ts"
import * as Id from "../../ground/wire/Id.ts"
import { environmentMember, Signature } from "../../ground/wire/Signed.ts"
import { keyListType } from "./KeyListFormat.ts"

const id = (description: string) => Schema.String.annotate({ description })

/** A credential that stands in an app, where anybody can read it: it opens trials of one product and nothing else. */
export const PublishableKey = Schema.Struct({
  id: Id.text("pub"),
  product_id: Id.text("prod"),
  policy_id: id("The policy that trials are opened under."),
  name: ShownName,
  key: Schema.String.annotate({
    description: "The key that the app sends. It is not a secret and is always shown.",
    examples: ["cpk_7Zb2mYpW7sVd1Kc8RzLh6N0gE3uX"]
  }),
  revoked_at: Schema.optionalKey(Timestamp.annotate({
    description: "When it was revoked; absent while it works.",
    examples: ["2027-11-21T10:30:00.000Z"]
  })),
  created_at: CreatedAt
}).annotate({
  identifier: "PublishableKey",
  description: "A key that is part of an app and only opens trials. It is not a secret.",
  examples: [{
    id: "pub_06eqpx1trxz3h94vqjm3a6kz7c",
    product_id: "prod_06eqpx1trxz3h94vqjm3a6kz7c",
    policy_id: "pol_06eqpx1trxz3h94vqjm3a6kz7c",
    name: "desktop app",
    key: "cpk_7Zb2mYpW7sVd1Kc8RzLh6N0gE3uX",
    created_at: "2026-11-21T10:30:00.000Z"
  }]
})
export type PublishableKey = typeof PublishableKey.Type

export const PublishableKeyCreate = Schema.Struct({
  name: PlainName,
  policy_id: field(text(1, 64), "A policy of the product, of `license_type` `trial` and with a `duration`.")
}).annotate({
  identifier: "PublishableKeyCreateRequest",
  description: "A publishable key to create.",
  examples: [{ name: "desktop app", policy_id: "pol_06eqpx1trxz3h94vqjm3a6kz7c" }]
})
export type PublishableKeyCreate = typeof PublishableKeyCreate.Type

/** The requirements of a policy under which trials can be opened. */
interface TrialPolicy {
  readonly license_type: string
  readonly duration?: string | null | undefined
  readonly max_activations: number
  readonly max_users?: number | null | undefined
}

/** A member of a policy that keeps trials from being opened under it, and what it must be. */
export interface AgainstTrials {
  readonly member: keyof TrialPolicy
  readonly needs: string
}

/** The reasons why trials cannot be opened under a policy. */
export const againstTrials = (
  { duration, license_type, max_activations, max_users }: TrialPolicy
): ReadonlyArray<AgainstTrials> => [
  ...(license_type === "trial"
    ? []
    : [{ member: "license_type" as const, needs: "must have license_type trial" }]),
  ...(duration === undefined || duration === null
    ? [{ member: "duration" as const, needs: "must have a duration, such as P14D, so that its trials end" }]
    : []),
  ...(max_activations === 0
    ? [{
      member: "max_activations" as const,
      needs: "must have max_activations of 1 or more, so that devices get a seat"
    }]
    : []),
  ...(max_users === undefined || max_users === null
    ? []
    : [{ member: "max_users" as const, needs: "must have no max_users: a trial is opened without a sign-in" }])
]

/** A published verification key (RFC 8032): `public_key` is standard padded base64 of 32 bytes. */
export const PublicKey = Schema.Struct({
  kid: field(Schema.String, "The ID of the signing key."),
  algorithm: field(Schema.Literal("Ed25519"), "The algorithm: Ed25519 (RFC 8032)."),
  public_key: field(Schema.String, "The public key, 32 bytes in base64."),
  status: field(Schema.Literals(["active", "retired"]), "The current status."),
  created_at: CreatedAt,
  endorses: optional(
    Schema.Boolean,
    "`true` if the key signs the list of keys (`endorsement`). An app that ships this key accepts new keys " +
      "only from a list that one of its keys signed."
  )
}).annotate({
  identifier: "PublicKey",
  description: "A key that verifies signatures of the service (Ed25519, RFC 8032).",
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
  kid: field(Schema.String, "The ID of the signing key."),
  algorithm: field(Schema.Literal("Ed25519"), "The algorithm: Ed25519 (RFC 8032)."),
  public_key: field(Schema.String, "The public key, 32 bytes in base64."),
  status: field(Schema.Literal("revoked"), "The current status."),
  created_at: CreatedAt,
  revoked_at: field(Timestamp, "Time of the revocation.")
}).annotate({
  identifier: "RevokedKey",
  description: "A revoked key. Trust nothing that it signed, except checkpoints that you stored before the revocation.",
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
  kid: field(Schema.String, "The ID of the signing key."),
  algorithm: field(Schema.Literal("Ed25519"), "The algorithm: Ed25519 (RFC 8032)."),
  public_key: field(Schema.String, "The public key, 32 bytes in base64."),
  created_at: CreatedAt
}
const EndorsedKey = Schema.Struct(endorsed).annotate({
  identifier: "EndorsedKey",
  description: "A key that verifies, as the keys sign it."
})
const EndorsedRevokedKey = Schema.Struct({
  ...endorsed,
  revoked_at: field(Timestamp, "Time of the revocation.")
}).annotate({
  identifier: "EndorsedRevokedKey",
  description: "A key that was revoked, as the keys sign it."
})

/**
 * The list of keys as the keys themselves sign it: a verifier that has one of them learns of the others from nobody else. It
 * has no `status` and no `valid_until`, so that no verifier of answers takes it for one.
 */
export const KeyEndorsement = Schema.Struct({
  data: Schema.Struct({
    ...environmentMember,
    type: field(Schema.Literal(keyListType), "Distinguishes it from everything else that is signed."),
    issued_at: field(Timestamp, "When a key was made, retired or revoked last."),
    keys: field(Schema.Array(EndorsedKey), "The keys that verify, as in `data`."),
    revoked: field(Schema.Array(EndorsedRevokedKey), "The keys that were revoked.")
  }).annotate({ identifier: "EndorsedKeyList", description: "The list of keys that the keys sign." }),
  signatures: field(
    Schema.Array(Signature),
    "One of each key of which the service has the private half, the retired and revoked ones too."
  )
}).annotate({
  identifier: "KeyEndorsement",
  description: "The list of keys, signed by the keys: `data` in canonical bytes (RFC 8785)."
})
export type KeyEndorsement = typeof KeyEndorsement.Type

/** The published keys as a JSON Web Key Set (RFC 7517, RFC 8037). */
export const JsonWebKeySet = Schema.Struct({
  keys: field(
    Schema.Array(Schema.Struct({
      kty: field(Schema.Literal("OKP"), "The type of the key."),
      crv: field(Schema.Literal("Ed25519"), "The curve."),
      use: field(Schema.Literal("sig"), "The purpose of the key."),
      alg: field(Schema.Literal("EdDSA"), "The algorithm; always the same."),
      kid: field(Schema.String, "The ID of the signing key."),
      x: field(Schema.String, "The public key, base64url.")
    })),
    "The keys."
  )
}).annotate({
  identifier: "JsonWebKeySet",
  description: "The keys that verify runtime responses, as a JSON Web Key Set (RFC 7517, RFC 8037).",
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
  kid: field(Schema.String, "The ID of the signing key."),
  algorithm: field(Schema.Literal("Ed25519"), "The algorithm: Ed25519 (RFC 8032)."),
  public_key: field(Schema.String, "The public key, 32 bytes in base64."),
  status: field(Schema.Literals(["active", "retired", "revoked"]), "The current status."),
  created_at: CreatedAt,
  retired_at: optional(Timestamp, "Time when the next key replaced this one."),
  revoked_at: optional(Timestamp, "Time of the revocation.")
}).annotate({
  identifier: "SigningKey",
  description: "A signing key, as management sees it. The private key never leaves the service.",
  examples: [{
    kid: "sig_06eqpx1trxz3h94vqjm3a6kz7c",
    algorithm: "Ed25519",
    public_key: "11qYAYKxCrfVS/7TyWQHOg7hcvPapiMlrwIaaPcHURo=",
    status: "active",
    created_at: "2026-11-21T10:30:00.000Z"
  }]
})
export type SigningKey = typeof SigningKey.Type

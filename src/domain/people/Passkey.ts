import { Schema } from "effect"
import { PlainName } from "../ground/wire/Action.ts"
import { count, CreatedAt, field, optional, ShownName, text, Timestamp, UpdatedAt } from "../ground/wire/Fields.ts"
import * as Id from "../ground/wire/Id.ts"

/** How many passkeys a person may have. */
export const maximumPasskeys = 20

/** Bytes in base64url, as browsers send them. More are no authenticator's. What they say is verified, and what is none of it refused. */
const bytes = (maximum: number) => text(1, maximum)

const credential = field(bytes(1364), "The ID of the credential: `rawId`, in base64url.")
const clientData = field(bytes(8192), "`response.clientDataJSON`, in base64url.")

const exampleId = "Ad9S2Nq1vVxYkWb3oUQm0A"
const exampleChallenge = "q3B2eQk0yHn5mWcVY1Jr8sTzLp7D4uXaKfGhEoRiNw0"
const exampleClientData = "eyJ0eXBlIjoid2ViYXV0aG4uZ2V0In0"

/** A passkey of a person. */
export const Passkey = Schema.Struct({
  id: Id.text("pky"),
  person_id: Id.text("per"),
  name: ShownName,
  is_synced: field(Schema.Boolean, "Whether the passkey can be on several devices of the person."),
  last_used_at: optional(Timestamp, "Time of the last sign-in with it; absent until the first."),
  created_at: CreatedAt,
  updated_at: UpdatedAt
}).annotate({
  identifier: "Passkey",
  description: "A passkey, by which a person signs in.",
  examples: [{
    id: "pky_06eqpx1trxz3h94vqjm3a6kz7c",
    person_id: "per_06eqpx1trxz3h94vqjm3a6kz7c",
    name: "Work laptop",
    is_synced: true,
    created_at: "2026-11-21T10:30:00.000Z",
    updated_at: "2026-11-21T10:30:00.000Z"
  }]
})
export type Passkey = typeof Passkey.Type

export const PasskeyUpdate = Schema.Struct({ name: PlainName }).annotate({
  identifier: "PasskeyUpdateRequest",
  description: "The new name of a passkey.",
  examples: [{ name: "Work laptop" }]
})
export type PasskeyUpdate = typeof PasskeyUpdate.Type

const Known = Schema.Struct({
  id: field(Schema.String, "The ID of the credential, in base64url."),
  transports: field(Schema.Array(Schema.String), "How the authenticator is reached, as the browser said.")
}).annotate({
  identifier: "PasskeyDescriptor",
  description: "A passkey that the person has already.",
  examples: [{ id: exampleId, transports: ["internal", "hybrid"] }]
})

/** Algorithms of keys, by the names that COSE registers. One of them is on every authenticator. */
const PasskeyAlgorithm = Schema.Literals(["EdDSA", "ES256", "RS256"]).annotate({
  identifier: "PasskeyAlgorithm",
  description: "An algorithm, by the name that COSE registers: `EdDSA` is -8, `ES256` is -7 and `RS256` is -257."
})
export type PasskeyAlgorithm = typeof PasskeyAlgorithm.Type

/** What a browser makes a passkey by. */
export const PasskeyCreation = Schema.Struct({
  challenge: field(Schema.String, "The challenge, in base64url. It is good once."),
  rp_id: field(Schema.String, "The host name that the passkey is for."),
  user_id: field(Schema.String, "The handle of the person, in base64url."),
  user_name: field(Schema.String, "The name of the account in the browser."),
  user_display_name: field(Schema.String, "The name of the person."),
  algorithms: field(Schema.Array(PasskeyAlgorithm), "The algorithms that the service takes, the best first."),
  exclude: field(Schema.Array(Known), "The passkeys that the person has, so that no authenticator gets a second one."),
  timeout_ms: field(count(0), "How long the browser may ask, in milliseconds."),
  expires_at: field(Timestamp, "Time until which the response must have been sent.")
}).annotate({
  identifier: "PasskeyCreation",
  description:
    "Options to create a passkey by (`navigator.credentials.create`): discoverable, with user verification, without attestation.",
  examples: [{
    challenge: exampleChallenge,
    rp_id: "licenses.example.com",
    user_id: "cGVyXzA2ZXFweDF0cnh6M2g5NHZxam0zYTZrejdj",
    user_name: "ada@example.com",
    user_display_name: "Ada Lovelace",
    algorithms: ["EdDSA", "ES256", "RS256"],
    exclude: [],
    timeout_ms: 300_000,
    expires_at: "2026-11-21T10:35:00.000Z"
  }]
})
export type PasskeyCreation = typeof PasskeyCreation.Type

/** What a browser signs in by. */
export const PasskeyChallenge = Schema.Struct({
  challenge: PasskeyCreation.fields.challenge,
  rp_id: PasskeyCreation.fields.rp_id,
  timeout_ms: PasskeyCreation.fields.timeout_ms,
  expires_at: PasskeyCreation.fields.expires_at
}).annotate({
  identifier: "PasskeyChallenge",
  description: "Options to sign in by (`navigator.credentials.get`): any passkey of the host, with user verification.",
  examples: [{
    challenge: exampleChallenge,
    rp_id: "licenses.example.com",
    timeout_ms: 300_000,
    expires_at: "2026-11-21T10:35:00.000Z"
  }]
})
export type PasskeyChallenge = typeof PasskeyChallenge.Type

export const PasskeyCreate = Schema.Struct({
  name: optional(PlainName, "The name of the passkey. Default: `Passkey`."),
  credential,
  client_data: clientData,
  attestation_object: field(bytes(16_384), "`response.attestationObject`, in base64url."),
  transports: optional(
    Schema.Array(text(1, 32)).check(Schema.isMaxLength(10)),
    "`response.getTransports()`: how the authenticator is reached."
  )
}).annotate({
  identifier: "PasskeyCreateRequest",
  description: "A passkey that a browser has created.",
  examples: [{
    name: "Work laptop",
    credential: exampleId,
    client_data: exampleClientData,
    attestation_object: "o2NmbXRkbm9uZQ",
    transports: ["internal", "hybrid"]
  }]
})
export type PasskeyCreate = typeof PasskeyCreate.Type

export const PasskeySignIn = Schema.Struct({
  credential,
  client_data: clientData,
  authenticator_data: field(bytes(8192), "`response.authenticatorData`, in base64url."),
  signature: field(bytes(4096), "`response.signature`, in base64url."),
  user_handle: optional(
    text(0, 128),
    "`response.userHandle`, in base64url: whose passkey it is. Some authenticators leave it out or empty; then the credential says it."
  )
}).annotate({
  identifier: "PasskeySignInRequest",
  description: "A challenge as a passkey has signed it.",
  examples: [{
    credential: exampleId,
    client_data: exampleClientData,
    authenticator_data: "SZYN5YgOjGh0NBcPZHZgW4_krrmihjLHmVzzuoMdl2MFAAAAAQ",
    signature: "MEUCIQDk5QJ0qC",
    user_handle: "cGVyXzA2ZXFweDF0cnh6M2g5NHZxam0zYTZrejdj"
  }]
})
export type PasskeySignIn = typeof PasskeySignIn.Type

/** Who invites whom to what. */
export const InvitationShown = Schema.Struct({
  person_name: field(Schema.String, "The name of the invited person.", "Ada Lovelace"),
  invited_by: optional(
    Schema.String,
    "The name of the person who made the invitation; absent if an API key did.",
    "Grace Hopper"
  ),
  roles: field(Schema.Array(Schema.String), "The names of the roles that the person has.", ["Support"]),
  links_account: field(
    Schema.Boolean,
    "Whether the person can link a passkey, or an account at the identity provider, with it: its maker had `admin`."
  ),
  expires_at: field(Timestamp, "Time when the invitation stops working."),
  passkey: optional(PasskeyCreation, "Options to create a passkey by; absent if the invitation cannot add one.")
}).annotate({
  identifier: "InvitationShown",
  description: "An invitation, as it is shown to its bearer. Looking at it does not spend it.",
  examples: [{
    person_name: "Ada Lovelace",
    invited_by: "Grace Hopper",
    roles: ["Support"],
    links_account: true,
    expires_at: "2026-11-21T11:30:00.000Z"
  }]
})
export type InvitationShown = typeof InvitationShown.Type

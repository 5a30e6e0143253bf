import { Schema } from "effect"
import { count, field, optional } from "../ground/wire/Fields.ts"

const ClaimRole = Schema.Struct({
  claim: field(Schema.String, "The claim of the identity provider."),
  value: field(Schema.String, "The value that gives the role."),
  role: field(Schema.String, "The ID of the role.")
}).annotate({
  identifier: "SignInClaimRole",
  description: "A role that a value in a claim gives.",
  examples: [{ claim: "groups", value: "license-admins", role: "owner" }]
})

const Provider = Schema.Struct({
  issuer: field(Schema.String, "The issuer: `COUNTERSIGN_OIDC_ISSUER`."),
  client_id: field(Schema.String, "The client that this service is there: `COUNTERSIGN_OIDC_CLIENT_ID`."),
  redirect_uri: field(Schema.String, "The address that the provider must send browsers back to. Allow it there."),
  roles: field(Schema.Array(ClaimRole), "Which claims give which roles: `COUNTERSIGN_OIDC_ROLES`."),
  empty_claims: field(
    Schema.Array(Schema.String),
    "The claims of these that the provider omits where they are empty, so that an account without one has no role by it: " +
      "`COUNTERSIGN_OIDC_EMPTY_CLAIMS`."
  ),
  signs_out_at_provider: field(
    Schema.Boolean,
    "Whether signing out also ends the session at the provider: `COUNTERSIGN_OIDC_SIGN_OUT`."
  ),
  post_logout_redirect_uri: field(
    Schema.String,
    "The address that the provider sends browsers back to that have signed out. Allow it there."
  ),
  backchannel_logout_uri: field(
    Schema.String,
    "The address where the provider tells that a session has ended. Set it there, if the provider has back-channel logout."
  )
}).annotate({
  identifier: "SignInProviderSettings",
  description: "The identity provider, as it is configured.",
  examples: [{
    issuer: "https://login.example.com",
    client_id: "countersign",
    redirect_uri: "https://licenses.example.com/api/v1/sign-in/oidc/callback",
    roles: [{ claim: "groups", value: "license-admins", role: "owner" }],
    empty_claims: ["groups"],
    signs_out_at_provider: true,
    post_logout_redirect_uri: "https://licenses.example.com/console/sign-in",
    backchannel_logout_uri: "https://licenses.example.com/api/v1/sign-in/oidc/back-channel-logout"
  }]
})

/** How people sign in, as the process was started. */
export const SignInSettings = Schema.Struct({
  openid_connect: optional(Provider, "The identity provider; absent if none is configured."),
  passkeys: field(Schema.Boolean, "Whether people sign in with passkeys."),
  passkeys_problem: optional(Schema.String, "Why they do not, in words; absent where they do."),
  session_hours: field(count(1), "The most hours of a session: `COUNTERSIGN_SESSION_HOURS`."),
  session_idle_minutes: field(
    count(1),
    "The minutes without a request after which a session ends: `COUNTERSIGN_SESSION_IDLE_MINUTES`."
  )
}).annotate({
  identifier: "SignInSettings",
  description: "How people sign in. It is read from the environment of the process, and changed there.",
  examples: [{ passkeys: true, session_hours: 12, session_idle_minutes: 60 }]
})
export type SignInSettings = typeof SignInSettings.Type

/** The answer of the identity provider. */
export const SignInTest = Schema.Struct({
  issuer: field(Schema.String, "The issuer that was asked."),
  works: field(
    Schema.Boolean,
    "Whether it describes itself as a sign-in needs it, has keys, and takes the client and its secret."
  ),
  problem: optional(Schema.String, "The problem, in words; absent if it works.")
}).annotate({
  identifier: "SignInTest",
  description:
    "A test of the identity provider: all that a sign-in asks there without a person. Whether it allows the redirect address shows only at a sign-in.",
  examples: [{ issuer: "https://login.example.com", works: false, problem: "login.example.com does not respond" }]
})
export type SignInTest = typeof SignInTest.Type

import { Schema } from "effect"
import { count, field, optional } from "../wire/Fields.ts"

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
  roles: field(Schema.Array(ClaimRole), "Which claims give which roles: `COUNTERSIGN_OIDC_ROLES`.")
}).annotate({
  identifier: "SignInProviderSettings",
  description: "The identity provider, as it is configured.",
  examples: [{
    issuer: "https://login.example.com",
    client_id: "countersign",
    redirect_uri: "https://licenses.example.com/api/v1/sign-in/oidc/callback",
    roles: [{ claim: "groups", value: "license-admins", role: "owner" }]
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
  works: field(Schema.Boolean, "Whether it describes itself as a sign-in needs it."),
  problem: optional(Schema.String, "The problem, in words; absent if it works.")
}).annotate({
  identifier: "SignInTest",
  description: "A test of the identity provider. Whether it knows the client and its secret shows only at a sign-in.",
  examples: [{ issuer: "https://login.example.com", works: false, problem: "login.example.com does not respond" }]
})
export type SignInTest = typeof SignInTest.Type

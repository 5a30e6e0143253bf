import { Schema } from "effect"
import { CreatedAt, field, optional, text, Timestamp } from "../ground/wire/Fields.ts"
import * as Id from "../ground/wire/Id.ts"
import { Brand } from "../keys/settings/ServiceSettings.ts"
import { longestReturn } from "./SignInFlow.ts"

/** How somebody signed in. */
const SignInMethod = Schema.Literals(["invitation", "openid_connect", "passkey"]).annotate({
  identifier: "SignInMethod",
  description:
    "How the person signed in: by an `invitation`, at the identity provider (`openid_connect`), or with a `passkey`."
})
export type SignInMethod = typeof SignInMethod.Type

/** The page that asks in a session. */
export interface AskingPage {
  /** The person whose page it is. */
  readonly expected?: string | undefined
  /** Whether it asks by itself: that is no use of the session. */
  readonly isPoll?: boolean
}

/** A person who is signed in, somewhere. */
export const Session = Schema.Struct({
  id: Id.text("ses"),
  person_id: Id.text("per"),
  sign_in_method: SignInMethod,
  is_current: field(Schema.Boolean, "Whether the request was made in this session."),
  ip_address: optional(Schema.String, "The network address that the session was opened from."),
  user_agent: optional(Schema.String, "The browser that opened the session, as it names itself."),
  last_used_at: field(Timestamp, "Time of the last request, at most a minute late."),
  expires_at: field(Timestamp, "Time when the session ends at the latest."),
  created_at: CreatedAt
}).annotate({
  identifier: "Session",
  description: "A person who is signed in.",
  examples: [{
    id: "ses_06eqpx1trxz3h94vqjm3a6kz7c",
    person_id: "per_06eqpx1trxz3h94vqjm3a6kz7c",
    sign_in_method: "openid_connect",
    is_current: true,
    ip_address: "192.0.2.7",
    user_agent: "Mozilla/5.0",
    last_used_at: "2026-11-21T10:30:00.000Z",
    expires_at: "2026-11-21T22:30:00.000Z",
    created_at: "2026-11-21T10:30:00.000Z"
  }]
})
export type Session = typeof Session.Type

/** What the events of a session say: nothing of where it was opened, which the event itself says. */
export const SessionInEvent = Schema.Struct({
  id: Session.fields.id,
  person_id: Session.fields.person_id,
  sign_in_method: Session.fields.sign_in_method,
  expires_at: Session.fields.expires_at,
  created_at: Session.fields.created_at
}).annotate({
  identifier: "SessionEventData",
  description: "A session of a person.",
  examples: [{
    id: "ses_06eqpx1trxz3h94vqjm3a6kz7c",
    person_id: "per_06eqpx1trxz3h94vqjm3a6kz7c",
    sign_in_method: "openid_connect",
    expires_at: "2026-11-21T22:30:00.000Z",
    created_at: "2026-11-21T10:30:00.000Z"
  }]
})
export type SessionInEvent = typeof SessionInEvent.Type

/** The admin token in the console, as its event tells it. */
export const AdminSignIn = Schema.Struct({ id: field(Schema.String, "The token that signed in.") }).annotate({
  identifier: "TokenSignedInEventData",
  description: "The admin token signed in to the console.",
  examples: [{ id: "bootstrap" }]
})

/** A secret that lets a person sign in once. */
export const Invitation = Schema.Struct({
  person_id: Id.text("per"),
  invitation: Schema.String.annotate({
    description: "Shown this once. It is good for one sign-in; only a keyed hash is stored.",
    examples: ["csi_4fJ0x9QbT2mYpW7sVd1Kc8RzLh6NgE3uXaB5iOvMqUt"]
  }),
  links_account: field(
    Schema.Boolean,
    "Whether the invitation may link a passkey, or an account at the identity provider, to the person: its maker had `admin`."
  ),
  expires_at: field(Timestamp, "Time when the invitation stops working.")
}).annotate({
  identifier: "PersonInvitation",
  description: "An invitation, by which a person signs in once.",
  examples: [{
    person_id: "per_06eqpx1trxz3h94vqjm3a6kz7c",
    invitation: "csi_4fJ0x9QbT2mYpW7sVd1Kc8RzLh6NgE3uXaB5iOvMqUt",
    links_account: true,
    expires_at: "2026-11-21T11:30:00.000Z"
  }]
})
export type Invitation = typeof Invitation.Type

export const SignIn = Schema.Struct({
  invitation: field(text(1, 128), "The invitation that the person was given.")
}).annotate({
  identifier: "SignInRequest",
  description: "A sign-in of a person, from a page of the service.",
  examples: [{ invitation: "csi_4fJ0x9QbT2mYpW7sVd1Kc8RzLh6NgE3uXaB5iOvMqUt" }]
})

/** A browser that has signed out. */
export const SignedOut = Schema.Struct({
  provider_url: optional(
    Schema.String,
    "The address at the identity provider to send the browser to, which ends the session there and comes back; absent if the browser need not go there."
  )
}).annotate({
  identifier: "SignedOut",
  description: "A session that its person has ended.",
  examples: [{ provider_url: "https://login.example.com/logout?client_id=countersign" }]
})

/** The ways in that a service offers. */
export const SignInWays = Schema.Struct({
  openid_connect: optional(
    Schema.Struct({
      issuer: field(Schema.String, "The issuer, as it is configured.")
    }).annotate({ identifier: "SignInProvider", description: "The identity provider of the service." }),
    "The identity provider; absent if none is configured."
  ),
  passkeys: field(Schema.Boolean, "Whether people sign in with passkeys."),
  passkeys_problem: optional(Schema.String, "Why they do not, in words; absent where they do."),
  signed_in: optional(
    Schema.Boolean,
    "`true` if this browser has a session that has not ended, which its pages use; absent if it has none."
  ),
  brand: optional(Brand, "The vendor's own name, color and logo; absent if none is set."),
  admin_token: field(Schema.Boolean, "Whether the console takes an API key or the admin token. It always does.")
}).annotate({
  identifier: "SignInWays",
  description: "The ways to sign in.",
  examples: [{ openid_connect: { issuer: "https://login.example.com" }, passkeys: true, admin_token: true }]
})
export type SignInWays = typeof SignInWays.Type

export const SignInStart = Schema.Struct({
  invitation: optional(
    text(1, 128),
    "The invitation that the sign-in spends: it links the account to the invited person."
  ),
  return_to: optional(
    text(1, longestReturn),
    "The page of the console that the sign-in ends at, as a path that begins with `/console`. This is the default."
  )
}).annotate({
  identifier: "SignInStartRequest",
  description: "A sign-in to begin at the identity provider.",
  examples: [{ return_to: "/console/licenses" }]
})
export type SignInStart = typeof SignInStart.Type

export const SignInStarted = Schema.Struct({
  authorization_url: field(Schema.String, "The address at the identity provider to send the browser to."),
  expires_at: field(Timestamp, "Time until which the provider must have sent the browser back.")
}).annotate({
  identifier: "SignInStarted",
  description: "A sign-in that was begun at the identity provider.",
  examples: [{
    authorization_url: "https://login.example.com/authorize?client_id=countersign&response_type=code",
    expires_at: "2026-11-21T10:40:00.000Z"
  }]
})
export type SignInStarted = typeof SignInStarted.Type

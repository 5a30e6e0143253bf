import { Schema } from "effect"
import { CreatedAt, field, optional, text, Timestamp } from "../wire/Fields.ts"
import * as Id from "../wire/Id.ts"

/** A person who is signed in, somewhere. */
export const Session = Schema.Struct({
  id: Id.text("ses"),
  person_id: Id.text("per"),
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
  expires_at: Session.fields.expires_at,
  created_at: Session.fields.created_at
}).annotate({
  identifier: "SessionEventData",
  description: "A session of a person.",
  examples: [{
    id: "ses_06eqpx1trxz3h94vqjm3a6kz7c",
    person_id: "per_06eqpx1trxz3h94vqjm3a6kz7c",
    expires_at: "2026-11-21T22:30:00.000Z",
    created_at: "2026-11-21T10:30:00.000Z"
  }]
})
export type SessionInEvent = typeof SessionInEvent.Type

/** A secret that lets a person sign in once. */
export const Invitation = Schema.Struct({
  person_id: Id.text("per"),
  invitation: Schema.String.annotate({
    description: "Shown this once. It is good for one sign-in; only a keyed hash is stored.",
    examples: ["csi_4fJ0x9QbT2mYpW7sVd1Kc8RzLh6NgE3uXaB5iOvMqUt"]
  }),
  expires_at: field(Timestamp, "Time when the invitation stops working.")
}).annotate({
  identifier: "PersonInvitation",
  description: "An invitation, by which a person signs in once.",
  examples: [{
    person_id: "per_06eqpx1trxz3h94vqjm3a6kz7c",
    invitation: "csi_4fJ0x9QbT2mYpW7sVd1Kc8RzLh6NgE3uXaB5iOvMqUt",
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

import { Schema } from "effect"
import { reasoned } from "../../ground/wire/Action.ts"
import { CreatedAt, Email, Name, optional, text, Timestamp } from "../../ground/wire/Fields.ts"
import * as Id from "../../ground/wire/Id.ts"

/** The most users that a license has at a time, those who are invited included. */
export const maximumUsers = 10_000

export const LicenseUserStatus = Schema.Literals(["invited", "active", "removed"]).annotate({
  identifier: "LicenseUserStatus",
  description:
    "`invited` has not signed in yet and holds no seat. `active` has a seat. `removed` has lost it, or the invitation."
})
export type LicenseUserStatus = typeof LicenseUserStatus.Type

const RemovedBecause = Schema.Literals(["removed", "reduced", "transferred", "erased"]).annotate({
  identifier: "LicenseUserRemoval",
  description:
    "Why a user is removed: by management (`removed`), which only a new invitation lifts; by a change of policy to fewer " +
    "users (`reduced`); because the license was transferred (`transferred`); or because its customer or the user was erased (`erased`)."
})
export type RemovedBecause = typeof RemovedBecause.Type

/** The longest issuer, and the longest subject (OpenID Connect Core 2). */
export const issuerLength = 512
export const subjectLength = 255

/** A person who uses a license. */
export const LicenseUser = Schema.Struct({
  id: Id.text("usr"),
  license_id: Id.text("lic"),
  status: LicenseUserStatus,
  email: optional(
    Schema.String,
    "The email address that was invited, in lower case, or that the identity provider verified."
  ),
  name: optional(Schema.String, "The user's name."),
  issuer: optional(Schema.String, "The identity provider of the account."),
  subject: optional(Schema.String, "The account at the identity provider."),
  removed_because: Schema.optionalKey(RemovedBecause),
  created_at: CreatedAt,
  joined_at: optional(Timestamp, "The time of the first sign-in, which took the seat."),
  last_seen_at: optional(Timestamp, "The time of the last sign-in."),
  removed_at: optional(Timestamp, "The time when the user was removed.")
}).annotate({
  identifier: "LicenseUser",
  description: "A person who uses a license, or is invited to.",
  examples: [{
    id: "usr_06eqpx1trxz3h94vqjm3a6kz7c",
    license_id: "lic_06eqpx1trxz3h94vqjm3a6kz7c",
    status: "active",
    email: "ada@example.com",
    name: "Ada Lovelace",
    issuer: "https://login.example.com",
    subject: "248289761001",
    created_at: "2026-11-21T10:30:00.000Z",
    joined_at: "2026-11-21T10:35:00.000Z",
    last_seen_at: "2026-11-21T10:35:00.000Z"
  }]
})
export type LicenseUser = typeof LicenseUser.Type

const InviteDelivery = Schema.Literals(["mail", "none"]).annotate({
  identifier: "LicenseUserInviteDelivery",
  description:
    "Whether the invitation is mailed to its address. Default: `mail` where `mails` of the policy names `user_invited`, else `none`."
})

/** An invitation: by an address, or by an account. */
export const LicenseUserInvite = Schema.Struct({
  email: optional(
    Email,
    "The email address of the person. The first account with this address, verified, takes it up."
  ),
  issuer: optional(text(1, issuerLength), "The identity provider of the account. Needs `subject`."),
  subject: optional(text(1, subjectLength), "The account at the identity provider. Needs `issuer`."),
  name: optional(Name, "The user's name."),
  delivery: Schema.optionalKey(InviteDelivery),
  ...reasoned
}).annotate({
  description: "A person to invite: by an email address, or by the issuer and the subject of an account.",
  examples: [{ email: "ada@example.com", name: "Ada Lovelace" }]
}).check(
  Schema.makeFilter(
    (
      invite: {
        readonly email?: string
        readonly issuer?: string
        readonly subject?: string
        readonly delivery?: string
      }
    ) => {
      if (invite.delivery === "mail" && invite.email === undefined) {
        return { path: ["delivery"], issue: "also needs email" }
      }
      if ((invite.issuer === undefined) !== (invite.subject === undefined)) {
        return invite.issuer === undefined
          ? { path: ["subject"], issue: "also needs issuer" }
          : { path: ["issuer"], issue: "also needs subject" }
      }
      return invite.email === undefined && invite.subject === undefined
        ? { path: ["email"], issue: "is required, unless issuer and subject name an account" }
        : undefined
    }
  )
).annotate({ identifier: "LicenseUserInviteRequest" })
export type LicenseUserInvite = typeof LicenseUserInvite.Type

/** An address as it is kept and compared. */
export const keptEmail = (email: string): string => email.toLowerCase()

import { Schema } from "effect"
import { reasoned } from "../../ground/wire/Action.ts"
import { CreatedAt, Email, field, Name, notStorable, optional, text, Timestamp } from "../../ground/wire/Fields.ts"
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
const issuerLength = 512
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

const Admits = Schema.Literals(["invited", "anyone"]).annotate({
  identifier: "TrustedIssuerAdmission",
  description:
    "The accounts that may take a seat: those of people who are `invited`, or those of `anyone` at the issuer. A public issuer has " +
    "accounts of all people."
})

const loopback = /^(localhost|127\.\d{1,3}\.\d{1,3}\.\d{1,3}|\[::1\])$/

/**
 * The reason why a text is no address of an issuer, or undefined. Plain HTTP is for this machine, whose addresses are connected to
 * only where the operator allows them.
 */
export const notAnIssuer = (value: string): string | undefined => {
  const url = URL.parse(value)
  if (notStorable(value) !== undefined || url === null || value !== value.trim()) return "must be an absolute URL"
  if (url.protocol !== "https:" && !(url.protocol === "http:" && loopback.test(url.hostname))) {
    return "must begin with https://"
  }
  return url.username !== "" || url.password !== "" || /[?#]/.test(value)
    ? "must have no user name, password, query or fragment"
    : undefined
}

const Issuer = Schema.String.check(
  Schema.isBetweenLength(1, issuerLength),
  Schema.makeFilter(notAnIssuer, { toJsonSchema: () => ({ pattern: "^https?://[^\\s?#@\\x00]+$" }) })
)

const issuerText = "The identity provider (OpenID Connect), as its ID tokens name it in `iss`."
const audienceText = "The client ID of your app at the identity provider, as ID tokens name it in `aud`."
const audience = text(1, 255)

const example = { issuer: "https://login.example.com", audience: "acme-studio", admits: "invited" as const }

/** The identity provider by whose ID tokens the users of a license sign in. */
export const TrustedIssuer = Schema.Struct({
  issuer: field(Schema.String, issuerText),
  audience: field(Schema.String, audienceText),
  admits: Admits
}).annotate({
  identifier: "TrustedIssuer",
  description: "The identity provider at which the users of the license sign in.",
  examples: [example]
})
export type TrustedIssuer = typeof TrustedIssuer.Type

/** A {@link TrustedIssuer} in a request. */
export const TrustedIssuerInput = Schema.Struct({
  issuer: field(Issuer, `${issuerText} It begins with \`https://\`.`),
  audience: field(audience, audienceText),
  admits: optional(Admits, "The accounts of the issuer that may take a seat. Default: `invited`.")
}).annotate({
  identifier: "TrustedIssuerRequest",
  description: "The identity provider at which the users of the license sign in.",
  examples: [{ issuer: example.issuer, audience: example.audience }]
})
export type TrustedIssuerInput = typeof TrustedIssuerInput.Type

/** A trusted issuer as it is stored. */
export const storedIssuer = ({ admits = "invited", ...input }: TrustedIssuerInput): TrustedIssuer => ({
  ...input,
  admits
})

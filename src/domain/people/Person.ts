import { Schema } from "effect"
import { isEmail } from "../ground/parsing/Email.ts"
import { PlainName } from "../ground/wire/Action.ts"
import { CreatedAt, Email, EmailOrClear, field, optional, ShownName, text, UpdatedAt } from "../ground/wire/Fields.ts"
import * as Id from "../ground/wire/Id.ts"
import { Scope } from "../keys/security/ManagementKey.ts"
import { verifiedEmail } from "./ClaimRules.ts"
import type { Claims } from "./ClaimRules.ts"
import { RoleReference } from "./Role.ts"

/** The scope that is asked about, as a parameter: one of its own, because a shared schema keeps no example of a parameter. */
export const AskedScope = Schema.Literals(Scope.literals).annotate({
  description: "The missing scope.",
  examples: ["license:write"]
})

/** How many people are named at most. */
export const maximumGranters = 10

/** People who can give somebody a scope. */
export const ScopeGranters = Schema.Struct({
  scope: field(Scope, "The scope that was asked about."),
  names: field(
    Schema.Array(ShownName),
    `The people by name, at most ${maximumGranters}. Empty: only an API key can give it.`
  ),
  has_more: field(Schema.Boolean, "Whether more people can give it than are named.")
}).annotate({
  identifier: "ScopeGranters",
  description: "The people who can give a scope.",
  examples: [{ scope: "license:write", names: ["Ada Lovelace", "Jun Sato"], has_more: false }]
})
export type ScopeGranters = typeof ScopeGranters.Type

/** How many identities and roles a person may have. */
export const maximumIdentities = 10
const maximumRoles = 20

/** The shape of an issuer, as OpenID Connect Discovery has it: an address without user, query and fragment. */
const issuerShape = /^https?:\/\/[!-"$->A-~]+$/u

const issuerExpected = "the address of an issuer, such as https://login.example.com"

const issuerText = "The issuer, exactly as the provider names itself in `iss`."
const subjectText = "The account there: `sub` of its ID tokens."

const example = { issuer: "https://login.example.com", subject: "248289761001" }

/** An account at an identity provider. People are recognized by it, and never by an e-mail address. */
const Identity = Schema.Struct({
  issuer: field(Schema.String, issuerText),
  subject: field(Schema.String, subjectText)
}).annotate({
  identifier: "PersonIdentity",
  description: "An account at an identity provider, by which a person is recognized.",
  examples: [example]
})
export type Identity = typeof Identity.Type

const IdentityRequest = Schema.Struct({
  issuer: field(
    Schema.String.check(Schema.isBetweenLength(1, 512), Schema.isPattern(issuerShape, { expected: issuerExpected })),
    issuerText
  ),
  subject: field(text(1, 255), subjectText)
}).annotate({
  identifier: "PersonIdentityRequest",
  description: "An account at an identity provider that is to identify a person.",
  examples: [example]
})

const Identities = field(
  Schema.Array(IdentityRequest).check(Schema.isMaxLength(maximumIdentities)),
  "All accounts by which the person is recognized. One account is of one person."
)

const Roles = field(
  Schema.Array(RoleReference).check(Schema.isMaxLength(maximumRoles), Schema.isUnique()),
  "All roles of the person, never with more rights than the caller has."
)

/** Whether a person can sign in. */
export const PersonStatus = Schema.Literals(["invited", "active", "removed"]).annotate({
  identifier: "PersonStatus",
  description: "`invited`: has no way to sign in yet. `active`: has one. `removed`: may no longer do anything."
})
export type PersonStatus = typeof PersonStatus.Type

/** Filters of the list of people. */
export interface PeopleFilters {
  readonly q?: string
  readonly status?: PersonStatus
}

/** Somebody who works with the service. */
export const Person = Schema.Struct({
  id: Id.text("per"),
  name: ShownName,
  email: optional(Schema.String, "The email address. It is for messages, and identifies no one."),
  roles: field(Schema.Array(Schema.String), "The IDs of the roles of the person."),
  claimed_roles: field(
    Schema.Array(Schema.String),
    "The roles among these that came by a claim of the identity provider, and follow it at each sign-in."
  ),
  status: PersonStatus,
  identities: field(Schema.Array(Identity), "The accounts by which the person is recognized."),
  created_at: CreatedAt,
  updated_at: UpdatedAt
}).annotate({
  identifier: "Person",
  description: "A person who works with the service, and the roles of this person.",
  examples: [{
    id: "per_06eqpx1trxz3h94vqjm3a6kz7c",
    name: "Ada Lovelace",
    email: "ada@example.com",
    roles: ["support"],
    claimed_roles: [],
    status: "active",
    identities: [{ issuer: "https://login.example.com", subject: "248289761001" }],
    created_at: "2026-11-21T10:30:00.000Z",
    updated_at: "2026-11-21T10:30:00.000Z"
  }]
})
export type Person = typeof Person.Type

export const PersonCreate = Schema.Struct({
  name: PlainName,
  email: optional(Email, "The email address. It is for messages, and identifies no one."),
  roles: Schema.optionalKey(Roles),
  identities: Schema.optionalKey(Identities)
}).annotate({
  identifier: "PersonCreateRequest",
  description: "A person to add.",
  examples: [{
    name: "Ada Lovelace",
    email: "ada@example.com",
    roles: ["support"],
    identities: [{ issuer: "https://login.example.com", subject: "248289761001" }]
  }]
})
export type PersonCreate = typeof PersonCreate.Type

export const PersonUpdate = Schema.Struct({
  name: Schema.optionalKey(PlainName),
  email: optional(EmailOrClear, "The email address. The empty string clears it."),
  roles: Schema.optionalKey(Roles),
  identities: Schema.optionalKey(Identities)
}).annotate({
  identifier: "PersonUpdateRequest",
  description: "Changes of a person. Omitted fields stay as they are; `roles` and `identities` replace those before.",
  examples: [{ roles: ["support", "finance"] }]
})
export type PersonUpdate = typeof PersonUpdate.Type

const isName = Schema.is(PlainName)

/** Name and address of an account, as far as its provider says them. An address that nobody has verified may be anybody's. */
export const introducedBy = (
  claims: Claims,
  subject: string
): { readonly name: string; readonly email: string | null } => {
  const { name, preferred_username } = claims
  const verified = verifiedEmail(claims)
  const own = verified !== undefined && isEmail(verified) ? verified : null
  const offered = [name, preferred_username, own, subject].map((text) => typeof text === "string" ? text.trim() : text)
  return { name: offered.find(isName) ?? "Nameless", email: own }
}

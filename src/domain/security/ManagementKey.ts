import { Schema } from "effect"
import type { Warning } from "../wire/Errors.ts"
import { Name, text, Timestamp, TimestampInput } from "../wire/Fields.ts"
import * as Id from "../wire/Id.ts"
import { coversScope } from "./ScopeRule.ts"

/** Each operation needs one scope; `admin` satisfies every one, and one that writes the one that reads the same. */
export const Scope = Schema.Literals([
  "admin",
  "product:read",
  "product:write",
  "license:read",
  "license:write",
  "customer:read",
  "customer:write",
  "device:write",
  "event:read",
  "ops:read",
  "report:read",
  "report:export",
  "webhook:write"
]).annotate({ identifier: "ManagementScope" })
export type Scope = typeof Scope.Type

/** Which of the needed scopes a token lacks. */
export const missingScopes = (held: ReadonlyArray<Scope>, needed: ReadonlyArray<Scope>): ReadonlyArray<Scope> =>
  needed.filter((scope) => !coversScope(held, scope))

/** How many products a key may be limited to. */
const maximumLimitedProducts = 50

/** A management credential without its secret. */
export const ManagementKey = Schema.Struct({
  id: Schema.String,
  name: Schema.String,
  key_prefix: Schema.String,
  scopes: Schema.Array(Scope),
  allowed_cidrs: Schema.Array(Schema.String),
  product_ids: Schema.optionalKey(
    Schema.Array(Id.schema("prod")).annotate({
      description: "The products that the key is limited to; absent where it may do all."
    })
  ),
  is_active: Schema.Boolean,
  expires_at: Schema.optionalKey(Timestamp),
  last_used_at: Schema.optionalKey(Timestamp),
  created_at: Timestamp
}).annotate({
  identifier: "APIKey",
  examples: [{
    id: "key_06eqpx1trxz3h94vqjm3a6kz7c",
    name: "storefront",
    key_prefix: "csk_4fJ0x9Qb",
    scopes: ["license:read", "license:write"],
    allowed_cidrs: [],
    is_active: true,
    created_at: "2026-11-21T10:30:00.000Z"
  }]
})
export type ManagementKey = typeof ManagementKey.Type

export const ManagementKeyCreate = Schema.Struct({
  name: Name,
  scopes: Schema.optionalKey(
    Schema.Array(Scope).check(Schema.isBetweenLength(1, Scope.literals.length), Schema.isUnique())
  ),
  allowed_cidrs: Schema.optionalKey(Schema.Array(text(1, 64)).check(Schema.isMaxLength(64))),
  expires_at: Schema.optionalKey(TimestampInput),
  product_ids: Schema.optionalKey(
    Schema.NullOr(
      Schema.Array(Id.schema("prod")).check(Schema.isBetweenLength(1, maximumLimitedProducts), Schema.isUnique())
    ).annotate({ description: "The products that the key is limited to; null or left out, all of them." })
  )
}).annotate({
  identifier: "APIKeyCreateRequest",
  examples: [{ name: "storefront", scopes: ["license:read", "license:write"] }]
})
export type ManagementKeyCreate = typeof ManagementKeyCreate.Type

/** Warnings about a key that is accepted, and may do more, or for longer, than most callers need. */
export const warningsAbout = ({ expires_at, scopes }: ManagementKeyCreate): ReadonlyArray<Warning> => [
  ...(scopes === undefined
    ? [{
      code: "SCOPES_OMITTED",
      message: "The key has the scope admin, because none was named. Name the scopes that it needs."
    }]
    : []),
  ...(expires_at === undefined && (scopes ?? ["admin"]).includes("admin")
    ? [{
      code: "ADMIN_NEVER_EXPIRES",
      message:
        "The key has the scope admin and never expires. Give it an expires_at, or revoke it when it is not needed."
    }]
    : [])
]

export const ManagementKeyCreated = Schema.Struct({
  api_key: ManagementKey,
  token: Schema.String.annotate({
    description: "Shown this once; only a keyed hash is stored.",
    examples: ["csk_4fJ0x9QbT2mYpW7sVd1Kc8RzLh6NgE3uXaB5iOvMqUtJwD"]
  })
}).annotate({ identifier: "APIKeyCreateResponse" })
export type ManagementKeyCreated = typeof ManagementKeyCreated.Type

const { allowed_cidrs, created_at, expires_at, id, key_prefix, last_used_at, name, product_ids } = ManagementKey.fields

/**
 * What a management token is, as its bearer may know. The bootstrap token is no record of its own: it has no name and no
 * dates.
 */
export const TokenIdentity = Schema.Struct({
  kind: Schema.Literals(["bootstrap", "management_key"]).annotate({
    description: "`management_key` was made by `POST /api/v1/api-keys`. `bootstrap` is the token of the installation."
  }),
  id: id.annotate({ description: "As events and activities name it in `actor_id`; `bootstrap` for that token." }),
  name: Schema.optionalKey(
    name.annotate({ description: "The name that the key was given. The bootstrap token has none." })
  ),
  key_prefix: Schema.optionalKey(
    key_prefix.annotate({ description: "The beginning of the token. Absent for the bootstrap token." })
  ),
  scopes: Schema.Array(Scope).annotate({ description: "What the token may do. `admin` may do everything." }),
  allowed_cidrs,
  product_ids,
  expires_at: expires_at.annotate({ description: "When the token stops to work; absent if never." }),
  last_used_at,
  created_at: Schema.optionalKey(
    created_at.annotate({ description: "When the key was created. Absent for the bootstrap token." })
  )
}).annotate({
  identifier: "TokenIdentity",
  examples: [{
    kind: "management_key",
    id: "key_06eqpx1trxz3h94vqjm3a6kz7c",
    name: "storefront",
    key_prefix: "csk_4fJ0x9Qb",
    scopes: ["license:read", "license:write"],
    allowed_cidrs: [],
    expires_at: "2027-11-21T10:30:00.000Z",
    last_used_at: "2026-11-21T10:30:00.000Z",
    created_at: "2026-11-21T10:30:00.000Z"
  }]
})
export type TokenIdentity = typeof TokenIdentity.Type

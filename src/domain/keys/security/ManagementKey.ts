import { Schema } from "effect"
import { PlainName, reasoned, Tag } from "../../ground/wire/Action.ts"
import type { Warning } from "../../ground/wire/Errors.ts"
import {
  count,
  CreatedAt,
  field,
  optional,
  ShownName,
  text,
  Timestamp,
  TimestampInput
} from "../../ground/wire/Fields.ts"
import * as Id from "../../ground/wire/Id.ts"
import { SecondLookAction } from "../../log/SecondLook.ts"
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
  "people:read",
  "people:write",
  "device:write",
  "event:read",
  "ops:read",
  "report:read",
  "report:export",
  "webhook:write"
]).annotate({
  identifier: "ManagementScope",
  description: "A right of an API key. `admin` allows everything, and a write scope includes reading."
})
export type Scope = typeof Scope.Type

/** Which of the needed scopes a token lacks. */
export const missingScopes = (held: ReadonlyArray<Scope>, needed: ReadonlyArray<Scope>): ReadonlyArray<Scope> =>
  needed.filter((scope) => !coversScope(held, scope))

/** How many products a key may be limited to. */
const maximumLimitedProducts = 50

/** The maker of a key. The name is that of now, and no part of events: people are named there by their actor. */
const KeyMaker = Schema.Struct({
  type: field(
    Schema.Literals(["api_key", "person", "system"]),
    "Whether a `person` created the key, an `api_key`, or the `system`."
  ),
  id: field(Schema.String, "The ID of the person or of the key; `bootstrap` for the admin token."),
  name: optional(ShownName, "The name of the person or of the key. The admin token has none.")
}).annotate({
  identifier: "APIKeyMaker",
  description: "The maker of an API key. The record stays after the person was removed.",
  examples: [{ type: "person", id: "per_06eqpx1trxz3h94vqjm3a6kz7c", name: "Ada Lovelace" }]
})

/** A management credential without its secret. */
export const ManagementKey = Schema.Struct({
  id: Id.text("key"),
  name: ShownName,
  key_prefix: field(Schema.String, "The beginning of the token, to recognize it by."),
  scopes: field(
    Schema.Array(Scope),
    "The scopes of the key. Default: `admin`, but never more than the key that creates it."
  ),
  allowed_cidrs: field(
    Schema.Array(Schema.String),
    "Network ranges from which the key may be used, such as `192.0.2.0/24`. Empty: any address."
  ),
  product_ids: optional(
    Schema.Array(Id.schema("prod")),
    "The products that the key is limited to; absent if there is no limit."
  ),
  license_tag: optional(
    Schema.String,
    "The tag of a reseller: the key sees and changes only licenses that have it, and gives it to those that it issues. Absent " +
      "if the key is not a reseller's."
  ),
  max_licenses: optional(
    count(1),
    "How many licenses with `license_tag` the products of the key may have before the key issues no more. Revoked ones do not count. " +
      "Absent if there is no such limit."
  ),
  is_active: field(Schema.Boolean, "Whether the key works: it is neither revoked nor expired."),
  expires_at: optional(Timestamp, "Time when the key stops working; absent if it never expires."),
  last_used_at: optional(
    Timestamp,
    "Time of the last use of the key, at most a minute late; absent if it was never used."
  ),
  created_by: optional(KeyMaker, "The maker of the key; absent for a key from before this was recorded."),
  created_at: CreatedAt
}).annotate({
  identifier: "APIKey",
  description: "An API key, without its token.",
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
  name: PlainName,
  scopes: optional(
    Schema.Array(Scope).check(Schema.isBetweenLength(1, Scope.literals.length), Schema.isUnique()),
    "The scopes of the key. Default: `admin`, but never more than the key that creates it."
  ),
  allowed_cidrs: optional(
    Schema.Array(text(1, 64)).check(Schema.isMaxLength(64)),
    "Network ranges from which the key may be used, such as `192.0.2.0/24`. Empty: any address."
  ),
  expires_at: optional(
    TimestampInput,
    "Time in the future when the key stops working. Omit for a key that never expires."
  ),
  product_ids: optional(
    Schema.NullOr(
      Schema.Array(Id.schema("prod")).check(Schema.isBetweenLength(1, maximumLimitedProducts), Schema.isUnique())
    ),
    "The products that the key is limited to. Default, or `null`: no limit."
  ),
  license_tag: optional(
    Tag,
    "Makes a reseller's key: it sees and changes only licenses that have this tag, gives it to those that it issues, and calls only " +
      "the operations for resellers. Needs `product_ids`, and scopes among `license:read`, `license:write` and `device:write`."
  ),
  max_licenses: optional(
    count(1),
    "With `license_tag`: how many licenses with the tag the products of the key may have before the key issues no more. Revoked ones " +
      "do not count. Default: no limit."
  )
}).annotate({
  identifier: "APIKeyCreateRequest",
  description: "An API key to create.",
  examples: [{ name: "storefront", scopes: ["license:read", "license:write"] }]
})
export type ManagementKeyCreate = typeof ManagementKeyCreate.Type

/** How long a replaced key works on, unless the caller says otherwise, in minutes: a day. */
export const defaultOverlapMinutes = 24 * 60

const longestOverlapMinutes = 90 * 24 * 60

export const ManagementKeyRotate = Schema.Struct({
  overlap_minutes: optional(
    Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: longestOverlapMinutes })),
    "How long the previous key continues to work. Default: 1440, a day; 0 ends it at once. It never works longer than before."
  ),
  expires_at: optional(
    Schema.NullOr(TimestampInput),
    "Time in the future when the new key stops working; `null`: never. Default: as the previous key was to."
  ),
  ...reasoned
}).annotate({
  identifier: "APIKeyRotateRequest",
  description: "How long the previous key continues to work, and how long the new one does.",
  examples: [{ overlap_minutes: 1440 }]
})
export type ManagementKeyRotate = typeof ManagementKeyRotate.Type

/** The effects of a rotation on the previous key, by the fields of the request. */
export const keyRotateEffects = {
  "overlap_minutes=undefined": "The previous key ends in 1440 minutes.",
  overlap_minutes: "The previous key ends in {overlap_minutes} minutes.",
  "overlap_minutes=0": "The previous key ends at once."
}

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
}).annotate({
  identifier: "APIKeyCreateResponse",
  description: "A new API key with its token, which is shown only this once."
})
export type ManagementKeyCreated = typeof ManagementKeyCreated.Type

export const ManagementKeyRotated = Schema.Struct({
  api_key: ManagementKey,
  token: ManagementKeyCreated.fields.token,
  previous: field(ManagementKey, "The previous key, with the end that it has now.")
}).annotate({
  identifier: "APIKeyRotateResponse",
  description: "The new API key with its token, which is shown only this once, and the previous key."
})
export type ManagementKeyRotated = typeof ManagementKeyRotated.Type

const {
  allowed_cidrs,
  created_at,
  expires_at,
  id,
  key_prefix,
  last_used_at,
  license_tag,
  max_licenses,
  name,
  product_ids
} = ManagementKey.fields

/**
 * The properties of a management token that its bearer may read. The bootstrap token is not a record: it has no name and no
 * dates.
 */
export const TokenIdentity = Schema.Struct({
  kind: field(
    Schema.Literals(["bootstrap", "management_key", "person"]),
    "`management_key` was made by `POST /api/v1/api-keys`. `bootstrap` is the token of the installation. " +
      "`person` is signed in."
  ),
  id: field(id, "As events and activities name it in `actor_id`; `bootstrap` for that token."),
  name: optional(name, "The name of the key or of the person. The bootstrap token has none."),
  key_prefix: optional(key_prefix, "The beginning of the token. Absent for the bootstrap token."),
  scopes: field(Schema.Array(Scope), "The scopes of the token. `admin` allows everything."),
  allowed_cidrs,
  product_ids,
  license_tag,
  max_licenses,
  second_look: optional(
    Schema.Array(SecondLookAction),
    "The actions that the roles of the person need a second person for; absent if they need no other."
  ),
  expires_at: field(expires_at, "When the token stops to work; absent if never."),
  last_used_at,
  created_at: optional(created_at, "When the key was created. Absent for the bootstrap token.")
}).annotate({
  identifier: "TokenIdentity",
  description: "The properties of a management token that its bearer may read.",
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

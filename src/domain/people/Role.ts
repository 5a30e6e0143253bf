import { Schema } from "effect"
import { PlainName } from "../ground/wire/Action.ts"
import { CreatedAt, field, optional, ShownName, text, UpdatedAt } from "../ground/wire/Fields.ts"
import * as Id from "../ground/wire/Id.ts"
import { Scope } from "../keys/security/ManagementKey.ts"
import { SecondLookAction } from "../log/SecondLook.ts"
import type { BuiltInRoleId } from "./ClaimRules.ts"

/** How many products a role may be limited to. */
const maximumLimitedProducts = 50

/** How long the ID of a role may be, as it is asked for. */
const maximumRoleId = 64

const roleIdText = "The ID of the role: `role_` and 26 characters, or the name of a built-in role such as `owner`."

/** The ID of a role in the body of a request. */
export const RoleReference = text(1, maximumRoleId).annotate({ description: roleIdText })

/** A set of scopes that people are given together. */
export const Role = Schema.Struct({
  id: Schema.String.annotate({ description: roleIdText }),
  name: ShownName,
  description: optional(Schema.String, "The purpose of the role."),
  scopes: field(Schema.Array(Scope), "The rights of the role. `admin` allows everything."),
  product_ids: optional(
    Schema.Array(Id.schema("prod")),
    "The products that the role is limited to; absent if there is no limit."
  ),
  second_look: optional(
    Schema.Array(SecondLookAction),
    "The actions that people with the role need a second person for; absent if they need no other."
  ),
  is_built_in: field(
    Schema.Boolean,
    "Whether the role is one of the five built-in roles, of which only `second_look` can be changed."
  ),
  created_at: Schema.optionalKey(CreatedAt),
  updated_at: Schema.optionalKey(UpdatedAt)
}).annotate({
  identifier: "Role",
  description: "A set of scopes that people are given together.",
  examples: [{
    id: "role_06eqpx1trxz3h94vqjm3a6kz7c",
    name: "Support of Scope",
    scopes: ["license:write", "product:read"],
    product_ids: ["prod_06eqpx1trxz3h94vqjm3a6kz7c"],
    is_built_in: false,
    created_at: "2026-11-21T10:30:00.000Z",
    updated_at: "2026-11-21T10:30:00.000Z"
  }]
})
export type Role = typeof Role.Type

const Scopes = field(
  Schema.Array(Scope).check(Schema.isMinLength(1), Schema.isUnique()),
  "The rights of the role, never more than the caller has."
)

const limitText = "The products that the role is limited to. `null`: no limit."

const Products = Schema.NullOr(
  Schema.Array(Id.schema("prod")).check(Schema.isBetweenLength(1, maximumLimitedProducts), Schema.isUnique())
)

const SecondLook = field(
  Schema.Array(SecondLookAction).check(Schema.isUnique()),
  "The actions that people with the role need a second person for. The empty list: none, which is the default."
)

const descriptionText = "The purpose of the role, up to 1,000 characters. The empty string clears it."

export const RoleCreate = Schema.Struct({
  name: PlainName,
  description: optional(text(0, 1000), descriptionText),
  scopes: Scopes,
  product_ids: optional(Products, `${limitText} This is the default.`),
  second_look: Schema.optionalKey(SecondLook)
}).annotate({
  identifier: "RoleCreateRequest",
  description: "A role to create.",
  examples: [{ name: "Support of Scope", scopes: ["license:write", "product:read"] }]
})
export type RoleCreate = typeof RoleCreate.Type

export const RoleUpdate = Schema.Struct({
  name: Schema.optionalKey(PlainName),
  description: optional(text(0, 1000), descriptionText),
  scopes: Schema.optionalKey(Scopes),
  product_ids: optional(Products, limitText),
  second_look: Schema.optionalKey(SecondLook)
}).annotate({
  identifier: "RoleUpdateRequest",
  description: "Changes of a role. Omitted fields stay as they are.",
  examples: [{ scopes: ["license:write", "product:read", "report:read"] }]
})
export type RoleUpdate = typeof RoleUpdate.Type

/** A built-in role: its id is its name in lower case. */
const builtIn = (id: BuiltInRoleId, description: string, scopes: ReadonlyArray<Scope>): Role => ({
  id,
  name: id.charAt(0).toUpperCase() + id.slice(1),
  description,
  scopes,
  is_built_in: true
})

/** The role of those who may do everything, of whom one must stay. */
export const ownerRole = "owner" satisfies BuiltInRoleId

/** The built-in roles. */
export const builtInRoles: ReadonlyArray<Role> = [
  builtIn(ownerRole, "May do everything.", ["admin"]),
  builtIn("developer", "Builds products, connects systems and looks after deliveries.", [
    "product:write",
    "license:write",
    "customer:read",
    "device:write",
    "event:read",
    "ops:read",
    "report:read",
    "webhook:write"
  ]),
  builtIn("support", "Helps customers with their licenses and devices.", [
    "product:read",
    "license:write",
    "customer:write",
    "device:write",
    "event:read",
    "report:read"
  ]),
  builtIn("finance", "Reads purchases and reports, and exports reports.", [
    "product:read",
    "license:read",
    "customer:read",
    "event:read",
    "report:read",
    "report:export"
  ]),
  builtIn("auditor", "Reads and changes nothing.", [
    "product:read",
    "license:read",
    "customer:read",
    "people:read",
    "event:read",
    "ops:read",
    "report:read"
  ])
]

/** The built-in role with an id; undefined where there is none. */
export const builtInRole = (id: string): Role | undefined => builtInRoles.find((role) => role.id === id)

import { HttpApiEndpoint, HttpApiGroup } from "effect/http-api"
import {
  Conflict,
  InUse,
  InvalidQuery,
  NotFound,
  PreconditionFailed,
  StateConflict,
  TokenScopeDenied
} from "../../domain/ground/wire/Errors.ts"
import { optional } from "../../domain/ground/wire/Fields.ts"
import {
  AskedScope,
  Person,
  PersonCreate,
  PersonStatus,
  PersonUpdate,
  ScopeGranters
} from "../../domain/people/Person.ts"
import { Role, RoleCreate, RoleUpdate } from "../../domain/people/Role.ts"
import { Invitation } from "../../domain/people/Session.ts"
import { Envelope, Idempotency, Management } from "../ground/Middleware.ts"
import { declare } from "../ground/Operation.ts"
import { changedQuery, createdQuery, pathId, SearchText } from "../ground/Parameters.ts"
import { bodyErrors, created, listErrors, noContent, one, page, resourceErrors } from "../ground/Responses.ts"

const person = "/api/v1/people/:id"
const role = "/api/v1/roles/:id"

const granting =
  "The caller needs every right that is given or taken, without `allowed_cidrs` and `expires_at` where it is given."

/** People who work with the service. */
export class People extends HttpApiGroup.make("people").add(
  HttpApiEndpoint.get("listPeople", "/api/v1/people", {
    query: {
      ...changedQuery,
      q: optional(SearchText, "A part of the name or of the email address, in any case.", "lovelace"),
      status: optional(PersonStatus, "Only people with this status.", "active")
    },
    success: page(Person),
    error: listErrors
  }).pipe(declare({
    scope: "people:read",
    products: "refused",
    summary: "List people",
    description: "All people, newest first unless `order` is set, including removed ones."
  })),
  HttpApiEndpoint.get("listScopeGranters", "/api/v1/people/granters", {
    query: { scope: AskedScope },
    success: one(ScopeGranters),
    error: [InvalidQuery, TokenScopeDenied]
  }).pipe(declare({
    scope: "any",
    products: "open",
    summary: "List granters of a scope",
    description:
      "The people who can give a scope, by name, so that a person without it knows whom to ask. For every person who is " +
      "signed in; an API key needs `people:read`, for all products."
  })),
  HttpApiEndpoint.post("createPerson", "/api/v1/people", {
    payload: PersonCreate,
    success: created(Person),
    error: [...bodyErrors, Conflict, TokenScopeDenied]
  }).pipe(declare({
    scope: "people:write",
    products: "refused",
    action: "person.created",
    summary: "Add a person",
    description:
      `Adds a person who works with the service. ${granting} An account at an identity provider is of one person.`
  })),
  HttpApiEndpoint.get("getPerson", person, {
    params: { id: pathId },
    success: one(Person),
    error: resourceErrors
  }).pipe(declare({
    scope: "people:read",
    products: "refused",
    conditional: "resource",
    summary: "Read a person",
    description: "One person by ID, removed or not."
  })),
  HttpApiEndpoint.patch("updatePerson", person, {
    params: { id: pathId },
    payload: PersonUpdate,
    success: one(Person),
    error: [...resourceErrors, ...bodyErrors, Conflict, PreconditionFailed, StateConflict, TokenScopeDenied]
  }).pipe(declare({
    scope: "people:write",
    products: "refused",
    action: "person.updated",
    conditional: "resource",
    consequenceOf: {
      roles: "The person has the rights of these roles from now on, and no others.",
      identities: "The person signs in by these accounts from now on, and by no others."
    },
    summary: "Change a person",
    description:
      `Omitted fields stay as they are. ${granting} Refused with STATE_CONFLICT for a removed person, and where ` +
      "it would leave no owner who can sign in."
  })),
  HttpApiEndpoint.delete("removePerson", person, {
    params: { id: pathId },
    success: noContent,
    error: [...resourceErrors, PreconditionFailed, StateConflict, TokenScopeDenied]
  }).pipe(declare({
    scope: "people:write",
    products: "refused",
    action: "person.removed",
    conditional: "resource",
    consequence: "The person loses all roles and access.",
    summary: "Remove a person",
    description:
      "Takes all roles. The record and its identities stay, so that the person cannot sign in as a new one. Views of the list of " +
      "licenses that the person has not shared are deleted; `views_deleted` and `shared_views` in the event count them. API keys " +
      "that the person made, or a key of theirs did, continue to work: `api_keys_kept` in the event names them, the 100 newest at most. " +
      "Refused with STATE_CONFLICT for the last owner who can sign in. Repeating it succeeds."
  })),
  HttpApiEndpoint.post("reinstatePerson", "/api/v1/people/:id/reinstate", {
    params: { id: pathId },
    success: one(Person),
    error: resourceErrors
  }).pipe(declare({
    scope: "people:write",
    products: "refused",
    action: "person.reinstated",
    summary: "Reinstate a person",
    description: "Reinstates a removed person, without roles. Repeating it succeeds."
  })),
  HttpApiEndpoint.post("invitePerson", "/api/v1/people/:id/invite", {
    params: { id: pathId },
    success: one(Invitation),
    error: [...resourceErrors, StateConflict, TokenScopeDenied]
  }).pipe(declare({
    scope: "people:write",
    products: "refused",
    action: "person.invited",
    summary: "Invite a person",
    description: `A secret by which the person signs in once, within an hour; an earlier one stops working. ${granting}`
  }))
).middleware(Idempotency).middleware(Management).middleware(Envelope) {}

/** Roles: the scopes that people are given together. */
export class Roles extends HttpApiGroup.make("roles").add(
  HttpApiEndpoint.get("listRoles", "/api/v1/roles", {
    query: createdQuery,
    success: page(Role),
    error: listErrors
  }).pipe(declare({
    scope: "people:read",
    products: "refused",
    summary: "List roles",
    description: "The built-in roles and your custom roles."
  })),
  HttpApiEndpoint.post("createRole", "/api/v1/roles", {
    payload: RoleCreate,
    success: created(Role),
    error: [...bodyErrors, Conflict, TokenScopeDenied]
  }).pipe(declare({
    scope: "people:write",
    products: "refused",
    action: "role.created",
    summary: "Create a role",
    description:
      `Creates a set of scopes, limited to products if you like. ${granting} Names are unique, not case-sensitive.`
  })),
  HttpApiEndpoint.get("getRole", role, {
    params: { id: pathId },
    success: one(Role),
    error: resourceErrors
  }).pipe(declare({
    scope: "people:read",
    products: "refused",
    conditional: "resource",
    summary: "Read a role",
    description: "One role by its ID."
  })),
  HttpApiEndpoint.patch("updateRole", role, {
    params: { id: pathId },
    payload: RoleUpdate,
    success: one(Role),
    error: [...resourceErrors, ...bodyErrors, Conflict, PreconditionFailed, StateConflict, TokenScopeDenied]
  }).pipe(declare({
    scope: "people:write",
    products: "refused",
    action: "role.updated",
    conditional: "resource",
    consequenceOf: {
      scopes: "People with the role have these rights from now on.",
      product_ids: "People with the role are limited to these products from now on.",
      second_look: "People with the role need a second person for these actions from now on, and for no others."
    },
    summary: "Change a role",
    description:
      `Omitted fields stay as they are. ${granting} Of a built-in role, anything but \`second_look\` is refused with STATE_CONFLICT.`
  })),
  HttpApiEndpoint.delete("deleteRole", role, {
    params: { id: pathId },
    success: noContent,
    error: [NotFound, PreconditionFailed, InUse, StateConflict, TokenScopeDenied]
  }).pipe(declare({
    scope: "people:write",
    products: "refused",
    action: "role.deleted",
    conditional: "resource",
    consequence: "The role is deleted.",
    risk: "final",
    summary: "Delete a role",
    description: "Refused with IN_USE while people have it. A built-in role is refused with STATE_CONFLICT."
  }))
).middleware(Idempotency).middleware(Management).middleware(Envelope) {}

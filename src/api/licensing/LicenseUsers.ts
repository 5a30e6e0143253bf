import { HttpApiEndpoint, HttpApiGroup } from "effect/http-api"
import { Conflict, StateConflict } from "../../domain/ground/wire/Errors.ts"
import { optional, text } from "../../domain/ground/wire/Fields.ts"
import { LicenseUser, LicenseUserInvite, LicenseUserStatus } from "../../domain/licensing/users/LicenseUser.ts"
import { LicenseUserErasure } from "../../domain/licensing/users/LicenseUserErasure.ts"
import { Envelope, Idempotency, Management } from "../ground/Middleware.ts"
import { declare } from "../ground/Operation.ts"
import { createdQuery, pathId } from "../ground/Parameters.ts"
import { bodyErrors, created, listErrors, one, page, resourceErrors } from "../ground/Responses.ts"

const params = { id: pathId, user_id: pathId }

/** The people who use a license. */
export class LicenseUsers extends HttpApiGroup.make("license-users").add(
  HttpApiEndpoint.get("listLicenseUsers", "/api/v1/licenses/:id/users", {
    params: { id: pathId },
    query: {
      ...createdQuery,
      status: optional(LicenseUserStatus, "Only users with this status.", "active"),
      q: optional(text(1, 255), "Only users whose name or address contains this text; not case-sensitive.", "ada")
    },
    success: page(LicenseUser),
    error: [...resourceErrors, ...listErrors]
  }).pipe(declare({
    scope: "license:read",
    products: { of: "license" },
    summary: "List a license's users",
    description:
      "The people who use a license or are invited to, newest first unless `order` is set, with those who were removed."
  })),
  HttpApiEndpoint.post("inviteLicenseUser", "/api/v1/licenses/:id/users", {
    params: { id: pathId },
    payload: LicenseUserInvite,
    success: created(LicenseUser),
    error: [...resourceErrors, ...bodyErrors, Conflict, StateConflict]
  }).pipe(declare({
    scope: "license:write",
    products: { of: "license" },
    action: "license.user_invited",
    summary: "Invite a user",
    consequence: "The person can sign in and takes a seat with the first sign-in, if one is free.",
    undo: "removeLicenseUser",
    description:
      "Invites a person to use a license, by an email address or by an account. The terms need `max_users`. An invitation " +
      "holds no seat. An address or account that the license has is CONFLICT; one that was removed can be invited " +
      "again. A license has at most 10,000 users and invitations; more is STATE_CONFLICT."
  })),
  HttpApiEndpoint.get("getLicenseUser", "/api/v1/licenses/:id/users/:user_id", {
    params,
    success: one(LicenseUser),
    error: resourceErrors
  }).pipe(declare({
    scope: "license:read",
    products: { of: "license" },
    summary: "Read a user",
    description: "One user of a license."
  })),
  HttpApiEndpoint.post("removeLicenseUser", "/api/v1/licenses/:id/users/:user_id/remove", {
    params,
    success: one(LicenseUser),
    error: resourceErrors
  }).pipe(declare({
    scope: "license:write",
    products: { of: "license" },
    action: "license.user_removed",
    summary: "Remove a user",
    consequence: "The person loses the seat at the next request, and the person's devices lose theirs.",
    description:
      "Takes the seat or the invitation of a user away and resets the user's devices. The person can come back by a new " +
      "invitation alone. Repeating it succeeds."
  })),
  HttpApiEndpoint.post("eraseLicenseUser", "/api/v1/licenses/:id/users/:user_id/erase", {
    params,
    success: one(LicenseUserErasure),
    error: resourceErrors
  }).pipe(declare({
    scope: "admin",
    products: { of: "license" },
    action: "license.user_removed",
    answerKept: "last-step",
    summary: "Erase a user's personal data",
    consequence:
      "The user loses the seat, and the personal data of the user is removed from the license, its devices and events.",
    risk: "final",
    description:
      "Removes a user, and erases the personal data in the service and in its history: the name, email address and account, and the names, " +
      "hostnames and network addresses of the user's devices, which are reset. All of these are erased from past events too, and so are the " +
      "reasons of the invitation and the removal. The events keep commitments, so that the hash chain and every proof remain valid. The IDs and " +
      "the reason of the erasure itself stay. The person is not recognized afterwards: where the license admits all accounts of an identity " +
      "provider, a sign-in takes a seat again. Repeatable."
  }))
).middleware(Idempotency).middleware(Management).middleware(Envelope) {}

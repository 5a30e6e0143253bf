import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup } from "effect/http-api"
import {
  ApprovalRequired,
  RateLimited,
  StateConflict,
  TokenScopeDenied,
  Unauthenticated
} from "../../domain/ground/wire/Errors.ts"
import * as Id from "../../domain/ground/wire/Id.ts"
import { Passkey, PasskeyCreate, PasskeyCreation, PasskeyUpdate } from "../../domain/people/Passkey.ts"
import { Envelope, Idempotency, Management } from "../ground/Middleware.ts"
import { declare } from "../ground/Operation.ts"
import { createdQuery, pathId } from "../ground/Parameters.ts"
import { bodyErrors, created, listErrors, noContent, one, page, resourceErrors } from "../ground/Responses.ts"

const passkey = "/api/v1/passkeys/:id"

/** Passkeys of people who are signed in. */
export class Passkeys extends HttpApiGroup.make("passkeys").add(
  HttpApiEndpoint.get("listPasskeys", "/api/v1/passkeys", {
    query: { ...createdQuery, person_id: Schema.optionalKey(Id.filter("per")) },
    success: page(Passkey),
    error: listErrors
  }).pipe(declare({
    scope: "any",
    products: "open",
    summary: "List passkeys",
    description: "The passkeys of the caller, newest first; with `people:read` those of all people, or of `person_id`."
  })),
  HttpApiEndpoint.post("beginPasskey", "/api/v1/passkeys/begin", {
    success: created(PasskeyCreation),
    error: [StateConflict]
  }).pipe(declare({
    scope: "any",
    products: "open",
    action: "none",
    answerKept: "none",
    summary: "Begin a passkey",
    description:
      "The options for another passkey of the caller, and a cookie by which the browser is recognized. It is for a person who is " +
      "signed in; the first passkey comes by an invitation. Refused with STATE_CONFLICT where passkeys cannot work: they need " +
      "https, or localhost."
  })),
  HttpApiEndpoint.post("createPasskey", "/api/v1/passkeys", {
    payload: PasskeyCreate,
    success: created(Passkey),
    error: [...bodyErrors, StateConflict, Unauthenticated, RateLimited]
  }).pipe(declare({
    scope: "any",
    products: "open",
    action: "passkey.created",
    summary: "Add a passkey",
    description: "Gives the caller the passkey that the browser has created, in the 5 minutes since it was begun."
  })),
  HttpApiEndpoint.post("renamePasskey", `${passkey}/rename`, {
    params: { id: pathId },
    payload: PasskeyUpdate,
    success: one(Passkey),
    error: [...resourceErrors, ...bodyErrors]
  }).pipe(declare({
    scope: "any",
    products: "open",
    action: "passkey.updated",
    summary: "Rename a passkey",
    description: "Gives a passkey of the caller another name."
  })),
  HttpApiEndpoint.delete("deletePasskey", passkey, {
    params: { id: pathId },
    success: noContent,
    error: [...resourceErrors, ApprovalRequired, StateConflict, TokenScopeDenied]
  }).pipe(declare({
    scope: "any",
    products: "open",
    action: "passkey.deleted",
    consequence: "The passkey no longer signs in, and the sessions that it opened end.",
    risk: "final",
    summary: "Remove a passkey",
    description:
      "Removes a passkey of the caller. That of another person is removed with `people:write`, by a caller with every right of that person. " +
      "The session of the request continues. Refused with STATE_CONFLICT for the last way in of the last owner."
  }))
).middleware(Idempotency).middleware(Management).middleware(Envelope) {}

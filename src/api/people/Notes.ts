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
import { Note, NoteInput } from "../../domain/people/notes/Note.ts"
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

const listed = {
  params: { id: pathId },
  query: createdQuery,
  success: page(Note),
  error: [...resourceErrors, ...listErrors]
}

const written = {
  params: { id: pathId },
  payload: NoteInput,
  success: created(Note),
  error: [...resourceErrors, ...bodyErrors]
}

const params = { id: pathId, note_id: pathId }

const changed = {
  params,
  payload: NoteInput,
  success: one(Note),
  error: [...resourceErrors, ...bodyErrors, TokenScopeDenied]
}

const removed = { params, success: noContent, error: [...resourceErrors, TokenScopeDenied] }

const forColleagues =
  "Notes are for colleagues: apps and customers do not see them. A note has the name and the roles of its author as " +
  "they were. Its text is in no event. When the customer is erased, notes about the customer and about the customer's " +
  "licenses are deleted."

const changedText = "Gives a note another text. Only its author may."

const deletedText = "Deletes a note. Its author may, and a caller with the scope `admin`."

const isDeleted = { consequence: "The note is deleted.", risk: "final" } as const

/** Notes about licenses. */
export class LicenseNotes extends HttpApiGroup.make("license-notes").add(
  HttpApiEndpoint.get("listLicenseNotes", "/api/v1/licenses/:id/notes", listed).pipe(declare({
    scope: "license:read",
    products: { of: "license" },
    summary: "List license notes",
    description: `The notes about a license, newest first unless \`order\` is set. ${forColleagues}`
  })),
  HttpApiEndpoint.post("createLicenseNote", "/api/v1/licenses/:id/notes", written).pipe(declare({
    scope: "license:write",
    products: { of: "license" },
    action: "note.created",
    summary: "Write a license note",
    description: forColleagues
  })),
  HttpApiEndpoint.put("updateLicenseNote", "/api/v1/licenses/:id/notes/:note_id", changed).pipe(declare({
    scope: "license:write",
    products: { of: "license" },
    action: "note.updated",
    summary: "Change a license note",
    description: changedText
  })),
  HttpApiEndpoint.delete("deleteLicenseNote", "/api/v1/licenses/:id/notes/:note_id", removed).pipe(declare({
    scope: "license:write",
    products: { of: "license" },
    action: "note.deleted",
    ...isDeleted,
    summary: "Delete a license note",
    description: deletedText
  }))
).middleware(Idempotency).middleware(Management).middleware(Envelope) {}

/** Notes about customers. */
export class CustomerNotes extends HttpApiGroup.make("customer-notes").add(
  HttpApiEndpoint.get("listCustomerNotes", "/api/v1/customers/:id/notes", listed).pipe(declare({
    scope: "customer:read",
    products: { of: "customer" },
    summary: "List customer notes",
    description: `The notes about a customer, newest first unless \`order\` is set. ${forColleagues}`
  })),
  HttpApiEndpoint.post("createCustomerNote", "/api/v1/customers/:id/notes", written).pipe(declare({
    scope: "customer:write",
    products: { of: "customer" },
    action: "note.created",
    summary: "Write a customer note",
    description: forColleagues
  })),
  HttpApiEndpoint.put("updateCustomerNote", "/api/v1/customers/:id/notes/:note_id", changed).pipe(declare({
    scope: "customer:write",
    products: { of: "customer" },
    action: "note.updated",
    summary: "Change a customer note",
    description: changedText
  })),
  HttpApiEndpoint.delete("deleteCustomerNote", "/api/v1/customers/:id/notes/:note_id", removed).pipe(declare({
    scope: "customer:write",
    products: { of: "customer" },
    action: "note.deleted",
    ...isDeleted,
    summary: "Delete a customer note",
    description: deletedText
  }))
).middleware(Idempotency).middleware(Management).middleware(Envelope) {}

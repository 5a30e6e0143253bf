import { HttpApiEndpoint, HttpApiGroup } from "effect/http-api"
import { TokenScopeDenied } from "../../domain/ground/wire/Errors.ts"
import { Note, NoteInput } from "../../domain/people/notes/Note.ts"
import { Envelope, Idempotency, Management } from "../ground/Middleware.ts"
import { declare } from "../ground/Operation.ts"
import { createdQuery, pathId } from "../ground/Parameters.ts"
import { bodyErrors, created, listErrors, noContent, one, page, resourceErrors } from "../ground/Responses.ts"

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

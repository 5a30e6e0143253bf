import { Schema } from "effect"
import { reasoned } from "../../ground/wire/Action.ts"
import { CreatedAt, field, inThousands, isVisible, notStorable, optional, UpdatedAt } from "../../ground/wire/Fields.ts"
import * as Id from "../../ground/wire/Id.ts"

/** Who made something, by name and roles as they were then: both may be others when it is read. */
export const Author = Schema.Struct({
  type: field(Schema.Literals(["api_key", "person"]), "The kind of author."),
  id: field(Schema.String, "The ID of the person or API key."),
  name: optional(Schema.String, "The name of the author at that time; absent for the admin token."),
  roles: optional(Schema.Array(Schema.String), "The roles of the person at that time; absent for an API key.")
}).annotate({
  identifier: "Author",
  description: "A person or API key, by name and roles as they were then.",
  examples: [{ type: "person", id: "per_06eqpx1trxz3h94vqjm3a6kz7c", name: "Jun Sato", roles: ["Support"] }]
})
export type Author = typeof Author.Type

/** The longest text of a note, in UTF-16 code units. */
const longestNote = 2000

const NoteText = Schema.String.check(
  Schema.isBetweenLength(1, longestNote),
  Schema.makeFilter(
    (value: string) =>
      notStorable(value) ?? (isVisible(value) ? undefined : "must have at least one character that can be seen"),
    { toJsonSchema: () => ({ pattern: "^[^\\x00]*[^\\x00-\\x20\\x7f-\\xa0\\xad][^\\x00]*$" }) }
  )
).annotate({
  description: `The text, up to ${inThousands(longestNote)} characters.`,
  examples: ["Called: moves to a new Mac on Monday."]
})

/** What the events of a note say. */
const aboutNote = {
  id: Id.text("note"),
  license_id: Schema.optionalKey(Id.text("lic")),
  customer_id: Schema.optionalKey(
    Id.text("cus").annotate({ description: "The customer, or the customer of the license when the note was written." })
  ),
  created_at: CreatedAt,
  updated_at: UpdatedAt
}

/**
 * A note as events tell of it: that it is there, and not what it says. The feed is kept for years, is handed on to endpoints, and
 * shows an event as it was written; what colleagues write for each other can be changed and deleted.
 */
export const NoteInEvent = Schema.Struct(aboutNote).annotate({
  identifier: "NoteEventData",
  description: "A note, without its text and its author, who is the actor of the event.",
  examples: [{
    id: "note_06eqpx1trxz3h94vqjm3a6kz7c",
    license_id: "lic_06eqpx1trxz3h94vqjm3a6kz7c",
    customer_id: "cus_06eqpx1trxz3h94vqjm3a6kz7c",
    created_at: "2026-11-21T10:30:00.000Z",
    updated_at: "2026-11-21T10:30:00.000Z"
  }]
})
export type NoteInEvent = typeof NoteInEvent.Type

/** A note for colleagues. */
export const Note = Schema.Struct({
  id: aboutNote.id,
  license_id: aboutNote.license_id,
  customer_id: aboutNote.customer_id,
  text: NoteText,
  author: field(Author, "The author of the note."),
  is_own: field(Schema.Boolean, "Whether the caller wrote the note, and may change and delete it."),
  created_at: CreatedAt,
  updated_at: UpdatedAt
}).annotate({
  identifier: "Note",
  description: "A note about a license or a customer, for colleagues. Apps and customers do not see it.",
  examples: [{
    id: "note_06eqpx1trxz3h94vqjm3a6kz7c",
    license_id: "lic_06eqpx1trxz3h94vqjm3a6kz7c",
    text: "Called: moves to a new Mac on Monday.",
    author: { type: "person", id: "per_06eqpx1trxz3h94vqjm3a6kz7c", name: "Jun Sato", roles: ["Support"] },
    is_own: false,
    created_at: "2026-11-21T10:30:00.000Z",
    updated_at: "2026-11-21T10:30:00.000Z"
  }]
})
export type Note = typeof Note.Type

/** A note to write, or the text that takes the place of another. */
export const NoteInput = Schema.Struct({ text: NoteText, ...reasoned }).annotate({
  identifier: "NoteRequest",
  description: "The text of a note.",
  examples: [{ text: "Called: moves to a new Mac on Monday." }]
})
export type NoteInput = typeof NoteInput.Type

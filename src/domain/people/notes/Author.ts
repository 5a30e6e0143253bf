import { Schema } from "effect"
import { field, optional } from "../../ground/wire/Fields.ts"

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

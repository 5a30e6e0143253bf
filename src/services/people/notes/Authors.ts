import type { Author } from "../../../domain/people/notes/Author.ts"
import type { Actor } from "../../log/Provenance.ts"

/** The author that an actor of a management operation is. */
export const authorOf = ({ id, person, type }: Actor): Author => ({
  type: type === "person" ? "person" : "api_key",
  id,
  ...(person === undefined ? {} : { name: person.name, roles: person.roles })
})

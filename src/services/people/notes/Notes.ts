import { Context, Effect, Layer } from "effect"
import { failing, NotFound, TokenScopeDenied } from "../../../domain/ground/wire/Errors.ts"
import type { InvalidCursor } from "../../../domain/ground/wire/Errors.ts"
import type { Page, PageRequest } from "../../../domain/ground/wire/Page.ts"
import { coversScope } from "../../../domain/keys/security/ScopeRule.ts"
import { Note } from "../../../domain/people/notes/Note.ts"
import type { Author, NoteInEvent } from "../../../domain/people/notes/Note.ts"
import { Database, inTransaction } from "../../ground/persistence/Database.ts"
import { Identifiers } from "../../ground/persistence/Identifiers.ts"
import { sortedPage } from "../../ground/persistence/KeysetPagination.ts"
import { rowReader } from "../../ground/persistence/RowToWire.ts"
import { Events } from "../../log/Events.ts"
import { CurrentActor } from "../../log/Provenance.ts"
import type { Actor } from "../../log/Provenance.ts"
import { deleteNote, findSubject, insertNote, isAbout, listNotes, lockNote, updateText } from "./NoteSql.ts"
import type { Subject } from "./NoteSql.ts"

/** The author that an actor of a management operation is. */
export const authorOf = ({ id, person, type }: Actor): Author => ({
  type: type === "person" ? "person" : "api_key",
  id,
  ...(person === undefined ? {} : { name: person.name, roles: person.roles })
})

const readNote = rowReader(Note)

const toldOf = ({ author: _author, is_own: _own, text: _text, ...told }: Note): NoteInEvent => told

/** A note of a license or a customer. */
interface Named {
  readonly of: Subject
  readonly subjectId: string
  readonly id: string
}

/** Notes for colleagues, about licenses and customers. */
export class Notes extends Context.Service<Notes, {
  readonly list: (
    of: Subject,
    subjectId: string,
    page: PageRequest
  ) => Effect.Effect<Page<Note>, InvalidCursor | NotFound>
  readonly create: (of: Subject, subjectId: string, text: string) => Effect.Effect<Note, NotFound>
  /** Only the author changes what a note says. */
  readonly update: (named: Named, text: string) => Effect.Effect<Note, NotFound | TokenScopeDenied>
  /** The author deletes a note, and so does who may do everything. */
  readonly remove: (named: Named) => Effect.Effect<void, NotFound | TokenScopeDenied>
}>()("countersign/services/people/notes/Notes") {
  static readonly layer = Layer.effect(
    Notes,
    Effect.gen(function*() {
      const sql = yield* Database
      const events = yield* Events
      const identifiers = yield* Identifiers

      const append = (change: "created" | "updated" | "deleted", note: Note) =>
        events.append({ type: `note.${change}`, resourceId: note.id, data: toldOf(note) })

      const list = Effect.fn("Notes.list")(function*(of: Subject, subjectId: string, page: PageRequest) {
        const reader = authorOf(yield* CurrentActor)
        if ((yield* findSubject(sql, of, subjectId)).length === 0) {
          return yield* failing(NotFound, `No ${of} has this id.`)
        }
        return yield* sortedPage({
          sql,
          list: "notes",
          products: "owned",
          filters: { [`${of}_id`]: subjectId },
          page,
          conditions: [isAbout(sql, of, subjectId)],
          rows: (clauses, limit) => listNotes(sql, clauses, { limit, reader }),
          read: readNote
        })
      })

      const create = Effect.fn("Notes.create")((of: Subject, subjectId: string, text: string) =>
        inTransaction(
          sql,
          Effect.gen(function*() {
            const author = authorOf(yield* CurrentActor)
            const [row] = yield* insertNote(sql, { id: identifiers.next("note"), of, subjectId, text, author })
            if (row === undefined) return yield* failing(NotFound, `No ${of} has this id.`)
            const note = readNote(row)
            yield* append("created", note)
            return note
          })
        )
      )

      /** A locked note, where the caller may change it. */
      const held = Effect.fnUntraced(function*({ id, of, subjectId }: Named, isAllowed: boolean) {
        const reader = authorOf(yield* CurrentActor)
        const [row] = yield* lockNote(sql, { id, of, subjectId, reader })
        if (row === undefined) return yield* failing(NotFound, `The ${of} has no note with this id.`)
        const note = readNote(row)
        if (note.is_own || isAllowed) return { note, reader }
        return yield* failing(TokenScopeDenied, "Only the author of a note may change or delete it.")
      })

      const update = Effect.fn("Notes.update")((named: Named, text: string) =>
        inTransaction(
          sql,
          Effect.gen(function*() {
            const { note, reader } = yield* held(named, false)
            if (note.text === text) return note
            const [row] = yield* updateText(sql, { id: note.id, text, reader })
            const changed = readNote(row!)
            yield* append("updated", changed)
            return changed
          })
        )
      )

      const remove = Effect.fn("Notes.remove")((named: Named) =>
        inTransaction(
          sql,
          Effect.gen(function*() {
            const { scopes } = yield* CurrentActor
            const { note } = yield* held(named, coversScope(scopes, "admin"))
            yield* deleteNote(sql, note.id)
            yield* append("deleted", note)
          })
        )
      )

      return Notes.of({ list, create, update, remove })
    })
  )
}

import { Option, Schema } from "effect"
import { appendFile, readFile } from "node:fs/promises"
import { join } from "node:path"
import { UnreadableFile } from "../importing/FileText.ts"

/** Where an export keeps what was brought of it. */
const fileName = "imported.ndjson"

const Note = Schema.Struct({
  service: Schema.String,
  id: Schema.String,
  state: Schema.Literals(["begun", "ended"])
})
type Note = typeof Note.Type

const readNote = Schema.decodeUnknownOption(Schema.fromJsonString(Note))

/** The notes of a journal, without a last line that was cut off as the machine lost its power. */
const notesOf = (text: string): ReadonlyArray<Note> =>
  text.split("\n").flatMap((line) => Option.toArray(readNote(line)))

/**
 * The entries that were begun in a service and are not complete, beside the export: they alone may be written to. An import that was stopped
 * is completed by it, and whatever was there before, or was whole once, stays as people have it.
 */
export class MoveJournal {
  private readonly path: string
  private readonly service: string
  private readonly begun: Set<string>

  private constructor(path: string, service: string, begun: Set<string>) {
    this.path = path
    this.service = service
    this.begun = begun
  }

  /** Goes on with what was brought of an export into the service at an address; a dry run writes nothing. */
  static async at(directory: string, service: string, isDry: boolean): Promise<MoveJournal> {
    const path = join(directory, fileName)
    const text = await readFile(path, "utf8").catch((error: NodeJS.ErrnoException) => {
      if (error.code === "ENOENT") return ""
      throw error
    })
    const begun = new Set<string>()
    for (const { id, service: where, state } of notesOf(text)) {
      if (where === service) begun[state === "begun" ? "add" : "delete"](id)
    }
    if (!isDry) {
      // A line that was cut off ends here.
      await appendFile(path, text === "" || text.endsWith("\n") ? "" : "\n", { mode: 0o600 }).catch((error: Error) => {
        throw new UnreadableFile(
          `${path} cannot be written, which keeps what was begun for an import that is stopped (${error.message})`
        )
      })
    }
    return new MoveJournal(path, service, begun)
  }

  /** Whether an import has begun an entry, this one or one that was stopped, and not ended it. */
  isOpen(id: string): boolean {
    return this.begun.has(id)
  }

  /** Notes that an entry is about to be created, on the disk. */
  async begin(id: string): Promise<void> {
    this.begun.add(id)
    await appendFile(this.path, this.line(id, "begun"), { flush: true })
  }

  /** Notes that an entry has all that it will get. */
  async end(id: string): Promise<void> {
    if (!this.begun.delete(id)) return
    await appendFile(this.path, this.line(id, "ended"))
  }

  private line(id: string, state: Note["state"]): string {
    return `${JSON.stringify({ service: this.service, id, state } satisfies Note)}\n`
  }
}

import { Option, Schema } from "effect"
import { appendFile, readFile } from "node:fs/promises"
import { join } from "node:path"
import { UnreadableFile } from "../importing/FileText.ts"

/** The file of the journal, in the export's directory. */
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
 * The entries that an import has started in a service and not completed, recorded beside the export. Only these are
 * written to: the next run completes them, and entries that existed before, or were complete once, stay as they are.
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

  /** Opens the journal of an export for the service at an address; a dry run writes nothing. */
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
      // Ends a line that was cut off.
      await appendFile(path, text === "" || text.endsWith("\n") ? "" : "\n", { mode: 0o600 }).catch((error: Error) => {
        throw new UnreadableFile(
          `${path} cannot be written, which keeps what was begun for an import that is stopped (${error.message})`
        )
      })
    }
    return new MoveJournal(path, service, begun)
  }

  /** Whether this import, or an earlier one, has started an entry and not ended it. */
  isOpen(id: string): boolean {
    return this.begun.has(id)
  }

  /** Records durably that an entry is about to be created. */
  async begin(id: string): Promise<void> {
    this.begun.add(id)
    await appendFile(this.path, this.line(id, "begun"), { flush: true })
  }

  /** Records that an entry is complete. */
  async end(id: string): Promise<void> {
    if (!this.begun.delete(id)) return
    await appendFile(this.path, this.line(id, "ended"))
  }

  private line(id: string, state: Note["state"]): string {
    return `${JSON.stringify({ service: this.service, id, state } satisfies Note)}\n`
  }
}

import { jsonErrorPosition } from "../../domain/ground/parsing/JsonText.ts"
import { UnreadableFile } from "./FileText.ts"

/** A value in a document, as it stands there. */
export interface JsonElement {
  readonly text: string
  /** The line on which it begins, from 1. */
  readonly line: number
}

const space = /[ \t\n\r]*/y
const string = /"(?:[^"\\]|\\[^])*"/y
const scalar = /[^\s,\]}]+/y

/** Scans documents of valid JSON. Anything else ends the scan. */
class Scanner {
  at = 0
  private readonly text: string
  private line = 1
  private counted = 0

  constructor(text: string) {
    this.text = text
  }

  private take(pattern: RegExp): string {
    pattern.lastIndex = this.at
    const found = pattern.exec(this.text)?.[0] ?? ""
    this.at += found.length
    return found
  }

  private peek(): string {
    this.take(space)
    return this.text[this.at] ?? ""
  }

  get isOver(): boolean {
    return this.peek() === ""
  }

  private lineHere(): number {
    for (; this.counted < this.at; this.counted++) if (this.text.charCodeAt(this.counted) === 10) this.line += 1
    return this.line
  }

  /** Passes one value, however deep. */
  private pass(): void {
    let depth = 0
    do {
      const next = this.peek()
      if (next === "{" || next === "[") depth += 1
      else if (next === "}" || next === "]") depth -= 1
      else if (next === "\"") {
        this.take(string)
        continue
      } else if (next !== "," && next !== ":") {
        if (this.take(scalar) === "") return
        continue
      }
      this.at += 1
    } while (depth > 0)
  }

  /** Passes one value and yields what stands in the list at a path of it, or the value itself where it has no such list. */
  *elements(path: ReadonlyArray<string>): Generator<JsonElement> {
    const next = this.peek()
    if (next === "[") {
      this.at += 1
      while (this.peek() !== "]" && this.at < this.text.length) {
        yield* this.elements(path)
        if (this.peek() === ",") this.at += 1
      }
      this.at += 1
      return
    }
    const begin = this.at
    const line = this.lineHere()
    if (next === "{" && path.length > 0) {
      this.at += 1
      let isFound = false
      while (this.peek() === "\"") {
        const name: unknown = JSON.parse(this.take(string))
        if (this.peek() === ":") this.at += 1
        if (name === path[0]) {
          isFound = true
          yield* this.elements(path.slice(1))
        } else this.pass()
        if (this.peek() === ",") this.at += 1
      }
      this.at += 1
      if (isFound) return
    } else this.pass()
    yield { text: this.text.slice(begin, this.at), line }
  }
}

/** The largest text of documents that is read, in UTF-16 code units. NDJSON may be as long as it likes. */
const largest = 256 * 1024 * 1024

const isJson = (text: string): boolean => {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

/** Documents in one text stand behind each other, as `cat` and `curl >>` leave pages. */
const bracketed = (text: string): string => `[${text.replaceAll(/([}\]])(\s*)(?=[{[])/g, "$1,$2")}]`

/**
 * The entries of the list at a path in each document of a text, such as `data` of the pages of an API. Where there is no
 * such list, a document or each element of it is an entry.
 */
export const jsonElements = function*(text: string, path: ReadonlyArray<string>): Generator<JsonElement> {
  if (text.length > largest) {
    throw new UnreadableFile("is longer than documents of JSON may be: write one license a line (NDJSON)")
  }
  // Checked as a whole first, because the scan ignores what is between entries.
  if (!isJson(text) && !isJson(bracketed(text))) {
    const { column, line } = jsonErrorPosition(text)
    throw new UnreadableFile(`Line ${line} is not JSON: it goes wrong at column ${column}`)
  }
  const scanner = new Scanner(text)
  while (!scanner.isOver) yield* scanner.elements(path)
}

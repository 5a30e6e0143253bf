import { UnreadableFile } from "./FileText.ts"

/** The text of one record, valid or not. */
export interface CsvRecord {
  readonly text: string
  /** The lines that it takes, from 1. */
  readonly first: number
  readonly line: number
  /** A misplaced quote. The text completes a sentence that begins with the line. */
  readonly fault?: string
}

/** The state after a line: the record has ended, or continues inside of quotes. */
interface State {
  isQuoted: boolean
  fault: string | undefined
}

const misplaced = "is not a CSV row (RFC 4180): a quote is not allowed here"

/**
 * Follows the quotes of a line. After a wrong one the rest of the line is plain text, so that the next line is a row
 * again.
 */
const follow = (line: string, delimiter: string, state: State): void => {
  let isStart = !state.isQuoted
  for (let at = 0; at < line.length; at++) {
    const character = line[at]!
    if (state.isQuoted) {
      if (character !== "\"") continue
      if (line[at + 1] === "\"") at += 1
      else {
        state.isQuoted = false
        const end = line.slice(at + 1).replace(/^ +/, "").replace(/\r$/, "")
        if (end !== "" && !end.startsWith(delimiter)) {
          state.fault = misplaced
          return
        }
      }
    } else if (character === delimiter) isStart = true
    else if (character === "\"") {
      if (!isStart) {
        state.fault = misplaced
        return
      }
      state.isQuoted = true
    } else if (character.trim() !== "") isStart = false
  }
}

/**
 * The records of a CSV file (RFC 4180) as texts. A wrong quote spoils its own record only: otherwise the following
 * rows would be taken for a part of it. A quote that is never closed ends with the file, and is no record.
 */
export async function* csvRecords(lines: AsyncIterable<string>, delimiter: string): AsyncGenerator<CsvRecord> {
  let line = 0
  let open: { readonly first: number; readonly texts: Array<string> } | undefined
  for await (const text of lines) {
    line += 1
    if (open === undefined && text.trim() === "") continue
    const state: State = { isQuoted: open !== undefined, fault: undefined }
    open ??= { first: line, texts: [] }
    open.texts.push(text)
    follow(text, delimiter, state)
    if (state.isQuoted) continue
    const { first, texts } = open
    const fault = state.fault === undefined || first === line ? state.fault : `${state.fault}, on line ${line}`
    yield { text: texts.join("\n"), first, line, ...(fault === undefined ? {} : { fault }) }
    open = undefined
  }
  if (open !== undefined) {
    throw new UnreadableFile(`Line ${open.first} is no CSV (RFC 4180): a quote opens there, and none closes it`)
  }
}

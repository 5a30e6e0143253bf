import { canonicalString } from "../wire/CanonicalJson.ts"
import { cellBytes, cellText, copyCell, escapedInJson, writeBytes, writeText } from "./RowBytes.ts"
import type { RowWriter } from "./RowBytes.ts"

/** How a cell stands in JSON: as a string, as it is, or as what a function makes of its text. */
export type JsonForm = "string" | "bare" | ((text: string) => string)

/** A member of the objects that are written, and the index of its cell. */
export interface JsonMember {
  readonly key: string
  readonly index: number
  readonly form: JsonForm
}

const [quote, open, close] = ["\"", "{", "}"].map((character) => character.charCodeAt(0)) as [number, number, number]

const encoder = new TextEncoder()

/** The most bytes that JSON takes for a byte of a text: a control character is six. */
const bytesOfEscape = 6

/**
 * Writes rows as JSON objects with these members, in this order and without spaces, as `JSON.stringify` does. A cell
 * without a value is left out. What a function makes of a text must take no more than six bytes for each of its bytes.
 */
export const jsonRow = (members: ReadonlyArray<JsonMember>): RowWriter => {
  const written = members.map(({ form, index, key }) => ({
    form,
    index,
    name: encoder.encode(`,${canonicalString(key)}:${form === "string" ? "\"" : ""}`)
  }))
  const frame = written.reduce((sum, { name }) => sum + name.length + 1, ",{}".length)
  return {
    most: (row) => frame + bytesOfEscape * cellBytes(row),
    write: (row, target, start) => {
      let at = start
      for (const { form, index, name } of written) {
        const from = row.starts[index]!
        if (from === -1) continue
        const to = row.ends[index]!
        at = writeBytes(name, target, at)
        if (typeof form === "function") {
          at = writeText(form(cellText(row, index)), target, at)
          continue
        }
        const found = copyCell(row.texts[index]!, from, to, target, at)
        if (form === "bare") at += to - from
        else if ((found & escapedInJson) === 0) {
          at += to - from
          target[at++] = quote
        } else at = writeText(canonicalString(cellText(row, index)), target, at - 1)
      }
      // Before the first member there is a comma, whose place the brace takes.
      target[start] = open
      if (at === start) at += 1
      target[at++] = close
      return at
    }
  }
}

import { canonicalString } from "../wire/CanonicalJson.ts"
import {
  cellBytes,
  cellText,
  copyForJson,
  makeViews,
  wordOverhang,
  wordsOf,
  writeText,
  writeWords
} from "./RowBytes.ts"
import type { RowWriter } from "./RowBytes.ts"

/** How a cell stands in JSON: as a string, as it is, or as what a function makes of its text, which is JSON. */
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

/** JSON of so few bytes can be written in one way only: `{}`, `[]`, `""` and numbers. */
const oneFormBytes = 2

/**
 * Writes rows as JSON objects with these members, in this order and without spaces, as `JSON.stringify` does. A cell
 * without a value is left out. What a function makes of a text must take no more than six bytes for each of its bytes.
 */
export const jsonRow = (members: ReadonlyArray<JsonMember>): RowWriter => {
  const names = members.map(({ form, key }) =>
    encoder.encode(`,${canonicalString(key)}:${form === "string" ? "\"" : ""}`)
  )
  const written = members.map(({ form, index }, place) => ({
    form,
    index,
    length: names[place]!.length,
    words: wordsOf(names[place]!)
  }))
  const frame = names.reduce((sum, { length }) => sum + length + 1, ",{}".length) + wordOverhang
  const viewOf = makeViews()
  return {
    most: (row) => frame + bytesOfEscape * cellBytes(row),
    write: (row, target, start) => {
      const view = viewOf(target)
      const offset = target.byteOffset
      let at = start
      for (let place = 0; place < written.length; place++) {
        const { form, index, length, words } = written[place]!
        const from = row.starts[index]!
        if (from === -1) continue
        const to = row.ends[index]!
        writeWords(words, view, offset + at)
        at += length
        if (typeof form === "function" && to - from > oneFormBytes) {
          at = writeText(form(cellText(row, index)), target, at)
          continue
        }
        const mayBeEscaped = copyForJson(row.views[index]!, from, to, view, offset + at)
        if (form !== "string") at += to - from
        else if (!mayBeEscaped) {
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

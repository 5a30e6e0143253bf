import { signsOf } from "./characters.ts"

/** Characters that a line may end after. */
const breaksAfter = /[\s\-_/,;.@|]/

/** The same for ASCII, by code. */
const plainBreaks = Array.from({ length: 128 }, (_, code) => breaksAfter.test(String.fromCharCode(code)))

/** Scripts without spaces between words: a line may end before and after each of these. */
const ideographic = /[\u2e80-\u9fff\uac00-\ud7a3\uf900-\uff60\u{20000}-\u{323af}]/u

/**
 * Text in pieces that stay on one line where they fit on one. This is a small part of UAX 14, made for the identifiers
 * and names of a table: a word of Thai, Lao, Khmer or Myanmar counts as one piece, as no dictionary is at hand.
 */
const piecesOf = (text: string): ReadonlyArray<string> => {
  const pieces: Array<string> = []
  let piece = ""
  for (const sign of signsOf(text)) {
    if (piece !== "" && ideographic.test(sign)) {
      pieces.push(piece)
      piece = ""
    }
    piece += sign
    if (breaksAfter.test(sign) || ideographic.test(sign)) {
      pieces.push(piece)
      piece = ""
    }
  }
  return piece === "" ? pieces : [...pieces, piece]
}

/** Breaks text into lines that `fits` accepts. */
export const brokenLines = (text: string, fits: (line: string) => boolean): ReadonlyArray<string> => {
  const lines: Array<string> = []
  let line = ""
  for (const piece of piecesOf(text)) {
    if (fits(piece.trimEnd())) {
      if (line === "" || fits((line + piece).trimEnd())) {
        line += piece
      } else {
        lines.push(line.trimEnd())
        line = piece
      }
      continue
    }
    // A word that is wider than a line goes on from where the line is.
    for (const sign of signsOf(piece)) {
      if (line !== "" && !fits(line + sign)) {
        lines.push(line)
        line = ""
      }
      line += sign
    }
  }
  return line.trim() === "" ? lines : [...lines, line.trimEnd()]
}

/** The same for ASCII, whose characters have a width each. It takes one pass, and most cells of a table are such text. */
export const brokenPlainLines = (
  text: string,
  width: number,
  font: { readonly plainWidth: (character: number) => number }
): ReadonlyArray<string> => {
  const lines: Array<string> = []
  let start = 0
  let afterBreak = 0
  let length = 0
  let lengthAtBreak = 0
  for (let end = 0; end < text.length; end++) {
    const code = text.charCodeAt(end)
    const advance = font.plainWidth(code)
    if (length + advance > width && end > start && text[end] !== " ") {
      // A break that would leave most of the line empty is worth less than a whole line.
      const isGood = afterBreak > start && lengthAtBreak * 2 >= width
      const cut = isGood ? afterBreak : end
      lines.push(text.slice(start, cut).trimEnd())
      length -= isGood ? lengthAtBreak : length
      start = cut
    }
    length += advance
    if (plainBreaks[code] === true) {
      afterBreak = end + 1
      lengthAtBreak = length
    }
  }
  const last = text.slice(start).trimEnd()
  return last === "" && lines.length > 0 ? lines : [...lines, last]
}

/** Characters that nobody sees, among them the byte order mark and the soft hyphen, as copying and typesetting leave them. */
const invisible = /\p{Default_Ignorable_Code_Point}/gu

const lineBreak = /\r\n?|[\n\u0085\u2028\u2029]/g

/** White space within a line, such as the no-break space. */
const blank = /[\t\v\f\u00a0\u1680\u2000-\u200a\u202f\u205f\u3000]/g

/** Dashes, minus signs, and what keyboards of other scripts have in their place. */
const dash =
  /[\u058a\u05be\u1400\u1806\u2010-\u2015\u2043\u207b\u2212\u2500\u2501\u2e17\u2e1a\u2e3a\u2e3b\u2e40\u2e5d\u301c\u3030\u30a0\u30fc\ufe31\ufe32\ufe58\ufe63\uff0d\uff70]/g

/** The full-width forms of the visible ASCII characters, each at one distance from its own. */
const fullWidth = /[\uff01-\uff5e]/g

/**
 * A text in the characters that a person meant who pasted it: without what nobody sees, every dash a hyphen, every line break a
 * line feed, every other white space a space, full-width letters as the others. Text of visible ASCII characters stays as it
 * is. clients/python has the same table, and test/vectors/keys.json every character of it.
 */
export const asMeant = (pasted: string): string =>
  pasted
    .replace(invisible, "")
    .replace(lineBreak, "\n")
    .replace(blank, " ")
    .replace(dash, "-")
    .replace(fullWidth, (character) => String.fromCharCode(character.charCodeAt(0) - 0xfee0))

/** The marks before the lines of a mail that is quoted. */
const quoteMarks = /(^|\n) *(?:[>|]+(?: +|(?=\n|$)))*/g

/** {@link asMeant} text without the marks before the lines of a quoted mail. */
export const unquoted = (text: string): string => text.replace(quoteMarks, "$1").trim()

/**
 * A text without the characters around it that match. One pass from each end: an expression such as `x+$` begins anew at every
 * x, and strangers send texts of nothing else.
 */
export const trimmedOf = (text: string, outer: RegExp): string => {
  let start = 0
  let end = text.length
  while (start < end && outer.test(text[start]!)) start++
  while (end > start && outer.test(text[end - 1]!)) end--
  return text.slice(start, end)
}

/** Spaces, and quotation marks that no key of any system has, because they are not ASCII. */
const quotationMark = /[ \u2018-\u201f\u2039\u203a\u00ab\u00bb\u300c-\u300f]/

/** A text without quotation marks around it that are not ASCII. */
export const withoutQuotationMarks = (text: string): string => trimmedOf(text, quotationMark)

/**
 * A text that came in an HTTP header, which carries bytes: they are read as UTF-8 where they are that, and otherwise as they came,
 * one character a byte.
 */
export const headerText = (value: string): string => {
  if (!/[\u0080-\u00ff]/.test(value) || /[^\0-\u00ff]/.test(value)) return value
  try {
    const bytes = Uint8Array.from(value, (character) => character.charCodeAt(0))
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    return value
  }
}

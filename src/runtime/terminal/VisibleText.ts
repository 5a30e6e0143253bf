/**
 * Characters that a reader does not see, or that change what else is seen: controls (a terminal obeys ESC and the C1
 * controls), separators of lines and paragraphs, marks that turn the direction of text, and what is drawn as nothing.
 * Joiners and variation selectors stay where writing needs them: after letters without case, as of Persian or Hindi, and
 * after emoji.
 */
const unseen = new RegExp(
  [
    "(?<![\\p{Lo}\\p{M}\\p{Extended_Pictographic}\\p{Emoji_Modifier}])[\\u200c\\u200d]",
    "(?<![\\p{Lo}\\p{M}\\p{Extended_Pictographic}])(?!\\ufe0f\\u20e3)\\p{Variation_Selector}",
    "(?!\\u200c|\\u200d|\\p{Variation_Selector})" +
    "[\\p{Cc}\\p{Zl}\\p{Zp}\\p{Cs}\\p{Bidi_Control}\\p{Default_Ignorable_Code_Point}\\ufff9-\\ufffb]"
  ].join("|"),
  "gu"
)

/** The mark that is shown in the place of a character: `[U+202E]`. */
const markOf = (character: string): string =>
  `[U+${character.codePointAt(0)!.toString(16).toUpperCase().padStart(4, "0")}]`

/** Texts that need no second look, which are nearly all. */
const printable = /^[ -~]*$/

/**
 * A text of somebody else as one line for a person: each character of it is seen, and none does anything. Two different
 * texts look different.
 */
export const visibleLine = (text: string): string => printable.test(text) ? text : text.replaceAll(unseen, markOf)

/** {@link visibleLine} for a text that has lines of its own, such as a message with a stack. */
export const visibleLines = (text: string): string => text.split("\n").map(visibleLine).join("\n")

const escaped = (character: string): string => {
  let text = ""
  for (let index = 0; index < character.length; index++) {
    text += `\\u${character.charCodeAt(index).toString(16).padStart(4, "0")}`
  }
  return text
}

/** Serialized JSON with the same value, which a terminal can show: what nobody sees is escaped inside of strings. */
export const visibleJson = (json: string): string =>
  json.replaceAll(unseen, (character) => /[\n\r\t]/.test(character) ? character : escaped(character))

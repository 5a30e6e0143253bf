/**
 * Characters that a reader does not see, or that change what else is seen: controls (a terminal obeys ESC and the C1
 * controls), separators of lines and paragraphs, marks that turn the direction of text, and what is drawn as nothing.
 * Joiners and variation selectors stay where writing needs them: after letters without case, as of Persian or Hindi, and
 * after emoji.
 */
const invisible = new RegExp(
  [
    "(?<![\\p{Lo}\\p{M}\\p{Extended_Pictographic}\\p{Emoji_Modifier}])[\\u200c\\u200d]",
    "(?<![\\p{Lo}\\p{M}\\p{Extended_Pictographic}])(?!\\ufe0f\\u20e3)\\p{Variation_Selector}",
    "(?!\\u200c|\\u200d|\\p{Variation_Selector})" +
    "[\\p{Cc}\\p{Zl}\\p{Zp}\\p{Cs}\\p{Bidi_Control}\\p{Default_Ignorable_Code_Point}\\ufff9-\\ufffb]"
  ].join("|"),
  "gu"
)

/** The mark that replaces a character: `[U+202E]`. */
const markOf = (character: string): string =>
  `[U+${character.codePointAt(0)!.toString(16).toUpperCase().padStart(4, "0")}]`

/** Texts that need no replacement, which are nearly all. */
const printable = /^[ -~]*$/

/**
 * A foreign text as one line for a person: each of its characters is visible, and none is obeyed. Different texts
 * look different.
 */
export const visibleLine = (text: string): string => printable.test(text) ? text : text.replaceAll(invisible, markOf)

/** {@link visibleLine} for a text that has lines of its own, such as a message with a stack. */
export const visibleLines = (text: string): string => text.split("\n").map(visibleLine).join("\n")

const escaped = (character: string): string => {
  let text = ""
  for (let index = 0; index < character.length; index++) {
    text += `\\u${character.charCodeAt(index).toString(16).padStart(4, "0")}`
  }
  return text
}

/** The same JSON, safe for a terminal: invisible characters in strings are escaped. */
export const visibleJson = (json: string): string =>
  printable.test(json)
    ? json
    : json.replaceAll(invisible, (character) => /[\n\r\t]/.test(character) ? character : escaped(character))

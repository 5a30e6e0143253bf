// What the renderer knows of single characters. Where lines break or how many bytes a file has depends on the answer,
// the tables are written out, because those of the runtime change with its version of Unicode.

/** Text that needs neither shaping nor another font than the first. */
export const ascii = /^[\x20-\x7e]*$/

/** Characters of Hebrew, Arabic and the other scripts that run from right to left. */
export const rightToLeft = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufeff\u{10800}-\u{10fff}\u{1e800}-\u{1efff}]/u

/** Characters that are set one by one: neither marks nor letters that join, change or move. */
export const isSimple = (codePoint: number): boolean =>
  codePoint < 0x300 || (codePoint >= 0x370 && codePoint < 0x483) || (codePoint >= 0x48a && codePoint < 0x590) ||
  (codePoint >= 0x1e00 && codePoint < 0x200b) || (codePoint >= 0x2010 && codePoint < 0x20d0) ||
  (codePoint >= 0x2100 && codePoint < 0x2e80) || (codePoint >= 0x3001 && codePoint < 0x302a) ||
  (codePoint >= 0x3030 && codePoint < 0x3099) || (codePoint >= 0x309b && codePoint < 0xa4d0) ||
  (codePoint >= 0xac00 && codePoint < 0xd7a4) || (codePoint >= 0xf900 && codePoint < 0xfb00) ||
  (codePoint >= 0xff01 && codePoint < 0xffe7) || (codePoint >= 0x20000 && codePoint < 0x323b0)

/** Joiners, selectors and marks of direction: they show nothing of their own and go with the character before them. */
export const isInvisible = (codePoint: number): boolean =>
  (codePoint >= 0x200b && codePoint <= 0x200f) || (codePoint >= 0x202a && codePoint <= 0x202e) ||
  (codePoint >= 0x2060 && codePoint <= 0x2069) || (codePoint >= 0xfe00 && codePoint <= 0xfe0f) ||
  codePoint === 0xfeff || (codePoint >= 0xe0000 && codePoint <= 0xe0fff) || codePoint === 0xad

/** A character that stands on, under or beside the one before it (general category M). */
export const isMark = (character: string): boolean => /^[\p{M}]$/u.test(character)

const isSkinTone = (codePoint: number): boolean => codePoint >= 0x1f3fb && codePoint <= 0x1f3ff
const isRegional = (codePoint: number): boolean => codePoint >= 0x1f1e6 && codePoint <= 0x1f1ff

/** Whether a sign is several emoji, or an emoji and what changes it: together they are one glyph of one font. */
export const isEmojiSequence = (sign: string): boolean =>
  [...sign].length > 1 && /\u200d|\ufe0f|\u20e3|\p{Emoji_Modifier}|\p{Regional_Indicator}/u.test(sign) &&
  /^[\d#*\u00a9\u00ae\u203c-\u3299\u{1f000}-\u{1faff}]/u.test(sign)

/**
 * What a reader takes for one character (the extended grapheme clusters of UAX 29, but for the syllables of Indic
 * scripts, which may be parted between letters): a base with its marks, an emoji with its skin tone and whatever it is
 * joined to, the two letters of a flag. Lines break between them and never inside.
 */
export const signsOf = (text: string): ReadonlyArray<string> => {
  const signs: Array<string> = []
  for (const character of text) {
    const last = signs.at(-1)
    const codePoint = character.codePointAt(0)!
    const joins = last !== undefined && (
      isMark(character) || isInvisible(codePoint) || isSkinTone(codePoint) ||
      (last.endsWith("\u200d") && codePoint >= 0x2000) ||
      (isRegional(codePoint) && last.length === 2 && isRegional(last.codePointAt(0)!))
    )
    if (joins) signs[signs.length - 1] = last + character
    else signs.push(character)
  }
  return signs
}

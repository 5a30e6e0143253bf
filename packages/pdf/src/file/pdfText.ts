import { rightToLeft } from "../text/characters.ts"

/** Fast, with small hash tables: every one of thousands of streams allocates its own. */
export const compression = { level: 4, mem: 3 } as const

/** A text of characters up to U+00FF as bytes. */
export const latin = (text: string): Uint8Array => Buffer.from(text, "latin1")

/** A number as PDF writes it: at most three decimals, without trailing zeros. */
export const num = (value: number): string => {
  const rounded = Math.round(value * 1000) / 1000
  return Object.is(rounded, -0) ? "0" : String(rounded)
}

/** A text as PDF writes it outside of pages: UTF-16 with a byte order mark, in hexadecimal. */
export const pdfText = (text: string): string => {
  let hex = "FEFF"
  for (let index = 0; index < text.length; index++) hex += text.charCodeAt(index).toString(16).padStart(4, "0")
  return `<${hex}>`
}

/** Attributes that give an element its text where it runs from right to left, for readers of the structure alone. */
export const spoken = (text: string): string => rightToLeft.test(text) ? `/ActualText${pdfText(text)}` : ""

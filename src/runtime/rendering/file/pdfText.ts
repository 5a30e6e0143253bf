/** Fast, and a small table of hashes: each stream takes new ones, and there are thousands. */
export const compression = { level: 4, mem: 3 } as const

/** A text of characters up to U+00FF as bytes. */
export const latin = (text: string): Uint8Array => {
  const bytes = new Uint8Array(text.length)
  for (let index = 0; index < text.length; index++) bytes[index] = text.charCodeAt(index)
  return bytes
}

/** A number as PDF writes it: at most three digits after the point, none that say nothing. */
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

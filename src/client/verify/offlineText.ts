import { isDouble, parseInternetJson } from "../../domain/parsing/InternetJson.ts"
import { asMeant, unquoted } from "../../domain/security/PastedText.ts"
import { deepest } from "./verifyEnvelope.ts"

/** The longest text in which an envelope is looked for, in characters. */
const longest = 1_000_000

/** What was encoded for a mail as quoted-printable (RFC 2045, 6.7), which an envelope shows by its padding. */
const fromQuotedPrintable = (text: string): string =>
  /=3D/i.test(text)
    ? text.replace(/= *\n/g, "").replace(
      /=([2-7][0-9A-F])/gi,
      (_, code: string) => String.fromCharCode(Number.parseInt(code, 16))
    )
    : text

/**
 * The text of an envelope without what mail programs and editors made of it: a byte order mark, the marks of a quoted mail, lines
 * broken anywhere, quoted-printable, typographic quotation marks, and what stands around it. In an envelope itself there is no
 * white space. What was changed otherwise is found by its seal.
 */
const asSealed = (text: string): string => {
  const plain = fromQuotedPrintable(unquoted(asMeant(text))).replace(/[\u201c-\u201f\u00ab\u00bb]/g, "\"")
  return plain.slice(plain.indexOf("{"), plain.lastIndexOf("}") + 1).replace(/[ \n]/g, "")
}

/** A file as text: UTF-8, or UTF-16 by its byte order mark, as some editors save it. */
const textOf = (bytes: Uint8Array): string => {
  const encoding = bytes[0] === 0xff && bytes[1] === 0xfe
    ? "utf-16le"
    : bytes[0] === 0xfe && bytes[1] === 0xff
    ? "utf-16be"
    : "utf-8"
  return new TextDecoder(encoding).decode(bytes)
}

const parse = (text: string): unknown => parseInternetJson(text, isDouble, deepest)

/** Reads an envelope, as text or as the bytes of a file. Throws where it is none, or can be read in two ways. */
export const readEnvelope = (envelope: string | Uint8Array): unknown => {
  const text = typeof envelope === "string" ? envelope : textOf(envelope)
  // JSON may have in a text what nobody sees, and an envelope has none.
  const isPlain = text.length > longest || !/[^\0-~]/.test(text)
  try {
    return parse(isPlain ? text : asSealed(text))
  } catch (error) {
    if (!isPlain || text.length > longest) throw error
    return parse(asSealed(text))
  }
}

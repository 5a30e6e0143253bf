import { unpacked } from "./unpacked.ts"

/** Bytes that an attachment has at most. */
const mostBytes = 64 * 1024 * 1024

const latin = new TextDecoder("latin1")

const mark = new TextEncoder().encode("/Type/EmbeddedFile")

/** The places of a text in bytes. */
const placesOf = (bytes: Uint8Array, text: Uint8Array): ReadonlyArray<number> => {
  const places: Array<number> = []
  for (let at = bytes.indexOf(text[0]!); at !== -1; at = bytes.indexOf(text[0]!, at + 1)) {
    if (text.every((byte, offset) => bytes[at + offset] === byte)) places.push(at)
  }
  return places
}

/**
 * The one file that is attached to a PDF as the service wrote it (ISO 32000-1 section 7.11.4); undefined where there is none or more,
 * or where another program has written the document anew.
 */
export const attachmentIn = async (pdf: Uint8Array): Promise<Uint8Array | undefined> => {
  const [at, ...others] = placesOf(pdf, mark)
  if (at === undefined || others.length > 0) return undefined
  // The dictionary of the stream ends here; what it says is below a kilobyte.
  const head = latin.decode(pdf.subarray(at, at + 1_000))
  const found = /^[^\r\n]*\/Filter\/FlateDecode\/Length (\d{1,9})>>\nstream\n/.exec(head)
  if (found === null) return undefined
  const start = at + found[0].length
  try {
    return await unpacked(pdf.subarray(start, start + Number(found[1])), "deflate", mostBytes)
  } catch {
    return undefined
  }
}

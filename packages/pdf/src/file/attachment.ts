import type { PdfFile } from "./PdfFile.ts"
import { pdfText } from "./pdfText.ts"

/** A file inside the document, which readers list beside its pages. */
export interface Attachment {
  /** Its name, ASCII. */
  readonly name: string
  readonly description: string
  /** Such as `application/json`. */
  readonly mediaType: string
  readonly bytes: Uint8Array
  /** An RFC 3339 instant in UTC. */
  readonly modifiedAt: string
}

/** An instant as PDF writes it (ISO 32000-1 section 7.9.4). */
export const pdfDate = (instant: string): string => `(D:${instant.replaceAll(/\D/g, "").slice(0, 14)}Z)`

/**
 * Writes a file into the document (ISO 32000-1 section 7.11.4) as the data that its pages show (`AFRelationship`, ISO 32000-2
 * section 7.11.3, as in PDF/A-3); answers the entries of the catalog that name it.
 */
export const putAttachment = (
  file: PdfFile,
  { bytes, description, mediaType, modifiedAt, name }: Attachment
): string => {
  const stream = file.stream(
    `/Type/EmbeddedFile/Subtype/${mediaType.replaceAll("/", "#2F")}` +
      `/Params<</Size ${bytes.length}/ModDate${pdfDate(modifiedAt)}>>`,
    bytes
  )
  const shown = pdfText(name)
  const number = file.put(
    `<</Type/Filespec/F${shown}/UF${shown}/Desc${pdfText(description)}/AFRelationship/Data` +
      `/EF<</F ${stream} 0 R/UF ${stream} 0 R>>>>`
  )
  return `/Names<</EmbeddedFiles<</Names[${shown} ${number} 0 R]>>>>/AF[${number} 0 R]`
}

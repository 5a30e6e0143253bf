import { openTextSetter, PdfDocument } from "countersign-pdf"
import type { DocumentInfo, TextSetter } from "countersign-pdf"
import { getDocumentProxy } from "unpdf"

const size = { width: 595.28, height: 841.89 }

const info: DocumentInfo = {
  title: "Names <& others>",
  author: "Köln GmbH",
  createdAt: "2026-11-21T10:30:00.417Z",
  producer: "Test",
  id: "ab".repeat(16)
}

/** The bytes of a document that `draw` fills, after the fonts for its texts were read. */
export const bytesOf = async (
  texts: ReadonlyArray<string>,
  draw: (document: PdfDocument, setter: TextSetter) => void,
  forms: ReadonlyArray<string> = []
): Promise<Uint8Array> => {
  const setter = await openTextSetter()
  for (const text of texts) await setter.prepare(text)
  const document = new PdfDocument(setter, size, forms)
  const pieces: Array<Uint8Array> = []
  draw(document, setter)
  pieces.push(...await document.take())
  await document.end(info)
  pieces.push(...await document.take())
  return new Uint8Array(Buffer.concat(pieces))
}

/** A document of one page with a line, in a paragraph of its own, for each text. */
export const linesDocument = (texts: ReadonlyArray<string>): Promise<Uint8Array> =>
  bytesOf(texts, ({ pages }, setter) => {
    pages.begin()
    texts.forEach((text, index) =>
      pages.mark("P", pages.document, () => pages.text(setter.line(text), 40, 48 + index * 24, 10))
    )
    pages.end()
  })

/** A document as pdf.js reads it, which takes the bytes away. */
export const proxyOf = (bytes: Uint8Array) => getDocumentProxy(bytes.slice())

/** The text of a page, as its operators give it. */
export const textOf = async (bytes: Uint8Array, page = 1): Promise<string> => {
  const { items } = await (await (await proxyOf(bytes)).getPage(page)).getTextContent()
  return items.map((item) => "str" in item ? item.str : "").join(" ").replaceAll(/\s+/g, " ")
}

import { markedFor } from "../../ground/pages/Markdown.ts"
import { addressOf, entries } from "./Entries.ts"

/** Texts of the document, which are Markdown, as HTML. */
export interface Prose {
  /** Paragraphs. */
  readonly block: (text: string) => string
  /** Words within a line. */
  readonly inline: (text: string) => string
}

/** The addresses of the operations, by what texts call them: `POST /api/v1/products`. */
const operationPlaces = new Map(entries.map(({ id, method, path }) => [`${method} ${path}`, addressOf(id)]))

/** A renderer of the document's texts, in which an operation leads to its page. Links to this service are written from its root: a page is read at more than one host. */
export const proseFor = (publicUrl: string): Prose => {
  const marked = markedFor(
    (href) =>
      href.startsWith(`${publicUrl}/`) ? href.slice(publicUrl.length) : /^(https?:|#)/.test(href) ? href : undefined,
    (text) => operationPlaces.get(text)
  )
  return {
    block: (text) => String(marked.parse(text)),
    inline: (text) => String(marked.parseInline(text))
  }
}

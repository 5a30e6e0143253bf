import { Marked } from "marked"
import type { Tokens } from "marked"
import { escape } from "./Layout.ts"

/** The name under which a guide is served: that of its file. */
export const guideName = (path: string): string => path.slice(path.lastIndexOf("/") + 1).replace(/\.md$/, "")

/** The name by which a heading is linked to, as GitHub makes it. */
export const anchorOf = (heading: string): string =>
  heading.toLowerCase().replaceAll(/[^\p{L}\p{N}\s_-]/gu, "").trim().replaceAll(" ", "-")

/**
 * A renderer from our Markdown to HTML. `placeOf` says where a link leads, `placeOfCode` where words of code do; undefined leaves
 * them as they are.
 */
export const markedFor = (
  placeOf: (href: string) => string | undefined,
  placeOfCode: (text: string) => string | undefined = () => undefined
): Marked =>
  new Marked({
    renderer: {
      heading({ depth, text, tokens }) {
        return `<h${depth} id="${escape(anchorOf(text))}">${this.parser.parseInline(tokens)}</h${depth}>\n`
      },
      link({ href, tokens }) {
        const text = this.parser.parseInline(tokens)
        const place = placeOf(href)
        return place === undefined ? text : `<a href="${escape(place)}">${text}</a>`
      },
      table(table) {
        const row = (cells: ReadonlyArray<Tokens.TableCell>, kind: "td" | "th") => {
          const cell = ({ text, tokens }: Tokens.TableCell) => {
            // A column without a name has no heading that could be read out.
            const name = text === "" ? "td" : kind
            return `<${name}>${this.parser.parseInline(tokens)}</${name}>`
          }
          return `<tr>${cells.map(cell).join("")}</tr>`
        }
        const rows = table.rows.map((cells) => row(cells, "td")).join("\n")
        // A box that scrolls is reached by the keyboard, too.
        return `<div class="scroll" tabindex="0"><table><thead>${row(table.header, "th")}</thead>
<tbody>${rows}</tbody></table></div>\n`
      },
      // Long names may break where they are joined.
      codespan({ text }) {
        const code = `<code>${escape(text).replaceAll("_", "_<wbr>")}</code>`
        const place = placeOfCode(text)
        return place === undefined ? code : `<a href="${escape(place)}">${code}</a>`
      },
      code({ lang, text }) {
        return `<pre tabindex="0"${lang === undefined ? "" : ` data-language="${escape(lang)}"`}><code>${
          escape(text)
        }</code></pre>\n`
      },
      // The marks of the scripts that write parts of the guides.
      html: () => ""
    }
  })

import { stylesheetPath } from "./stylesheet.ts"

const entities: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", "\"": "&quot;" }

/** Text as it stands in HTML, in content and in quoted attributes. */
export const escape = (text: string): string => text.replaceAll(/[&<>"]/g, (sign) => entities[sign]!)

const places = [["/docs", "Reference"], ["/docs/guides", "Guides"], ["/docs/errors", "Errors"]] as const

/** The bar of every page: home, and the three places of the documentation. */
const bar = (current?: (typeof places)[number][0]): string =>
  `<header class="bar"><nav aria-label="Documentation"><a href="/">Countersign</a>${
    places.map(([path, name]) => `<a href="${path}"${path === current ? " aria-current=\"true\"" : ""}>${name}</a>`)
      .join("")
  }</nav></header>`

/** The start of every page, up to its body. */
const head = (title: string, more = ""): string =>
  `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>${
    escape(title)
  }</title><link rel="icon" href="data:,"><link rel="stylesheet" href="${stylesheetPath}">${more}</head>`

/** A whole page. `main`, `aside` and `more` of its head are HTML; the title is text. */
export const page = (
  { aside = "", current, kind, main, more, title }: {
    readonly title: string
    readonly main: string
    readonly current?: (typeof places)[number][0]
    /** The content beside the page, in its own landmark. */
    readonly aside?: string
    /** The classes of what the page is in, where it is laid out in another way than a text. */
    readonly kind?: string
    readonly more?: string
  }
): string =>
  `${head(title, more)}
<body>${bar(current)}
<div class="page${kind === undefined ? "" : ` ${kind}`}"><main>
${main}
</main>${aside}</div></body></html>
`

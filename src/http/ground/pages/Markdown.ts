import { Context } from "effect"
import type { Effect } from "effect"
import { Marked } from "marked"
import type { Tokens } from "marked"
import { namedEnvironments } from "../../../domain/ground/environments/EnvironmentName.ts"

/** Where the stylesheet is served. */
export const stylesheetPath = "/docs/pages.css"

/**
 * The one stylesheet of all pages: fonts of the system, light or dark as the reader's system is, every text above a
 * contrast of 4.5 to what it stands on (WCAG 2.2, 1.4.3). Beside the bar it rules what is in `.page` alone, because the
 * reference has styles of its own.
 */
export const stylesheet = `:root {
  color-scheme: light dark;
  --ground: #ffffff; --raised: #f5f6f8; --line: #d9dde3; --text: #1b1f24; --quiet: #57606a; --link: #0b57b8;
  --mono: ui-monospace, SFMono-Regular, Menlo, Consolas, monospace;
}
@media (prefers-color-scheme: dark) {
  :root {
    --ground: #0f1318; --raised: #181d24; --line: #303842; --text: #e4e8ed; --quiet: #9aa5b1; --link: #7db4ff;
  }
}
:is(.bar, .page), :is(.bar, .page) * { box-sizing: border-box }
html { -webkit-text-size-adjust: 100%; scroll-padding-top: 1rem }
body { margin: 0; background: var(--ground); color: var(--text); font: 1rem/1.6 system-ui, -apple-system, "Segoe UI", sans-serif }
:is(.bar, .page) a { color: var(--link); text-underline-offset: .15em; text-decoration-thickness: .06em }
:is(.bar, .page) a:hover { text-decoration-thickness: .12em }
:is(.bar, .page) :focus-visible { outline: 2px solid var(--link); outline-offset: 2px; border-radius: 2px }
.bar { border-bottom: 1px solid var(--line) }
.bar nav { display: flex; flex-wrap: wrap; gap: 0 1.25rem; align-items: center; max-width: 72rem; margin: 0 auto; padding: .5rem 1.25rem }
.bar nav a { display: inline-block; padding: .35rem 0; color: var(--quiet); text-decoration: none }
.bar nav a:hover, .bar nav a[aria-current] { color: var(--text); text-decoration: underline; text-underline-offset: .4em }
.bar nav a:first-child { margin-right: auto; color: var(--text); font-weight: 650; text-decoration: none }
.page {
  main { max-width: 50rem; margin: 0 auto; padding: 2rem 1.25rem 5rem; overflow-wrap: break-word }
  h1 { font-size: 2rem; line-height: 1.2; letter-spacing: -.015em; margin: 0 0 1rem }
  h2 { font-size: 1.35rem; line-height: 1.3; margin: 2.5rem 0 .75rem }
  h3 { font-size: 1.1rem; margin: 2rem 0 .5rem }
  h4 { font-size: 1rem; margin: 1.5rem 0 .5rem }
  p, ul, ol, pre, blockquote, .scroll { margin: 0 0 1rem }
  ul, ol { padding-left: 1.5rem }
  li { margin: .25rem 0 }
  .lead { font-size: 1.125rem; color: var(--quiet) }
  code, pre { font-family: var(--mono) }
  code { font-size: .9em; background: var(--raised); border-radius: 4px; padding: .1em .3em }
  h1 code, h2 code { font-size: .85em; background: none; padding: 0 }
  pre { overflow-x: auto; background: var(--raised); border: 1px solid var(--line); border-radius: 8px; padding: .9rem 1rem; font-size: .875rem; line-height: 1.5 }
  pre code { font-size: inherit; background: none; padding: 0 }
  blockquote { border-left: 3px solid var(--line); padding-left: 1rem; color: var(--quiet) }
  .scroll { overflow-x: auto }
  table { border-collapse: collapse; font-size: .9375rem; min-width: 100% }
  th, td { text-align: left; vertical-align: top; padding: .45rem 1rem .45rem 0; border-bottom: 1px solid var(--line) }
  td:first-child code { white-space: nowrap }
  img { max-width: 100% }
  hr { border: 0; border-top: 1px solid var(--line); margin: 2rem 0 }
  .search { display: flex; flex-wrap: wrap; gap: .5rem; align-items: center; margin: 0 0 1rem }
  .search label { flex: 1 0 100%; font-size: .9375rem }
  .search input { flex: 1 1 12rem; min-width: 0 }
  :is(.search input, .search button) { min-height: 2.5rem; padding: .35rem .75rem; border: 1px solid var(--quiet); border-radius: 6px;
    background: var(--ground); color: var(--text); font: inherit }
  .search button { background: var(--link); border-color: var(--link); color: var(--ground); font-weight: 600; cursor: pointer }
  .list { list-style: none; padding: 0; border-top: 1px solid var(--line) }
  .list li { margin: 0; padding: .7rem 0; border-bottom: 1px solid var(--line) }
  .list a { font-weight: 550 }
  .list p { margin: 0; color: var(--quiet) }
  .quiet { color: var(--quiet); font-size: .9375rem }
  .names { columns: 15rem; list-style: none; padding: 0; font-size: .9375rem }
  .names li { margin: 0; padding: .1rem 0 }
  :target { background: var(--raised) }
}
@media (max-width: 30rem) {
  .page h1 { font-size: 1.6rem; overflow-wrap: anywhere }
  .page td:first-child code { white-space: normal }
  .page main { padding-top: 1.5rem }
  .bar nav { gap: 0 1rem }
  .bar nav a:first-child { width: 100% }
}
`

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

/** The page at /verify among the files. */
export const verifierFile = "verifier/verify.html"

/** The script of the portal among the files. */
export const requestPhotoFile = "portal/request-photo.js"

/** The console as it was built; the runtime reads it from its files. */
export class ConsoleFiles extends Context.Service<ConsoleFiles, {
  /** The names of what its page loads, each with its content's hash; empty where it was not built. */
  readonly assets: ReadonlyArray<string>

  /** The pages of its parts, by what their addresses have behind `/console/`, and `index` for any other. */
  readonly pages: ReadonlyArray<string>

  /** Whether {@link verifierFile} is there. */
  readonly verifier: boolean

  /** Whether {@link requestPhotoFile} is there. */
  readonly requestPhoto: boolean

  /** A file: `assets/` and one of {@link assets}, or one of {@link pages} and `.html`, {@link verifierFile} or {@link requestPhotoFile}. */
  readonly read: (path: string) => Effect.Effect<Uint8Array<ArrayBuffer>>
}>()("countersign/http/ground/pages/ConsoleFiles") {}

/** Where what the console loads is served. The page itself names these addresses; the build writes it. */
export const consoleAssets = "/assets/console/"

/** The page that verifies evidence. Statements of each environment print its address, by the name of their log. */
export const verifyPath = "/verify"

/** The route of the console's pages, whose parameters the browser reads; undefined for any other path. */
export const consoleRouteOf = (path: string): string | undefined =>
  path.startsWith("/console/") ? "/console/*" : undefined

/** The addresses of pages; those of another environment than live have its name first. */
const consolePage = new RegExp(`^/console/(?:(?:${namedEnvironments.join("|")})/)?(\\w+)`)

/** The part of the console that an address is of: the first name of its page; empty where there is none. */
export const consolePartOf = (url: string): string => consolePage.exec(url)?.[1] ?? ""

/** Content types of the built files, by their ending. */
export const consoleTypes: Readonly<Record<string, string>> = {
  js: "text/javascript; charset=utf-8",
  css: "text/css; charset=utf-8",
  woff2: "font/woff2"
}

/** The page of something that was not built, as after an installation without development packages. */
export const unbuiltPage = (name: "console" | "verifier"): string =>
  page({
    title: "Not built · Countersign",
    main: `<h1>The ${name} was not built here</h1>
<p class="lead">This installation has no bundler, so it has only the API.</p>
<p>The packed program (<code>countersign</code>) and the container image bring the ${name}. From a clone,
<code>npm ci</code> or <code>npm run build:console</code> builds it; then start the service again.</p>`
  })

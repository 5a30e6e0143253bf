import type { Token, Tokens } from "marked"
import { excerptOf, foundIn, longestQuestion, mostFound } from "./GuideSearch.ts"
import type { GuideSection } from "./GuideSearch.ts"
import { escape, page } from "../../ground/pages/Layout.ts"
import { guideName, markedFor } from "../../ground/pages/Markdown.ts"

/**
 * The folders of docs/ in the order in which a reader wants them: the four kinds of documents, what stands in none of
 * them because an alert leads to it, and what changes the service.
 */
const kinds = [
  ["tutorial", "Tutorial"],
  ["how-to", "How to"],
  ["reference", "Reference"],
  ["explanation", "Explanation"],
  ["", "On call"],
  ["development", "Changing the service"],
  ["decisions", "Decisions"]
] as const

const folderOf = (path: string): string => path.slice(0, Math.max(0, path.indexOf("/")))

/** Where a link of a guide leads: another guide, an anchor, another site; undefined for files that are not served. */
const placeOf = (href: string, served: ReadonlySet<string>): string | undefined => {
  if (/^(https?:|mailto:|#)/.test(href)) return href
  const [file = "", anchor] = href.split("#")
  const name = guideName(file)
  if (!file.endsWith(".md") || !served.has(name)) return undefined
  return `/docs/guides/${name}${anchor === undefined ? "" : `#${anchor}`}`
}

/** The text of the first token of a kind. */
const firstText = (tokens: ReadonlyArray<Token>, type: "heading" | "paragraph"): string =>
  String((tokens.find((token) => token.type === type) as Tokens.Heading | undefined)?.text ?? "")

/** A guide as a page; `paths` are all guides. */
export const guidePage = (markdown: string, paths: ReadonlyArray<string>): string => {
  const served = new Set(paths.map(guideName))
  const marked = markedFor((href) => placeOf(href, served))
  const tokens = marked.lexer(markdown)
  return page({
    title: `${firstText(tokens, "heading")} · Countersign`,
    current: "/docs/guides",
    main: marked.parser(tokens)
  })
}

const searchForm = (question: string): string =>
  `<form class="search" role="search" action="/docs/guides"><label for="q">Search the guides</label>
<input id="q" name="q" type="search" maxlength="${longestQuestion}" autocomplete="off" value="${
    escape(question)
  }"> <button>Search</button></form>`

/** The sections that answer a question, each with a link to its heading. */
export const foundPage = (sections: ReadonlyArray<GuideSection>, question: string): string => {
  const found = foundIn(sections, question)
  const entries = found.map((section) =>
    `<li><a href="${escape(section.address)}">${
      escape(section.heading === section.guide ? section.guide : `${section.guide}: ${section.heading}`)
    }</a><p>${escape(excerptOf(section, question))}</p></li>`
  )
  return page({
    title: `${question} · Guides · Countersign`,
    current: "/docs/guides",
    main: `<h1>Guides</h1>
${searchForm(question)}
<p class="quiet" role="status">${
      found.length === 0
        ? "No section has all of these words. Try fewer, or look at <a href=\"/docs/guides\">all guides</a>."
        : found.length === mostFound
        ? `The first ${mostFound} sections with these words:`
        : `${found.length} section${found.length === 1 ? "" : "s"} with these words:`
    }</p>
${found.length === 0 ? "" : `<ul class="list">\n${entries.join("\n")}\n</ul>`}`
  })
}

/** The list of all guides: path and Markdown of each. */
export const guidesPage = (guides: ReadonlyArray<readonly [path: string, markdown: string]>): string => {
  const marked = markedFor((href) => placeOf(href, new Set()))
  const entry = ([path, markdown]: readonly [string, string]): string => {
    const tokens = marked.lexer(markdown)
    // Up to the end of the first sentence.
    const [about = ""] = /^.*?[.:](?=\s|$)/s.exec(firstText(tokens, "paragraph")) ?? []
    const inline = (text: string) => String(marked.parseInline(text))
    return `<li><a href="/docs/guides/${guideName(path)}">${inline(firstText(tokens, "heading"))}</a><p>${
      inline(about.replace(/:$/, "."))
    }</p></li>`
  }
  const groups = kinds.map(([folder, name]) => ({
    name,
    members: guides.filter(([path]) => folderOf(path) === folder)
  }))
  return page({
    title: "Guides · Countersign",
    current: "/docs/guides",
    main: `<h1>Guides</h1>
<p class="lead">How things are done with Countersign, and how it works. Each operation is described in the
<a href="/docs">reference</a>.</p>
${searchForm("")}
${
      groups.filter(({ members }) => members.length > 0).map(({ members, name }) =>
        `<h2>${name}</h2><ul class="list">\n${members.map(entry).join("\n")}\n</ul>`
      ).join("\n")
    }`
  })
}

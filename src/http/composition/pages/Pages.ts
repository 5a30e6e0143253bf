import { Effect, Layer } from "effect"
import type { Scope } from "effect"
import { HttpRouter, HttpServerError, HttpServerRequest, HttpServerResponse } from "effect/http"
import type { Token, Tokens } from "marked"
import { typeTexts } from "../../../api/composition/docs/KindTexts.ts"
import { isCode } from "../../../api/composition/docs/Operations.ts"
import type { Node } from "../../../api/composition/docs/Schemas.ts"
import { catalog } from "../../../domain/ground/wire/Errors.ts"
import { Guides } from "../../../services/ground/platform/Ports.ts"
import { Settings } from "../../../services/ground/platform/Settings.ts"
import { pageHeaders, staticAnswer, staticServices } from "../../ground/edge/StaticAnswer.ts"
import {
  consoleAssets,
  ConsoleFiles,
  consolePartOf,
  consoleTypes,
  escape,
  guideName,
  markedFor,
  page,
  stylesheet,
  stylesheetPath,
  unbuiltPage,
  verifierFile,
  verifyPath
} from "../../ground/pages/Markdown.ts"
import {
  addressOf,
  anchorOf,
  anchorOfChapter,
  chapters,
  endpointsAddress,
  entries,
  nodeOf,
  subjects
} from "../reference/Entries.ts"
import type { Entry } from "../reference/Entries.ts"
import { entryPage, methodHtml, pathHtml } from "../reference/EntryPage.ts"
import {
  code,
  proseFor,
  referenceHead,
  referenceScriptPath,
  referenceStyles,
  referenceStylesPath
} from "../reference/Members.ts"
import type { Prose } from "../reference/Members.ts"
import { pageScript } from "../reference/pageScript.ts"
import { ContractDocument } from "./ContractDocument.ts"
import { errorPage, excerptOf, foundIn, guideSections, longestQuestion, mostFound } from "./ErrorPages.ts"
import type { GuideSection } from "./ErrorPages.ts"

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
const guidesPage = (guides: ReadonlyArray<readonly [path: string, markdown: string]>): string => {
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

/** Everything by which an entry may be looked for, in small letters. */
const wordsOf = (...texts: ReadonlyArray<string>): string => escape(texts.join(" ").toLowerCase())

const operationItem = (document: Node, entry: Entry): string => {
  const { description, summary } = nodeOf(document, entry)
  const words = wordsOf(entry.method, entry.path, summary, entry.id, entry.chapter, description)
  return `<li id="${escape(anchorOf(entry))}" data-words="${words}"><a href="${addressOf(entry.id)}">${
    escape(summary)
  }</a><p>${methodHtml(entry.method)} ${pathHtml(entry.path)}</p></li>`
}

const chapterHtml = (document: Node, prose: Prose, name: string): string => {
  const { description } = (document["tags"] as ReadonlyArray<Node>).find((tag) => tag["name"] === name)!
  return `<section data-group><h3 id="${anchorOfChapter(name)}">${escape(name)}</h3>
${prose.block(description)}
<ul class="list operations">
${(chapters.get(name) ?? []).map((entry) => operationItem(document, entry)).join("\n")}
</ul></section>`
}

const eventItem = ({ event, id }: Entry): string =>
  event === undefined
    ? ""
    : `<li data-words="${wordsOf(event, id, typeTexts[event])}"><a href="${addressOf(id)}">${code(event)}</a><p>${
      escape(typeTexts[event])
    }</p></li>`

const subjectHtml = (name: string, events: ReadonlyArray<Entry>): string =>
  `<section data-group><h3 id="${anchorOfChapter(name, true)}">${escape(name)}</h3>
<ul class="list">
${events.map(eventItem).join("\n")}
</ul></section>`

/** Where the parts of the page are. */
const side = `<nav class="side" aria-label="On this page">
<p><a href="#introduction">Introduction</a></p>
<p><a href="#operations">Operations</a></p>
<ul>${
  [...chapters.keys()].map((name) => `<li><a href="#${anchorOfChapter(name)}">${escape(name)}</a></li>`).join("\n")
}</ul>
<p><a href="#events">Events</a></p>
<ul>${
  [...subjects.keys()].map((name) => `<li><a href="#${anchorOfChapter(name, true)}">${escape(name)}</a></li>`).join(
    "\n"
  )
}</ul>
</nav>`

/** The start of the reference: what a newcomer needs first, and then everything that has a page. */
export const startPage = (document: Node, publicUrl: string): string => {
  const prose = proseFor(publicUrl)
  const { info } = document
  const [lead = "", ...parts] = String(info.description).split(/\n\n(?=## )/)
  return page({
    title: `${info.title} reference`,
    current: "/docs",
    kind: "reference start",
    more: referenceHead,
    main: `<h1>${escape(info.title)} reference</h1>
<p class="lead">${prose.inline(lead)}</p>
<ul class="ways"><li><a href="#operations">${
      entries.filter(({ event }) => event === undefined).length
    } operations</a></li><li><a href="#events">${
      entries.filter(({ event }) => event !== undefined).length
    } kinds of events</a></li><li><a href="/docs/errors">Errors</a></li><li>OpenAPI ${
      escape(document["openapi"])
    }: <a href="/openapi.yaml">YAML</a>, <a href="/openapi.json">JSON</a></li><li>Version ${
      escape(info.version)
    }</li></ul>
<div id="introduction">
${prose.block(parts.join("\n\n"))}
</div>
<h2 id="operations">Operations</h2>
<p id="filter-field" class="field" hidden><label for="filter">Filter operations and events</label>
<input id="filter" type="search" autocomplete="off" spellcheck="false" aria-describedby="filter-count">
<span id="filter-count" class="quiet" role="status"></span></p>
${[...chapters.keys()].map((name) => chapterHtml(document, prose, name)).join("\n")}
<section data-group><h2 id="events">Events</h2>
<p>Each is delivered to the <a href="${endpointsAddress}">endpoints</a> that subscribe to it:
<a href="/docs/guides/receive-webhooks">Receive webhooks</a>.</p>
${[...subjects].map(([name, events]) => subjectHtml(name, events)).join("\n")}
</section>`,
    aside: side
  })
}

const html = "text/html; charset=utf-8"
const css = "text/css; charset=utf-8"
const script = "text/javascript; charset=utf-8"

/** The console: its pages, and what they load. */
const consoleLayer = HttpRouter.use(Effect.fnUntraced(function*(router) {
  const services = yield* staticServices
  const console = yield* ConsoleFiles
  for (const name of console.assets) {
    const type = consoleTypes[name.slice(name.lastIndexOf(".") + 1)] ?? "application/octet-stream"
    // Its name has its content's hash, so what has it never asks again (RFC 8246).
    const headers = { "cache-control": "public, max-age=31536000, immutable" }
    const answer = staticAnswer(services, console.read(`assets/${name}`), { contentType: type, headers })
    yield* router.add("GET", `${consoleAssets}${name}`, yield* answer)
  }
  const consoleHeaders = { ...pageHeaders("own"), "cache-control": "no-cache" }
  const consolePage = (content: Effect.Effect<string | Uint8Array<ArrayBuffer>>) =>
    staticAnswer(services, content, { contentType: html, headers: consoleHeaders })
  const unbuilt = yield* consolePage(Effect.sync(() => unbuiltPage("console")))
  const consolePages = new Map<string, typeof unbuilt>()
  for (const name of console.pages) consolePages.set(name, yield* consolePage(console.read(`${name}.html`)))
  // Each of its pages has an address; which one it is, it decides itself. They differ in what they load first.
  yield* router.add(
    "GET",
    "/console/*",
    Effect.flatMap(
      HttpServerRequest.HttpServerRequest,
      ({ url }) => consolePages.get(consolePartOf(url)) ?? consolePages.get("index") ?? unbuilt
    )
  )
}))

/**
 * The page that verifies evidence: the file that one may also open from disk. It says itself what it may run, by the hashes of its
 * script and its styles.
 */
const verifierLayer = HttpRouter.use(Effect.fnUntraced(function*(router) {
  const services = yield* staticServices
  const { read, verifier } = yield* ConsoleFiles
  const answer = verifier
    ? staticAnswer(services, read(verifierFile), {
      contentType: html,
      headers: { ...pageHeaders(), "content-security-policy": "frame-ancestors 'none'" }
    })
    : staticAnswer(services, Effect.sync(() => unbuiltPage("verifier")), { contentType: html, headers: pageHeaders() })
  yield* router.add("GET", verifyPath, yield* answer)
}))

const otherPages = HttpRouter.use(Effect.fnUntraced(function*(router) {
  const guides = yield* Guides
  const { document } = yield* ContractDocument
  const { publicUrl } = yield* Settings
  const services = yield* staticServices
  const add = Effect.fnUntraced(function*<E>(
    path: `/${string}`,
    contentType: string,
    content: Effect.Effect<
      string | Uint8Array<ArrayBuffer>,
      E,
      HttpServerRequest.HttpServerRequest | Scope.Scope
    >,
    headers: Readonly<Record<string, string>> = {}
  ) {
    yield* router.add("GET", path, yield* staticAnswer(services, content, { contentType, headers }))
  })

  /**
   * Pages that differ in the last part of their address, on one route: the router takes half a millisecond for each that it
   * is given, which a start would wait for.
   */
  const addEach = Effect.fnUntraced(function*<E>(
    folder: `/${string}/`,
    pages: ReadonlyMap<string, Effect.Effect<string, E>>,
    headers: Readonly<Record<string, string>>
  ) {
    const made = new Map<string, Effect.Success<ReturnType<typeof staticAnswer<E, never>>>>()
    const answer = Effect.gen(function*() {
      const { name = "" } = yield* HttpRouter.params
      const known = made.get(name)
      if (known !== undefined) return yield* known
      const content = pages.get(name)
      if (content === undefined) {
        const request = yield* HttpServerRequest.HttpServerRequest
        return yield* new HttpServerError.HttpServerError({ reason: new HttpServerError.RouteNotFound({ request }) })
      }
      const first = yield* staticAnswer(services, content, { contentType: html, headers })
      made.set(name, first)
      return yield* first
    })
    yield* router.add("GET", `${folder}:name`, answer)
  })

  yield* add(stylesheetPath, css, Effect.succeed(stylesheet))
  const allGuides = Effect.forEach(
    guides.paths,
    (path) => Effect.map(guides.read(path), (markdown) => [path, markdown] as const)
  )
  const listHeaders = pageHeaders("none", "self")
  const list = yield* staticAnswer(services, Effect.map(allGuides, guidesPage), {
    contentType: html,
    headers: listHeaders
  })
  const sections = yield* Effect.cached(Effect.uninterruptible(Effect.map(allGuides, guideSections)))
  yield* router.add(
    "GET",
    "/docs/guides",
    Effect.flatMap(HttpServerRequest.HttpServerRequest, ({ url }) => {
      const question =
        new URLSearchParams(url.split("?", 2)[1]).get("q")?.toWellFormed().trim().slice(0, longestQuestion) ?? ""
      return question === ""
        ? list
        : Effect.map(sections, (all) =>
          HttpServerResponse.text(foundPage(all, question), {
            contentType: html,
            headers: { ...listHeaders, "cache-control": "no-store" }
          }))
    })
  )
  const guidePages = guides.paths.map((path) =>
    [guideName(path), Effect.map(guides.read(path), (markdown) => guidePage(markdown, guides.paths))] as const
  )
  yield* addEach("/docs/guides/", new Map(guidePages), pageHeaders())
  const errorPages = Object.keys(catalog).filter(isCode).map((code) =>
    [code, Effect.sync(() => errorPage(code, publicUrl))] as const
  )
  yield* addEach("/docs/errors/", new Map<string, Effect.Effect<string>>(errorPages), pageHeaders())
  yield* add(referenceStylesPath, css, Effect.succeed(referenceStyles))
  yield* add(referenceScriptPath, script, Effect.sync(pageScript))
  yield* add("/docs", html, Effect.map(document, (document) => startPage(document, publicUrl)), pageHeaders("own"))
  const entryPages = entries.map((entry) =>
    [entry.id, Effect.map(document, (document) => entryPage(document, entry, publicUrl))] as const
  )
  yield* addEach("/docs/reference/", new Map(entryPages), pageHeaders("own"))
}))

/** Pages for browsers beside the operations of the contract. Each is made at its first request. */
export const layer = Layer.mergeAll(otherPages, consoleLayer, verifierLayer)

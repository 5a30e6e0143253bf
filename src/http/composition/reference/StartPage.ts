import { typeTexts } from "../../../api/composition/docs/KindTexts.ts"
import type { Node } from "../../../api/composition/docs/Schemas.ts"
import { escape, page } from "../../ground/pages/Layout.ts"
import {
  addressOf,
  anchorOf,
  anchorOfChapter,
  chapters,
  endpointsAddress,
  entries,
  nodeOf,
  subjects
} from "./Entries.ts"
import type { Entry } from "./Entries.ts"
import { methodHtml, pathHtml } from "./EntryPage.ts"
import { proseFor } from "./Prose.ts"
import type { Prose } from "./Prose.ts"
import { referenceHead } from "./referenceStyles.ts"
import { code } from "./ValueHtml.ts"

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

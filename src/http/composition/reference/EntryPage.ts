import { exampleOf } from "../../../api/composition/docs/Examples.ts"
import { reference, resolved } from "../../../api/composition/docs/Schemas.ts"
import type { Node } from "../../../api/composition/docs/Schemas.ts"
import { escape, page } from "../../ground/pages/Layout.ts"
import { answersHtml, errorsHtml, examplesOf, firstAnswer, shownJson } from "./Answers.ts"
import { curlOf, parametersOf, schemeOf } from "./Curl.ts"
import { addressOf, anchorOfChapter, chapters, endpointsAddress, entries, nodeOf, subjects } from "./Entries.ts"
import type { Entry } from "./Entries.ts"
import { describedItem, membersHtml } from "./Members.ts"
import type { Side } from "./Members.ts"
import type { Prose } from "./Prose.ts"
import { proseFor } from "./Prose.ts"
import { referenceHead } from "./referenceStyles.ts"
import { tryForm } from "./TryForm.ts"
import { code } from "./ValueHtml.ts"

/** The method of an operation, in the colour of its kind. */
export const methodHtml = (method: string): string => `<b class="method ${method.toLowerCase()}">${method}</b>`

/** Something to be read or copied as it is, with its name. */
const sample = (heading: string, text: string): string =>
  `<div class="sample"><div class="sample-bar"><h2>${heading}</h2></div>
<pre tabindex="0"><code>${escape(text)}</code></pre></div>`

/** A path, with its parameters marked. Long ones may break before a slash. */
export const pathHtml = (path: string): string =>
  `<code>${escape(path).replaceAll("/", "<wbr>/").replaceAll(/\{[^}]+\}/g, "<i>$&</i>")}</code>`

/** The credential that a caller needs. */
const credentialHtml = (node: Node): string => {
  const scopes = (node["x-required-scopes"] ?? []) as ReadonlyArray<string>
  switch (schemeOf(node)) {
    case "bearer":
      return scopes.length === 0
        ? "any management token"
        : `a management token with the scope${scopes.length === 1 ? "" : "s"} ${scopes.map(code).join(" and ")}, or ${
          code("admin")
        }`
    case "license":
      return "the license key: <code>Authorization: License &lt;license-key&gt;</code>"
    case "publishable":
      return "a publishable key of the product: <code>Authorization: Bearer &lt;publishable-key&gt;</code>"
    default:
      return "none: it is public"
  }
}

const facts = (lines: ReadonlyArray<readonly [name: string, html: string]>): string =>
  `<dl class="facts">${lines.map(([name, html]) => `<dt>${name}</dt><dd>${html}</dd>`).join("\n")}</dl>`

const placeNames = [["path", "In the path"], ["query", "In the query"], ["header", "Headers"]] as const

const parametersHtml = (document: Node, prose: Prose, side: Side, node: Node): string =>
  placeNames.flatMap(([place, name]) => {
    const items = parametersOf(document, node).filter((parameter) => parameter["in"] === place).map((parameter) =>
      describedItem(document, prose, side, {
        name: parameter["name"],
        schema: parameter["schema"],
        description: parameter["description"] ?? "",
        isRequired: parameter["required"] === true,
        example: parameter["example"]
      })
    )
    return items.length === 0 ? [] : [`<h2>${name}</h2>\n<ul class="members">\n${items.join("\n")}\n</ul>`]
  }).join("\n")

const bodyHtml = (document: Node, prose: Prose, side: Side, node: Node): string => {
  const body = node["requestBody"]
  if (body === undefined) return ""
  return `<h2>Body${body.required === true ? "" : ` <span class="quiet">optional</span>`}</h2>
${body.description === undefined ? "" : `<p>${prose.inline(body.description)}</p>`}
${
    Object.entries<Node>(body.content).map(([type, media]) =>
      `${type === "application/json" ? "" : `<p>${code(type)}</p>`}${
        membersHtml(document, prose, side, media["schema"])
      }`
    ).join("\n")
  }`
}

const label = ({ event }: Entry, node: Node): string => event === undefined ? escape(node["summary"]) : code(event)

/** The entries of the same chapter; the one that is read is marked. */
const sideHtml = (document: Node, entry: Entry): string => {
  const isEvent = entry.event !== undefined
  const members = (isEvent ? subjects : chapters).get(entry.chapter) ?? []
  return `<nav class="side" aria-label="${escape(entry.chapter)}">
<p><a href="/docs#${anchorOfChapter(entry.chapter, isEvent)}">${escape(entry.chapter)}</a></p>
<ul>${
    members.map((member) =>
      `<li><a href="${addressOf(member.id)}"${member === entry ? " aria-current=\"page\"" : ""}>${
        label(member, nodeOf(document, member))
      }</a></li>`
    ).join("\n")
  }</ul></nav>`
}

const neighboursHtml = (document: Node, entry: Entry): string => {
  const at = entries.indexOf(entry)
  const way = (neighbour: Entry | undefined, name: string, rel: string): string =>
    neighbour === undefined
      ? "<span></span>"
      : `<a rel="${rel}" href="${addressOf(neighbour.id)}"><span class="quiet">${name}</span> ${
        label(neighbour, nodeOf(document, neighbour))
      }</a>`
  return `<nav class="neighbours" aria-label="Before and after">${way(entries[at - 1], "Before", "prev")}${
    way(entries[at + 1], "Next", "next")
  }</nav>`
}

/** The samples beside an operation: its command, its responses, and a form to try it. */
const operationSamples = (document: Node, entry: Entry, node: Node, publicUrl: string): string => {
  const answer = firstAnswer(document, node)
  return [
    sample("Request", curlOf(document, entry, publicUrl)),
    tryForm(document, entry),
    ...(answer === undefined
      ? []
      : examplesOf(answer[1]).map(([name, value]) =>
        sample(`Response ${answer[0]}${name === "Example" ? "" : `: ${escape(name)}`}`, shownJson(value))
      ))
  ].join("\n")
}

/** The body of a delivery: its data, and around it what the example of the feed says of the event. */
const deliveryExample = (document: Node, node: Node): Node => {
  const { schemas } = document["components"]
  const event = exampleOf(reference("Event"), schemas) as Node
  const { properties } = resolved(document, node["requestBody"].content["application/json"].schema)
  const { created_at, id, sequence } = event
  const known: Node = { id, sequence, created_at }
  return Object.fromEntries(
    Object.entries<Node>(properties).map(([name, member]) => [name, known[name] ?? exampleOf(member, schemas)])
  )
}

/** The page of an operation or of an event. */
export const entryPage = (document: Node, entry: Entry, publicUrl: string): string => {
  const prose = proseFor(publicUrl)
  const node = nodeOf(document, entry)
  const isEvent = entry.event !== undefined
  // A delivery is read by who receives it, as an answer is.
  const side = isEvent ? "answer" : "request"
  const guide = node["externalDocs"]
  const trail = isEvent
    ? `<a href="/docs#events">Events</a>`
    : `<a href="/docs#${anchorOfChapter(entry.chapter)}">${escape(entry.chapter)}</a>`
  const samples = isEvent
    ? sample("Body of a delivery", shownJson(deliveryExample(document, node)))
    : operationSamples(document, entry, node, publicUrl)
  const about = isEvent
    ? [["Sent to", `your <a href="${endpointsAddress}">webhook endpoints</a>`], [
      "Guide",
      `<a href="/docs/guides/receive-webhooks">Receive webhooks</a>`
    ]] as const
    : [
      ["Credential", credentialHtml(node)],
      ["operationId", code(entry.id)],
      ...(guide === undefined ? [] : [["Guide", prose.inline(`[${guide.description}](${guide.url})`)] as const])
    ] as const
  const shown = isEvent ? undefined : firstAnswer(document, node)?.[0]
  return page({
    title: `${isEvent ? entry.event : node["summary"]} · Countersign reference`,
    current: "/docs",
    kind: "reference entry",
    more: referenceHead,
    main: `<p class="trail"><a href="/docs">Reference</a> <span aria-hidden="true">›</span> ${trail}</p>
<h1>${label(entry, node)}</h1>
${isEvent ? "" : `<p class="call">${methodHtml(entry.method)} ${pathHtml(entry.path)}</p>`}
${prose.block(node["description"])}
${facts(about)}
<div class="columns">
<div class="samples">
${samples}
</div>
<div class="parts">
${parametersHtml(document, prose, side, node)}
${bodyHtml(document, prose, side, node)}
<h2 id="answers">${isEvent ? "Response of your endpoint" : "Responses"}</h2>
${answersHtml(document, prose, node, shown)}
${errorsHtml(prose, node)}
</div>
</div>
${neighboursHtml(document, entry)}`,
    aside: sideHtml(document, entry)
  })
}

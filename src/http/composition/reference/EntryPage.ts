import { isCode } from "../../../api/composition/docs/Operations.ts"
import { exampleOf } from "../../../api/composition/docs/Responses.ts"
import { reference, referred, resolved } from "../../../api/composition/docs/Schemas.ts"
import type { Node } from "../../../api/composition/docs/Schemas.ts"
import { catalog } from "../../../domain/ground/wire/Errors.ts"
import { escape, page } from "../../ground/pages/Markdown.ts"
import {
  addressOf,
  anchorOfChapter,
  bodyExample,
  chapters,
  curlOf,
  endpointsAddress,
  entries,
  nodeOf,
  parametersOf,
  schemeOf,
  subjects
} from "./Entries.ts"
import type { Entry } from "./Entries.ts"
import { code, describedItem, membersHtml, proseFor, referenceHead } from "./Members.ts"
import type { Prose, Side } from "./Members.ts"

/** A value of an example as it is shown: JSON, or the text that it is. */
const shownJson = (value: unknown): string => typeof value === "string" ? value : JSON.stringify(value, null, 2)

/** The examples of a body: the one, or each with its name. */
const examplesOf = (media: Node): ReadonlyArray<readonly [name: string, value: unknown]> =>
  media["example"] === undefined
    ? Object.entries<Node>(media["examples"] ?? {}).map(([name, { summary, value }]) => [summary ?? name, value])
    : [["Example", media["example"]]]

const foldedExamples = (media: Node): string =>
  examplesOf(media).map(([name, value]) =>
    `<details><summary>${escape(name)}</summary><pre tabindex="0"><code>${
      escape(shownJson(value))
    }</code></pre></details>`
  ).join("\n")

/** The headers of an answer, folded. */
const headersHtml = (document: Node, prose: Prose, response: Node): string => {
  const items = Object.entries<Node>(response["headers"] ?? {}).map(([name, given]) => {
    const { description, example, schema } = resolved(document, given)
    return describedItem(document, prose, "answer", { name, schema, description, example, isRequired: true })
  })
  return items.length === 0
    ? ""
    : `<details><summary>Headers</summary><ul class="members">\n${items.join("\n")}\n</ul></details>`
}

/** An answer by its status; `isShown` when its example stands beside it. */
const answerHtml = (document: Node, prose: Prose, status: string, response: Node, isShown: boolean): string => {
  const media = Object.entries<Node>(response["content"] ?? {})
  return `<section><h3><span class="status">${escape(status)}</span></h3>
${prose.block(response["description"])}
${headersHtml(document, prose, response)}
${
    media.map(([type, content]) =>
      `${type === "application/json" && media.length === 1 ? "" : `<p>${code(type)}</p>`}${
        membersHtml(document, prose, "answer", content["schema"])
      }${isShown ? "" : foldedExamples(content)}`
    ).join("\n")
  }</section>`
}

/** The first answer with a body that says that it was done. */
const firstAnswer = (document: Node, node: Node): readonly [status: string, media: Node] | undefined => {
  for (const [status, given] of Object.entries<Node>(node["responses"])) {
    const [first] = Object.values<Node>(resolved(document, given)["content"] ?? {})
    if (status.startsWith("2") && first !== undefined && examplesOf(first).length > 0) return [status, first]
  }
  return undefined
}

/** Whether a response only says that an operation refused: those stand among the errors, by their codes. */
const isRefusal = (response: Node): boolean =>
  referred(response["content"]?.["application/json"]?.schema ?? {}) === "ErrorEnvelope"

/** The answers that an operation gives when it has done as asked; of a delivery, all of them. `shown` stands elsewhere. */
const answersHtml = (document: Node, prose: Prose, node: Node, shown: string | undefined): string =>
  Object.entries<Node>(node["responses"])
    .map(([status, given]) => [status, resolved(document, given)] as const)
    .filter(([, response]) => !isRefusal(response))
    .map(([status, response]) => answerHtml(document, prose, status, response, status === shown))
    .join("\n")

/** The codes with which an operation refuses, by status, each with the way to its page. */
const errorsHtml = (prose: Prose, node: Node): string => {
  const codes = ((node["x-error-codes"] ?? []) as ReadonlyArray<string>).filter(isCode)
  if (codes.length === 0) return ""
  const sorted = codes.toSorted((a, b) => catalog[a].status - catalog[b].status)
  return `<h2 id="errors">Errors</h2>
<p class="quiet">Every failure has <a href="/docs/errors">the same form</a>.</p>
<ul class="list errors">
${
    sorted.map((name) =>
      `<li><span class="status">${catalog[name].status}</span> <a href="/docs/errors/${name}">${code(name)}</a><p>${
        prose.inline(catalog[name].meaning)
      }</p></li>`
    ).join("\n")
  }
</ul>`
}

/** The name of the credential, and the word before it in the header (RFC 9110 section 11.1). */
const credentials: Readonly<Record<string, readonly [label: string, word: string]>> = {
  bearer: ["Token", "Bearer"],
  license: ["License key", "License"],
  publishable: ["Publishable key", "Bearer"]
}

const credentialField = (scheme: string): string => {
  const [label, word] = credentials[scheme]!
  return `<p class="field"><label for="try-credential">${label}</label>
<input id="try-credential" type="password" data-word="${word}" autocomplete="off" spellcheck="false" required aria-describedby="try-credential-note">
<span id="try-credential-note" class="quiet">Kept until you leave this page, and nowhere else.</span></p>`
}

const places = [["path", "Path"], ["query", "Query"], ["header", "Headers"]] as const

const field = (document: Node, { example, in: place, name, required, schema }: Node, index: number): string => {
  const id = `try-parameter-${index}`
  const { enum: values, type } = resolved(document, schema)
  const options: ReadonlyArray<string> | undefined = type === "boolean" ? ["true", "false"] : values
  const must = required === true
  const about = `id="${id}" data-in="${place}" data-name="${escape(name)}"${must ? " required" : ""}`
  // A browser takes these two of a path for something else than a name (URL standard).
  const pattern = place === "path" ? ` pattern="(?!\\.{1,2}$).+" title="anything but . and .."` : ""
  // A key that was used belongs to its request: the script writes a new one for each.
  const fresh = name === "Idempotency-Key" && must ? " data-fresh" : ""
  const input = options === undefined
    ? `<input ${about}${fresh}${pattern}${
      example === undefined ? "" : ` placeholder="${escape(String(example))}"`
    } autocomplete="off" spellcheck="false">`
    : `<select ${about}>${must ? "" : "<option></option>"}${
      options.map((value) => `<option>${escape(value)}</option>`).join("")
    }</select>`
  return `<p class="field"><label for="${id}"><code>${escape(name)}</code>${
    must ? "" : " <span class=\"quiet\">optional</span>"
  }</label>${input}</p>`
}

/** The form by which an operation is tried. It is of use to a script alone, which uncovers it. */
const tryForm = (document: Node, entry: Entry): string => {
  const node = document["paths"][entry.path][entry.method.toLowerCase()] as Node
  const parameters = parametersOf(document, node)
  const scheme = schemeOf(node)
  const example = bodyExample(node)
  const text = example === undefined ? "" : JSON.stringify(example, null, 2)
  const groups = places.flatMap(([place, name]) => {
    const fields = parameters.flatMap((parameter, index) =>
      parameter["in"] === place ? [field(document, parameter, index)] : []
    )
    return fields.length === 0 ? [] : [`<fieldset><legend>${name}</legend>\n${fields.join("\n")}\n</fieldset>`]
  })
  return `<h2 id="try">Try it</h2>
<noscript><p>Trying it from here needs JavaScript; the command above does not.</p></noscript>
<details class="try" hidden><summary>Send this request</summary>
<form id="try-form" data-id="${entry.id}" data-method="${entry.method}" data-path="${escape(entry.path)}">
${
    entry.method === "GET"
      ? ""
      : `<p class="caution">This is no simulation: the service that shows this page does what is asked.</p>\n`
  }${scheme === undefined ? "" : credentialField(scheme)}
${groups.join("\n")}
${
    example === undefined
      ? ""
      : `<p class="field"><label for="try-body">Body <span class="quiet">JSON${
        node["requestBody"].required === true ? "" : ", optional"
      }</span></label>
<textarea id="try-body" rows="${
        Math.min(20, text.split("\n").length + 1)
      }" spellcheck="false" autocomplete="off" aria-describedby="try-body-error">${escape(text)}</textarea>
<span id="try-body-error" class="wrong"></span></p>`
  }
<p><button type="submit">Send</button></p>
</form>
<p id="try-status" role="status"></p>
<div id="try-answer" hidden>
<details><summary>Response headers</summary><pre tabindex="0" id="try-headers"></pre></details>
<pre tabindex="0" id="try-content" aria-label="Response body"></pre>
<p class="links"><a id="try-save" hidden>Save the body as it came</a> <a id="try-error" hidden></a></p>
</div>
</details>`
}

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

import { catalog } from "../../../domain/ground/wire/Errors.ts"
import { isCode } from "../../../api/composition/docs/Operations.ts"
import { referred, resolved } from "../../../api/composition/docs/Schemas.ts"
import type { Node } from "../../../api/composition/docs/Schemas.ts"
import { escape } from "../../ground/pages/Layout.ts"
import { describedItem, membersHtml } from "./Members.ts"
import type { Prose } from "./Prose.ts"
import { code } from "./ValueHtml.ts"

/** A value of an example as it is shown: JSON, or the text that it is. */
export const shownJson = (value: unknown): string => typeof value === "string" ? value : JSON.stringify(value, null, 2)

/** The examples of a body: the one, or each with its name. */
export const examplesOf = (media: Node): ReadonlyArray<readonly [name: string, value: unknown]> =>
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
export const firstAnswer = (document: Node, node: Node): readonly [status: string, media: Node] | undefined => {
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
export const answersHtml = (document: Node, prose: Prose, node: Node, shown: string | undefined): string =>
  Object.entries<Node>(node["responses"])
    .map(([status, given]) => [status, resolved(document, given)] as const)
    .filter(([, response]) => !isRefusal(response))
    .map(([status, response]) => answerHtml(document, prose, status, response, status === shown))
    .join("\n")

/** The codes with which an operation refuses, by status, each with the way to its page. */
export const errorsHtml = (prose: Prose, node: Node): string => {
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

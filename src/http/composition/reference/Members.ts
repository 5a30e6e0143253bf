import { listBounds, patternOf, valueWords } from "../../../api/composition/docs/LlmsFull.ts"
import { referred, resolved } from "../../../api/composition/docs/Schemas.ts"
import type { Node } from "../../../api/composition/docs/Schemas.ts"
import { escape, markedFor } from "../../ground/pages/Markdown.ts"
import { addressOf, entries } from "./Entries.ts"

/** Where the styles of the reference are served. */
export const referenceStylesPath = "/docs/reference.css"

/** Where the script of the reference is served. */
export const referenceScriptPath = "/docs/reference.js"

/** Files that the pages of the reference load, beside those of every page. */
export const referenceHead =
  `<link rel="stylesheet" href="${referenceStylesPath}"><script src="${referenceScriptPath}" defer></script>`

/** Styles of the pages of the reference, after the one stylesheet, whose colours and fonts these are. */
export const referenceStyles =
  `:root { --get: #0b57b8; --post: #146c2e; --put: #7a4f00; --delete: #b3261e; --field: #8a939e }
@media (prefers-color-scheme: dark) {
  :root { --get: #7db4ff; --post: #5fd08a; --put: #e6b450; --delete: #ff9a90; --field: #6b7682 }
}
.reference {
  [hidden] { display: none }
  .quiet { font-weight: 400 }
  .trail { margin: 0 0 .5rem; color: var(--quiet); font-size: .9375rem }
  .call { font-size: 1.0625rem; overflow-wrap: anywhere }
  .call code { background: none; padding: 0 }
  .call i, .operations i { color: var(--quiet); font-style: normal }
  .method { display: inline-block; min-width: 3.6rem; font: 650 .8125rem/1.6 var(--mono); letter-spacing: .02em; color: var(--get) }
  .method.post { color: var(--post) }
  .method:is(.put, .patch) { color: var(--put) }
  .method.delete { color: var(--delete) }
  .facts { display: grid; grid-template-columns: max-content minmax(0, 1fr); gap: .25rem 1.25rem; margin: 0 0 1.5rem; font-size: .9375rem }
  .facts dt { color: var(--quiet) }
  .facts dd { margin: 0 }
  .ways { list-style: none; display: flex; flex-wrap: wrap; gap: .25rem 1.5rem; padding: 0; color: var(--quiet); font-size: .9375rem }
  .ways li { margin: 0 }
  h3 .status { font-family: var(--mono) }
  .parts > :first-child, .samples > :first-child { margin-top: 0 }
  .parts h2 { margin: 2.25rem 0 .5rem; font-size: 1.2rem }
  .parts h3 { margin: 1.25rem 0 .25rem; font-size: 1rem }
  .parts section > p { margin: 0 0 .5rem }
  .members { list-style: none; padding: 0; margin: 0 0 1rem; border-top: 1px solid var(--line) }
  .members > li { margin: 0; padding: .6rem 0; border-bottom: 1px solid var(--line) }
  .members p { margin: 0; overflow-wrap: anywhere }
  .members .words { margin-top: .15rem; font-size: .9375rem }
  .members .members { margin: .4rem 0 0; padding-left: .9rem; border-left: 2px solid var(--line) }
  .members .members > li:last-child { border-bottom: 0 }
  .name { background: none; padding: 0; font-weight: 650; overflow-wrap: anywhere }
  .type, .mark { color: var(--quiet); font-size: .875rem }
  .type { margin-left: .4rem }
  .mark { margin-left: .4rem; font-style: italic }
  b.mark { color: var(--put); font-weight: 600; font-style: normal }
  details > summary { cursor: pointer; padding: .3rem 0; font-size: .9375rem; color: var(--link) }
  .errors li { padding: .5rem 0 }
  .errors .status { display: inline-block; min-width: 2.6rem; font: .875rem/1.6 var(--mono); color: var(--quiet) }
  .sample { margin: 0 0 1.25rem }
  .sample-bar { display: flex; align-items: baseline; gap: .75rem; min-height: 2.1rem }
  .samples h2 { margin: 0 auto .4rem 0; font-size: 1rem }
  .sample-bar [role="status"] { font-size: .875rem; color: var(--quiet) }
  .samples pre { white-space: pre-wrap; overflow-wrap: anywhere; font-size: .78125rem; margin: 0 0 .75rem }
  .try { margin: 0 0 1.5rem; padding: .35rem 1rem; border: 1px solid var(--line); border-radius: 8px }
  .try > summary { font-size: 1rem; font-weight: 550 }
  .try pre { max-height: 30rem; overflow-y: auto }
  .caution { font-size: .9375rem; color: var(--quiet) }
  fieldset { border: 0; padding: 0; margin: 0 0 1rem; min-width: 0 }
  legend { padding: 0; font-weight: 600; font-size: .9375rem; margin-bottom: .35rem }
  .field { display: grid; gap: .2rem; margin: 0 0 .75rem }
  .field label { font-size: .9375rem }
  .field .quiet { font-size: .875rem }
  input, select, textarea, button {
    font: inherit; font-size: 1rem; color: var(--text); background: var(--ground);
    border: 1px solid var(--field); border-radius: 6px; padding: .4rem .6rem; width: 100%; min-width: 0
  }
  textarea { font: .8125rem/1.5 var(--mono); resize: vertical }
  ::placeholder { color: var(--quiet); opacity: 1 }
  button { width: auto; padding: .35rem 1rem; cursor: pointer; background: var(--raised) }
  .sample button { padding: .1rem .6rem; font-size: .875rem }
  button[type="submit"] { background: var(--link); border-color: var(--link); color: var(--ground); font-weight: 600 }
  button[aria-disabled] { opacity: .6; cursor: progress }
  .wrong, #try-status[data-outcome="refused"] { color: var(--delete) }
  .wrong:empty, #try-status:empty { display: none }
  #try-status { font-weight: 600; overflow-wrap: anywhere }
  #try-status[data-outcome="done"] { color: var(--post) }
  .links { display: flex; flex-wrap: wrap; gap: .25rem 1.25rem; font-size: .9375rem }
  .neighbours { display: flex; flex-wrap: wrap; justify-content: space-between; gap: .5rem 2rem; margin-top: 3rem; padding-top: 1rem; border-top: 1px solid var(--line) }
  .side { font-size: .9375rem; padding: 0 1.25rem 3rem; max-width: 50rem; margin: 0 auto }
  .side p { margin: 0 0 .35rem; font-weight: 600 }
  .side ul { list-style: none; padding: 0; columns: 14rem; margin: 0 0 1rem }
  .side li { margin: 0 }
  .side li a { display: inline-block; padding: .15rem 0; color: var(--quiet); text-decoration: none; overflow-wrap: anywhere }
  .side li a:hover, .side [aria-current] { color: var(--text); text-decoration: underline }
  .side code { background: none; padding: 0 }
  .side [aria-current] { font-weight: 650 }
  .operations p { overflow-wrap: anywhere }
  .operations code { background: none; padding: 0; font-size: .875rem }
}
@media (min-width: 64rem) {
  .bar nav { max-width: 84rem }
  .reference { display: grid; grid-template-columns: 14rem minmax(0, 1fr); gap: 0 2.5rem; max-width: 84rem; margin: 0 auto; padding: 0 1.25rem }
  .reference main { grid-area: 1 / 2; max-width: none; margin: 0; padding: 2rem 0 5rem; min-width: 0 }
  .reference.start main { max-width: 50rem }
  .reference .side { grid-area: 1 / 1; align-self: start; position: sticky; top: 0; max-height: 100vh; overflow-y: auto; margin: 0; padding: 2rem .5rem 2rem 2px }
  .reference .side ul { columns: auto }
  .columns { display: grid; grid-template-columns: minmax(0, 1fr) minmax(0, 27rem); gap: 0 2.5rem }
  .columns > .parts { grid-area: 1 / 1 }
  .columns > .samples { grid-area: 1 / 2 }
  .entry main > p, .entry .facts { max-width: 48rem }
}
`

/** More values than these stand below the others, folded. */
const fewValues = 12

/** A name or a value of the contract. Long ones may break where they are joined. */
export const code = (text: string): string => `<code>${escape(text).replaceAll(/[_.](?=\w)/g, "$&<wbr>")}</code>`

/** A value as it is written in JSON; text is shown without its quotes. */
const literal = (value: unknown): string => code(typeof value === "string" ? value : JSON.stringify(value))

/** The values of a list, and how they are said. */
const valuesHtml = (values: ReadonlyArray<unknown>): string =>
  values.length > fewValues ? `one of ${values.length} values` : values.map(literal).join(" or ")

/** The type of a value, in few words. */
const typeHtml = (document: Node, schema: Node): string => {
  const whole = resolved(document, schema)
  if (whole["enum"] !== undefined) return valuesHtml(whole["enum"])
  if (whole["anyOf"] !== undefined) {
    const options = (whole["anyOf"] as ReadonlyArray<Node>).map((option) => typeHtml(document, option))
    return [...new Set(options)].join(" or ")
  }
  if (whole["type"] === "array") {
    return `list of ${typeHtml(document, whole["items"]).replace(/^object$/, "objects")}${listBounds(whole)}`
  }
  if (typeof whole["additionalProperties"] === "object") {
    const most = whole["maxProperties"]
    return `object of names, each with ${typeHtml(document, whole["additionalProperties"])}${
      most === undefined ? "" : `, up to ${most} names`
    }`
  }
  return escape(valueWords(whole))
}

/** The values of a schema or of the elements of its list, where they are too many to be said in a line. */
const manyValues = (document: Node, schema: Node): ReadonlyArray<unknown> => {
  const whole = resolved(document, schema)
  if (whole["items"] !== undefined) return manyValues(document, whole["items"])
  if (whole["anyOf"] !== undefined) {
    return whole["anyOf"].flatMap((option: Node): ReadonlyArray<unknown> => manyValues(document, option))
  }
  return whole["enum"] !== undefined && whole["enum"].length > fewValues ? whole["enum"] : []
}

/** The values that {@link typeHtml} only counts; empty where it names them. */
const foldedValues = (document: Node, schema: Node): string => {
  const values = manyValues(document, schema)
  return values.length === 0
    ? ""
    : `<details><summary>The ${values.length} values</summary><p>${values.map(literal).join(", ")}</p></details>`
}

/** The patterns of a schema, of the elements of its list or of the options of its union. */
const patternsWithin = (document: Node, schema: Node): ReadonlyArray<string> => {
  const whole = resolved(document, schema)
  const own = patternOf(whole)
  const parts: ReadonlyArray<Node> = [...whole["anyOf"] ?? [], ...whole["items"] === undefined ? [] : [whole["items"]]]
  return [...own === undefined ? [] : [own], ...parts.flatMap((part) => patternsWithin(document, part))]
}

/** An object within a schema: itself, an element of its list, or an option of its union. */
interface ObjectWithin {
  /** The name of its schema. */
  readonly name: string | undefined
  readonly schema: Node
}

/** The objects that a value may be, or consist of. */
const objectsWithin = (document: Node, schema: Node): ReadonlyArray<ObjectWithin> => {
  const whole = resolved(document, schema)
  if (whole["anyOf"] !== undefined) {
    return whole["anyOf"].flatMap((option: Node) => objectsWithin(document, option))
  }
  if (whole["items"] !== undefined) return objectsWithin(document, whole["items"])
  if (typeof whole["additionalProperties"] === "object") return objectsWithin(document, whole["additionalProperties"])
  return whole["properties"] === undefined ? [] : [{ name: referred(schema), schema: whole }]
}

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

/** Whether a body is written by the reader, to whom it counts what must be there, or read: then, what may be missing. */
export type Side = "request" | "answer"

/** A line of a list of values: its name, what it may be, and what it is. */
interface Described {
  readonly name: string
  readonly schema: Node
  readonly description: string
  readonly isRequired: boolean
  readonly example?: unknown
  /** More about it, as HTML. */
  readonly more?: string
}

const mark = (side: Side, isRequired: boolean): string =>
  side === "request" && isRequired
    ? ` <b class="mark">required</b>`
    : side === "answer" && !isRequired
    ? ` <span class="mark">optional</span>`
    : ""

/** A member, a parameter or a header, as an element of a list. */
export const describedItem = (
  document: Node,
  prose: Prose,
  side: Side,
  { description, example, isRequired, more = "", name, schema }: Described
): string => {
  const initial = resolved(document, schema)["default"]
  const facts = [
    ...patternsWithin(document, schema).map((pattern) => `Pattern: <code>${escape(pattern)}</code>.`),
    ...(initial === undefined ? [] : [`Default: ${literal(initial)}.`]),
    ...(example === undefined ? [] : [`Example: ${literal(example)}.`])
  ].join(" ")
  return `<li><p><code class="name">${name.replaceAll("_", "_<wbr>")}</code> <span class="type">${
    typeHtml(document, schema)
  }</span>${mark(side, isRequired)}</p>${
    description === "" && facts === "" ? "" : `<p class="words">${`${prose.inline(description)} ${facts}`.trim()}</p>`
  }${foldedValues(document, schema)}${more}</li>`
}

/** The example of a member that is no object, where its schema has one. */
const exampleWithin = (document: Node, schema: Node): unknown => {
  const example = resolved(document, schema)["examples"]?.[0]
  return typeof example === "object" ? undefined : example
}

const list = (
  document: Node,
  prose: Prose,
  side: Side,
  schema: Node,
  level: number,
  around: ReadonlyArray<Node>
): string => {
  const required = new Set<string>(schema["required"] ?? [])
  const items = Object.entries<Node>(schema["properties"]).map(([name, member]) => {
    // An object that contains itself is described once, further out.
    const within = objectsWithin(document, member).filter((object) => !around.includes(object.schema))
    const parts = within.map((object) => {
      const label = within.length > 1 && object.name !== undefined ? code(object.name) : code(name)
      const members = list(document, prose, side, object.schema, level + 1, [...around, object.schema])
      // Only `data` is open, because people read it; what is around it is the same everywhere.
      return `<details${
        name === "data" && level === 0 ? " open" : ""
      }><summary>Fields of ${label}</summary>${members}</details>`
    })
    return describedItem(document, prose, side, {
      name,
      schema: member,
      description: member["description"] ?? resolved(document, member)["description"] ?? "",
      isRequired: required.has(name),
      example: exampleWithin(document, member),
      more: parts.join("")
    })
  })
  return `<ul class="members">\n${items.join("\n")}\n</ul>`
}

/** The members of a body, those of its objects within them. A body that is no object is told by its type. */
export const membersHtml = (document: Node, prose: Prose, side: Side, schema: Node): string => {
  const objects = objectsWithin(document, schema)
  if (objects.length === 0) {
    const about = resolved(document, schema)["description"]
    return `<p><span class="type">${typeHtml(document, schema)}</span>${
      about === undefined ? "" : ` ${prose.inline(about)}`
    }</p>`
  }
  return objects.map(({ name, schema: object }) => {
    const heading = objects.length > 1 && name !== undefined ? `<p>${code(name)}:</p>` : ""
    return `${heading}${list(document, prose, side, object, 0, [object])}`
  }).join("\n")
}

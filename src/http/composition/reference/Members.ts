import { referred, resolved } from "../../../api/composition/docs/Schemas.ts"
import type { Node } from "../../../api/composition/docs/Schemas.ts"
import { listBounds, patternOf, valueWords } from "../../../api/composition/docs/ValueWords.ts"
import { escape, markedFor } from "../../ground/pages/Markdown.ts"
import { addressOf, entries } from "./Entries.ts"

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

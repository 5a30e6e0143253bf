import { resolved } from "../../../api/composition/docs/Schemas.ts"
import type { Node } from "../../../api/composition/docs/Schemas.ts"
import { escape } from "../../ground/pages/Layout.ts"
import type { Prose } from "./Prose.ts"
import { code, foldedValues, literal, objectsWithin, patternsWithin, typeHtml } from "./ValueHtml.ts"

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

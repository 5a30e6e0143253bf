import { referred, resolved } from "../../../api/composition/docs/Schemas.ts"
import type { Node } from "../../../api/composition/docs/Schemas.ts"
import { listBounds, patternOf, valueWords } from "../../../api/composition/docs/ValueWords.ts"
import { escape } from "../../ground/pages/Layout.ts"

/** More values than these stand below the others, folded. */
const fewValues = 12

/** A name or a value of the contract. Long ones may break where they are joined. */
export const code = (text: string): string => `<code>${escape(text).replaceAll(/[_.](?=\w)/g, "$&<wbr>")}</code>`

/** A value as it is written in JSON; text is shown without its quotes. */
export const literal = (value: unknown): string => code(typeof value === "string" ? value : JSON.stringify(value))

/** The values of a list, and how they are said. */
const valuesHtml = (values: ReadonlyArray<unknown>): string =>
  values.length > fewValues ? `one of ${values.length} values` : values.map(literal).join(" or ")

/** The type of a value, in few words. */
export const typeHtml = (document: Node, schema: Node): string => {
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
export const foldedValues = (document: Node, schema: Node): string => {
  const values = manyValues(document, schema)
  return values.length === 0
    ? ""
    : `<details><summary>The ${values.length} values</summary><p>${values.map(literal).join(", ")}</p></details>`
}

/** The patterns of a schema, of the elements of its list or of the options of its union. */
export const patternsWithin = (document: Node, schema: Node): ReadonlyArray<string> => {
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
export const objectsWithin = (document: Node, schema: Node): ReadonlyArray<ObjectWithin> => {
  const whole = resolved(document, schema)
  if (whole["anyOf"] !== undefined) {
    return whole["anyOf"].flatMap((option: Node) => objectsWithin(document, option))
  }
  if (whole["items"] !== undefined) return objectsWithin(document, whole["items"])
  if (typeof whole["additionalProperties"] === "object") return objectsWithin(document, whole["additionalProperties"])
  return whole["properties"] === undefined ? [] : [{ name: referred(schema), schema: whole }]
}

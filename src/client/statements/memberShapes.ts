import { isMembers } from "../../domain/ground/parsing/JsonMembers.ts"

/** How a member of a closed schema is known: it follows from the events, or only the vendor says it. */
type Source = "computed" | "word"

/** A closed schema of JSON: what it does not name is not there. */
export type Shape =
  | { readonly is: "text"; readonly source: Source; readonly accepts?: (text: string) => boolean }
  | { readonly is: "integer"; readonly source: Source; readonly least?: number }
  | { readonly is: "list"; readonly of: Shape }
  | { readonly is: "record"; readonly of: Shape }
  | {
    readonly is: "members"
    readonly needed: Readonly<Record<string, Shape>>
    readonly optional: Readonly<Record<string, Shape>>
  }

/** A text that follows from the events, or is one of few. */
export const text = (accepts?: (text: string) => boolean): Shape => ({
  is: "text",
  source: "computed",
  ...(accepts === undefined ? {} : { accepts })
})

/** A text that only the vendor says. */
export const textWord = (accepts?: (text: string) => boolean): Shape => ({ ...text(accepts), source: "word" }) as Shape

/** A safe integer that follows from the events. */
export const integer = (least?: number): Shape => ({
  is: "integer",
  source: "computed",
  ...(least === undefined ? {} : { least })
})

/** A safe integer that only the vendor says. */
export const integerWord = (least?: number): Shape => ({ ...integer(least), source: "word" }) as Shape

/** A list of one kind. */
export const list = (of: Shape): Shape => ({ is: "list", of })

/** An object of members whose names are not known. */
export const record = (of: Shape): Shape => ({ is: "record", of })

/** An object of these members, of which some may be absent. */
export const members = (
  needed: Readonly<Record<string, Shape>>,
  optional: Readonly<Record<string, Shape>> = {}
): Shape => ({ is: "members", needed, optional })

const under = (path: string, name: string): string => path === "" ? name : `${path}.${name}`

const membersFault = (value: unknown, shape: Extract<Shape, { readonly is: "members" }>, path: string) => {
  if (!isMembers(value)) return `${path || "it"} is no object`
  for (const name of Object.keys(shape.needed)) {
    if (!Object.hasOwn(value, name)) return `${under(path, name)} is missing`
  }
  for (const [name, member] of Object.entries(value)) {
    const of = Object.hasOwn(shape.needed, name)
      ? shape.needed[name]
      : Object.hasOwn(shape.optional, name)
      ? shape.optional[name]
      : undefined
    if (of === undefined) return `${under(path, name)} is an unknown field`
    const fault = shapeFault(member, of, under(path, name))
    if (fault !== undefined) return fault
  }
  return undefined
}

/** The first member of a value that its closed schema does not allow, as a phrase; undefined where there is none. */
export const shapeFault = (value: unknown, shape: Shape, path = ""): string | undefined => {
  switch (shape.is) {
    case "members":
      return membersFault(value, shape, path)
    case "record": {
      if (!isMembers(value)) return `${path} is no object`
      for (const [name, one] of Object.entries(value)) {
        const fault = shapeFault(one, shape.of, under(path, name))
        if (fault !== undefined) return fault
      }
      return undefined
    }
    case "list": {
      if (!Array.isArray(value)) return `${path} is no list`
      for (const [index, one] of value.entries()) {
        const fault = shapeFault(one, shape.of, `${path}[${index}]`)
        if (fault !== undefined) return fault
      }
      return undefined
    }
    case "text":
      if (typeof value !== "string") return `${path} is no text`
      return shape.accepts?.(value) === false ? `${path} is not as it should be` : undefined
    case "integer":
      return typeof value === "number" && Number.isSafeInteger(value) && value >= (shape.least ?? -Infinity)
        ? undefined
        : `${path} is no whole number, or too small`
  }
}

/** Every place of a value at which only the vendor says what stands there, without the numbers of lists. */
export const wordsIn = (value: unknown, shape: Shape, path = ""): ReadonlyArray<string> => {
  switch (shape.is) {
    case "members":
      return isMembers(value)
        ? Object.entries(value).flatMap(([name, one]) => {
          const of = shape.needed[name] ?? shape.optional[name]
          return of === undefined ? [] : wordsIn(one, of, under(path, name))
        })
        : []
    case "record":
      return isMembers(value) ? Object.values(value).flatMap((one) => wordsIn(one, shape.of, path)) : []
    case "list":
      return Array.isArray(value) ? value.flatMap((one) => wordsIn(one, shape.of, `${path}[]`)) : []
    default:
      return shape.source === "word" ? [path] : []
  }
}

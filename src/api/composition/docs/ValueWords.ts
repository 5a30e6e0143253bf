import type { Node } from "./Schemas.ts"

/** Longer patterns would say less than the description does. */
const longestPattern = 48

/** No text of the service contains NUL, so that a pattern which only says so is none. */
const anyText = "^[^\\x00]*$"

/** The pattern of a text, where it says what its description and its format do not. */
export const patternOf = ({ format, pattern }: Node): string | undefined =>
  format !== undefined || pattern === undefined || pattern === anyText || pattern.length > longestPattern
    ? undefined
    : pattern

/** How many there may be, `1 to 20`; empty where nothing is said. */
const countWords = (least: number | undefined, most: number | undefined): string =>
  most === undefined ? "" : least === most ? `${most}` : `${least ?? 0} to ${most}`

/** How many a list may have: `, 0 to 20 of them, no two alike`. */
export const listBounds = ({ maxItems, minItems, uniqueItems }: Node): string =>
  `${maxItems === undefined ? "" : `, ${countWords(minItems, maxItems)} of them`}${
    uniqueItems === true ? ", no two alike" : ""
  }`

/** A value without parts, in few words: `integer, 1 to 200`, `string, 1 to 64 characters, date-time`. */
export const valueWords = ({ format, maxLength, maximum, minLength, minimum, type }: Node): string => {
  switch (type) {
    case "integer":
    case "number":
      return `${type}${minimum === undefined ? "" : `, ${minimum} to ${maximum ?? "any"}`}`
    case "string":
      return `string${maxLength === undefined ? "" : `, ${countWords(minLength, maxLength)} characters`}${
        format === undefined ? "" : `, ${format}`
      }`
    default:
      return String(type ?? "any value")
  }
}

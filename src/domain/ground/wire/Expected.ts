import { SchemaAST } from "effect"
import { isMembers } from "../parsing/JsonMembers.ts"
import { listed } from "../parsing/Nearest.ts"

/** The values that a schema allows, in words that complete a sentence: `must be …`. */

/** The bounds and the rules of a schema. */
interface Rules {
  minimum?: number
  maximum?: number
  isWhole?: boolean
  isUnique?: boolean
  /** The expectations of patterns and of our own rules, in words. */
  readonly words: Array<string>
}

const numberAt = (payload: Readonly<Record<string, unknown>>, names: ReadonlyArray<string>): number | undefined =>
  names.map((name) => payload[name]).find((value): value is number => typeof value === "number")

const rulesOf = (ast: SchemaAST.AST): Rules => {
  const rules: Rules = { words: [] }
  const read = (check: SchemaAST.Check<any>): void => {
    if (check._tag === "FilterGroup") return check.checks.forEach(read)
    const representation = check.annotations?.representation as
      | { readonly id?: unknown; readonly payload?: unknown }
      | undefined
    const id = String(representation?.id ?? "")
    if (id.endsWith("/isInt")) rules.isWhole = true
    else if (id.endsWith("/isUnique")) rules.isUnique = true
    else if (
      (representation === undefined || id.endsWith("/isPattern")) && typeof check.annotations?.["expected"] === "string"
    ) rules.words.push(check.annotations["expected"])
    else if (isMembers(representation?.payload)) {
      const minimum = numberAt(representation.payload, ["minimum", "minLength"])
      const maximum = numberAt(representation.payload, ["maximum", "maxLength"])
      if (minimum !== undefined) rules.minimum = Math.max(minimum, rules.minimum ?? minimum)
      if (maximum !== undefined) rules.maximum = Math.min(maximum, rules.maximum ?? maximum)
    }
  }
  ast.checks?.forEach(read)
  return rules
}

/** The length of a text or a list in words: `1 to 255 characters`. */
const lengthOf = ({ maximum, minimum = 0 }: Rules, unit: string): string | undefined =>
  maximum === undefined
    ? minimum > 0 ? `at least ${minimum} ${unit}` : undefined
    : minimum === 0
    ? `at most ${maximum} ${unit}`
    : `${minimum} to ${maximum} ${unit}`

const numberOf = (rules: Rules): string => {
  const noun = rules.isWhole === true ? "a whole number" : "a number"
  const { maximum, minimum } = rules
  if (minimum !== undefined && maximum !== undefined) return `${noun} from ${minimum} to ${maximum}`
  if (minimum !== undefined) return `${noun} of at least ${minimum}`
  return maximum === undefined ? noun : `${noun} of at most ${maximum}`
}

const stringOf = (rules: Rules): string => {
  const length = lengthOf(rules, "characters")
  if (rules.words.length > 0) return [...rules.words, ...(length === undefined ? [] : [length])].join(", ")
  return length === undefined ? "a string" : `a string of ${length}`
}

/** The allowed texts of a schema that lists them; undefined for any other. */
export const literalsOf = (ast: SchemaAST.AST): ReadonlyArray<string> | undefined => {
  if (SchemaAST.isLiteral(ast)) return [String(ast.literal)]
  if (!SchemaAST.isUnion(ast) || ast.types.length === 0) return undefined
  const literals = ast.types.map(literalsOf)
  return literals.every((found) => found !== undefined) ? literals.flat() : undefined
}

/** The names of the members that an object may have. */
export const namesOf = (ast: SchemaAST.AST): ReadonlyArray<string> =>
  SchemaAST.isObjects(ast) ? ast.propertySignatures.map(({ name }) => String(name)) : []

/** The names of the members that an object must have. */
export const requiredOf = (ast: SchemaAST.AST): ReadonlyArray<string> =>
  SchemaAST.isObjects(ast)
    ? ast.propertySignatures.filter(({ type }) => !SchemaAST.isOptional(type)).map(({ name }) => String(name))
    : []

/** The values that a schema allows: kind, bounds and units, or a list. `input` picks the nearest of many values. */
export const expected = (ast: SchemaAST.AST, input?: unknown): string => {
  const literals = literalsOf(ast)
  if (literals !== undefined) return literals.length === 1 ? literals[0]! : `one of ${listed(literals, input)}`
  const rules = rulesOf(ast)
  if (SchemaAST.isString(ast)) return stringOf(rules)
  if (SchemaAST.isNumber(ast)) return numberOf(rules)
  if (SchemaAST.isBoolean(ast)) return "true or false"
  if (SchemaAST.isNull(ast)) return "null"
  if (SchemaAST.isArrays(ast)) {
    const length = lengthOf(rules, rules.isUnique === true ? "different elements" : "elements")
    return length === undefined ? "an array" : `an array of ${length}`
  }
  if (SchemaAST.isUnion(ast)) return ast.types.map((type) => expected(type, input)).join(", or ")
  return "a JSON object"
}

/** The type of a JSON value, without its content. */
export const kindOf = (value: unknown): string => {
  if (value === null) return "null"
  if (Array.isArray(value)) return "an array"
  return { boolean: "a boolean", number: "a number", string: "a string" }[typeof value as string] ??
    (typeof value === "object" ? "an object" : "nothing")
}

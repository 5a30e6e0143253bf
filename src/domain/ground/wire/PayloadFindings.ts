import { Result, Schema, SchemaAST } from "effect"
import { isMembers } from "../parsing/JsonMembers.ts"
import type { FieldFinding } from "./Errors.ts"
import { finding, findingsOf, maximumFindings, required, unknownField } from "./FieldFindings.ts"

type Path = ReadonlyArray<PropertyKey>

/** No free-form member takes more than 16 KiB as JSON, which holds no more values than this: `[1,1,...]`. */
const maximumFreeValues = 8192

/**
 * Findings about a request body without decoding all of it. A caller decides how many members and elements a body has,
 * so no more of them are looked at than a refusal can name findings.
 */
export interface PayloadFindings {
  /** Findings about length (lists, free-form fields, unknown fields), before any element is read. */
  readonly tooLong: (body: unknown, most?: number) => ReadonlyArray<FieldFinding>
  /** The findings about a body that does not decode, at most `most`, or else as many as a refusal names. */
  readonly of: (body: unknown, most?: number) => ReadonlyArray<FieldFinding>
}

const maximumLengthOf = (ast: SchemaAST.AST): number => {
  let least = Number.POSITIVE_INFINITY
  const read = (check: SchemaAST.Check<any>): void => {
    if (check._tag === "FilterGroup") return check.checks.forEach(read)
    const payload = (check.annotations?.representation as { readonly payload?: unknown } | undefined)?.payload
    if (!isMembers(payload)) return
    const maximum = payload["maxLength"] ?? payload["maximum"]
    if (typeof maximum === "number") least = Math.min(least, maximum)
  }
  ast.checks?.forEach(read)
  return least
}

/** Whether a JSON value holds more than `room` values, itself included. It stops counting there, at any depth. */
const exceeds = (value: unknown, room: number): boolean => {
  const rest: Array<unknown> = [value]
  let counted = 0
  while (rest.length > 0) {
    const next = rest.pop()
    counted += 1
    if (counted + rest.length > room) return true
    if (typeof next !== "object" || next === null) continue
    if (Array.isArray(next) && counted + rest.length + next.length > room) return true
    for (const name in next) {
      rest.push((next as Record<string, unknown>)[name])
      if (counted + rest.length > room) return true
    }
  }
  return false
}

/** The findings until now, and their limit: each finding costs, and a caller may send many. */
interface Found {
  readonly list: Array<FieldFinding>
  readonly most: number
}

type Judge = (body: unknown, path: Path, found: Found) => void

const nothing: Judge = () => {}

const isFull = ({ list, most }: Found): boolean => list.length >= most

/** Finds lists, free-form members and objects that are too long; `nothing` for a schema that has none. */
const lengths = (ast: SchemaAST.AST): Judge => {
  if (ast.encoding !== undefined) return nothing
  if (SchemaAST.isArrays(ast) && ast.elements.length === 0) {
    const maximum = maximumLengthOf(ast)
    return (body, path, found) => {
      if (Array.isArray(body) && body.length > maximum) {
        found.list.push(finding(path, "invalid_value", `must have at most ${maximum} elements, not ${body.length}`))
      }
    }
  }
  if (!SchemaAST.isObjects(ast)) return nothing
  if (ast.indexSignatures.length > 0) {
    return (body, path, found) => {
      if (isMembers(body) && exceeds(body, maximumFreeValues)) {
        found.list.push(finding(path, "invalid_value", "must be at most 16 KiB as JSON"))
      }
    }
  }
  const known = new Set(ast.propertySignatures.map(({ name }) => String(name)))
  const members = ast.propertySignatures.flatMap(({ name, type }) => {
    const judge = lengths(type)
    return judge === nothing ? [] : [{ name: String(name), judge }]
  })
  return (body, path, found) => {
    if (!isMembers(body)) return
    const unknown: Array<string> = []
    for (const name in body) {
      if (!known.has(name)) unknown.push(name)
      // With fewer findings, those about the other members are reported too.
      if (unknown.length >= maximumFindings) {
        found.list.push(...unknown.slice(0, found.most).map((name) => unknownField([...path, name], [...known])))
        return
      }
    }
    for (const { judge, name } of members) judge(body[name], [...path, name], found)
  }
}

/** Decodes a value whole and stops at the first thing wrong; its own rules are judged by it, and whatever is a leaf. */
const whole = (ast: SchemaAST.AST): Judge => {
  const decode = Schema.decodeUnknownResult(Schema.make<Schema.Codec<unknown>>(ast), {
    errors: "first",
    onExcessProperty: "error",
    reportInput: true
  })
  return (body, path, found) => {
    const decoded = decode(body)
    if (Result.isSuccess(decoded)) return
    found.list.push(...findingsOf(decoded.failure.issue, path).slice(0, found.most - found.list.length))
  }
}

/** Finds what is wrong member by member and element by element until there are enough findings. */
const members = (ast: SchemaAST.AST): Judge => {
  const asOne = whole(ast)
  if (ast.encoding !== undefined) return asOne
  if (SchemaAST.isArrays(ast) && ast.elements.length === 0 && ast.rest[0] !== undefined) {
    const element = members(ast.rest[0])
    return (body, path, found) => {
      const before = found.list.length
      if (Array.isArray(body)) {
        for (let index = 0; index < body.length && !isFull(found); index++) {
          element(body[index], [...path, index], found)
        }
      }
      if (found.list.length === before) asOne(body, path, found)
    }
  }
  if (!SchemaAST.isObjects(ast) || ast.indexSignatures.length > 0) return asOne
  const properties = ast.propertySignatures.map(({ name, type }) => ({
    name: String(name),
    isOptional: SchemaAST.isOptional(type),
    judge: members(type)
  }))
  const known = new Set(properties.map(({ name }) => name))
  return (body, path, found) => {
    const before = found.list.length
    if (isMembers(body)) {
      for (const name in body) {
        if (isFull(found)) return
        if (!known.has(name)) found.list.push(unknownField([...path, name], [...known]))
      }
      for (const { isOptional, judge, name } of properties) {
        if (isFull(found)) return
        if (Object.hasOwn(body, name)) judge(body[name], [...path, name], found)
        else if (!isOptional) found.list.push(required([...path, name]))
      }
    }
    // A rule about several members is judged only when each of them is valid.
    if (found.list.length === before) asOne(body, path, found)
  }
}

const collect = (judge: Judge) => (body: unknown, most = maximumFindings): ReadonlyArray<FieldFinding> => {
  const found: Found = { list: [], most }
  judge(body, [], found)
  return found.list.slice(0, most)
}

/** The findings about bodies that a schema reads. */
export const payloadFindings = (schema: Schema.Top): PayloadFindings => ({
  tooLong: collect(lengths(schema.ast)),
  of: collect(members(schema.ast))
})

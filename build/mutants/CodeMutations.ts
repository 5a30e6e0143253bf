import { parseSync } from "oxc-parser"
import { childrenOf, isNode } from "../../test/fixtures/SourceTree.ts"
import type { Node } from "../../test/fixtures/SourceTree.ts"
import type { Mutation } from "./Mutation.ts"
import { sqlMutations } from "./SqlMutations.ts"

/** A node with the text it stands in. */
interface Place {
  readonly node: Node
  readonly source: string
}

type Change = Omit<Mutation, "operator">
type Operator = (place: Place) => ReadonlyArray<Change>

/** What changes no behavior when it changes: types, texts for people, logs, spans. */
const silentCalls =
  /(^|\.)(annotate\w*|annotations|withSpan|log(Debug|Error|Fatal|Info|Trace|Warning)?|annotate(CurrentSpan|Logs|Spans)|\w*Error|die\w*)$/
const silentMembers = new Set(["description", "documentation", "examples", "identifier", "message", "summary", "title"])

const textOf = ({ node, source }: Place): string => source.slice(node.start, node.end)

const nameOf = (node: unknown): string => {
  if (!isNode(node)) return ""
  if (typeof node["name"] === "string") return node["name"]
  if (node.type === "MemberExpression") return `${nameOf(node["object"])}.${nameOf(node["property"])}`
  return node.type === "CallExpression" ? nameOf(node["callee"]) : ""
}

const whole = ({ node }: Place, text: string): Change => ({ start: node.start, end: node.end, text })

/** Both sides of an operator and the operator between them. */
const sidesOf = (node: Node): { readonly left: Node; readonly right: Node; readonly sign: string } | undefined => {
  const { left, operator, right } = node
  return isNode(left) && isNode(right) && typeof operator === "string" ? { left, right, sign: operator } : undefined
}

/** Changes the operator of an expression, which stands behind its left side. */
const turned = (signs: Readonly<Record<string, string>>): Operator => ({ node, source }) => {
  const sides = sidesOf(node)
  const by = sides && signs[sides.sign]
  if (sides === undefined || by === undefined) return []
  const start = source.indexOf(sides.sign, sides.left.end)
  return start === -1 || start >= sides.right.start ? [] : [{ start, end: start + sides.sign.length, text: by }]
}

const isText = (node: Node): boolean =>
  node.type === "TemplateLiteral" || (node.type === "Literal" && typeof node["value"] === "string") ||
  (sidesOf(node)?.sign === "+" && childrenOf(node).some(isText))

/** Whether an expression compares a value by its size, which is false of undefined, and nothing but that. */
const isSizeOf = (value: string, place: Place): boolean => {
  const { node } = place
  if (node.type === "ParenthesizedExpression" && isNode(node["expression"])) {
    return isSizeOf(value, { ...place, node: node["expression"] })
  }
  const sides = sidesOf(node)
  if (sides === undefined) return false
  const both = [sides.left, sides.right]
  if (sides.sign === "||") return both.every((side) => isSizeOf(value, { ...place, node: side }))
  return /^[<>]=?$/.test(sides.sign) && both.some((side) => textOf({ ...place, node: side }) === value)
}

/** Whether `a !== undefined` stands before `a < b`: without it the program does the same, and does not compile. */
const isGuardOfTypes = (place: Place): boolean => {
  const sides = sidesOf(place.node)
  const guard = sides?.sign === "&&" ? sidesOf(sides.left) : undefined
  if (sides === undefined || guard?.sign !== "!==" || textOf({ ...place, node: guard.right }) !== "undefined") {
    return false
  }
  return isSizeOf(textOf({ ...place, node: guard.left }), { ...place, node: sides.right })
}

const sideDropped: Operator = (place) => {
  const sides = sidesOf(place.node)
  if (sides === undefined) return []
  const kept = isGuardOfTypes(place) ? [sides.left] : [sides.left, sides.right]
  return kept.map((node) => whole(place, textOf({ ...place, node })))
}

const notDropped: Operator = (place) => {
  const { argument, operator } = place.node
  return operator === "!" && isNode(argument) ? [whole(place, textOf({ ...place, node: argument }))] : []
}

const testForced: Operator = ({ node: { test } }) =>
  isNode(test) ? ["true", "false"].map((text) => ({ start: test.start, end: test.end, text })) : []

const offByOne: Operator = (place) => {
  const text = textOf(place)
  if (/^[\d_]+n$/.test(text)) return [whole(place, `${BigInt(text.slice(0, -1).replaceAll("_", "")) + 1n}n`)]
  const { value } = place.node
  return typeof value === "number" ? [whole(place, String(value + 1))] : []
}

const flipped: Operator = (place) =>
  typeof place.node["value"] === "boolean" ? [whole(place, String(!place.node["value"]))] : []

const argumentsOf = (node: Node): ReadonlyArray<Node> => {
  const given = node["arguments"]
  return Array.isArray(given) ? given.filter(isNode) : []
}

/** Two neighbours of a call change places, where both are named alike: by a name, or by a member of something. */
const exchanged: Operator = ({ node, source }) => {
  const given = argumentsOf(node)
  return given.flatMap((first, index) => {
    const second = given[index + 1]
    if (second === undefined || first.type !== second.type) return []
    if (!["Identifier", "MemberExpression"].includes(first.type) || nameOf(first) === nameOf(second)) return []
    const between = source.slice(first.end, second.start)
    return [{
      start: first.start,
      end: second.end,
      text: textOf({ node: second, source }) + between + textOf({ node: first, source })
    }]
  })
}

const methods: Readonly<Record<string, string>> = {
  min: "max",
  max: "min",
  floor: "ceil",
  ceil: "floor",
  some: "every",
  every: "some",
  find: "findLast",
  findLast: "find",
  startsWith: "endsWith",
  endsWith: "startsWith"
}

const calledMember = (node: Node): { readonly object: Node; readonly property: Node } | undefined => {
  const { callee } = node
  if (!isNode(callee) || callee.type !== "MemberExpression") return undefined
  const { object, property } = callee
  return isNode(object) && isNode(property) && property.type === "Identifier" ? { object, property } : undefined
}

const methodTurned: Operator = ({ node }) => {
  const member = calledMember(node)
  const by = member && methods[nameOf(member.property)]
  return member === undefined || by === undefined
    ? []
    : [{ start: member.property.start, end: member.property.end, text: by }]
}

const stepDropped: Operator = (place) => {
  const member = calledMember(place.node)
  if (member === undefined || !["filter", "toSorted", "toReversed"].includes(nameOf(member.property))) return []
  return /^[A-Z]\w*$/.test(nameOf(member.object)) ? [] : [whole(place, textOf({ ...place, node: member.object }))]
}

/** One condition of `sql.and([…])` is left out. */
const memberDropped: Operator = ({ node, source }) => {
  if (!/(^|\.)sql\.(and|or)$/i.test(nameOf(node["callee"]))) return []
  const [list] = argumentsOf(node)
  const elements = list === undefined || !Array.isArray(list["elements"]) ? [] : list["elements"].filter(isNode)
  return elements.map((element: Node, index) => ({
    start: element.start,
    end: elements[index + 1]?.start ?? element.end + (/^\s*,/.exec(source.slice(element.end))?.[0].length ?? 0),
    text: ""
  }))
}

/** What is done to a node, by its type. */
const operators: Readonly<Record<string, Readonly<Record<string, Operator>>>> = {
  BinaryExpression: {
    "comparison turned": turned({ "<": "<=", "<=": "<", ">": ">=", ">=": ">" }),
    "equality turned": turned({ "===": "!==", "!==": "===", "==": "!=", "!=": "==" }),
    "sign turned": (place) => isText(place.node) ? [] : turned({ "+": "-", "-": "+", "*": "/", "/": "*" })(place)
  },
  LogicalExpression: { "side dropped": sideDropped },
  UnaryExpression: { "not dropped": notDropped },
  ConditionalExpression: { "test forced": testForced },
  IfStatement: { "test forced": testForced },
  Literal: { "number off by one": offByOne, "truth flipped": flipped },
  AssignmentExpression: { "sign turned": turned({ "+=": "-=", "-=": "+=" }) },
  CallExpression: {
    "arguments exchanged": exchanged,
    "method turned": methodTurned,
    "step dropped": stepDropped,
    "condition dropped": memberDropped
  },
  NewExpression: { "arguments exchanged": exchanged }
}

/** Whether a template holds SQL: it has the tag, or stands in a program of statements and has words of one. */
const isSql = (parent: Node | undefined, text: string): boolean =>
  parent?.type === "TaggedTemplateExpression"
    ? /(^|\.)sql$/i.test(nameOf(parent["tag"]))
    : /\b(SELECT|WHERE|JOIN|CASE WHEN|GROUP BY|ORDER BY|coalesce)\b/.test(text)

/** The text of a template with NUL where something is put in, so that both have the same length. */
const maskedText = (node: Node, source: string): string => {
  const holes = Array.isArray(node["expressions"]) ? node["expressions"].filter(isNode) : []
  let masked = source.slice(node.start + 1, node.end - 1)
  for (const { end, start } of holes) {
    const from = source.lastIndexOf("${", start) - node.start - 1
    const to = source.indexOf("}", end) - node.start
    masked = masked.slice(0, from) + "\0".repeat(to - from) + masked.slice(to)
  }
  return masked
}

const templateMutations = (node: Node, parent: Node | undefined, source: string): ReadonlyArray<Mutation> => {
  const masked = maskedText(node, source)
  if (!isSql(parent, masked)) return []
  const start = node.start + 1
  return sqlMutations(masked, source.slice(start, node.end - 1)).map(({ operator, text, ...at }) => ({
    operator: `sql: ${operator}`,
    start: at.start + start,
    end: at.end + start,
    text
  }))
}

/** What stands in a type, a text for people or an import is not looked at. */
const isSilent = (node: Node): boolean => {
  if (/^(Import|ExportAll|TS(?!AsExpression|NonNullExpression|SatisfiesExpression))/.test(node.type)) return true
  if (node.type === "CallExpression" || node.type === "NewExpression") return silentCalls.test(nameOf(node["callee"]))
  return node.type === "Property" && silentMembers.has(nameOf(node["key"]))
}

const visited = (node: Node, parent: Node | undefined, source: string): ReadonlyArray<Mutation> => {
  if (isSilent(node)) return []
  const own = Object.entries(operators[node.type] ?? {}).flatMap(([operator, apply]) =>
    apply({ node, source }).map(({ end, start, text }) => ({ operator, start, end, text }))
  )
  const inside = childrenOf(node).flatMap((child) => visited(child, node, source))
  return [...own, ...(node.type === "TemplateLiteral" ? templateMutations(node, parent, source) : []), ...inside]
}

/** The numbers that a choice comes to, with those of choices inside it. */
const chosenNumbers = (node: unknown): ReadonlyArray<Node> => {
  if (!isNode(node)) return []
  if (node.type === "ConditionalExpression") return [node["consequent"], node["alternate"]].flatMap(chosenNumbers)
  return node.type === "Literal" || (node.type === "UnaryExpression" && node["operator"] === "-") ? [node] : []
}

/** Where the ones of comparisons stand, such as `a < b ? -1 : 1`: a sort reads their signs alone. */
const signsIn = (node: Node, source: string): ReadonlyArray<number> => {
  const numbers = chosenNumbers(node)
  const isComparison = numbers.some((number) => textOf({ node: number, source }) === "-1")
  const ones = numbers.filter((number) => /^-?1$/.test(textOf({ node: number, source })))
  return [
    ...isComparison ? ones.map(({ end }) => end - 1) : [],
    ...childrenOf(node).flatMap((one) => signsIn(one, source))
  ]
}

/** Where the least lengths of texts stand, such as `text(1, 255)`: another number than 0 and 1 is none that compiles. */
const leastLengthsIn = (node: Node): ReadonlyArray<number> => {
  const [first] = /(^|\.)text$/.test(nameOf(node["callee"])) ? argumentsOf(node) : []
  const isOne = first?.type === "Literal" && first["value"] === 1
  return [...isOne ? [first.start] : [], ...childrenOf(node).flatMap(leastLengthsIn)]
}

/** Every mutation of a program, in the order of where it stands. */
export const codeMutations = (path: string, source: string): ReadonlyArray<Mutation> => {
  const { errors, program } = parseSync(path, source)
  if (errors.length > 0 || !isNode(program)) throw new Error(`${path} cannot be parsed`)
  const fixed = new Set([...signsIn(program, source), ...leastLengthsIn(program)])
  return visited(program, undefined, source)
    .filter(({ operator, start }) => operator !== "number off by one" || !fixed.has(start))
    .toSorted((a, b) => a.start - b.start || a.end - b.end)
}

/** Whether a text is a program at all. */
export const isProgram = (path: string, source: string): boolean => parseSync(path, source).errors.length === 0

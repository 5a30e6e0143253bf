import type { Mutation } from "./Mutation.ts"

/** A piece of a statement. Comments are no tokens; a text and a hole of the template are one each. */
interface Token {
  readonly kind: "word" | "number" | "text" | "hole" | "sign"
  readonly text: string
  readonly start: number
  readonly end: number
}

const lexicon =
  /(?<comment>--[^\n]*)|(?<text>'[^']*')|(?<hole>\0+)|(?<word>[A-Za-z_][\w.]*)|(?<number>\d+(?:\.\d+)?)|(?<sign><=|>=|<>|!=|->>|->|=>|@>|<@|::|\|\||[-+*/%<>=(),.;[\]])/g

const tokensOf = (text: string): ReadonlyArray<Token> => {
  const found: Array<Token> = []
  for (const { groups = {}, index, 0: matched } of text.matchAll(lexicon)) {
    const kind = (["word", "number", "text", "hole", "sign"] as const).find((name) => groups[name] !== undefined)
    if (kind === undefined) continue
    found.push({
      kind,
      text: kind === "word" ? matched.toUpperCase() : matched,
      start: index,
      end: index + matched.length
    })
  }
  return found
}

const turned: Readonly<Record<string, string>> = {
  "<": "<=",
  "<=": "<",
  ">": ">=",
  ">=": ">",
  "=": "<>",
  "<>": "=",
  "!=": "="
}

const exchanged: Readonly<Record<string, string>> = {
  GREATEST: "least",
  LEAST: "greatest",
  ASC: "DESC",
  DESC: "ASC",
  FIRST: "LAST",
  LAST: "FIRST",
  TRUE: "false",
  FALSE: "true"
}

const calls = new Set(["GREATEST", "LEAST", "MIN", "MAX"])
const aggregates: Readonly<Record<string, string>> = { MIN: "max", MAX: "min" }

const begins = new Set(["WHERE", "ON", "HAVING", "WHEN"])

const ends = new Set(
  (
    "SELECT FROM JOIN LEFT INNER CROSS RIGHT FULL GROUP ORDER LIMIT OFFSET RETURNING UNION EXCEPT INTERSECT SET VALUES FOR " +
    "THEN ELSE END WINDOW DO AS INSERT UPDATE DELETE WITH CASE CONFLICT"
  ).split(" ")
)

/** What makes a fragment without a keyword a condition, and not a list of columns. */
const judges = new Set(["=", "<", ">", "<=", ">=", "<>", "!=", "IN", "IS", "EXISTS", "BETWEEN", "LIKE", "ILIKE"])

type Place = "condition" | "unsaid" | "other"

interface Reading {
  readonly tokens: ReadonlyArray<Token>
  readonly found: Array<Mutation>
}

/** The tokens that stand in no parentheses. */
const outermost = (tokens: ReadonlyArray<Token>): ReadonlyArray<Token> => {
  let depth = 0
  return tokens.filter(({ text }) => {
    if (text === "(") depth++
    if (text === ")") depth--
    return depth === 0
  })
}

/** The mutation that drops a condition: what is joined by OR becomes false, everything else true. */
const dropped = ({ found, tokens }: Reading, from: number, to: number, place: Place): void => {
  const [first, last] = [tokens[from], tokens[to - 1]]
  if (first === undefined || last === undefined) return
  const own = tokens.slice(from, to)
  if (own.every(({ kind }) => kind === "hole") || /^(TRUE|FALSE)$/.test(first.text)) return
  if (place === "unsaid" && !outermost(own).some(({ text }) => judges.has(text))) return
  const isAlternative = tokens[from - 1]?.text === "OR" || tokens[to]?.text === "OR"
  found.push({
    operator: "condition dropped",
    start: first.start,
    end: last.end,
    text: isAlternative ? "false" : "true"
  })
}

const closing = (tokens: ReadonlyArray<Token>, opening: number): number => {
  let depth = 0
  for (let index = opening; index < tokens.length; index++) {
    if (tokens[index]?.text === "(") depth++
    if (tokens[index]?.text === ")" && --depth === 0) return index
  }
  return tokens.length
}

const isCall = (before: Token | undefined): boolean =>
  before?.kind === "word" && !["AND", "OR", "NOT"].includes(before.text) && !begins.has(before.text)

/** Reads one level of parentheses: where conditions begin and end, and what stands between AND and OR. */
const readLevel = (reading: Reading, from: number, to: number, outer: Place): void => {
  const { found, tokens } = reading
  let place = outer
  let begun = from
  let isBetween = false
  const finish = (at: number) => {
    if (place !== "other") dropped(reading, begun, at, place)
  }
  for (let index = from; index < to; index++) {
    const token = tokens[index]
    if (token === undefined) return
    const { text } = token
    if (text === "(") {
      const end = closing(tokens, index)
      readLevel(reading, index + 1, end, isCall(tokens[index - 1]) ? "other" : place)
      index = end
    } else if (begins.has(text) && !(text === "ON" && tokens[index + 1]?.text === "CONFLICT")) {
      finish(index)
      place = "condition"
      begun = index + 1
    } else if (text === "BETWEEN") isBetween = true
    else if ((text === "AND" || text === "OR") && place !== "other") {
      if (isBetween && text === "AND") isBetween = false
      else {
        place = "condition"
        if (index > from) finish(index)
        begun = index + 1
      }
    } else if (text === "," || (ends.has(text) && tokens[index - 1]?.text !== "DISTINCT")) {
      if (place !== "unsaid" || text !== ",") finish(index)
      place = "other"
    } else if (turned[text] !== undefined && (text !== "=" || place !== "other")) {
      found.push({ operator: "comparison turned", start: token.start, end: token.end, text: turned[text] })
    }
  }
  finish(to)
}

/** Mutations of single words, numbers and signs, wherever they stand. */
const smallMutations = ({ found, tokens }: Reading, text: string): void => {
  tokens.forEach((token, index) => {
    const [before, after] = [tokens[index - 1], tokens[index + 1]]
    const change = (operator: string, by: string, end = token.end) =>
      found.push({ operator, start: token.start, end, text: by })
    const other = exchanged[token.text] ?? (after?.text === "(" ? aggregates[token.text] : undefined)
    if (token.kind === "word" && other !== undefined && (!calls.has(token.text) || after?.text === "(")) {
      change(`${token.text.toLowerCase()} turned`, other)
    }
    if (token.text === "IS" && after?.text === "NOT" && tokens[index + 2]?.text === "NULL") {
      change("not dropped", "IS", after.end)
    } else if (token.text === "IS" && after?.text === "NULL") change("null turned", "IS NOT")
    else if (token.text === "NOT" && before?.text !== "IS") change("not dropped", "")
    if (token.text === "LEFT" && after?.text === "JOIN") change("join turned", "INNER")
    if (token.text === "DISTINCT" && before?.text === "SELECT" && after?.text !== "ON") change("distinct dropped", "")
    if (token.kind === "number" && !/[\w$.]/.test(text[token.start - 1] ?? "")) {
      change("number off by one", String(Number(token.text) + 1))
    }
    if ((token.text === "+" || token.text === "-") && before?.end !== token.start && after?.start !== token.end) {
      change("sign turned", token.text === "+" ? "-" : "+")
    }
    const quantity = /^'(\d+)/.exec(token.text)?.[1]
    if (token.kind === "text" && before?.text === "INTERVAL" && quantity !== undefined) {
      change("interval off by one", `'${Number(quantity) + 1}${token.text.slice(1 + quantity.length)}`)
    }
  })
}

/** `coalesce(a, b)` becomes `a`, and `b`. */
const coalesceMutations = ({ found, tokens }: Reading, text: string): void => {
  tokens.forEach((token, index) => {
    if (token.text !== "COALESCE" || tokens[index + 1]?.text !== "(") return
    const end = closing(tokens, index + 1)
    let comma = index + 2
    while (comma < end && tokens[comma]?.text !== ",") {
      comma = tokens[comma]?.text === "(" ? closing(tokens, comma) + 1 : comma + 1
    }
    const [first, middle, last] = [tokens[index + 2], tokens[comma], tokens[end]]
    if (first === undefined || middle === undefined || last === undefined || comma >= end) return
    for (const kept of [text.slice(first.start, middle.start), text.slice(middle.end, last.start).trim()]) {
      found.push({ operator: "default dropped", start: token.start, end: last.end, text: `(${kept})` })
    }
  })
}

/**
 * The mutations of a statement or a fragment of one. Holes of the template are given as characters NUL, `source` is what
 * stands in the program.
 */
export const sqlMutations = (masked: string, source: string): ReadonlyArray<Mutation> => {
  const reading: Reading = { tokens: tokensOf(masked), found: [] }
  readLevel(reading, 0, reading.tokens.length, "unsaid")
  smallMutations(reading, masked)
  coalesceMutations(reading, source)
  return reading.found
}

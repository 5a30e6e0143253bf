import { isDouble } from "./InternetJson.ts"

/** Where a text stops being JSON (RFC 8259), counted from 1, in UTF-16 code units. */
export interface JsonPosition {
  readonly line: number
  readonly column: number
}

// White space, and then one token: punctuation, a string, a number or a word.
const token =
  /[ \t\n\r]*(?:([{}[\],:])|("(?:[ !#-[\]-\uffff]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*")|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null)/y

/** The tokens that may come next. */
type Expecting = "value" | "value or end" | "name" | "name or end" | "colon" | "comma or end"

/**
 * Finds where a text that is not JSON goes wrong: at the first token that may not stand there, or at the end. JSON.parse
 * knows the place, and tells it only for some mistakes, in a message that repeats what was sent.
 */
export const jsonErrorPosition = (text: string): JsonPosition => {
  const open: Array<"{" | "["> = []
  let expecting: Expecting | "nothing" = "value"
  let at = 0
  const ended = () => open.length === 0 ? "nothing" as const : "comma or end" as const
  for (;;) {
    token.lastIndex = at
    const found = token.exec(text)
    if (found === null) break
    const [, punctuation, string] = found
    const isEnd = punctuation === (open.at(-1) === "{" ? "}" : "]") && open.length > 0
    const wantsValue = expecting === "value" || expecting === "value or end"
    if (wantsValue && (punctuation === "{" || punctuation === "[")) {
      open.push(punctuation)
      expecting = punctuation === "{" ? "name or end" : "value or end"
    } else if (wantsValue && punctuation === undefined) expecting = ended()
    else if (isEnd && expecting.endsWith("or end")) {
      open.pop()
      expecting = ended()
    } else if (expecting.startsWith("name") && string !== undefined) expecting = "colon"
    else if (expecting === "colon" && punctuation === ":") expecting = "value"
    else if (expecting === "comma or end" && punctuation === ",") expecting = open.at(-1) === "{" ? "name" : "value"
    else break
    at = token.lastIndex
  }
  const start = at + /^[ \t\n\r]*/.exec(text.slice(at))![0].length
  const lines = text.slice(0, start).split("\n")
  return { line: lines.length, column: lines.at(-1)!.length + 1 }
}

/** A member of which only a part would be kept. */
export interface JsonLoss {
  readonly path: ReadonlyArray<string | number>
  /** Completes a sentence that begins with the path. It never repeats what stands there. */
  readonly message: string
}

const tooPrecise =
  "must not have more digits than a number keeps (whole ones up to 2^53): it would become another one. " +
  "Send it as text"
const tooLarge = "must not be beyond the numbers that there are (up to 1.8e308)"
const twice = "appears twice in its object, and only one of the two would be kept"

/** Whether a character may stand in a number after its beginning. */
const isOfNumber = (code: number): boolean =>
  (code >= 0x30 && code <= 0x39) || code === 0x2e || code === 0x2b || code === 0x2d || code === 0x45 || code === 0x65

/** The index of the quotation mark that ends the string which begins at `start`. */
const endOfString = (text: string, start: number): number => {
  for (let end = text.indexOf("\"", start + 1); end !== -1; end = text.indexOf("\"", end + 1)) {
    let before = end - 1
    while (text.charCodeAt(before) === 0x5c) before -= 1
    // An even number of backslashes stands for itself.
    if ((end - before) % 2 === 1) return end
  }
  return text.length
}

/** More names than this are looked up by a hash: an object may have as many as a body has room for. */
const fewNames = 16

/** The names of an object, until one comes twice. */
class Names {
  private readonly few: Array<string> = []
  private many: Set<string> | undefined

  /** Answers whether the name is new. */
  add(name: string): boolean {
    if (this.many !== undefined) return this.many.size < this.many.add(name).size
    if (this.few.includes(name)) return false
    this.few.push(name)
    if (this.few.length > fewNames) this.many = new Set(this.few)
    return true
  }
}

/** An object or an array that is open; an array has no names. */
interface Open {
  readonly names: Names | undefined
  /** The member or the element that is read. */
  at: string | number
}

const lossIn = (open: ReadonlyArray<Open>, message: string): JsonLoss => ({ path: open.map(({ at }) => at), message })

/** Reports what is open around each loss, from the outside in, for as long as the reader answers that it goes on. */
const eachLoss = (text: string, goesOn: (open: ReadonlyArray<Open>, message: string) => boolean): void => {
  const open: Array<Open> = []
  let inner: Open | undefined
  let isName = false
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code === 0x22) {
      const end = endOfString(text, at)
      if (isName && inner?.names !== undefined) {
        const raw = text.slice(at + 1, end)
        const name = raw.includes("\\") ? String(JSON.parse(`"${raw}"`)) : raw
        inner.at = name
        if (!inner.names.add(name) && !goesOn(open, twice)) return
        isName = false
      }
      at = end
    } else if (code === 0x7b || code === 0x5b) {
      inner = code === 0x7b ? { names: new Names(), at: "" } : { names: undefined, at: 0 }
      open.push(inner)
      isName = code === 0x7b
    } else if (code === 0x7d || code === 0x5d) {
      open.pop()
      inner = open.at(-1)
      isName = false
    } else if (code === 0x2c) {
      isName = inner?.names !== undefined
      if (inner !== undefined && typeof inner.at === "number") inner.at += 1
    } else if (code === 0x2d || (code >= 0x30 && code <= 0x39)) {
      let end = at + 1
      while (end < text.length && isOfNumber(text.charCodeAt(end))) end++
      const token = text.slice(at, end)
      if (!isDouble(token) && !goesOn(open, Number.isFinite(Number(token)) ? tooPrecise : tooLarge)) return
      at = end - 1
    }
  }
}

/**
 * Losses of JSON.parse in a text that is JSON: a number that a double cannot say, and a member that stands
 * twice (RFC 7493 sections 2.2 and 2.3). The first such; undefined where everything is kept. One pass without a regular
 * expression: a body of an app takes about a microsecond.
 */
export const jsonLoss = (text: string): JsonLoss | undefined => {
  let first: JsonLoss | undefined
  eachLoss(text, (open, message) => {
    first = lossIn(open, message)
    return false
  })
  return first
}

/** Losses of JSON.parse in a text whose rows are judged one by one. */
export interface LossesByRow {
  /** The first loss that is in no row. */
  readonly outside: JsonLoss | undefined
  /** The first loss of each row by the index of the row, with its path from there. */
  readonly rows: ReadonlyMap<number, JsonLoss>
}

/** Findings of {@link jsonLoss}, row by row of the list that is a field of the object in the text. */
export const lossesByRow = (text: string, list: string): LossesByRow => {
  let outside: JsonLoss | undefined
  const rows = new Map<number, JsonLoss>()
  eachLoss(text, (open, message) => {
    const [whole, inList, ...inRow] = open
    const isInRow = whole?.at === list && inList !== undefined && inList.names === undefined
    if (!isInRow) outside = lossIn(open, message)
    else if (!rows.has(Number(inList.at))) rows.set(Number(inList.at), lossIn(inRow, message))
    return isInRow
  })
  return { outside, rows }
}

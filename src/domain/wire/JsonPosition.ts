/** Where a text stops being JSON (RFC 8259), counted from 1, in UTF-16 code units. */
export interface JsonPosition {
  readonly line: number
  readonly column: number
}

// White space, and then one token: punctuation, a string, a number or a word.
const token =
  /[ \t\n\r]*(?:([{}[\],:])|("(?:[ !#-[\]-\uffff]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*")|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null)/y

/** What may stand next. */
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

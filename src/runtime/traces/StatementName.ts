/** What a statement does, for the name of its span: never a value of it. */
export interface StatementName {
  /** Such as `SELECT`. */
  readonly operation: string
  /** The table; undefined where none is named. */
  readonly table: string | undefined
}

/** How many texts are remembered; more are read anew each time. */
const remembered = 2_000

/** How much of a text is read, in characters. */
const longest = 20_000

const unknown: StatementName = { operation: "QUERY", table: undefined }

/** A name, quoted or not, with its schema left out. */
const name = String.raw`(?:"?[a-z_][a-z0-9_]*"?\.)?"?([a-z_][a-z0-9_]*)"?`

const changes = new RegExp(String.raw`\b(INSERT\s+INTO|UPDATE|DELETE\s+FROM|MERGE\s+INTO)\s+(?:ONLY\s+)?${name}`, "gi")
const sources = new RegExp(String.raw`\b(?:FROM|JOIN)\s+(?:ONLY\s+|LATERAL\s+)?${name}\s*(\(?)`, "gi")
const named =
  /(?:\bWITH\s+(?:RECURSIVE\s+)?|,\s*)"?([a-z_][a-z0-9_]*)"?\s*(?:\([^)]*\)\s*)?AS\s+(?:NOT\s+)?(?:MATERIALIZED\s+)?\(/gi

/** What can be said after FOR UPDATE and DO UPDATE, where a table would stand. */
const noTables: ReadonlySet<string> = new Set(["set", "of", "skip", "nowait", "now"])

const read = (text: string): StatementName => {
  const sql = text.slice(0, longest)
    // Literals and comments: what stands in them is no statement.
    .replace(/'(?:[^']|'')*'|--[^\n]*|\/\*[\s\S]*?\*\//g, " ")
    // The other words that FROM stands after.
    .replace(/\b(DISTINCT|EXTRACT\s*\(\s*[a-z]+)\s+FROM\b/gi, " ")
  const verb = /^[\s(]*([a-z]+)/i.exec(sql)?.[1]?.toUpperCase()
  if (verb === undefined) return unknown
  if (!/^(WITH|SELECT|INSERT|UPDATE|DELETE|MERGE|TABLE|VALUES)$/.test(verb)) {
    return { operation: verb, table: undefined }
  }
  const parts = new Set([...sql.matchAll(named)].map(([, part = ""]) => part.toLowerCase()))
  // Of a statement that changes tables, the first change; of any other, the first table that it reads.
  for (const { 1: operation = "", 2: table = "", index } of sql.matchAll(changes)) {
    const isClause = /\b(FOR|NO\s+KEY|DO|ON)\s*$/i.test(sql.slice(Math.max(0, index - 12), index))
    if (!isClause && !noTables.has(table.toLowerCase())) {
      return { operation: operation.split(/\s/)[0]!.toUpperCase(), table: table.toLowerCase() }
    }
  }
  for (const [, table = "", call] of sql.matchAll(sources)) {
    if (call === "" && !parts.has(table.toLowerCase()) && !noTables.has(table.toLowerCase())) {
      return { operation: "SELECT", table: table.toLowerCase() }
    }
  }
  return { operation: verb === "WITH" ? "SELECT" : verb, table: undefined }
}

const known = new Map<string, StatementName>()

/** Names a statement by what it does first: `UPDATE licenses`. */
export const statementName = (text: string): StatementName => {
  const before = known.get(text)
  if (before !== undefined) return before
  const made = read(text)
  if (known.size < remembered) known.set(text, made)
  return made
}

/** How many texts are remembered with their names. Filters make many texts of one statement; those beyond are read anew. */
const rememberedTexts = 2_000

/** How many names there are at most. Any further statement is {@link otherStatement}, so that a label keeps its bound. */
const mostNames = 150

/** The name of a statement when there are too many. */
export const otherStatement = "other"

/** The names of what frames transactions. */
export const transactionStatements = ["BEGIN", "COMMIT", "ROLLBACK"] as const

const written =
  /\b(INSERT INTO|DELETE FROM)\s+(?:ONLY\s+)?"?(\w+)|\bUPDATE\s+(?:ONLY\s+)?"?(\w+)"?(?:\s+(?:AS\s+)?\w+)?\s+SET\b/i
const commonTable = /(?:\bWITH(?:\s+RECURSIVE)?|,)\s+(\w+)(?:\s*\([^()]*\))?\s+AS\s+(?:(?:NOT\s+)?MATERIALIZED\s+)?\(/gi
const readFrom = /\b(?:FROM|JOIN)\s+(?:ONLY\s+)?"?([a-z_]\w*)"?(?!\w|\s*\()/gi

/** What a statement does, and the table that it is about. It reads the text, which no caller has written a word of. */
const read = (text: string): string => {
  const verb = /^\s*([a-z]+)/i.exec(text)?.[1]?.toUpperCase() ?? otherStatement
  if (!["SELECT", "INSERT", "UPDATE", "DELETE", "WITH"].includes(verb)) return verb
  const [, how, into, updated] = written.exec(text) ?? []
  if (updated !== undefined) return `UPDATE ${updated}`
  if (how !== undefined) return `${how.slice(0, 6).toUpperCase()} ${into}`
  const own = new Set([...text.matchAll(commonTable)].map(([, name]) => name!.toLowerCase()))
  for (const [, table] of text.matchAll(readFrom)) if (!own.has(table!.toLowerCase())) return `SELECT ${table}`
  return "SELECT"
}

/**
 * Names statements for metrics: `SELECT licenses`, or only the verb of one that is about no table. Of one that writes it
 * is the first table that it writes. The text itself would be a label without a bound.
 */
export const makeStatementNames = (): (text: string) => string => {
  const names = new Set<string>()
  let known = new Map<string, string>()
  return (text) => {
    const remembered = known.get(text)
    if (remembered !== undefined) return remembered
    const found = read(text)
    if (names.size < mostNames) names.add(found)
    const name = names.has(found) ? found : otherStatement
    if (known.size >= rememberedTexts) known = new Map()
    known.set(text, name)
    return name
  }
}

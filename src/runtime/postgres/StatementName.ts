/** The name of a statement, for metrics and traces: never a value of it. */
export interface StatementName {
  /** The name in its first line, such as `licenses.lock for an update`; undefined where it has none. */
  readonly statement: string | undefined
  /** The verb of SQL, such as `SELECT`. */
  readonly operation: string
  /** Its table; undefined if it has none, or has no name. */
  readonly collection: string | undefined
  /** The verb and its table: `SELECT licenses`, or only the verb. */
  readonly summary: string
}

/** The verbs of names, and what PostgreSQL calls what they do. */
export const statementVerbs = {
  find: "SELECT",
  list: "SELECT",
  count: "SELECT",
  lock: "SELECT",
  insert: "INSERT",
  update: "UPDATE",
  claim: "UPDATE",
  delete: "DELETE"
} as const

/** The subjects of a statement beside tables: the database's time, advisory locks, settings, and the server's catalog. */
export const statementsAboutNoTable = ["clock", "advisory_locks", "settings", "catalog", "node_runners"] as const

const firstLine = /^\s*-- name: ([a-z_]+)\.([a-z]+)\b([^\n]*)\n/

/**
 * A statement that frames transactions, reads the schema, or comes from a library has no name. Its verb is its name.
 */
const firstWord = /^[\s(]*([a-z]{2,20})\b/i

const noTables: ReadonlySet<string> = new Set(statementsAboutNoTable)

const read = (text: string): StatementName => {
  const [, noun, verb, qualifier] = firstLine.exec(text) ?? []
  if (noun === undefined || verb === undefined) {
    const word = firstWord.exec(text)?.[1]?.toUpperCase() ?? "QUERY"
    const operation = word === "WITH" ? "SELECT" : word
    return { statement: undefined, operation, collection: undefined, summary: operation }
  }
  const operation = verb in statementVerbs ? statementVerbs[verb as keyof typeof statementVerbs] : verb.toUpperCase()
  const collection = noTables.has(noun) ? undefined : noun
  const summary = collection === undefined ? operation : `${operation} ${collection}`
  return { statement: `${noun}.${verb}${qualifier}`, operation, collection, summary }
}

/**
 * How many texts are cached with their names. Filters make many texts of one statement; those beyond are parsed
 * again.
 */
const rememberedTexts = 2_000

let known = new Map<string, StatementName>()

/** Reads the name of a statement from its first line, `-- name: licenses.lock for an update`. */
export const statementName = (text: string): StatementName => {
  const remembered = known.get(text)
  if (remembered !== undefined) return remembered
  const name = read(text)
  if (known.size >= rememberedTexts) known = new Map()
  known.set(text, name)
  return name
}

import type { SqlError } from "effect/sql/SqlError"

/** The SQLSTATE of an error of the server; undefined for one that came otherwise. */
export const sqlStateOf = ({ reason }: SqlError): string | undefined => {
  const code = (reason.cause as { readonly code?: unknown } | null | undefined)?.code
  return typeof code === "string" ? code : undefined
}

/** Whether a server refuses connections because it starts, stops or is full for the moment. */
export const isServerAway = (error: SqlError): boolean => /^(53300|57P0[123])$/.test(sqlStateOf(error) ?? "")

/** Whether the disk of the database has no room for what is written. */
export const isDiskFull = (error: SqlError): boolean => sqlStateOf(error) === "53100"

/** Reasons that are over in a moment: a conflict of transactions, a lock or a statement that took too long, a lost connection. */
const passing: ReadonlySet<SqlError["reason"]["_tag"]> = new Set([
  "ConnectionError",
  "DeadlockError",
  "SerializationError",
  "LockTimeoutError",
  "StatementTimeoutError"
])

/** Whether a failure of the database is temporary and not our mistake: to try again is right. */
export const isPassing = (error: SqlError): boolean => passing.has(error.reason._tag) || isServerAway(error)

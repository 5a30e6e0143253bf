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

/** A JSON object whose members are not known. */
export type JsonMembers = Readonly<Record<string, unknown>>

/** Whether a value is a JSON object: neither null nor a list. */
export const isMembers = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value)

/** The members of a value; none if it is not a JSON object. */
export const membersOf = (value: unknown): JsonMembers => isMembers(value) ? value : {}

/** The members of a JSON text that the service wrote itself, for the caller to change. Throws if it is not an object. */
export const parseMembers = (text: string): Record<string, unknown> => {
  const value: unknown = JSON.parse(text)
  if (!isMembers(value)) throw new TypeError("a stored JSON text is not an object")
  return value
}

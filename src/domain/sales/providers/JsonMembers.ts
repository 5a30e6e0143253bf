import type { JsonObject } from "../../ground/wire/CanonicalJson.ts"

/**
 * Members of JSON that somebody else wrote: what is not of the form that is asked for is undefined. Providers add, leave
 * out and null members between versions, and an event that lacks one is worth what the others say.
 */

/** An object, and no list. */
export const objectAt = (value: unknown): JsonObject | undefined =>
  typeof value === "object" && value !== null && !Array.isArray(value) ? value as JsonObject : undefined

/** What is found by walking into objects and lists. */
export const memberAt = (value: unknown, ...path: ReadonlyArray<string | number>): unknown => {
  let found: unknown = value
  for (const step of path) {
    found = typeof step === "number" ? (Array.isArray(found) ? found[step] : undefined) : objectAt(found)?.[step]
  }
  return found ?? undefined
}

/** A text that is not empty, of at most 255 characters without NUL, which is as long as IDs and names are. */
export const textAt = (value: unknown, ...path: ReadonlyArray<string | number>): string | undefined => {
  const found = memberAt(value, ...path)
  return typeof found === "string" && found !== "" && found.length <= 255 && found.isWellFormed() &&
      !found.includes("\u0000")
    ? found
    : undefined
}

/** An ID, which some providers write as a number. */
export const idAt = (value: unknown, ...path: ReadonlyArray<string | number>): string | undefined => {
  const found = memberAt(value, ...path)
  if (typeof found === "number") return Number.isSafeInteger(found) ? String(found) : undefined
  return textAt(found) ?? (objectAt(found) === undefined ? undefined : textAt(found, "id"))
}

/** A number, which some providers write as a text. */
export const numberAt = (value: unknown, ...path: ReadonlyArray<string | number>): number | undefined => {
  const found = memberAt(value, ...path)
  const number = typeof found === "string" && /^-?\d+(\.\d+)?$/.test(found) ? Number(found) : found
  return typeof number === "number" && Number.isFinite(number) ? number : undefined
}

/** A list; none where there is something else. */
export const listAt = (value: unknown, ...path: ReadonlyArray<string | number>): ReadonlyArray<unknown> => {
  const found = memberAt(value, ...path)
  return Array.isArray(found) ? found : []
}

/** A text that can be stored: without NUL, and with a sign in the place of half a character. */
const storable = (text: string): string => text.toWellFormed().replaceAll("\u0000", "")

/** The texts among the members of an object: what metadata are to a mapping. Buyers may write them. */
export const textsAt = (
  value: unknown,
  ...path: ReadonlyArray<string | number>
): Readonly<Record<string, string>> | undefined => {
  const entries = Object.entries(objectAt(memberAt(value, ...path)) ?? {}).flatMap(([key, member]) =>
    typeof member === "string" || typeof member === "number" ? [[storable(key), storable(String(member))] as const] : []
  )
  return entries.length === 0 ? undefined : Object.fromEntries(entries)
}

/** A whole number of things; 1 of what is none. */
export const quantityAt = (value: unknown, ...path: ReadonlyArray<string | number>): number => {
  const found = numberAt(value, ...path)
  return found === undefined || found < 0 ? 1 : Math.min(Math.ceil(found), 2_147_483_647)
}

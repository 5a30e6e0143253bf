import { isMembers } from "../../domain/ground/parsing/JsonMembers.ts"
import type { JsonMembers } from "../../domain/ground/parsing/JsonMembers.ts"

/** The value of a signed custom field; a time is a text. */
export type CustomFieldValue = boolean | number | string

/** The value of a custom field in the signed data; undefined where there is none. */
export const customFieldOf = (data: JsonMembers | undefined, code: string): CustomFieldValue | undefined => {
  const fields = data?.["custom_fields"]
  const value = isMembers(fields) && Object.hasOwn(fields, code) ? fields[code] : undefined
  return typeof value === "boolean" || typeof value === "number" || typeof value === "string" ? value : undefined
}

import { failing, NotFound } from "../ground/wire/Errors.ts"
import type { ValidationError } from "../ground/wire/Errors.ts"
import { invalidField } from "../ground/wire/FieldFindings.ts"

/** The most customers in a line: one, and those above it. Each response of a license looks along it for pools. */
export const longestLine = 5

/** Where a customer would come to stand. */
export interface CustomerPlace {
  /** The parent and those above it, nearest first; none where there is no such customer. */
  readonly line: ReadonlyArray<string>
  /** How many levels the customer and those below it have. */
  readonly levels: number
}

/** The reason why a customer cannot belong to a parent, or undefined. One that is created has no id yet. */
export const parentRefused = (
  { levels, line }: CustomerPlace,
  id: string | undefined
): NotFound | ValidationError | undefined => {
  if (line.length === 0) return failing(NotFound, "No customer has the id in parent_id.")
  if (id !== undefined && line.includes(id)) {
    return invalidField("parent_id", "cycle", "is the customer itself, or one that belongs to it")
  }
  return line.length + levels > longestLine
    ? invalidField("parent_id", "too_deep", `makes a line of more than ${longestLine} customers`)
    : undefined
}

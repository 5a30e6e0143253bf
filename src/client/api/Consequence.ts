import { consequenceText } from "../../domain/ground/wire/Consequence.ts"
import type { Consequence } from "../../domain/ground/wire/Consequence.ts"
import { consequences } from "./consequences.gen.ts"

/** The consequence of an operation with a body, in the sentences of its declaration, and how to undo it. */
export const consequenceOf = (
  operation: keyof typeof consequences,
  body: Readonly<Record<string, unknown>> = {}
): string => {
  const declared: Consequence = consequences[operation]
  const text = consequenceText(declared, body)
  const { undo } = declared
  return undo === undefined ? text : `${text} To undo this, ${undo.charAt(0).toLowerCase()}${undo.slice(1)}.`
}

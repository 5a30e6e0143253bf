import { Schema } from "effect"
import { isVisible, notStorable } from "./Fields.ts"

/** As a pattern of every dialect of regular expressions: one line, in which something stands. */
const oneLine = "^[^\\x00-\\x1f\\x7f]*[^\\x00-\\x20\\x7f][^\\x00-\\x1f\\x7f]*$"

/** Control characters, and what ends a line for some readers. */
const controls = /[\p{Cc}\u2028\u2029]/u

/** Why a person does something: one line that somebody can read. */
export const Reason = Schema.String.check(
  Schema.isBetweenLength(1, 500),
  Schema.makeFilter(
    (value: string) =>
      notStorable(value) ??
        (controls.test(value) || !isVisible(value) ? "must be one line of visible characters, at most 500" : undefined),
    { toJsonSchema: () => ({ pattern: oneLine }) }
  )
).annotate({
  description:
    "Why, for whoever reads it later, on one line. It stands in `metadata.reason_given` of the events that " +
    "the request causes and in their activities, and is erased with the events of the customer that they are about."
})

const reason = Schema.optionalKey(Reason)

/** Members of an action that a person takes. */
export const reasoned = { reason }

/** Whether something is only asked about. */
export const dryRun = Schema.optionalKey(Schema.Boolean).annotate({
  description: "`true` answers what would happen. Nothing is changed or stored, and an Idempotency-Key is ignored."
})

/** Members of an action that may be asked about before it is taken. */
export const rehearsable = { ...reasoned, dry_run: dryRun }

/** What an action takes that needs nothing said. */
export const ReasonRequest = Schema.Struct(reasoned).annotate({
  identifier: "ReasonRequest",
  description: "Why it is done; may be left out, and so may the whole body.",
  examples: [{ reason: "chargeback of order 4711" }]
})
export type ReasonRequest = typeof ReasonRequest.Type

/** The same for an action that may be asked about before it is taken. */
export const ActionRequest = Schema.Struct(rehearsable).annotate({
  identifier: "ActionRequest",
  description: "Why it is done, and whether it is only asked about; may be left out, and so may the whole body.",
  examples: [{ reason: "a laptop with the backups was stolen", dry_run: true }]
})
export type ActionRequest = typeof ActionRequest.Type

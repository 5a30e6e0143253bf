import { Schema } from "effect"
import { isVisible, notStorable } from "./Fields.ts"

/** As a pattern of every dialect of regular expressions: one line, in which something stands. */
const oneLine = "^[^\\x00-\\x1f\\x7f]*[^\\x00-\\x20\\x7f][^\\x00-\\x1f\\x7f]*$"

/** Control characters, and what ends a line for some readers. */
const controls = /[\p{Cc}\u2028\u2029]/u

/** The reason of a person for an action, on one readable line. */
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
    "The reason, on one line, for the audit. The events of the request have it in `metadata.reason_given`, " +
    "and their activities show it. It is erased together with the events of the customer."
})

const reason = Schema.optionalKey(Reason)

/** Members of an action that a person takes. */
export const reasoned = { reason }

/** Whether something is only asked about. */
export const dryRun = Schema.optionalKey(Schema.Boolean).annotate({
  description: "`true` returns what would happen, but changes and stores nothing. An Idempotency-Key is ignored."
})

/** Members of an action that may be asked about before it is taken. */
export const rehearsable = { ...reasoned, dry_run: dryRun }

/** The optional body of an action that needs none. */
export const ReasonRequest = Schema.Struct(reasoned).annotate({
  identifier: "ReasonRequest",
  description: "The reason for the action. The reason and the whole body are optional.",
  examples: [{ reason: "chargeback of order 4711" }]
})
export type ReasonRequest = typeof ReasonRequest.Type

/** The same for an action that may be asked about before it is taken. */
export const ActionRequest = Schema.Struct(rehearsable).annotate({
  identifier: "ActionRequest",
  description: "The reason for the action, and whether it is a dry run. Both and the whole body are optional.",
  examples: [{ reason: "a laptop with the backups was stolen", dry_run: true }]
})
export type ActionRequest = typeof ActionRequest.Type

/** The page of the error of an action that needs a second person. */
export const approvalGuide = {
  causes: ["A role of the person has the action in `second_look`. `detail` names the action."],
  cure: "Ask by POST /api/v1/approvals: the operation, its path parameters and its body, with a reason.",
  example: {
    line: "POST /api/v1/signing-keys/rotate",
    when: "A role of the person has the second_look rotate_signing_key."
  }
}

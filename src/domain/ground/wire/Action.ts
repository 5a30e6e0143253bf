import { Schema } from "effect"
import { isVisible, nameText, notStorable } from "./Fields.ts"

/** Characters that end a line, that a terminal obeys, or that turn the direction of what follows them. */
const unruly = /[\p{Cc}\p{Zl}\p{Zp}\u202a-\u202e\u2066-\u2069]/u

const isUnruly = (value: string): boolean => unruly.test(value)

const unrulyRange = "\\x00-\\x1f\\x7f-\\x9f"

/** As a pattern of every dialect, which cannot say all marks: one line with a character that is no space and no control. */
const plainLine = `^[^${unrulyRange}]*[^${unrulyRange}\\x20\\xa0\\xad][^${unrulyRange}]*$`

/**
 * The name of whom or what people decide about: a person, a role, a key. It is one line, so that it reads the same wherever an approver,
 * a mail or a terminal shows it.
 */
export const PlainName = Schema.String.check(
  Schema.isBetweenLength(1, 255),
  Schema.makeFilter(
    (value: string) =>
      notStorable(value) ??
        (isUnruly(value)
          ? "must be one line, without control characters and marks that turn the direction of text"
          : isVisible(value)
          ? undefined
          : "must have at least one character that can be seen"),
    { toJsonSchema: () => ({ pattern: plainLine }) }
  )
).annotate({ description: `${nameText} It is one line.` })

/** As a pattern of every dialect of regular expressions: one line, in which something stands. */
const oneLine = "^[^\\x00-\\x1f\\x7f]*[^\\x00-\\x20\\x7f][^\\x00-\\x1f\\x7f]*$"

/** Control characters, and what ends a line for some readers. */
const controls = /[\p{Cc}\u2028\u2029]/u

/** The reason of a person for an action, on one readable line. It is shown with its marks made visible. */
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

/** The most UTF-16 code units of a tag. */
const longestTag = 50

/** The form in which a tag is stored, so that "VIP", "#vip" and " vip " are one: composed, in lower case, without spaces around. */
export const storedTag = (text: string): string =>
  text.normalize("NFC").toLowerCase().replaceAll(/\s+/gu, " ").replace(/^ ?#/u, "").trim()

/** A tag in a request. */
export const Tag = Schema.String.check(
  Schema.isBetweenLength(1, longestTag),
  Schema.makeFilter(
    (value: string) =>
      notStorable(value) ??
        (isVisible(storedTag(value)) && !/[\p{Cc},]/u.test(value) && storedTag(value).length <= longestTag
          ? undefined
          : `must be 1 to ${longestTag} visible characters on one line, without a comma`),
    { toJsonSchema: () => ({ pattern: "^[^\\x00-\\x1f\\x7f,]+$" }) }
  )
).annotate({
  description:
    `A short label for the vendor's own use, up to ${longestTag} characters, without a comma. Stored in lower case, without a leading \`#\`.`,
  examples: ["vip"]
})

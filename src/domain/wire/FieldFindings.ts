import { SchemaIssue } from "effect"
import type { FieldFinding } from "./Errors.ts"

/** The most findings that one refusal names: who sends more has them named as the first ones are mended. */
export const maximumFindings = 20

/** The longest path and message of a finding, in characters: both may repeat what the caller sent. */
const maximumPath = 128
const maximumMessage = 256

const codes: Readonly<Record<string, string>> = {
  MissingKey: "required",
  UnexpectedKey: "unknown_field",
  InvalidType: "invalid_type"
}

const mark = "\u0001"
const formatIssue = SchemaIssue.makeFormatterStandardSchemaV1({
  leafHook: (issue) => `${codes[issue._tag] ?? "invalid_value"}${mark}${SchemaIssue.defaultLeafHook(issue)}`
})

/** A text of the caller's, cut where it would only fill the answer; never in the middle of a character. */
const cut = (text: string, maximum: number): string =>
  text.length <= maximum ? text : `${text.slice(0, maximum - 1).toWellFormed()}…`

/** One finding about the member at a path; what is too long in it is cut. */
export const finding = (path: ReadonlyArray<PropertyKey>, code: string, message: string): FieldFinding => ({
  path: cut(path.map(String).join("."), maximumPath),
  code,
  message: cut(message, maximumMessage)
})

/** A finding about a member that is not there. */
export const required = (path: ReadonlyArray<PropertyKey>) => finding(path, "required", "is required")

/** A finding about a member that the request does not have. */
export const unknownField = (path: ReadonlyArray<PropertyKey>) =>
  finding(path, "unknown_field", "is not a member of this request")

/** The first issues alone: a caller decides how many there are, and each one that is formatted costs. */
const first = (issue: SchemaIssue.Issue): SchemaIssue.Issue =>
  issue._tag === "Composite" && issue.issues.length > maximumFindings
    ? new SchemaIssue.Composite(issue.ast, [issue.issues[0], ...issue.issues.slice(1, maximumFindings)], undefined)
    : issue

/** The findings about a request, at most {@link maximumFindings}, with the path, a code for programs and a message. */
export const findingsOf = (issue: SchemaIssue.Issue): ReadonlyArray<FieldFinding> =>
  formatIssue(first(issue)).issues.slice(0, maximumFindings).map(({ message, path = [] }) => {
    const keys = path.map((segment) => typeof segment === "object" ? segment.key : segment)
    const [code, text] = message.includes(mark)
      ? message.split(mark, 2) as [string, string]
      : ["invalid_value", message]
    return code === "required"
      ? required(keys)
      : code === "unknown_field"
      ? unknownField(keys)
      : finding(keys, code, text)
  })

import { SchemaIssue } from "effect"
import type { FieldFinding } from "./Errors.ts"

const codes: Readonly<Record<string, string>> = {
  MissingKey: "required",
  UnexpectedKey: "unknown_field",
  InvalidType: "invalid_type"
}

const mark = "\u0001"
const formatIssue = SchemaIssue.makeFormatterStandardSchemaV1({
  leafHook: (issue) => `${codes[issue._tag] ?? "invalid_value"}${mark}${SchemaIssue.defaultLeafHook(issue)}`
})

/** Every finding about a request, with the path, a code for programs and a message for people. */
export const findingsOf = (issue: SchemaIssue.Issue): ReadonlyArray<FieldFinding> =>
  formatIssue(issue).issues.map(({ message, path }) => {
    const [code, text] = message.includes(mark)
      ? message.split(mark, 2) as [string, string]
      : ["invalid_value", message]
    return {
      path: (path ?? []).map((segment) => String(typeof segment === "object" ? segment.key : segment)).join("."),
      code,
      message: code === "required" ? "is required" : code === "unknown_field" ? "is not a member of this request" : text
    }
  })

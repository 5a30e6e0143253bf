import { SchemaAST, SchemaIssue } from "effect"
import { didYouMean, listed } from "../parsing/Nearest.ts"
import { failing, InvalidQuery, UnknownField, ValidationError } from "./Errors.ts"
import type { FieldFinding } from "./Errors.ts"
import { expected, kindOf, literalsOf, namesOf, requiredOf } from "./Expected.ts"

/** The most findings that one refusal names: who sends more has them named as the first ones are mended. */
export const maximumFindings = 20

/** The longest path and message of a finding, in characters: both may repeat what the caller sent. */
const maximumPath = 128
const maximumMessage = 512

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

/** A finding about a member that the request does not have, with those that it may have. */
export const unknownField = (path: ReadonlyArray<PropertyKey>, allowed: ReadonlyArray<string>) =>
  finding(
    path,
    "unknown_field",
    `is not a recognized field.${didYouMean(path.at(-1), allowed)} Allowed: ${
      allowed.length === 0 ? "none" : listed(allowed)
    }`
  )

/** Says what is expected of a whole request. */
const wholeRequest = (ast: SchemaAST.AST): string => {
  const names = requiredOf(ast)
  return names.length === 0 ? "Send a JSON object" : `Send a JSON object with at least ${names.join(", ")}`
}

/** Says what a member must be; of a wrong kind also what it is, never what is in it: it may be a secret. */
const sentence = (ast: SchemaAST.AST, input: unknown, isWrongKind: boolean): string =>
  `must be ${expected(ast, input)}${isWrongKind && input !== undefined ? `, not ${kindOf(input)}` : ""}` +
  (literalsOf(ast) === undefined ? "" : `.${didYouMean(input, literalsOf(ast)!)}`).replace(/\.$/, "")

/** The position that an issue knows. */
interface Place {
  readonly path: ReadonlyArray<PropertyKey>
  /** The innermost schema that was read. */
  readonly ast: SchemaAST.AST | undefined
  readonly input: unknown
}

const inputOf = (issue: SchemaIssue.Issue, otherwise: unknown): unknown => "input" in issue ? issue.input : otherwise

/** A text that a rule gives as its reason. */
const reasonOf = (issue: SchemaIssue.Issue): string | undefined => {
  const message = "annotations" in issue ? issue.annotations?.["message"] : undefined
  return typeof message === "string" ? message : undefined
}

const walk = (issue: SchemaIssue.Issue, place: Place): ReadonlyArray<FieldFinding> => {
  const input = inputOf(issue, place.input)
  const at = { ...place, input }
  switch (issue._tag) {
    case "Pointer":
      return walk(issue.issue, { path: [...place.path, ...issue.path], ast: undefined, input: undefined })
    case "Encoding":
      return walk(issue.issue, at)
    case "Filter":
      return walk(issue.issue, at)
    case "Composite":
      return issue.issues.flatMap((inner) => walk(inner, { ...at, ast: issue.ast }))
    case "AnyOf":
      return issue.issues.length > 0
        ? issue.issues.flatMap((inner) => walk(inner, { ...at, ast: issue.ast }))
        : [finding(place.path, "invalid_value", sentence(issue.ast, input, typeof input !== "string"))]
    case "MissingKey":
      return [required(place.path)]
    case "UnexpectedKey":
      return [unknownField(place.path, namesOf(issue.ast))]
    case "InvalidType":
      return [
        finding(
          place.path,
          "invalid_type",
          place.path.length === 0 && SchemaAST.isObjects(issue.ast)
            ? wholeRequest(issue.ast)
            : sentence(issue.ast, input, true)
        )
      ]
    default:
      return [
        finding(
          place.path,
          "invalid_value",
          reasonOf(issue) ?? (place.ast === undefined ? "is not allowed" : sentence(place.ast, input, false))
        )
      ]
  }
}

/** The first issues alone: a caller decides how many there are, and each one that is formatted costs. */
const first = (issue: SchemaIssue.Issue): SchemaIssue.Issue =>
  issue._tag === "Composite" && issue.issues.length > maximumFindings
    ? new SchemaIssue.Composite(issue.ast, [issue.issues[0], ...issue.issues.slice(1, maximumFindings)], undefined)
    : issue

/** The findings about a request, at most {@link maximumFindings}, with the path, a code for programs and a message. */
export const findingsOf = (
  issue: SchemaIssue.Issue,
  /** Where the value stands that was read. */
  path: ReadonlyArray<PropertyKey> = []
): ReadonlyArray<FieldFinding> =>
  walk(first(issue), { path, ast: undefined, input: undefined }).slice(0, maximumFindings)

/** A sentence about a whole refusal: what is wrong, with the first finding in full and how many more there are. */
export const summary = (what: string, fields: ReadonlyArray<FieldFinding>): string => {
  const [one, ...more] = fields
  if (one === undefined) return `${what}.`
  const rest = more.length === 0 ? "" : ` (and ${more.length} more, see fields)`
  return `${what}: ${one.path === "" ? "" : `${one.path} `}${one.message.replace(/[.]$/, "")}${rest}.`.replace(
    "?.",
    "?"
  )
}

/** The refusal of a request for what is wrong with its members. */
export const invalidRequest = (fields: ReadonlyArray<FieldFinding>): ValidationError =>
  failing(ValidationError, summary("The request is not valid", fields), { fields })

/** The refusal of a request for one thing that is wrong with one member. */
export const invalidField = (path: string, code: string, message: string): ValidationError =>
  invalidRequest([{ path, code, message }])

/** The refusal of a body: of another kind when the operation does not know a member of it. */
export const invalidBody = (fields: ReadonlyArray<FieldFinding>): UnknownField | ValidationError =>
  fields.some(({ code }) => code === "unknown_field")
    ? failing(UnknownField, summary("The request body has unknown fields", fields), { fields })
    : invalidRequest(fields)

/** The refusal of a request for what is wrong with its query. */
export const invalidQuery = (fields: ReadonlyArray<FieldFinding>): InvalidQuery =>
  failing(InvalidQuery, summary("The query is not valid", fields), { fields })

import { Option } from "effect"
import { Flag } from "effect/cli"
import { jsonLoss } from "../../../../domain/ground/parsing/JsonText.ts"
import type { FieldFinding } from "../../../../domain/ground/wire/Errors.ts"
import { finding } from "../../../../domain/ground/wire/FieldFindings.ts"
import type { Member } from "./Contract.ts"

/** The flags of every command; a member of that name has `body-` before it. */
const taken: ReadonlySet<string> = new Set([
  "all",
  "body",
  "columns",
  "completions",
  "curl",
  "help",
  "idempotency-key",
  "if-match",
  "json",
  "log-level",
  "out",
  "url",
  "version",
  "wizard",
  "yes"
])

/** Whether a member may be given by a flag. Secrets have none, because other users can see arguments: a file has them. */
export const hasFlag = ({ isSecret }: Member): boolean => !isSecret

/** The flag that a member is given by: `--extend-by-days` for `extend_by_days`. */
export const flagName = (name: string): string => {
  const kebab = name.replaceAll("_", "-")
  return taken.has(kebab) ? `body-${kebab}` : kebab
}

type Kind = "text" | "number" | "boolean" | "choice" | "list" | "json"

/** How a value is written on the command line. */
const kindOf = ({ isNullable, schema: { enum: choices, items, type } }: Member): Kind => {
  if (type === "string") return choices === undefined || isNullable ? "text" : "choice"
  if (type === "integer" || type === "number") return "number"
  if (type === "boolean") return "boolean"
  return type === "array" && items.type === "string" ? "list" : "json"
}

/** The placeholder of the value in the help. */
const metavars: Readonly<Partial<Record<Kind, string>>> = { json: "json", number: "number", boolean: "true|false" }

/** A value that may be given: nothing, one text or switch, or several. */
export type Given = Option.Option<string | boolean> | ReadonlyArray<string>

/** The flag of a member, under its own name or the one that an alias gives it. */
export const memberFlag = (member: Member, called = flagName(member.name)): Flag.Flag<Given> => {
  const { description, isNullable, schema } = member
  const kind = kindOf(member)
  const described = <A>(flag: Flag.Flag<A>): Flag.Flag<A> => Flag.withDescription(flag, description)
  if (kind === "boolean" && !isNullable) return Flag.optional(described(Flag.Boolean(called)))
  if (kind === "choice") return Flag.optional(described(Flag.Literals(called, schema["enum"])))
  const metavar = metavars[kind] ?? (schema["format"] === "date-time" ? "time" : schema["enum"]?.join("|") ?? "text")
  const text = described(Flag.withMetavar(Flag.String(called), metavar))
  return kind === "list" ? Flag.withDefault(Flag.atLeast(text, 0), []) : Flag.optional(text)
}

const parsed = (kind: Kind, text: string): unknown => {
  if (kind === "number") return /^-?\d+(\.\d+)?$/.test(text) ? Number(text) : text
  if (kind === "boolean") return text === "true" ? true : text === "false" ? false : text
  if (kind !== "json") return text
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

/**
 * The value of a flag; undefined if it was not given. Text that is not a number, or not JSON, stays text, which the
 * body's schema refuses in its own words. An empty text and `null` clear a field, but only for a command that
 * `isRaw`: for an alias, an empty variable of a script is no value.
 */
export const memberValue = (member: Member, given: Given, isRaw = false): unknown => {
  if (!Option.isOption(given)) return given.length === 0 ? undefined : given
  if (Option.isNone(given)) return undefined
  const { value } = given
  if (typeof value === "boolean") return value
  const kind = kindOf(member)
  if (!isRaw) return value === "" && kind === "text" ? undefined : parsed(kind, value)
  return value === "null" && member.isNullable ? null : parsed(kind, value)
}

/** The numbers and names that parsing a JSON value would lose; undefined without any. */
export const memberLoss = (member: Member, given: Given): FieldFinding | undefined => {
  if (!Option.isOption(given) || Option.isNone(given) || typeof given.value === "boolean") return undefined
  const kind = kindOf(member)
  if (kind !== "json" && kind !== "number" || typeof parsed(kind, given.value) === "string") return undefined
  const loss = jsonLoss(given.value)
  return loss === undefined ? undefined : finding([member.name, ...loss.path], "invalid_value", loss.message)
}

import { Effect, Option } from "effect"
import { Flag } from "effect/cli"
import { randomUUID } from "node:crypto"
import { Countersign, ListCall } from "../../../../client/api/index.ts"
import type { Call, CallOptions, Paged } from "../../../../client/api/index.ts"
import { jsonLoss } from "../../../../domain/ground/parsing/JsonText.ts"
import { visibleJson } from "../../../../domain/ground/parsing/VisibleText.ts"
import { consequenceText } from "../../../../domain/ground/wire/Consequence.ts"
import type { FieldFinding } from "../../../../domain/ground/wire/Errors.ts"
import { finding } from "../../../../domain/ground/wire/FieldFindings.ts"
import { confirm, confirmByName, yes } from "../../../terminal/Confirm.ts"
import { json, printJson, printText } from "../../../terminal/Printing.ts"
import { appCredentials, ServiceApi, url } from "../ServiceApi.ts"
import { masked } from "./Contract.ts"
import type { Member, Operation } from "./Contract.ts"

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

/** A request to the service. */
export interface Request {
  readonly operation: Operation
  /** The parameters of the path. */
  readonly ids: ReadonlyArray<string>
  /** The members of the body or the query. */
  readonly body: Readonly<Record<string, unknown>>
}

/** The answer of an operation, before it is decoded. */
export interface Answer {
  readonly data: unknown
  readonly meta?: Readonly<Record<string, unknown>>
  readonly page_info?: Paged["page_info"]
}

type Method = (...given: ReadonlyArray<unknown>) => Call<Answer, string>

/** Calls the client's method of an operation, whatever it takes. */
const callOf = ({ body, ids, operation }: Request, options: CallOptions = {}) => (client: Countersign) => {
  const { group, input, name } = operation.client
  const method: Method = Reflect.get(Reflect.get(client, group), name)
  return input === "options"
    ? method(...ids, { ...options, ...body })
    : input === "-"
    ? method(...ids, options)
    : method(...ids, body, options)
}

/** The answer of a read; with `isAll` the entries of all pages of a list. */
export const read = async (request: Request, isAll: boolean, client: Countersign) => {
  const call = callOf(request)(client)
  const first = await call.withResponse()
  if (!isAll || !(call instanceof ListCall)) return first
  const data: Array<unknown> = []
  for await (const entry of call) data.push(entry)
  return { ...first, data, page_info: { next_cursor: null, has_more: false } }
}

/** The inputs of each command that changes something. */
export const changing = {
  json,
  url,
  yes,
  curl: Flag.Boolean("curl").pipe(
    Flag.withDescription("Make no change; print the equivalent curl command"),
    Flag.withDefault(false)
  ),
  idempotencyKey: Flag.String("idempotency-key").pipe(
    Flag.withMetavar("key"),
    Flag.withDescription("Requests with the same key take effect once; default: a new key per call"),
    Flag.withDefault("")
  )
}

/** A text on one line, quoted for a shell: one with line breaks as bash, zsh and ksh read them. */
export const quoted = (text: string): string => {
  if (/^[\w@%+=:,./-]+$/.test(text)) return text
  return text.includes("\n")
    ? `$'${text.replaceAll("\\", "\\\\").replaceAll("'", "\\'").replaceAll("\n", "\\n")}'`
    : `'${text.replaceAll("'", "'\\''")}'`
}

/** The variable that has a credential. */
const variables = { token: "COUNTERSIGN_TOKEN", ...appCredentials, none: "" }

/**
 * The curl command of a request: what the client would send, taken from it instead of sent. The credential stays the
 * variable's, and secrets of the body are masked.
 */
export const curlOf = Effect.fnUntraced(function*(address: string, request: Request, options: CallOptions = {}) {
  const variable = variables[request.operation.client.credential]
  const sent: Array<string> = []
  const record: typeof fetch = async (target, { body, headers, method } = {}) => {
    const { authorization = "", ...others } = Object.fromEntries(new Headers(headers))
    const named = { "idempotency-key": "Idempotency-Key", "if-match": "If-Match", "content-type": "Content-Type" }
    sent.push(
      `curl -X ${method} ${quoted(String(target))}`,
      ...(authorization === "" ? [] : [`-H "Authorization: ${authorization.split(" ")[0]} $${variable}"`]),
      ...Object.entries(named).flatMap(([name, shown]) =>
        others[name] === undefined ? [] : [`-H ${quoted(`${shown}: ${others[name]}`)}`]
      ),
      ...(typeof body === "string" ? [`-d ${quoted(visibleJson(body))}`] : [])
    )
    return Response.json({ data: {} })
  }
  const credentials = { token: "-", licenseKey: "license-key", publishableKey: "-" }
  const recording = new Countersign({ baseUrl: address, ...credentials, fetch: record })
  const shown = { ...request, body: masked(request.body, request.operation.secrets) }
  yield* Effect.promise(async () => callOf(shown, options)(recording))
  return sent.join(" \\\n  ")
})

/** What a command is about to change. */
interface Intent {
  readonly request: Request
  /** Further consequences, which the declaration of the operation cannot know. */
  readonly foreseen?: string
  /** Describes the result to a person. */
  readonly say: (data: any) => Effect.Effect<void>
  /** Whether `--json` prints the data alone. */
  readonly isBare?: boolean | undefined
  /** The name of a request's field on the command line. */
  readonly named?: (path: string) => string
}

/**
 * Describes the consequence that the operation declares, asks once, and sends the request with an Idempotency-Key.
 * `--json` prints the answer, with the key and the curl command in `meta`; `--curl` prints only that command. A
 * simulation, or a change without a declared consequence, needs no confirmation. Returns the answer; undefined if
 * nothing was sent.
 */
export const change = Effect.fnUntraced(function*(
  input: {
    readonly curl: boolean
    readonly idempotencyKey: string
    readonly ifMatch?: string | undefined
    readonly json: boolean
    readonly yes: boolean
  },
  { foreseen = "", isBare = false, named, request, say }: Intent
) {
  const { address, ask } = yield* ServiceApi
  const { body, ids, operation } = request
  const idempotencyKey = input.idempotencyKey === "" ? randomUUID() : input.idempotencyKey
  const options = {
    ...(operation.client.isIdempotent ? { idempotencyKey } : {}),
    ...(input.ifMatch === undefined ? {} : { ifMatch: input.ifMatch })
  }
  const curl = yield* curlOf(address, request, options)
  if (input.curl) {
    yield* printText(curl.split("\n"))
    return undefined
  }
  const { risk, undo } = operation.declaration
  const consequence = [
    consequenceText(operation.declaration, body),
    foreseen,
    undo === undefined ? "" : `To undo this: countersign api ${undo} ${ids.join(" ")}`
  ].filter(Boolean)
  if (consequence.length > 0 && body["dry_run"] !== true) {
    const subject = ids.at(-1) ?? operation.summary
    yield* risk === "final"
      ? confirmByName(consequence, subject, input.yes)
      : confirm(consequence, `${operation.summary}${ids.length === 0 ? "" : ` (${ids.join(" ")})`}?`, input.yes)
  }
  const { response: _, ...answer } = yield* ask((client) => callOf(request, options)(client).withResponse(), named)
  const key = operation.client.isIdempotent ? { idempotency_key: idempotencyKey } : {}
  yield* !input.json
    ? say(answer.data)
    : printJson(isBare ? answer.data : { ...answer, meta: { ...answer.meta, ...key, curl } })
  return answer.data
})

import { Effect } from "effect"
import { Flag } from "effect/cli"
import { randomUUID } from "node:crypto"
import type { Call, CallOptions, Paged } from "../../../../client/api/index.ts"
import { Countersign, ListCall } from "../../../../client/api/index.ts"
import { visibleJson } from "../../../../domain/ground/parsing/VisibleText.ts"
import { consequenceText } from "../../../../domain/ground/wire/Consequence.ts"
import { confirm, confirmByName, yes } from "../../../terminal/Confirm.ts"
import { json, printJson, printText } from "../../../terminal/Printing.ts"
import { appCredentials, ServiceApi, url } from "../ServiceApi.ts"
import { masked } from "./Contract.ts"
import type { Operation } from "./Contract.ts"

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

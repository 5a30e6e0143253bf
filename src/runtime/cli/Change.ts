import { Effect } from "effect"
import { Flag } from "effect/cli"
import { randomUUID } from "node:crypto"
import type { Call, CallOptions } from "../../client/api/index.ts"
import { Countersign } from "../../client/api/index.ts"
import { confirm, yes } from "../terminal/Confirm.ts"
import { json } from "../terminal/Output.ts"
import { printJson, printText } from "../terminal/Printing.ts"
import { visibleJson } from "../terminal/VisibleText.ts"
import { ServiceApi, url } from "./ServiceApi.ts"

/** The inputs of each command that changes something. */
export const changing = {
  json,
  url,
  yes,
  curl: Flag.Boolean("curl").pipe(
    Flag.withDescription("Make no change; print the equivalent curl command"),
    Flag.withDefault(false)
  ),
  reason: Flag.String("reason").pipe(
    Flag.withMetavar("text"),
    Flag.withDescription("Reason, recorded in the activity log; one line, up to 500 characters"),
    Flag.withDefault("")
  ),
  idempotencyKey: Flag.String("idempotency-key").pipe(
    Flag.withMetavar("key"),
    Flag.withDescription("Requests with the same key take effect once; default: a new key per call"),
    Flag.withDefault("")
  )
}

/** What is typed into a shell for a text, whatever it has. */
const quoted = (text: string): string => /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`

/** The reason of a change, as requests have it; none where it was left out. */
export const reasonIn = ({ reason }: { readonly reason: string }): { readonly reason?: string } =>
  reason === "" ? {} : { reason }

type Change<Data> = (
  client: Countersign,
  options: CallOptions & { readonly reason?: string }
) => Call<{ readonly data: Data; readonly meta: unknown }, string>

/**
 * The curl command of a call: what the client would send, taken from it instead of sent. The token stays the variable's.
 */
const curlOf = Effect.fnUntraced(
  function*<Data>(address: string, options: CallOptions & { readonly idempotencyKey: string }, call: Change<Data>) {
    const sent: Array<string> = []
    const record: typeof fetch = async (target, { body, headers, method } = {}) => {
      const { "content-type": type } = headers as Record<string, string>
      sent.push(
        `curl -X ${method} ${quoted(String(target))}`,
        "-H \"Authorization: Bearer $COUNTERSIGN_TOKEN\"",
        `-H ${quoted(`Idempotency-Key: ${options.idempotencyKey}`)}`,
        ...(typeof body === "string"
          ? [`-H ${quoted(`Content-Type: ${type}`)}`, `-d ${quoted(visibleJson(body))}`]
          : [])
      )
      return Response.json({ data: {} })
    }
    const recording = new Countersign({ baseUrl: address, token: "-", fetch: record })
    yield* Effect.promise(async () => call(recording, options))
    return sent.join(" \\\n  ")
  }
)

/** What a command is about to change. */
interface Intent<Data> {
  /** What will happen, in sentences. */
  readonly consequence: string
  readonly question: string
  readonly call: Change<Data>
  /** The call as its curl command shows it, where `call` holds a secret. */
  readonly shown?: Change<Data>
  /** Says what was done to a person. */
  readonly say: (data: Data) => Effect.Effect<void>
}

/**
 * Says what will happen, asks once, and does it under an Idempotency-Key. `--json` prints the answer, with the key and the
 * curl command in `meta`; `--curl` only that command.
 */
export const change = Effect.fnUntraced(function*<Data>(
  input: {
    readonly curl: boolean
    readonly idempotencyKey: string
    readonly json: boolean
    readonly reason: string
    readonly yes: boolean
  },
  { call, consequence, question, say, shown }: Intent<Data>
) {
  const { address, ask } = yield* ServiceApi
  const key = input.idempotencyKey === "" ? randomUUID() : input.idempotencyKey
  const options = { idempotencyKey: key, ...reasonIn(input) }
  const curl = yield* curlOf(address, options, shown ?? call)
  if (input.curl) return yield* printText(curl.split("\n"))
  yield* confirm(consequence, question, input.yes)
  const { data, meta } = yield* ask((client) => call(client, options).withResponse())
  return yield* input.json
    ? printJson({ data, meta: { ...meta as object, idempotency_key: key, curl } })
    : say(data)
})

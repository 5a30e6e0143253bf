import { Effect, Exit, identity, Layer, Schema } from "effect"
import { HttpServerRequest } from "effect/http"
import { HttpApiError } from "effect/http-api"
import type { HttpApiEndpoint } from "effect/http-api"
import { bodyStrictness, DryRun, RequestBody, RowFindings } from "../../../api/ground/Middleware.ts"
import { bodySchemaOf, declarationOf, isForApps, takesMember } from "../../../api/ground/Operation.ts"
import type { JudgedRows } from "../../../api/ground/Operation.ts"
import { isMembers } from "../../../domain/ground/parsing/JsonMembers.ts"
import { jsonErrorPosition, jsonLoss, lossesByRow } from "../../../domain/ground/parsing/JsonText.ts"
import type { JsonLoss } from "../../../domain/ground/parsing/JsonText.ts"
import { byteText, strayByte } from "../../../domain/ground/parsing/StrictBytes.ts"
import { failing, InvalidJson, UnsupportedMediaType, ValidationError } from "../../../domain/ground/wire/Errors.ts"
import type { FieldFinding, UnknownField } from "../../../domain/ground/wire/Errors.ts"
import { finding, invalidBody } from "../../../domain/ground/wire/FieldFindings.ts"
import { payloadFindings } from "../../../domain/ground/wire/PayloadFindings.ts"
import type { PayloadFindings } from "../../../domain/ground/wire/PayloadFindings.ts"
import { isReasonedAction } from "../../../domain/keys/settings/ServiceSettings.ts"
import type { ReasonedAction } from "../../../domain/keys/settings/ServiceSettings.ts"
import { ServiceSettings } from "../../../services/keys/settings/ServiceSettings.ts"
import { CurrentReason } from "../../../services/log/Provenance.ts"
import { hasBody } from "../edge/Exchanges.ts"
import type { ReceivedRequest } from "../edge/Exchanges.ts"

/** The character that a decoder puts in place of bytes that are none; it may also have been sent as itself. */
const replacement = "\ufffd"

const charset = /;\s*charset\s*=\s*"?([^\s;"]*)"?/i

/** The charsets of UTF-8 and of its part ASCII, as senders name them (IANA's list of character sets). */
const readCharsets = /^(?:utf-?8|us-ascii|ascii)?$/i

/** The reason why a body cannot be read as it was sent: it is compressed, or in another charset; undefined where it can. */
const otherCoding = ({ headers }: ReceivedRequest): UnsupportedMediaType | undefined => {
  const coding = headers["content-encoding"] ?? "identity"
  if (!/^(?:identity)?$/i.test(coding.trim())) {
    return failing(UnsupportedMediaType, "Send the body as it is, without Content-Encoding: no compression is read.")
  }
  const [, named = ""] = charset.exec(headers["content-type"] ?? "") ?? []
  return readCharsets.test(named)
    ? undefined
    : failing(UnsupportedMediaType, "Send the body in UTF-8, which JSON is in (RFC 8259): no other charset is read.")
}

/** A text as JSON; undefined where it is none. */
const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

const findingOf = ({ message, path }: JsonLoss): FieldFinding => finding(path, "invalid_value", message)

/** The texts that rows would lose, by the indexes of the rows. */
type Losses = ReadonlyMap<number, FieldFinding>

const nothingLost = Effect.succeed<Losses>(new Map())

/** Refuses bytes of which the decoder has replaced some. */
const refuseStrayByte = Effect.fnUntraced(function*(request: ReceivedRequest) {
  const stray = strayByte(new Uint8Array(yield* Effect.orDie(request.arrayBuffer)))
  if (stray === undefined) return
  return yield* failing(
    InvalidJson,
    `The body is not UTF-8: its byte ${stray.offset}, counted from 0, is ${byteText(stray.byte)}, which is of no ` +
      "character there. Send it in UTF-8."
  )
})

const checkLoss = (
  text: string,
  rows: JudgedRows | undefined
): Effect.Effect<Losses, UnknownField | ValidationError> => {
  const loss = jsonLoss(text)
  if (loss === undefined) return nothingLost
  const body = parsed(text)
  // A text that is not JSON at all has a better reason, which is given where it is parsed.
  if (body === undefined) return nothingLost
  if (rows?.applies(body) !== true) return Effect.fail(invalidBody([findingOf(loss)]))
  const byRow = lossesByRow(text, rows.list)
  if (byRow.outside !== undefined) return Effect.fail(invalidBody([findingOf(byRow.outside)]))
  return Effect.succeed(new Map(Array.from(byRow.rows, ([index, loss]) => [index, findingOf(loss)])))
}

/**
 * Refuses a body that would be read as something else than was sent: another charset, stray bytes, lossy JSON. Answers
 * what would not be kept of rows instead, by their indexes, where the body asks that they be judged one by one.
 */
export const checkBody = (
  request: ReceivedRequest,
  rows?: JudgedRows
): Effect.Effect<Losses, InvalidJson | UnknownField | UnsupportedMediaType | ValidationError> => {
  const unread = otherCoding(request)
  if (unread !== undefined) return Effect.fail(unread)
  return Effect.flatMap(Effect.orDie(request.text), (text) =>
    text.includes(replacement)
      ? Effect.andThen(refuseStrayByte(request), Effect.suspend(() => checkLoss(text, rows)))
      : checkLoss(text, rows))
}

/** Where a body goes wrong, and never what stands there: it may be a secret. */
const malformed = (text: string) => {
  const { column, line } = jsonErrorPosition(text)
  return failing(InvalidJson, `The body is not well-formed JSON: it goes wrong at line ${line}, column ${column}.`)
}

/** The maximum nesting depth. No valid body is nested deeper, and deep nesting is the most expensive to decode. */
const deepest = 64

const isDeeper = (text: string): boolean => {
  let depth = 0
  let inString = false
  for (let at = 0; at < text.length; at++) {
    const char = text.charCodeAt(at)
    if (char === 0x22) inString = !inString
    else if (inString) at += char === 0x5c ? 1 : 0
    // [ and {, ] and }
    else if (char === 0x5b || char === 0x7b) {
      depth += 1
      if (depth > deepest) return true
    } else if (char === 0x5d || char === 0x7d) depth -= 1
  }
  return false
}

/** The body as JSON, read as HttpApi reads it; undefined when absent. */
export const bodyOf = ({ text }: ReceivedRequest) =>
  Effect.flatMap(Effect.orDie(text), (text) => {
    if (text === "") return Effect.undefined
    try {
      return Effect.succeed<unknown>(JSON.parse(text))
    } catch {
      return Effect.fail(malformed(text))
    }
  })

const checkDepth = Effect.fnUntraced(function*({ text }: ReceivedRequest) {
  if (!isDeeper(yield* Effect.orDie(text))) return
  return yield* invalidBody([finding([], "invalid_value", `must be nested at most ${deepest} deep`)])
})

/** The body of an operation that takes none. */
const Nothing = Schema.Struct({})

const judges = new WeakMap<HttpApiEndpoint.Top, PayloadFindings>()

/** Built at the operation's first request, to keep the start fast. */
const judgeOf = (endpoint: HttpApiEndpoint.Top): PayloadFindings => {
  const known = judges.get(endpoint)
  if (known !== undefined) return known
  const made = payloadFindings(bodySchemaOf(endpoint) ?? Nothing)
  judges.set(endpoint, made)
  return made
}

/** The findings about a body that does not decode. */
export const payloadRefusal = (endpoint: HttpApiEndpoint.Top, body: unknown) => invalidBody(judgeOf(endpoint).of(body))

const rowJudges = new WeakMap<JudgedRows, (body: unknown) => ReadonlyArray<FieldFinding>>()

const judgeOfRows = (rows: JudgedRows): (body: unknown) => ReadonlyArray<FieldFinding> => {
  const decode = Schema.decodeUnknownExit(rows.otherwise, bodyStrictness)
  const { of } = payloadFindings(rows.otherwise)
  return (body) => rows.applies(body) || Exit.isSuccess(decode(body)) ? [] : of(body)
}

/** The findings about a body whose rows are judged with the rest of it. */
const wholeFindings = (rows: JudgedRows, body: unknown): ReadonlyArray<FieldFinding> => {
  const judge = rowJudges.get(rows) ?? judgeOfRows(rows)
  rowJudges.set(rows, judge)
  return judge(body)
}

const isUndecoded = (error: unknown): boolean => HttpApiError.HttpApiSchemaError.is(error) && error.kind === "Payload"

/** The action of an operation of management for which a reason may be required. */
const reasonedActionOf = (endpoint: HttpApiEndpoint.Top): ReasonedAction | undefined => {
  const { action, scope } = declarationOf(endpoint)
  return scope !== "license" && isReasonedAction(action) && takesMember(endpoint, "reason") ? action : undefined
}

/**
 * Runs an operation in the circumstances that its body states: why, and whether it is only asked about. Its schema was
 * checked. Without a reason, it first asks whether one is required.
 */
const inCircumstances = <A, E, R>(
  operation: Effect.Effect<A, E, R>,
  endpoint: HttpApiEndpoint.Top,
  body: unknown,
  check: ServiceSettings["Service"]["checkReason"]
) => {
  const { dry_run, reason } = isMembers(body) ? body : {}
  const action = reason === undefined && dry_run !== true ? reasonedActionOf(endpoint) : undefined
  return (action === undefined ? operation : Effect.andThen(check(action), operation)).pipe(
    typeof reason === "string" && takesMember(endpoint, "reason")
      ? Effect.provideService(CurrentReason, reason)
      : identity,
    dry_run === true && takesMember(endpoint, "dry_run") ? Effect.provideService(DryRun, true) : identity
  )
}

/** Whether a body is said to be JSON, or nothing is said of it. */
const isJson = ({ "content-type": contentType }: ReceivedRequest["headers"]): boolean =>
  contentType === undefined || /^application\/json\s*(;|$)/i.test(contentType.trim())

/** Refuses a body that is not said to be JSON; an absent one counts as missing. A refusal is not kept under a key. */
export const checkMediaType = (
  request: ReceivedRequest
): Effect.Effect<void, UnsupportedMediaType | ValidationError> => {
  if (isJson(request.headers)) return Effect.void
  return Effect.fail(
    hasBody(request)
      ? failing(UnsupportedMediaType, "Send the body as application/json.")
      : failing(ValidationError, "The request is not valid: send a JSON object, as application/json.", {
        fields: [{ path: "", code: "required", message: "Send a JSON object, as application/json" }]
      })
  )
}

/** Whether a body says nothing, as callers send it who have nothing to say. */
const saysNothing = (text: string): boolean => {
  const said = text.trim()
  return said === "" || said === "null" ||
    (said.startsWith("{") && said.endsWith("}") && said.slice(1, -1).trim() === "")
}

/** The body of an operation without a payload, or undefined where nothing is said; refuses what it does not take. */
const optionalBody = Effect.fnUntraced(function*(endpoint: HttpApiEndpoint.Top) {
  const request = yield* HttpServerRequest.HttpServerRequest
  if (!hasBody(request)) return undefined
  const text = yield* Effect.orDie(request.text)
  if (saysNothing(text)) return undefined
  yield* checkMediaType(request)
  yield* Effect.andThen(checkDepth(request), checkBody(request))
  const body = yield* bodyOf(request)
  const judge = judgeOf(endpoint)
  const fields = isMembers(body)
    ? [...judge.tooLong(body), ...judge.of(body)]
    : [finding([], "invalid_type", "must be a JSON object, or omitted")]
  return fields.length === 0 ? body : yield* invalidBody(fields)
})

/** The findings about a body of management before it is decoded. */
const findingsBefore = (endpoint: HttpApiEndpoint.Top, body: unknown) => {
  const tooLong = judgeOf(endpoint).tooLong(body)
  const { rows } = declarationOf(endpoint)
  if (tooLong.length > 0 || rows === undefined || body === undefined) return tooLong
  return wholeFindings(rows, body)
}

/**
 * Judges bodies, of operations that take none as well: nothing that was sent is dropped in silence. Decoding stops at
 * the first error, because collecting all of them would cost as much as the caller chooses. The findings of a refusal
 * are collected afterwards, up to a limit.
 */
export const layer = Layer.effect(
  RequestBody,
  Effect.map(ServiceSettings, ({ checkReason }) =>
    RequestBody.of((httpEffect, { endpoint }) => {
      const runWith = (body: unknown) => inCircumstances(httpEffect, endpoint, body, checkReason)
      if (declarationOf(endpoint).rawBody === true) return httpEffect
      if (endpoint.payload.size === 0) return Effect.flatMap(optionalBody(endpoint), runWith)
      const declaration = declarationOf(endpoint)
      return Effect.gen(function*() {
        const request = yield* HttpServerRequest.HttpServerRequest
        const judged = (body: unknown) =>
          Effect.catchIf(
            runWith(body),
            isUndecoded,
            () => Effect.flatMap(bodyOf(request), (body) => Effect.fail(payloadRefusal(endpoint, body)))
          )
        // A runtime body is so small that a full read costs less than a second look.
        if (isForApps(declaration)) {
          yield* checkBody(request)
          yield* checkMediaType(request)
          return yield* judged(undefined)
        }
        yield* checkDepth(request)
        const lost = yield* checkBody(request, declaration.rows)
        yield* checkMediaType(request)
        const body = yield* Effect.orElseSucceed(bodyOf(request), () => undefined)
        const fields = findingsBefore(endpoint, body)
        if (fields.length > 0) return yield* invalidBody(fields)
        return yield* Effect.provideService(judged(body), RowFindings, lost)
      })
    }))
)

import { Cause, Effect, Option, Schema } from "effect"
import { HttpServerError, HttpServerResponse } from "effect/http"
import { HttpApiError } from "effect/http-api"
import type { HttpApiEndpoint } from "effect/http-api"
import { SqlError } from "effect/sql"
import { declarationOf } from "../../../api/ground/Operation.ts"
import { rateLimitHeaders } from "../../../domain/ground/admission/RateLimit.ts"
import { docUrl } from "../../../domain/ground/guides/ErrorGuide.ts"
import { membersOf } from "../../../domain/ground/parsing/JsonMembers.ts"
import {
  catalog,
  failing,
  Internal,
  InvalidHeader,
  InvalidJson,
  isDomainError,
  isVerdict,
  MethodNotAllowed,
  NotFound,
  PayloadTooLarge,
  RouteNotFound,
  Unavailable
} from "../../../domain/ground/wire/Errors.ts"
import type { Code, DomainError, Meta } from "../../../domain/ground/wire/Errors.ts"
import {
  findingsOf,
  invalidBody,
  invalidQuery,
  maximumFindings,
  summary
} from "../../../domain/ground/wire/FieldFindings.ts"
import { echoed } from "../../../domain/ground/wire/Fields.ts"
import type { RefusalStatement, SignedRefusal } from "../../../domain/ground/wire/Signed.ts"
import { refusalType, refusedRequest } from "../../../domain/keys/security/RefusalFormat.ts"
import { bindingOf } from "../../../domain/licensing/entitlements/DeviceBinding.ts"
import { RuntimeRequest } from "../../../domain/licensing/entitlements/RuntimeRequest.ts"
import { Crowded } from "../../../services/ground/admission/FairShare.ts"
import { Cryptography } from "../../../services/ground/platform/Cryptography.ts"
import { isDiskFull, isPassing } from "../../../services/ground/platform/SqlState.ts"
import { Signing } from "../../../services/keys/security/Signing.ts"
import { isUnasked } from "../../../services/log/Provenance.ts"
import { CurrentExchange, FailureLog, hasBody, refusedWith } from "./Exchanges.ts"
import type { Exchange } from "./Exchanges.ts"
import type { ReceivedRequest } from "./Exchanges.ts"

/** A failure with its code of the catalog, and headers of its own. */
interface Verdict {
  readonly error: DomainError
  readonly headers?: Readonly<Record<string, string>>
  /** Whether the operator should see it in the log. */
  readonly log?: boolean
}

const retryLater = { "retry-after": "1" } as const

const unavailable: Verdict = {
  error: failing(Unavailable, "The service is unavailable right now. Try again."),
  headers: retryLater,
  log: true
}

/** Until somebody has made room. */
const full: Verdict = {
  error: failing(
    Unavailable,
    "The service cannot write now: the disk of its database is full. Reads still work. Try again when the operator " +
      "has freed space."
  ),
  headers: { "retry-after": "30" },
  log: true
}

const schemaVerdict = ({ cause, kind }: HttpApiError.HttpApiSchemaError): Verdict => {
  const fields = findingsOf(cause.issue)
  switch (kind) {
    case "Params":
      return { error: failing(NotFound, catalog.NOT_FOUND.meaning) }
    case "Query":
      return { error: invalidQuery(fields) }
    case "Headers":
      return { error: failing(InvalidHeader, summary("A request header is not valid", fields), { fields }) }
    case "Payload":
      if (fields.some(({ message, path }) => path === "" && message.includes("valid JSON body"))) {
        return { error: failing(InvalidJson, "The body is not well-formed JSON.") }
      }
      return { error: invalidBody(fields) }
    default:
      return { error: failing(Internal, "The service could not write its response."), log: true }
  }
}

/** Whether a body was refused for its size. */
export const isTooLarge = (error: HttpServerError.HttpServerError): boolean =>
  error.reason._tag === "RequestParseError" &&
  /maxbodysize|too large|maxbytes|exceed/i.test(`${String(error.reason.cause)} ${error.reason.message}`)

/**
 * Finds the first error of the catalog among the failures of a cause. An error that it died with is a mistake of ours,
 * and is not meant as an answer, but for an event that a second person was not asked about.
 */
const failed = (cause: Cause.Cause<unknown>): DomainError | undefined => {
  for (const reason of cause.reasons) {
    if (Cause.isFailReason(reason) && isDomainError(reason.error)) return reason.error
  }
  return undefined
}

/**
 * Finds the first value of a cause that satisfies a guard, among failures and defects: HttpApi dies with what it cannot
 * decode, and our services die when the database is away.
 */
const find = <A>(cause: Cause.Cause<unknown>, guard: (u: unknown) => u is A): A | undefined => {
  for (const reason of cause.reasons) {
    const value = Cause.isFailReason(reason) ? reason.error : Cause.isDieReason(reason) ? reason.defect : undefined
    if (guard(value)) return value
  }
  return undefined
}

/** The facts about the path of a request that no operation took. */
export interface Paths {
  readonly method: string
  /** The methods of this path; none when no operation has it. */
  readonly methods: () => ReadonlyArray<string>
  /** The nearest path that an operation has. */
  readonly nearest: () => string | undefined
}

const noPaths: Paths = { method: "", methods: () => [], nearest: () => undefined }

const nearestSentence = (path: string | undefined): string =>
  path === undefined ? " GET /openapi.yaml lists all of them." : ` Did you mean ${path}?`

const judge = (cause: Cause.Cause<unknown>, { method, methods, nearest }: Paths): Verdict => {
  const domain = failed(cause)
  if (domain !== undefined) return { error: domain }
  const unasked = find(cause, isUnasked)
  if (unasked !== undefined) return { error: unasked }
  const schema = find(cause, HttpApiError.HttpApiSchemaError.is)
  if (schema !== undefined) return schemaVerdict(schema)
  const server = find(cause, HttpServerError.isHttpServerError)
  if (server !== undefined) {
    if (server.reason._tag === "RouteNotFound") {
      const allowed = methods()
      return allowed.length === 0
        ? { error: failing(RouteNotFound, `No operation has this path.${nearestSentence(nearest())}`) }
        : {
          error: failing(
            MethodNotAllowed,
            `This path does not have the method ${method}; it has ${allowed.join(", ")}.`
          ),
          headers: { allow: allowed.join(", ") }
        }
    }
    if (isTooLarge(server)) {
      return {
        error: failing(PayloadTooLarge, catalog.PAYLOAD_TOO_LARGE.meaning),
        headers: { connection: "close" }
      }
    }
    if (server.reason._tag === "RequestParseError") {
      return { error: failing(InvalidJson, "The body could not be read.") }
    }
  }
  const sql = find(cause, SqlError.isSqlError)
  // Shed work is counted; a line for each would cost more than the request.
  if (sql?.reason.cause instanceof Crowded) return { ...unavailable, log: false }
  if (sql !== undefined && isDiskFull(sql)) return full
  if (sql !== undefined && isPassing(sql)) return unavailable
  return { error: failing(Internal, "Internal error. Send the request ID to the operator."), log: true }
}

/** The maximum length of message and detail, in characters: they may repeat input of the caller. */
const longestText = 1024

const cut = (text: string): string =>
  text.length <= longestText ? text : `${text.slice(0, longestText).toWellFormed()}…`

/** The code and status that a failure is answered with, and its detail. */
export const verdictOf = (
  cause: Cause.Cause<unknown>
): { readonly code: Code; readonly status: number; readonly detail: string | undefined } => {
  const { error, _tag: code } = judge(cause, noPaths).error
  return { code, status: catalog[code].status, detail: error.detail === undefined ? undefined : cut(error.detail) }
}

const statusHeaders = (error: DomainError): Readonly<Record<string, string>> => {
  switch (error._tag) {
    case "UNAUTHENTICATED":
    case "TOKEN_EXPIRED":
    case "TOKEN_REVOKED":
    case "TOKEN_IP_DENIED":
    case "PERSON_MISMATCH":
      return { "www-authenticate": "Bearer realm=\"countersign\"" }
    case "LICENSE_KEY_INVALID":
      return { "www-authenticate": "License realm=\"countersign\"" }
    case "RATE_LIMITED":
      return rateLimitHeaders(error)
    case "UNAVAILABLE":
      return retryLater
    default:
      return {}
  }
}

const encoder = new TextEncoder()
const bytesOf = (text: string): number => encoder.encode(text).length

/** The maximum size of a refusal, in bytes. Findings are dropped from the end to keep within it. */
const longestRefusal = 16 * 1024

const textOf = (error: DomainError, meta: Meta, publicUrl: string): string => {
  const { detail, fields, message } = error.error
  const write = (fields: DomainError["error"]["fields"]) =>
    JSON.stringify({
      error: {
        ...error.error,
        message: cut(message),
        ...(detail === undefined ? {} : { detail: cut(detail) }),
        ...(fields === undefined ? {} : { fields }),
        doc_url: docUrl(publicUrl, error._tag)
      },
      meta
    })
  let kept = fields?.slice(0, maximumFindings)
  let text = write(kept)
  // A UTF-16 unit takes at most three bytes of UTF-8.
  while (kept !== undefined && kept.length > 0 && text.length * 3 > longestRefusal && bytesOf(text) > longestRefusal) {
    kept = kept.slice(0, Math.trunc(kept.length / 2))
    text = write(kept)
  }
  return text
}

/** Writes an error of the catalog as `{error, meta}`, in at most {@link longestRefusal} bytes. */
export const errorResponse = (
  error: DomainError,
  meta: Meta,
  publicUrl: string,
  headers: Readonly<Record<string, string>> = {}
): HttpServerResponse.HttpServerResponse =>
  HttpServerResponse.text(
    textOf(error, meta, publicUrl),
    {
      status: catalog[error._tag].status,
      contentType: "application/json",
      headers: { ...statusHeaders(error), ...headers }
    }
  )

/**
 * The one encoder: every failure becomes `{error, meta}`. Defects are logged with the request id and reveal nothing; an
 * unavailable database is 503. Interruption is passed on, because no caller waits for an answer.
 */
export const encodeFailure = <E>(options: {
  readonly cause: Cause.Cause<E>
  readonly meta: Meta
  readonly publicUrl: string
  readonly paths?: Paths
}): Effect.Effect<HttpServerResponse.HttpServerResponse> => {
  if (Cause.hasInterruptsOnly(options.cause)) return Effect.failCause(options.cause as Cause.Cause<never>)
  const verdict = judge(options.cause, options.paths ?? noPaths)
  const response = errorResponse(verdict.error, options.meta, options.publicUrl, verdict.headers)
  const code = verdict.error._tag
  const noted = refusedWith(code)
  if (verdict.log !== true) return Effect.as(noted, response)
  const failure = { code, requestId: options.meta.request_id, cause: options.cause }
  return noted.pipe(Effect.andThen(Effect.flatMap(FailureLog, (log) => log(failure))), Effect.as(response))
}

/** The credential of an app as it stands in an `Authorization` header. */
const credentials = { license: /^License\s+(\S.*)$/is, publishable: /^Bearer\s+(\S+)\s*$/i } as const

const readJson = Schema.decodeUnknownOption(Schema.fromJsonString(Schema.Unknown))
const readDevice = Schema.decodeUnknownOption(RuntimeRequest)
const isNonce = Schema.is(echoed(8, 128))

/**
 * Signs the refusals of apps that are verdicts. A refusal that no credential came to, or that is the service's trouble or a
 * limit of rates, is none: it stays without a signature. Only refusals pay for it, and those are bounded: addresses that
 * try unknown keys by the limits of rates, and the rest by what a request may cost that reads the database, which is more.
 */
export const makeSignedRefusal = Effect.gen(function*() {
  const crypto = yield* Cryptography
  const signing = yield* Signing

  const statementOf = (
    { code, detail }: ReturnType<typeof verdictOf>,
    credential: string,
    { headers, method, url }: ReceivedRequest,
    text: string,
    exchange: Exchange | undefined
  ): (now: Date) => RefusalStatement => {
    const body = Option.getOrUndefined(readJson(text))
    const device = Option.getOrUndefined(readDevice(body))
    const named = membersOf(body)["nonce"]
    const nonce = [named, headers["x-nonce"]].find(isNonce)
    const { id, kind } = exchange?.principal ?? {}
    return (now) => ({
      type: refusalType,
      code,
      ...(detail === undefined ? {} : { detail }),
      ...(kind === "license" ? { license_id: id! } : {}),
      credential_hash: crypto.sha256Hex(credential),
      ...(device === undefined ? {} : { fingerprint_hash: crypto.sha256Hex(bindingOf(device).key) }),
      ...(nonce === undefined ? {} : { nonce }),
      request_hash: crypto.sha256Hex(refusedRequest(method, url, text)),
      issued_at: now.toISOString()
    })
  }

  /** The signed verdict of a refused request; undefined where the refusal decides nothing. */
  return (
    endpoint: HttpApiEndpoint.Top,
    cause: Cause.Cause<unknown>,
    request: ReceivedRequest
  ): Effect.Effect<SignedRefusal | undefined> => {
    const { scope } = declarationOf(endpoint)
    const verdict = verdictOf(cause)
    if (!(scope === "license" || scope === "publishable") || !isVerdict(verdict.code)) return Effect.undefined
    const credential = credentials[scope].exec(request.headers["authorization"] ?? "")?.[1]
    if (credential === undefined) return Effect.undefined
    // The body is not waited for where nothing is signed.
    const text = hasBody(request) ? Effect.orElseSucceed(request.text, () => "") : Effect.succeed("")
    return Effect.zip(text, CurrentExchange).pipe(
      Effect.flatMap(([text, exchange]) => signing.signNow(statementOf(verdict, credential, request, text, exchange))),
      // Canonical text is written again as it stands.
      Effect.map(({ data, signature }): SignedRefusal => ({ data: JSON.parse(data), signature })),
      // Without the database no verdict can be reached: then the refusal is what it is without a signature.
      Effect.catchDefect(() => Effect.undefined)
    )
  }
})

/** The `meta` of a refusal, with the signed verdict if there is one. */
export const withRefusal = <M extends object>(meta: M, refusal: SignedRefusal | undefined): M =>
  refusal === undefined ? meta : { ...meta, refusal }

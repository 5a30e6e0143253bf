import { Cause, Effect } from "effect"
import { HttpServerError, HttpServerResponse } from "effect/http"
import { HttpApiError } from "effect/http-api"
import { SqlError } from "effect/sql"
import { rateLimitHeaders } from "../../../domain/ground/admission/RateLimit.ts"
import { docUrl } from "../../../domain/ground/guides/ErrorGuide.ts"
import {
  catalog,
  failing,
  Internal,
  InvalidHeader,
  InvalidJson,
  isDomainError,
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
import { Crowded } from "../../../services/ground/admission/FairShare.ts"
import { isDiskFull, isPassing } from "../../../services/ground/platform/SqlState.ts"
import { isUnasked } from "../../../services/log/Provenance.ts"
import { FailureLog, refusedWith } from "./Exchanges.ts"

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

/** One finding about one member of a request, as the service names it: `path` is dotted, with indexes as numbers. */
export interface FieldFinding {
  readonly path: string
  readonly code: string
  readonly message: string
}

/**
 * The reason why there is no answer of the service: it could not be reached or the connection broke (`NETWORK_ERROR`), it took too
 * long (`TIMEOUT`), or what came is not the service's (`INVALID_ANSWER`), as a proxy's page of its own.
 */
export type ConnectionCode = "NETWORK_ERROR" | "TIMEOUT" | "INVALID_ANSWER"

/**
 * The reason why a call was not sent: the text cannot be a license key (`LICENSE_KEY_MALFORMED`), a token or a publishable key
 * (`CREDENTIAL_MALFORMED`), or stand in a header (`HEADER_MALFORMED`).
 */
export type InputCode = "LICENSE_KEY_MALFORMED" | "CREDENTIAL_MALFORMED" | "HEADER_MALFORMED"

/** A failure as it is known. */
export interface Failure<Code extends string> {
  readonly code: Code
  readonly message: string
  readonly status?: number | undefined
  readonly requestId?: string | undefined
  readonly detail?: string | undefined
  readonly fields?: ReadonlyArray<FieldFinding> | undefined
  readonly docUrl?: string | undefined
  readonly retryAfterMs?: number | undefined
  readonly cause?: unknown
  /** The body of the refusal as it arrived. */
  readonly body?: string | undefined
}

/**
 * A refusal of the service, or the reason why it could not be reached. `code` is for programs: one of the codes that the operation can
 * answer, a {@link ConnectionCode} or an {@link InputCode}; `message` is for people.
 */
export class CountersignError<Code extends string = string> extends Error {
  override readonly name = "CountersignError"
  readonly code: Code
  /** The HTTP status; undefined where no answer came. */
  readonly status: number | undefined
  /** The id of the request, which the service's log and its activities name. Quote it when you ask for help. */
  readonly requestId: string | undefined
  /** More about the cause, where the code alone does not say it. */
  readonly detail: string | undefined
  /** The findings of a `VALIDATION_ERROR` or an `UNKNOWN_FIELD`; otherwise empty. */
  readonly fields: ReadonlyArray<FieldFinding>
  /** A page about the code and its cure. */
  readonly docUrl: string | undefined
  /** How long to wait before asking again, in milliseconds, where the service said so (RFC 9110, 10.2.3). */
  readonly retryAfterMs: number | undefined
  // Not shown where the error is: it may be long, and is bound to the license key.
  readonly #body: string | undefined
  constructor(failure: Failure<Code>) {
    super(failure.message, failure.cause === undefined ? undefined : { cause: failure.cause })
    this.code = failure.code
    this.status = failure.status
    this.requestId = failure.requestId
    this.detail = failure.detail
    this.fields = failure.fields ?? []
    this.docUrl = failure.docUrl
    this.retryAfterMs = failure.retryAfterMs
    this.#body = failure.body
  }

  /** The body as it arrived, which `verifyRefusal` takes; undefined where no refusal came. */
  get body(): string | undefined {
    return this.#body
  }
}

/**
 * Whether a value that was caught is a {@link CountersignError}, with one of these codes if any are named. It narrows the
 * code, and holds across copies of the package.
 */
export const isCountersignError = <Code extends string = string>(
  error: unknown,
  ...codes: ReadonlyArray<Code>
): error is CountersignError<Code> =>
  error instanceof Error && error.name === "CountersignError" && "code" in error &&
  (codes.length === 0 || codes.includes(error.code as Code))

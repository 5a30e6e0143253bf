import { membersOf } from "../../domain/ground/parsing/JsonMembers.ts"
import type { FieldFinding } from "./CountersignError.ts"

/** A refusal as its body has it. */
export interface ErrorBody {
  readonly code: string
  readonly message: string
  readonly detail: string | undefined
  readonly docUrl: string | undefined
  readonly fields: ReadonlyArray<FieldFinding> | undefined
  readonly requestId: string | undefined
}

const textOf = (value: unknown): string | undefined => typeof value === "string" ? value : undefined

const findingsOf = (value: unknown): ReadonlyArray<FieldFinding> | undefined =>
  Array.isArray(value)
    ? value.flatMap((finding) => {
      const { code, message, path } = membersOf(finding)
      return typeof code === "string" && typeof message === "string" && typeof path === "string"
        ? [{ path, code, message }]
        : []
    })
    : undefined

/** Reads the body of a refusal; undefined where it has no code, and so is not the service's. */
export const readErrorBody = (body: unknown): ErrorBody | undefined => {
  const { error, meta } = membersOf(body)
  const { code, detail, doc_url, fields, message } = membersOf(error)
  if (typeof code !== "string") return undefined
  return {
    code,
    message: textOf(message) ?? code,
    detail: textOf(detail),
    docUrl: textOf(doc_url),
    fields: findingsOf(fields),
    requestId: textOf(membersOf(meta)["request_id"])
  }
}

/** How failed attempts are repeated. */
export interface RetryOptions {
  /** How often a request is sent again at most, beside the first time. Default: 4. */
  readonly maxRetries?: number
  /** The longest wait before an attempt, in milliseconds. A `Retry-After` beyond it is an error at once. Default: 60 s. */
  readonly maxDelayMs?: number
}

/** The first wait of the exponential backoff, and its longest, in milliseconds. */
const firstDelay = 250
const longestBackoff = 8000

/**
 * The statuses of a request that was not decided, so that it may be sent again: it was not read (408), there were too many
 * (429), the service or what stands before it cannot answer now (502, 503, 504).
 */
const undecided: ReadonlySet<number> = new Set([408, 429, 502, 503, 504])

/** Whether an answer asks for the same request again. `IDEMPOTENCY_IN_FLIGHT`: an earlier attempt of it still runs. */
export const mayRetry = (status: number, code: string | undefined): boolean =>
  undecided.has(status) || code === "IDEMPOTENCY_IN_FLIGHT"

/** A `Retry-After` (RFC 9110, 10.2.3: seconds or an HTTP date) in milliseconds from now; undefined when it is neither. */
export const readRetryAfter = (value: string | null, now = Date.now()): number | undefined => {
  if (value === null) return undefined
  if (/^\d{1,9}$/.test(value.trim())) return Number(value) * 1000
  const date = Date.parse(value)
  return Number.isNaN(date) ? undefined : Math.max(0, date - now)
}

/**
 * How long to wait before sending again, in milliseconds, with jitter so that callers who failed together do not come back
 * together: where the service said when, that and up to a quarter more; otherwise between the half and the whole of an
 * exponential backoff. `retries` counts those before this one, `random` is from 0 to below 1.
 */
export const retryDelay = (retries: number, retryAfterMs: number | undefined, random: number): number => {
  const backoff = Math.min(longestBackoff, firstDelay * 2 ** retries)
  if (retryAfterMs === undefined) return backoff * (0.5 + random / 2)
  return retryAfterMs + random * Math.max(backoff, retryAfterMs) / 4
}

/** Waits, unless the signal aborts: then it rejects with the signal's reason. */
export const pause = (ms: number, signal: AbortSignal | undefined): Promise<void> =>
  new Promise((resolve, reject) => {
    if (signal?.aborted === true) return reject(signal.reason)
    const stop = () => {
      clearTimeout(timer)
      reject(signal?.reason)
    }
    const timer = setTimeout(() => {
      signal?.removeEventListener("abort", stop)
      resolve()
    }, ms)
    signal?.addEventListener("abort", stop, { once: true })
  })

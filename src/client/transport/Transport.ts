import { serviceUrl } from "../../domain/ground/parsing/ServiceUrl.ts"
import { CountersignError } from "./CountersignError.ts"
import type { ConnectionCode } from "./CountersignError.ts"
import { checkHeaders, isInputError } from "./Credentials.ts"
import { mayRetry, pause, readErrorBody, readRetryAfter, retryDelay } from "./Retries.ts"
import type { RetryOptions } from "./Retries.ts"

/** How the service is reached. */
export interface TransportOptions extends RetryOptions {
  /** Where the service is, such as `https://licenses.example.com`. */
  readonly baseUrl: string | URL
  /** How long one attempt may take, its answer's body included, in milliseconds. Default: 30 s. */
  readonly timeoutMs?: number
  /** Sent with every request. */
  readonly headers?: Readonly<Record<string, string>>
  /** The function that sends requests. Default: the platform's `fetch`. */
  readonly fetch?: typeof fetch
}

/** The options of one call. */
export interface CallOptions extends RetryOptions {
  /** Gives up, also between attempts; the call rejects with the signal's reason. */
  readonly signal?: AbortSignal
  readonly timeoutMs?: number
  readonly headers?: Readonly<Record<string, string>>
}

/** One request, as it is sent each time. */
export interface Outgoing {
  readonly method: string
  /** With its query. */
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string | undefined
  /** Whether the body of a success is left to the caller, who reads it as it comes. */
  readonly unread?: boolean
}

/** An answer of 2xx, or the 304 that was asked for. */
export interface Incoming {
  readonly response: Response
  /** The body as it arrived; empty where it was left unread. */
  readonly text: string
}

const defaultTimeout = 30_000

const failed = (code: ConnectionCode, message: string, cause: unknown): CountersignError<ConnectionCode> =>
  new CountersignError({ code, message, cause })

/** A body as JSON; undefined where it is none. */
const parsedOf = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** The error of a response outside 2xx. */
const refusal = (response: Response, text: string): CountersignError => {
  const retryAfterMs = readRetryAfter(response.headers.get("retry-after"))
  const requestId = response.headers.get("x-request-id") ?? undefined
  const common = { status: response.status, requestId, retryAfterMs }
  const read = readErrorBody(parsedOf(text))
  if (read !== undefined) {
    return new CountersignError({ ...common, ...read, requestId: read.requestId ?? requestId, body: text })
  }
  return new CountersignError({
    ...common,
    code: "INVALID_ANSWER",
    message: `The response with status ${response.status} is not from the service`
  })
}

/**
 * Sends requests to the service. What was not decided is sent again, the same each time, after a wait: a broken connection,
 * too long a wait, 408, 429, 502, 503 and 504, and an earlier attempt that still runs. What was refused never is.
 */
export class Transport {
  readonly #baseUrl: string
  readonly #options: TransportOptions
  readonly #fetch: typeof fetch
  /** Throws a TypeError when the base URL is not one of HTTP. */
  constructor(options: TransportOptions) {
    this.#baseUrl = serviceUrl(options.baseUrl).href.replace(/[?#].*$/, "").replace(/\/+$/, "")
    this.#options = options
    // A browser's fetch must be called as a method of its window.
    this.#fetch = options.fetch ?? ((input, init) => globalThis.fetch(input, init))
  }

  /** Sends one request until it is decided. Rejects with a {@link CountersignError}, or with the reason of the signal. */
  async send(outgoing: Outgoing, options: CallOptions = {}): Promise<Incoming> {
    const maxRetries = options.maxRetries ?? this.#options.maxRetries ?? 4
    const maxDelay = options.maxDelayMs ?? this.#options.maxDelayMs ?? 60_000
    for (let retries = 0;; retries++) {
      try {
        return await this.#attempt(outgoing, options)
      } catch (error) {
        if (!(error instanceof CountersignError) || retries >= maxRetries || isInputError(error)) throw error
        const isLost = error.status === undefined
        if (!isLost && !mayRetry(error.status, error.code)) throw error
        const delay = retryDelay(retries, error.retryAfterMs, Math.random())
        if ((error.retryAfterMs ?? 0) > maxDelay) throw error
        await pause(Math.min(delay, maxDelay), options.signal)
      }
    }
  }

  async #attempt(outgoing: Outgoing, { headers, signal, timeoutMs }: CallOptions): Promise<Incoming> {
    signal?.throwIfAborted()
    const sent = { ...this.#options.headers, ...outgoing.headers, ...headers }
    checkHeaders(sent)
    const timeout = timeoutMs ?? this.#options.timeoutMs ?? defaultTimeout
    const controller = new AbortController()
    const stop = () => controller.abort(signal?.reason)
    signal?.addEventListener("abort", stop, { once: true })
    let isLate = false
    const timer = setTimeout(() => {
      isLate = true
      controller.abort()
    }, timeout)
    let isHandedOver = false
    try {
      const response = await this.#fetch(this.#baseUrl + outgoing.path, {
        method: outgoing.method,
        headers: sent,
        signal: controller.signal,
        ...(outgoing.body === undefined ? {} : { body: outgoing.body })
      })
      const isSuccess = response.ok || response.status === 304
      if (isSuccess && outgoing.unread === true) {
        // The signal goes on to end the body; the time is for the head alone.
        isHandedOver = true
        return { response, text: "" }
      }
      const text = await response.text()
      if (!isSuccess) throw refusal(response, text)
      return { response, text }
    } catch (error) {
      if (error instanceof CountersignError) throw error
      if (signal?.aborted === true) throw signal.reason
      if (isLate) throw failed("TIMEOUT", `The service did not respond within ${timeout} ms`, error)
      throw failed("NETWORK_ERROR", "The service cannot be reached, or the connection broke", error)
    } finally {
      clearTimeout(timer)
      if (!isHandedOver) signal?.removeEventListener("abort", stop)
    }
  }
}

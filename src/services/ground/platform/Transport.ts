import { Context, Data, Duration, Result } from "effect"
import type { Effect } from "effect"
import { Headers } from "effect/http"

/** One POST. The body's UTF-8 bytes are sent as they are. */
export interface OutgoingRequest {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

/**
 * The reason why there was no answer.
 * - `dns`: the name does not resolve in time
 * - `address_not_allowed`: it resolves to an address that we do not connect to
 * - `connect`: no connection
 * - `tls`: the handshake failed or the certificate is not valid for the host
 * - `timeout`: no complete answer in time
 * - `reset`: the connection broke
 * - `protocol`: what came back is not an HTTP/1.1 answer within the limits
 */
export type TransportError = "dns" | "address_not_allowed" | "connect" | "tls" | "timeout" | "reset" | "protocol"

/** How an attempt ended, as data: a receiver that fails is no failure of ours. Header names are in lower case. */
export type AttemptAnswer =
  | {
    readonly status: number
    readonly headers: Readonly<Record<string, string | ReadonlyArray<string> | undefined>>
  }
  | { readonly error: TransportError; readonly detail?: string }

/** A longer Retry-After is no number of seconds that one could wait for, and no date. */
const longestRetryAfter = 64

/**
 * How long a Retry-After header (RFC 9110 section 10.2.3) asks to wait, in milliseconds from `nowMillis` (Unix
 * milliseconds); 0 for a date that is past. Undefined where there is none, several, or one that is malformed.
 */
export const parseRetryAfter = (
  header: string | ReadonlyArray<string> | undefined,
  nowMillis: number
): number | undefined => {
  if (typeof header !== "string" || header.length > longestRetryAfter) return undefined
  const parsed = Headers.parseRetryAfter(header)
  return Result.isFailure(parsed) ? undefined : Duration.toMillis(Headers.retryAfterDelay(parsed.success, nowMillis))
}

/** Sends one attempt of a delivery: every limit on time, size and address is the transport's. */
export class Transport extends Context.Service<Transport, {
  /**
   * Sends, and calls `answer` once: a node makes thousands of attempts a second, and a fiber for each costs more than the
   * rest of it. What is returned ends the attempt; `answer` is not called then.
   */
  readonly post: (request: OutgoingRequest, answer: (answer: AttemptAnswer) => void) => () => void
}>()("countersign/services/ground/platform/Transport") {}

/** The longest that another system can have the service wait, in milliseconds: it asks again once an hour at least. */
const longestRest = 3_600_000

/** How long another system asks to be left alone, in milliseconds: 0 where it does not, an hour where it says longer. */
export const requestedRest = (requested: number | undefined): number => Math.min(requested ?? 0, longestRest)

/** An answer that was read whole. Header names are in lower case. */
export interface HttpAnswer {
  readonly status: number
  readonly headers: Readonly<Record<string, string | undefined>>
  readonly body: Uint8Array
}

/** There was no answer within the limits of time and size. */
export class NoAnswer extends Data.TaggedError("NoAnswer")<{ readonly reason: TransportError | "too_large" }> {}

/** One GET. */
export interface HttpQuestion {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  /** How long the whole of it may take, in milliseconds. */
  readonly patienceMillis: number
}

/**
 * Reads from the APIs of payment providers, and from identity providers that licenses trust. Whatever a URL leads to, only addresses are connected to that deliveries may
 * go to as well; redirects are not followed, and bodies are bounded.
 */
export class ProviderHttp extends Context.Service<ProviderHttp, {
  readonly get: (question: HttpQuestion) => Effect.Effect<HttpAnswer, NoAnswer>
}>()("countersign/services/ground/platform/ProviderHttp") {}

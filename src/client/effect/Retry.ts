import { Data, Effect, Random, Schedule } from "effect"
import * as HttpClient from "effect/http/HttpClient"
import * as HttpClientError from "effect/http/HttpClientError"
import type { HttpClientRequest } from "effect/http/HttpClientRequest"
import type { HttpClientResponse } from "effect/http/HttpClientResponse"
import { mayRetry, readErrorBody, readRetryAfter, retryDelay } from "../transport/Retries.ts"

/** An attempt that was not decided: the connection broke, it took too long, or the answer asks for the same again. */
export class Undecided extends Data.TaggedError("Undecided")<{
  /** The wait that the service asked for, in milliseconds, where it did. */
  readonly retryAfterMs: number | undefined
  /** The outcome if this attempt is the last. */
  readonly outcome: Effect.Effect<HttpClientResponse, HttpClientError.HttpClientError>
}> {}

/** When attempts are repeated: a schedule over what was not decided. */
export type RetrySchedule = Schedule.Schedule<unknown, Undecided>

/** A `Retry-After` beyond this is an error at once, in milliseconds. */
const longestWait = 60_000

/** Four times, with the waits of the other clients: as the service asks, otherwise an exponential backoff, with jitter. */
export const defaultRetry: RetrySchedule = Schedule.recurs(4).pipe(
  Schedule.setInputType<Undecided>(),
  Schedule.modifyDelay(({ attempt, input }) =>
    Effect.map(Random.next, (random) => retryDelay(attempt - 1, input.retryAfterMs, random))
  )
)

/** The code of a refusal; undefined where the body is none of the service's. */
const codeOf = (response: HttpClientResponse): Effect.Effect<string | undefined> =>
  Effect.map(response.json, (body) => readErrorBody(body)?.code)
    .pipe(
      Effect.orElseSucceed(() => undefined)
    )

/** The body is left to the caller, who reads it as it comes. */
const isFile = ({ url }: HttpClientRequest): boolean => /\/(download|snapshot)$/.test(url)

const tooLong = (request: HttpClientRequest, timeoutMs: number) =>
  new HttpClientError.HttpClientError({
    reason: new HttpClientError.TransportError({
      request,
      description: `The service did not respond within ${timeoutMs} ms`
    })
  })

/**
 * Sends each request until it is decided: a broken connection, too long a wait, 408, 429, 502, 503, 504 and an earlier
 * attempt that still runs are repeated as the schedule says, what was refused never is. The time is for one attempt, its
 * answer's body included.
 */
export const untilDecided = (schedule: RetrySchedule, timeoutMs: number) =>
  HttpClient.transform((attempt: Effect.Effect<HttpClientResponse, HttpClientError.HttpClientError>, request) =>
    attempt.pipe(
      // A body that breaks off is no answer. It stays with the response.
      Effect.tap((response) => isFile(request) ? Effect.void : response.arrayBuffer),
      Effect.timeoutOrElse({
        duration: timeoutMs,
        orElse: () => Effect.fail(tooLong(request, timeoutMs))
      }),
      Effect.mapError((error) =>
        new Undecided({
          // A request that cannot be encoded is not retried.
          retryAfterMs: error.reason._tag === "EncodeError" ? Infinity : undefined,
          outcome: Effect.fail(error)
        })
      ),
      Effect.tap((response) =>
        (response.status === 409 ? codeOf(response) : Effect.undefined).pipe(
          Effect.flatMap((code) =>
            mayRetry(response.status, code)
              ? Effect.fail(
                new Undecided({
                  retryAfterMs: readRetryAfter(response.headers["retry-after"] ?? null),
                  outcome: Effect.succeed(response)
                })
              )
              : Effect.void
          )
        )
      ),
      Effect.retry({ schedule, while: ({ retryAfterMs = 0 }) => retryAfterMs <= longestWait }),
      Effect.catchTag("Undecided", ({ outcome }) => outcome)
    )
  )

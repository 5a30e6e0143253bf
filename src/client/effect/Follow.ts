import { Duration, Effect, Option, Random, Stream } from "effect"
import type { HttpClientError } from "effect/http/HttpClientError"
import type * as Schema from "effect/Schema"
import type { CursorAhead } from "../../domain/ground/wire/Errors.ts"
import { cursorOf, readCursor } from "../../domain/log/EpochPlace.ts"
import type { Event } from "../../domain/log/Event.ts"
import { retryDelay } from "../transport/Retries.ts"
import { Countersign } from "./Countersign.ts"

/** An answer that is one page of a list. */
interface Page<Entry> {
  readonly data: ReadonlyArray<Entry>
  readonly page_info: { readonly next_cursor: string | null; readonly has_more: boolean }
}

/** Where a page begins: at the beginning, or where the page before ended. */
export type From = { readonly cursor?: string }

/**
 * The entries of all pages of a list, in order, each page asked for when it is needed. `ask` asks for one page:
 * `entries((from) => client.licenses.listLicenses({ query: { status: "active", ...from } }))`.
 */
export const entries = <Entry, E, R>(
  ask: (from: From) => Effect.Effect<Page<Entry>, E, R>
): Stream.Stream<Entry, E, R> =>
  Stream.paginate({} as From, (from) =>
    Effect.map(ask(from), ({ data, page_info: { has_more, next_cursor } }) =>
      [
        data,
        has_more && next_cursor !== null ? Option.some({ cursor: next_cursor }) : Option.none<From>()
      ] as const))

/** An event of the feed, or a change of the feed itself. */
export type Followed =
  /** An event. Once you are done with it, keep the cursor: you go on after it. */
  | { readonly _tag: "Event"; readonly event: typeof Event.Type; readonly cursor: number }
  /**
   * The log was restored to an earlier state: what you have of it after the place that `detail` names is lost. The feed goes
   * on at `cursor`, in the epoch that it is in now.
   */
  | { readonly _tag: "Restored"; readonly cursor: number; readonly detail: string }
  /** The events between your cursor and `cursor` are in the vendor's archive, and no longer served. */
  | { readonly _tag: "Archived"; readonly cursor: number; readonly detail: string }

/** How the feed is followed. */
export interface FollowOptions {
  /** The cursor of the last event that you have processed. Default: from the beginning. */
  readonly cursor?: number
  /** How long to wait for more at the end of the feed. Default: 1 second. */
  readonly interval?: Duration.Input
  /**
   * The behaviour when the events at the cursor were archived: `fail` with CURSOR_BEHIND (the default), or `continue` where the
   * feed begins, having said so.
   */
  readonly whenArchived?: "fail" | "continue"
  /** Only events of this kind, or about this resource. */
  readonly event_type?: string
  readonly resource_type?: string
  readonly resource_id?: string
}

type FailureOf<T> = T extends Effect.Effect<infer _A, infer E, infer _R> ? E : never

/** The errors that following fails with: waiting does not cure them, as a revoked token. */
export type FollowError = Exclude<
  FailureOf<ReturnType<Countersign["Service"]["events"]["listEvents"]>>,
  CursorAhead | HttpClientError | Schema.SchemaError | { readonly _tag: "RATE_LIMITED" | "UNAVAILABLE" | "INTERNAL" }
>

/** The errors that pass by themselves: the service is unavailable or busy, or something else answered for it. */
const passes = new Set(["HttpClientError", "SchemaError", "RATE_LIMITED", "UNAVAILABLE", "INTERNAL"])

/** Where the text of a cursor that is refused says to go on: `cursor=42`. */
const goOn = (detail: string | undefined): number | undefined => {
  const [, cursor] = /cursor=(\d+)/.exec(detail ?? "") ?? []
  return cursor === undefined ? undefined : Number(cursor)
}

interface Place {
  readonly cursor: number | undefined
  /** How often asking failed since it succeeded. */
  readonly failures: number
  /** Whether to wait before asking. */
  readonly isAtEnd: boolean
}

/**
 * Follows the event feed for ever: each event once and in order, with the cursor to go on from. It survives restarts and
 * absences of the service (it asks again with an exponential backoff of up to 8 seconds, beyond the retries of the client),
 * and the end of an epoch: when the log is restored to an earlier state it says so and goes on in the new epoch. Fails with
 * what waiting does not cure.
 */
export const followEvents = (options: FollowOptions = {}): Stream.Stream<Followed, FollowError, Countersign> => {
  const { cursor, interval = "1 second", whenArchived = "fail", ...filter } = options
  const ask = Effect.fnUntraced(function*(place: Place) {
    if (place.isAtEnd) yield* Effect.sleep(interval)
    const client = yield* Countersign
    const query = { limit: 200, ...filter, ...(place.cursor === undefined ? {} : { cursor: place.cursor }) }
    const { data, page_info } = yield* client.events.listEvents({ query })
    const next = Number(page_info.next_cursor ?? place.cursor ?? 0)
    const { epoch } = readCursor(next)
    const found = data.map((event): Followed => ({
      _tag: "Event",
      event,
      cursor: cursorOf({ epoch, sequence: event.sequence })
    }))
    return [found, { cursor: next, failures: 0, isAtEnd: !page_info.has_more }] as const
  })
  const begin: Place = { cursor, failures: 0, isAtEnd: false }
  return Stream.paginate(begin, (place) =>
    ask(place).pipe(
      Effect.catch((error) =>
        Effect.gen(function*() {
          if (passes.has(error._tag)) {
            yield* Effect.sleep(Duration.millis(retryDelay(place.failures, undefined, yield* Random.next)))
            return [[], { ...place, failures: place.failures + 1, isAtEnd: false }] as const
          }
          const detail = "error" in error ? error.error.detail ?? "" : ""
          const onward = goOn(detail)
          if (error._tag === "CURSOR_AHEAD" && onward !== undefined) {
            return [[{ _tag: "Restored", cursor: onward, detail }], { ...begin, cursor: onward }] as const
          }
          if (error._tag === "CURSOR_BEHIND" && whenArchived === "continue" && onward !== undefined) {
            return [[{ _tag: "Archived", cursor: onward, detail }], { ...begin, cursor: onward }] as const
          }
          return yield* (error as FollowError)
        })
      ),
      Effect.map(([found, next]) => [found as ReadonlyArray<Followed>, Option.some<Place>(next)] as const)
    ))
}

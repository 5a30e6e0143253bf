import { Effect, Option, Stream } from "effect"
import { Flag } from "effect/cli"
import type { Event } from "../../../client/api/index.ts"
import { didYouMean } from "../../../domain/ground/parsing/Nearest.ts"
import { currentEpoch, cursorOf } from "../../../domain/log/EpochPlace.ts"
import type { EpochStart } from "../../../domain/log/EpochPlace.ts"
import { families, isSubscription, kinds } from "../../../domain/log/EventKind.ts"
import { matches } from "../../../domain/log/Subscription.ts"
import { untilStopped } from "../../Program.ts"
import { Found, WrongUsage } from "../../terminal/ExitCode.ts"
import { printNotice } from "../../terminal/Printing.ts"
import type { Failed } from "../ground/ServiceApi.ts"
import { ServiceApi } from "../ground/ServiceApi.ts"

/** An event and the cursor to go on from. */
export interface Placed {
  readonly event: Event
  readonly cursor: number
}

/** `--from`: where in the feed to begin. */
export const from = Flag.Int("from").pipe(
  Flag.optional,
  Flag.withMetavar("cursor"),
  Flag.withDescription("Start after this cursor; 0 is the beginning of the feed")
)

const listOf = (text: string) => text.split(",").map((kind) => kind.trim()).filter((kind) => kind !== "")

/** Kinds of events as they are written in a flag; fails with the one that there is not. An empty text takes every kind. */
export const kindsOf = Effect.fnUntraced(function*(text: string) {
  const named = listOf(text)
  const wrong = named.find((kind) => !isSubscription(kind))
  if (wrong === undefined) return named
  return yield* new WrongUsage({
    message: `There is no event type "${wrong}".${didYouMean(wrong, [...kinds, ...families.map((it) => `${it}.*`)])} ` +
      "For event types and families such as license.*, see docs/reference/event-kinds.md"
  })
})

/** The epochs of the log after the first one, in order. */
export const epochStarts = Effect.gen(function*() {
  const { ask } = yield* ServiceApi
  const epochs = yield* ask((client) => client.events.listEpochs())
  return epochs.flatMap(({ epoch, first_sequence, restored_sequence = 0 }): ReadonlyArray<EpochStart> =>
    epoch === 1 ? [] : [{ epoch, first_sequence, restored_sequence }]
  )
})

/** The newest events of some kinds, oldest first, and the cursor of the feed's end. */
export const newest = Effect.fnUntraced(function*(wanted: ReadonlyArray<string>, count: number) {
  const { ask } = yield* ServiceApi
  const epoch = currentEpoch(yield* epochStarts)
  const page = yield* ask((client) => client.events.list({ order: "desc", limit: 200 }))
  const placed = page.map((event): Placed => ({ event, cursor: cursorOf({ epoch, sequence: event.sequence }) }))
  return {
    end: placed[0]?.cursor ?? cursorOf({ epoch, sequence: 0 }),
    events: placed.filter(({ event }) => matches(wanted, event.event_type)).slice(0, count).toReversed()
  }
})

/** The events after a cursor, up to the end of the feed. */
export const backlog = (cursor: number): Stream.Stream<Placed, Failed, ServiceApi> =>
  Stream.paginate(cursor, (place) =>
    Effect.gen(function*() {
      const { ask } = yield* ServiceApi
      const epoch = currentEpoch(yield* epochStarts)
      const { data, page_info } = yield* ask((client) =>
        client.events.list({ order: "asc", limit: 200, ...(place === 0 ? {} : { cursor: place }) })
          .withResponse()
      )
      const events = data.map((event): Placed => ({
        event,
        cursor: cursorOf({ epoch, sequence: event.sequence })
      }))
      return [events, page_info.has_more ? Option.some(Number(page_info.next_cursor)) : Option.none<number>()] as const
    }))

/** The message of a failure that waiting does not resolve. */
const refusalOf = (error: unknown): Found => {
  const { _tag, error: { code = _tag, detail, message } = {} } = error as {
    readonly _tag: string
    readonly error?: { readonly code?: string; readonly message?: string; readonly detail?: string }
  }
  return new Found({ message: [message, detail, `(${code})`].filter(Boolean).join(" ") })
}

/**
 * The feed after a cursor, without an end: it continues when the service comes back. Events that a restore lost, or
 * that are archived, are reported on standard error.
 */
export const followed = (
  cursor: number,
  wanted: ReadonlyArray<string>
): Stream.Stream<Placed, Failed | Found, ServiceApi> =>
  Stream.unwrap(Effect.gen(function*() {
    yield* untilStopped
    const { address, token } = yield* ServiceApi
    // The declarations of the whole contract: only these commands wait for them to load.
    const client = yield* Effect.promise(() => import("../../../client/effect/index.ts"))
    const only = wanted.length === 1 && !wanted[0]!.endsWith(".*") ? { event_type: wanted[0]! } : {}
    return client.followEvents({ ...(cursor === 0 ? {} : { cursor }), whenArchived: "continue", ...only }).pipe(
      Stream.provide(client.Countersign.layer({ baseUrl: address, token })),
      Stream.mapError(refusalOf),
      Stream.tap((item) =>
        item._tag === "Event" ? Effect.void : printNotice(`${item._tag}: ${item.detail} Continuing at ${item.cursor}.`)
      ),
      Stream.flatMap((item): Stream.Stream<Placed> => item._tag === "Event" ? Stream.succeed(item) : Stream.empty)
    )
  }))

/** Whether an event is of the wanted kinds. */
export const isWanted = (wanted: ReadonlyArray<string>) => ({ event }: Placed): boolean =>
  matches(wanted, event.event_type)

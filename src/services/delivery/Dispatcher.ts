import { Context, Duration, Effect, Layer, Schedule } from "effect"
import { Agenda } from "../ground/agenda/Agenda.ts"
import { Announcements } from "../ground/agenda/Announcements.ts"
import { databaseOf } from "../ground/persistence/Database.ts"
import { DeliverySql } from "../ground/persistence/TransactionSql.ts"
import { supervised, untilDone } from "../ground/platform/Supervised.ts"
import { FeedSignal } from "../log/FeedPosition.ts"
import { EndpointActor } from "./EndpointActor.ts"
import type { FeedEvent } from "./FeedBuffer.ts"
import { FeedBuffer } from "./FeedBuffer.ts"
import { LanesWithWork } from "./LanesWithWork.ts"
import { lanesDue } from "./LanesWithWorkSql.ts"
import { EndpointDirectory } from "./webhooks/EndpointDirectory.ts"

/** A node that is this many events behind skips to the head of the feed, and each lane catches up from the table. */
const tooFarBehind = 20_000

const sweepEvery = 1_000

/** The pause after a sweep is this many times as long as the sweep, however many endpoints there are. */
const sweepShare = 20

/** Nor is it longer than this, in milliseconds: it is how late a delivery is whose hint was lost. */
const sweepAtLeastEvery = 5_000

const retryAfterFailure = Schedule.spaced("500 millis")

/** After a sweep that took long, such as one that waited for a busy database, the next one comes a little later. */
const restAfter = (took: Duration.Duration): Duration.Duration =>
  Duration.subtract(
    Duration.clamp(Duration.times(took, sweepShare), {
      minimum: Duration.millis(sweepEvery),
      maximum: Duration.millis(sweepAtLeastEvery)
    }),
    Duration.millis(sweepEvery)
  )

/**
 * Reads the tail of the feed, once for the whole node, and wakes the actors of this node whose endpoints subscribe to
 * it. A sweep wakes those that are behind or have a retry due: once a second while there are any, and when the next retry is
 * due. A lost hint costs time and never an event.
 */
export class Dispatcher extends Context.Service<Dispatcher, {
  /** Dispatches what came since the last time; answers how many events. */
  readonly dispatch: Effect.Effect<number>
  /** Wakes the lanes of this node that are behind, have a retry due, or may be probed; answers how many. */
  readonly sweep: Effect.Effect<number>
  /** Dispatches and sweeps for ever. */
  readonly run: Effect.Effect<never>
}>()("countersign/services/delivery/Dispatcher") {
  static readonly layer = Layer.effect(
    Dispatcher,
    Effect.gen(function*() {
      const sql = databaseOf(yield* DeliverySql)
      const agenda = yield* Agenda
      const announcements = yield* Announcements
      const actor = yield* EndpointActor
      const directory = yield* EndpointDirectory
      const feed = yield* FeedBuffer
      const lanes = yield* LanesWithWork
      const signal = yield* FeedSignal
      const takeChanged = directory.followChanges()

      const wakeTakers = Effect.fnUntraced(function*(events: ReadonlyArray<FeedEvent>) {
        // An endpoint has changed. Its newest subscription decides what it takes, so the directory is read first.
        if (events.some(({ type }) => type.startsWith("webhook."))) {
          yield* directory.refresh
          // An endpoint that was resumed goes on at its cursor, even if none of these events is for it.
          for (const { id, isActive } of takeChanged()) {
            if (isActive && actor.isHere(id)) yield* actor.wake(id, false)
          }
        }
        const present = new Set(events.map(({ type }) => type))
        for (const { id } of directory.takers(present)) {
          if (actor.isHere(id)) yield* actor.wake(id, false)
        }
        // The sweep follows them until no lane is behind.
        announcements.of("lanes").call()
      })

      const dispatch = Effect.gen(function*() {
        let count = 0
        if (!directory.isAwaited()) {
          // No endpoint is active, so the feed need not be read, unless one was created since.
          yield* directory.refresh
          if (!directory.isAwaited()) {
            yield* feed.skipToHead
            return 0
          }
        }
        if ((yield* signal.head) > feed.tail() + tooFarBehind) {
          yield* feed.skipToHead
          yield* sweep
        }
        while (true) {
          const events = yield* feed.advance
          if (events.length === 0) return count
          count += events.length
          yield* wakeTakers(events)
          // An event that comes later is announced again.
          if (feed.tail() >= (yield* signal.head)) return count
        }
      })

      const sweep: Effect.Effect<number> = Effect.gen(function*() {
        let woken = 0
        for (const { endpointId, overdue } of yield* lanes.find) {
          if (!actor.isHere(endpointId)) continue
          woken += 1
          yield* actor.wake(endpointId, overdue)
        }
        return woken
      })

      // A hint that was lost is made up for by the sweep, which announces where the feed ends.
      const follow = Effect.forever(Effect.andThen(Effect.suspend(() => signal.beyond(feed.tail())), dispatch))

      const look = Effect.flatMap(Effect.timed(sweep), ([took]) => Effect.sleep(restAfter(took)))

      const run = Effect.andThen(
        untilDone("Finding the head of the feed", Effect.andThen(feed.skipToHead, directory.refresh), {
          retry: retryAfterFailure
        }),
        Effect.raceFirst(
          supervised("Dispatching", follow, Schedule.forever, { retry: retryAfterFailure }),
          agenda.follow({
            name: "Looking for lanes that are behind",
            topic: "lanes",
            due: () => lanesDue(sql, feed.tail()),
            look,
            isLeft: lanes.areBehind,
            rest: sweepEvery,
            retry: sweepEvery
          })
        )
      )

      return Dispatcher.of({ dispatch, sweep, run })
    })
  ).pipe(Layer.provide(LanesWithWork.layer))
}

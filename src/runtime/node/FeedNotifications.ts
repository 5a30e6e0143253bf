import { PgClient } from "@effect/sql-pg"
import { Effect, Layer, Queue, Schedule } from "effect"
import {
  announcedIn,
  Announcements,
  feedChannel,
  payloadOf,
  topics
} from "../../services/ground/agenda/Announcements.ts"
import { supervised, untilDone } from "../../services/ground/platform/Supervised.ts"
import { FeedSignal } from "../../services/log/FeedPosition.ts"
import { SequencerSignal } from "../../services/log/Sequencer.ts"

/** The payload for "events were committed". The feed starts at 1, so no notification of its growth is the same. */
const committed = 0

/** The interval of notifications of commits: under load, one stands for many. */
const announceEvery = "10 millis"

/** The interval of announcements of other work. */
const announceWorkEvery = "100 millis"

/**
 * Notifications between nodes through the database: the sequencer announces that the feed has grown, other nodes that
 * they have committed events or other work. A notification is lost while nobody listens: who listens again looks at everything.
 */
export const layer = Layer.effectDiscard(
  Effect.gen(function*() {
    const sql = yield* PgClient.PgClient
    const announcements = yield* Announcements
    const feed = yield* FeedSignal
    const sequencer = yield* SequencerSignal
    const take = (payload: number) => {
      if (payload < 0) return announcements.hear(announcedIn(payload))
      return payload === committed ? sequencer.committedElsewhere : feed.publish(payload)
    }
    const listen = Effect.scoped(Effect.gen(function*() {
      const notifications = yield* sql.listen(feedChannel)
      yield* announcements.hear(topics)
      while (true) yield* take(Number((yield* Queue.take(notifications)).payload))
    }))
    yield* Effect.forkScoped(untilDone("Listening for feed notifications", listen, { level: "Debug" }))

    /** Not given up: an event that nobody was told of would wait for a seldom look. */
    const notify = (payload: number) =>
      untilDone("Announcing to other nodes", sql.notify(feedChannel, String(payload)), { level: "Debug" })
    const announceEvents = Effect.andThen(sequencer.awaitUnannounced, notify(committed))
    yield* Effect.forkScoped(supervised("Announcing commits", announceEvents, Schedule.spaced(announceEvery)))
    const announceWork = Effect.flatMap(announcements.takeUntold, (untold) => notify(payloadOf(untold)))
    yield* Effect.forkScoped(supervised("Announcing work", announceWork, Schedule.spaced(announceWorkEvery)))
  })
)

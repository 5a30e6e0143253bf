import { PgClient } from "@effect/sql-pg"
import { Effect, Layer, Queue, Schedule } from "effect"
import { FeedSignal } from "../../services/events/FeedSignal.ts"
import { SequencerSignal } from "../../services/events/SequencerSignal.ts"
import { supervised, untilDone } from "../../services/platform/Supervised.ts"

/** The payload for "events were committed". The feed starts at 1, so no notification of its growth is the same. */
const committed = 0

/** The interval of notifications of commits: under load, one stands for many. */
const announceEvery = "10 millis"

/**
 * Notifications between nodes through the database: the sequencer announces that the feed has grown, other nodes that
 * they have committed events. If a notification is lost, polling finds the events.
 */
export const layer = Layer.effectDiscard(
  Effect.gen(function*() {
    const sql = yield* PgClient.PgClient
    const feed = yield* FeedSignal
    const sequencer = yield* SequencerSignal
    const listen = Effect.scoped(Effect.gen(function*() {
      const notifications = yield* sql.listen("countersign_feed")
      while (true) {
        const sequence = Number((yield* Queue.take(notifications)).payload)
        yield* sequence === committed ? sequencer.committedElsewhere : feed.publish(sequence)
      }
    }))
    yield* Effect.forkScoped(untilDone("Listening for feed notifications", listen, { level: "Debug" }))
    const announce = Effect.andThen(sequencer.awaitUnannounced, sql.notify("countersign_feed", String(committed)))
    yield* Effect.forkScoped(
      supervised("Announcing commits", announce, Schedule.spaced(announceEvery), { level: "Debug" })
    )
  })
)

import { PgClient } from "@effect/sql-pg"
import { Effect, Layer, Queue } from "effect"
import { FeedSignal } from "../../services/events/FeedSignal.ts"
import { untilDone } from "../../services/platform/Supervised.ts"

/** Hears from the sequencer of another node that the feed has grown. While it is deaf, the sweeps find what came. */
export const layer = Layer.effectDiscard(
  Effect.gen(function*() {
    const sql = yield* PgClient.PgClient
    const feed = yield* FeedSignal
    const listen = Effect.scoped(Effect.gen(function*() {
      const notifications = yield* sql.listen("countersign_feed")
      while (true) {
        const { payload } = yield* Queue.take(notifications)
        yield* feed.publish(Number(payload))
      }
    }))
    yield* Effect.forkScoped(untilDone("Listening for feed notifications", listen, { level: "Debug" }))
  })
)

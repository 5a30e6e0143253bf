import { Clock, Context, Effect, Layer, Metric } from "effect"
import { QuestionSql } from "../platform/QuestionSql.ts"
import { fromStart } from "../platform/SeriesFromStart.ts"
import { periodically } from "../platform/Supervised.ts"
import { databaseOf } from "./Database.ts"
import { findTime } from "./DatabaseClockSql.ts"
import { Identifiers } from "./Identifiers.ts"

/** How often the database is asked for the time. */
const askEvery = "30 seconds"

/** How far the node's clock may be off before people should read of it, in milliseconds. */
const worthSaying = 1000

const offset = fromStart(Metric.gauge("countersign_clock_offset_seconds", {
  description: "How far the node's clock is ahead of the database's, in seconds."
}))

/** Keeps the clock of ids with the database's, whatever the node's own says. */
export class DatabaseClock extends Context.Service<DatabaseClock, {
  /** How far the node's clock was ahead of the database's when it was last asked, in milliseconds. */
  readonly offset: Effect.Effect<number>
}>()("countersign/services/ground/persistence/DatabaseClock") {
  static readonly layer = Layer.effect(
    DatabaseClock,
    Effect.gen(function*() {
      const sql = databaseOf(yield* QuestionSql)
      const identifiers = yield* Identifiers
      let ahead = 0

      const ask = Effect.gen(function*() {
        const before = performance.now()
        const [row] = yield* findTime(sql)
        const after = performance.now()
        // The answer was true somewhere between the question and now; in the middle it is off by half of that at most.
        const now = row!.now + (after - before) / 2
        identifiers.follow(now, after)
        ahead = (yield* Clock.currentTimeMillis) - now
        yield* Metric.update(offset, ahead / 1000)
      }).pipe(Effect.withTracerEnabled(false))

      yield* ask
      if (Math.abs(ahead) > worthSaying) {
        yield* Effect.logWarning(
          `The clock of this node is ${(Math.abs(ahead) / 1000).toFixed(1)} s ${ahead > 0 ? "ahead of" : "behind"} ` +
            "the database's. Ids and all that is decided follow the database's; set this one right."
        )
      }
      yield* periodically("Asking the database for the time", ask, askEvery, "Debug")
      return DatabaseClock.of({ offset: Effect.sync(() => ahead) })
    })
  )
}

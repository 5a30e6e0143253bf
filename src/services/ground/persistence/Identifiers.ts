import { Clock, Context, Effect, Layer, Metric } from "effect"
import * as Id from "../../../domain/ground/wire/Id.ts"
import { Cryptography } from "../platform/Cryptography.ts"
import { QuestionSql } from "../platform/DatabaseHealthSql.ts"
import { fromStart } from "../platform/SeriesFromStart.ts"
import { periodically } from "../platform/Supervised.ts"
import { databaseOf } from "./Database.ts"
import { findTime } from "./TransactionSql.ts"

/** Makes ids: time-sortable, unique across nodes, ascending within this process. */
export class Identifiers extends Context.Service<Identifiers, {
  readonly next: (type: Id.IdType) => string
  /**
   * Sets the clock of the ids: it showed `millis` (Unix time) when `performance.now()` was `at`. Between two calls it
   * advances with the monotonic clock, so that setting the node's wall clock has no effect.
   */
  readonly follow: (millis: number, at: number) => void
}>()("countersign/services/ground/persistence/Identifiers") {
  static readonly layer = Layer.effect(
    Identifiers,
    Effect.gen(function*() {
      const crypto = yield* Cryptography
      // Until there is a database clock to follow, only refused requests get an id.
      // oxlint-disable-next-line effect/global-date -- the node's own clock is all there is
      let next = Id.generator(() => Date.now(), crypto.randomBytes)
      let followed: { millis: number; at: number } | undefined
      return Identifiers.of({
        next: (type) => next(type),
        follow: (millis, at) => {
          const clock = { millis, at }
          if (followed === undefined) {
            followed = clock
            // A new generator, because the one before may have run ahead, and a generator never goes back.
            next = Id.generator(() => followed!.millis + performance.now() - followed!.at, crypto.randomBytes)
          } else followed = clock
        }
      })
    })
  )
}

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

import { Clock, Context, Effect, Layer, Metric } from "effect"
import { discontinuity } from "../../../domain/evidence/transparency/Continuity.ts"
import { Agenda } from "../../ground/agenda/Agenda.ts"
import { Database } from "../../ground/persistence/Database.ts"
import { Halt, Halted } from "../../ground/platform/Ports.ts"
import { fromStart } from "../../ground/platform/SeriesFromStart.ts"
import { doublingPauses } from "../../ground/platform/Supervised.ts"
import { checkpointsDue, findLatestCheckpoint } from "./CheckpointSql.ts"
import { makeLogContinuity } from "./LogContinuity.ts"
import { readUnfinishedRestore } from "./UnfinishedRestore.ts"
import { Witness } from "./Witness.ts"
import type { WitnessPlace, WitnessUnavailable } from "./Witness.ts"

/** The least pause between checks for a newer checkpoint. */
const rest = "1 second"
/** The pause between attempts at the start. */
const retryAtStart = "1 second"
/** The pauses between later attempts. */
const retryAway = doublingPauses("1 second", "30 seconds")
/** Milliseconds after which an unavailable witness is logged again. */
const remindAfter = 600_000
/** Attempts to read the witness at the start. */
const attemptsAtStart = 3

const keptSize = fromStart(Metric.gauge("countersign_witness_tree_size", {
  description: "Events that the checkpoint covers which the witness keeps"
}))
const failures = fromStart(Metric.counter("countersign_witness_failures_total", {
  description: "Attempts to read or write the witness that failed",
  incremental: true
}))

/**
 * Reads the witness at the start, some times where it does not answer. Whether it answered that it keeps nothing.
 */
const emptyAtStart = Effect.fnUntraced(function*(
  read: Effect.Effect<string | undefined, Halted | WitnessUnavailable>,
  complain: (message: string) => Effect.Effect<void>
) {
  for (let attempt = 1;; attempt++) {
    const answer = yield* read.pipe(
      Effect.map((note) => ({ note })),
      Effect.catchTag("WitnessUnavailable", (failed) => Effect.succeed(failed))
    )
    if ("note" in answer) return answer.note === undefined
    if (attempt === attemptsAtStart) return yield* Effect.as(complain(answer.message), false)
    yield* Effect.sleep(retryAtStart)
  }
})

/**
 * Compares the log with its witness, at the start and before each newer checkpoint is kept, and keeps the latest
 * checkpoint there. The service never waits for the witness. A witness that does not answer at the start is compared as
 * soon as it does; if the log does not continue what it keeps, the service stops.
 */
export class WitnessKeeper extends Context.Service<WitnessKeeper, {
  /** Keeps the newest checkpoint unless it is already kept; returns whether it wrote one. */
  readonly step: Effect.Effect<boolean>
  readonly run: Effect.Effect<void>
}>()("countersign/services/evidence/transparency/WitnessKeeper") {
  /**
   * Fails when the log does not continue its witness, before anything is written to the witness, and when a restore of
   * the database was interrupted.
   */
  static readonly layer = Layer.effect(
    WitnessKeeper,
    Effect.gen(function*() {
      const sql = yield* Database
      const agenda = yield* Agenda
      const halt = yield* Halt
      const { place } = yield* Witness
      if ((yield* readUnfinishedRestore(sql)) !== undefined) {
        return yield* new Halted({
          message: "A restore of this database did not come to its end. End it, and then start again: " +
            "countersign restore --new-epoch"
        })
      }
      if (place === undefined) return WitnessKeeper.of({ step: Effect.succeed(false), run: Effect.void })
      const continuityOf = yield* makeLogContinuity
      yield* Metric.update(failures, 0)

      /** The note in the witness, as far as known; undefined until the witness was read. */
      let kept: { readonly note: string | undefined } | undefined
      let remindAt = 0

      const compare = Effect.fnUntraced(function*(note: string | undefined) {
        if (note === undefined) return
        const found = discontinuity(yield* continuityOf(note), place.name)
        if (found !== undefined) return yield* new Halted({ message: found })
      })

      const read = Effect.tap(place.read, (note) =>
        Effect.andThen(
          compare(note),
          Effect.sync(() => (kept = { note }))
        ))

      const complain = Effect.fnUntraced(function*(place: WitnessPlace, message: string) {
        yield* Metric.update(failures, 1)
        const now = yield* Clock.currentTimeMillis
        if (now < remindAt) return
        remindAt = now + remindAfter
        yield* Effect.logWarning(
          `The witness ${place.name} cannot be used: ${message}. The service keeps running and retries`
        )
      })

      const keepLatest = Effect.gen(function*() {
        const [latest] = yield* findLatestCheckpoint(sql)
        if (latest === undefined || latest.note === kept?.note) return false
        // The database may have been exchanged while the service runs.
        if (kept === undefined) yield* read
        else yield* compare(kept.note)
        if (latest.note === kept?.note) return false
        yield* place.replace(latest.note)
        kept = { note: latest.note }
        remindAt = 0
        yield* Metric.update(keptSize, Number(latest.tree_size))
        return true
      })

      /** Fails when the witness does not answer; this is logged now and then, not every time. */
      const attempt = keepLatest.pipe(
        Effect.tapErrorTag("WitnessUnavailable", ({ message }) => complain(place, message)),
        Effect.catchTag("Halted", ({ message }) => Effect.as(halt.because(message), false))
      )
      const patient = Effect.retry(attempt, retryAway)

      const isEmpty = yield* emptyAtStart(read, (message) => complain(place, message))
      if (isEmpty && (yield* findLatestCheckpoint(sql)).length > 0) {
        yield* Effect.logWarning(
          `The witness ${place.name} keeps nothing yet: this start could not be compared with what was signed before`
        )
      }

      return WitnessKeeper.of({
        step: Effect.catchTag(attempt, "WitnessUnavailable", () => Effect.succeed(false)),
        run: agenda.follow({
          name: "Keeping the latest checkpoint",
          topic: "checkpoints",
          due: () => checkpointsDue(sql),
          look: patient,
          rest,
          retry: rest
        })
      })
    })
  )
}

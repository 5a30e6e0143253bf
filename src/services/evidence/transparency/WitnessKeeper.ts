import { Clock, Context, Data, Effect, Layer, Metric, Schedule } from "effect"
import { Hex } from "effect/encoding"
import { discontinuity } from "../../../domain/evidence/transparency/Continuity.ts"
import type { Continuity } from "../../../domain/evidence/transparency/Continuity.ts"
import { readCheckpointText } from "../../../domain/evidence/transparency/MerkleTree.ts"
import { readNote } from "../../../domain/evidence/transparency/SignedNote.ts"
import type { VerifierKey } from "../../../domain/evidence/transparency/VerifierKey.ts"
import { commonUpTo, currentEpoch, readOrigin } from "../../../domain/log/EpochPlace.ts"
import { Agenda } from "../../ground/agenda/Agenda.ts"
import { Database } from "../../ground/persistence/Database.ts"
import { Halt, Halted } from "../../ground/platform/Ports.ts"
import { fromStart } from "../../ground/platform/SeriesFromStart.ts"
import { doublingPauses } from "../../ground/platform/Supervised.ts"
import { readDropped } from "../../log/DroppedEvents.ts"
import { logName, makeMerkleLog, readEpochStarts } from "../../log/MerkleLog.ts"
import { checkpointsDue, findLatestCheckpoint, findTreeSize } from "./CheckpointSql.ts"
import { deleteState, findQuorumLag, findQuorumSize, findState } from "./CosignatureSql.ts"

/** The witness cannot be read or written now. The message says which and why, without any secret of its address. */
export class WitnessUnavailable extends Data.TaggedError("WitnessUnavailable")<{ readonly message: string }> {}

/** A place outside the database that keeps one text. */
export interface WitnessPlace {
  /** The name for people. */
  readonly name: string
  /** Returns the text kept last; undefined when there is none yet. */
  readonly read: Effect.Effect<string | undefined, WitnessUnavailable>
  /** Replaces the text atomically: a concurrent reader gets the old or the new one. */
  readonly replace: (note: string) => Effect.Effect<void, WitnessUnavailable>
}

/** The place that keeps the latest checkpoint, out of reach of a database restore; undefined unless configured. */
export class Witness extends Context.Service<Witness, {
  readonly place: WitnessPlace | undefined
}>()("countersign/services/evidence/transparency/Witness") {}

/** The answer of a witness to a request. */
export interface WitnessReply {
  readonly status: number
  readonly body: string
}

/** A witness that is asked to cosign checkpoints (C2SP tlog-witness). */
export interface CosigningWitness {
  /** Its name and the id of its key, `<name>+<key id>`. */
  readonly id: string
  readonly key: VerifierKey
  readonly add: (body: string) => Effect.Effect<WitnessReply, WitnessUnavailable>
  /** Tells it an event about the keys of the log (C2SP tlog-proof). Witnesses of other makers do not take that. */
  readonly addKeyEvent: (body: string) => Effect.Effect<WitnessReply, WitnessUnavailable>
  /** The checkpoint that it cosigned last of the log with this hash of its origin; undefined where it shows none. */
  readonly checkpoint: (originHash: string) => Effect.Effect<string | undefined, WitnessUnavailable>
}

/** The witnesses that are asked, and how many must have cosigned a checkpoint: 0 requires none. None unless configured. */
export const Witnesses = Context.Reference<{
  readonly all: ReadonlyArray<CosigningWitness>
  readonly quorum: number
}>("countersign/services/evidence/transparency/Witnesses", { defaultValue: () => ({ all: [], quorum: 0 }) })

/** How often it is looked whether enough witnesses have signed. */
const pause = "200 millis"

/** Seconds after which a checkpoint that too few witnesses have signed says that they are away. */
const patience = 5

/** The witnesses that must have signed a checkpoint, and how to wait for them. */
export const makeCosigningQuorum = Effect.gen(function*() {
  const sql = yield* Database
  const { all, quorum } = yield* Witnesses
  const least = { witnesses: all.map(({ id }) => id), least: quorum }

  /** The size of the newest checkpoint of at most so many events that enough witnesses have signed; 0 where there is none. */
  const sizeUpTo = (sequence: number): Effect.Effect<number> =>
    Effect.map(findQuorumSize(sql, least, sequence), ([of]) => Number(of?.tree_size ?? 0))

  /** Whether witnesses are away: enough of them should have signed a newer checkpoint seconds ago. Nobody waits for them then. */
  const areAway = Effect.gen(function*() {
    const [next] = yield* findQuorumLag(sql, yield* sizeUpTo(Number.MAX_SAFE_INTEGER))
    return next !== undefined && next.age > patience
  })

  /** Waits until enough witnesses have signed what covers so many events; answers false, at once, where they are away. */
  const covers = (size: number): Effect.Effect<boolean> =>
    Effect.gen(function*() {
      if ((yield* sizeUpTo(Number.MAX_SAFE_INTEGER)) >= size) return true
      return (yield* areAway) ? false : undefined
    }).pipe(
      Effect.repeat({ schedule: Schedule.spaced(pause), until: (answer) => answer !== undefined }),
      Effect.map((answer) => answer === true)
    )

  return { isRequired: quorum > 0, sizeUpTo, covers }
})

/**
 * Compares the log with the note of a checkpoint. The signature is not verified, because the log may no longer know the
 * key. A forged note can only stop the log, and anyone who can write the note could do that anyway.
 */
export const makeLogContinuity = Effect.gen(function*() {
  const sql = yield* Database
  const tree = yield* makeMerkleLog
  const log = yield* logName

  return Effect.fn("LogContinuity")(function*(note: string): Effect.fn.Return<Continuity> {
    const read = readNote(note)
    const kept = read === undefined ? undefined : readCheckpointText(read.text)
    if (kept === undefined) return { state: "unreadable" }
    const origin = readOrigin(kept.origin)
    const starts = yield* readEpochStarts(sql)
    const [chain] = yield* findTreeSize(sql)
    const size = Number(chain!.tree_size)
    const compared = { kept, keptEpoch: origin.epoch, epoch: currentEpoch(starts), size, log }
    if (origin.log !== log) return { ...compared, state: "other_log" }
    const common = commonUpTo(starts, origin.epoch)
    if (common === undefined) {
      return { ...compared, state: origin.epoch > compared.epoch ? "behind" : "superseded" }
    }
    if (kept.size > common) return { ...compared, state: "superseded" }
    if (kept.size > size) return { ...compared, state: "behind" }
    if (kept.size === 0) return { ...compared, state: "continues" }
    if (kept.size < (yield* readDropped(sql)).sequence) return { ...compared, state: "dropped" }
    const [root] = yield* tree.hashes([[0, kept.size]])
    return { ...compared, state: Hex.encode(root!) === Hex.encode(kept.root) ? "continues" : "forked" }
  })
})

/**
 * Where a restore leaves word in the database, in the transaction that loads it, until it has decided about the epoch:
 * the last event of the backup. A service that started before would give sequences a second time.
 */
export const unfinishedRestore = "unfinished_restore"

/** The last event of the backup of a restore that did not end; undefined when there is none. */
export const readUnfinishedRestore = (sql: Database): Effect.Effect<number | undefined> =>
  Effect.map(
    findState(sql, unfinishedRestore),
    ([row]) => row === undefined ? undefined : Number(new TextDecoder().decode(row.value))
  )

/** Ends a restore: the service may start. */
export const endRestore = (sql: Database): Effect.Effect<unknown> => deleteState(sql, unfinishedRestore)

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

import { Context, Data, Effect, Layer, Result } from "effect"
import { Hex } from "effect/encoding"
import { discontinuity } from "../../../domain/evidence/transparency/Continuity.ts"
import type { Witnessed } from "../../../domain/evidence/transparency/NewEpoch.ts"
import { newEpoch } from "../../../domain/evidence/transparency/NewEpoch.ts"
import { currentEpoch, originOf } from "../../../domain/log/EpochPlace.ts"
import type { EpochStarted } from "../../../domain/log/LogEpoch.ts"
import { Database } from "../../ground/persistence/Database.ts"
import { readDropped } from "../../log/DroppedEvents.ts"
import { Events } from "../../log/Events.ts"
import { logName, readEpochStarts } from "../../log/MerkleLog.ts"
import { CurrentReason } from "../../log/Provenance.ts"
import {
  deleteMailsBefore,
  findLastPending,
  findPlaceHash,
  insertEpoch,
  lockLastSequence,
  updatePendingBehind
} from "./CosignatureSql.ts"
import { endRestore, makeLogContinuity, readUnfinishedRestore, Witness } from "./WitnessKeeper.ts"
import type { WitnessUnavailable } from "./WitnessKeeper.ts"

/** No new epoch begins. The message says why, and what to do. */
export class RestorationRefused extends Data.TaggedError("RestorationRefused")<{ readonly message: string }> {}

/** The outcome: a new epoch, or none because it is not needed, with the reason. */
export type Restored = { readonly begun: EpochStarted } | { readonly unneeded: string }

const refuse = (message: string) => new RestorationRefused({ message })

/** The metadata, in the event of an epoch, about the checkpoint that a witness keeps. */
const keptBy = (found: Witnessed | undefined): Pick<EpochStarted, "witness"> => {
  if (found === undefined || found.continuity.state === "unreadable") return {}
  const { origin, root, size } = found.continuity.kept
  return { witness: { origin, tree_size: size, root_hash: Hex.encode(root) } }
}

/** Declares that the database was restored to an earlier state. The service must not be running. */
export class Restoration extends Context.Service<Restoration, {
  /**
   * Describes in words what is wrong according to the witness; undefined when nothing is, or when there is no witness.
   */
  readonly examine: Effect.Effect<string | undefined, WitnessUnavailable>
  /**
   * Ends the restore of a backup without a new epoch: the service was stopped before the backup, and has not run since.
   * Refused when the witness knows better.
   */
  readonly resume: Effect.Effect<void, RestorationRefused | WitnessUnavailable>
  /**
   * Begins a new epoch after the last event of the log, and appends an event that says so, the first of the epoch.
   * `after` is the last event of the backup; it is needed when the service has already run on the restored database, and
   * known when `countersign restore` loaded the backup. Idempotent.
   */
  readonly begin: (options: {
    readonly reason: string
    readonly after: number | undefined
    /** The smallest number for the new epoch: for a log that has been in later epochs which no witness tells of. */
    readonly least: number | undefined
  }) => Effect.Effect<Restored, RestorationRefused | WitnessUnavailable>
}>()("countersign/services/evidence/transparency/Restoration") {
  static readonly layer = Layer.effect(
    Restoration,
    Effect.gen(function*() {
      const sql = yield* Database
      const events = yield* Events
      const { place } = yield* Witness
      const continuityOf = yield* makeLogContinuity
      const log = yield* logName

      const witnessed: Effect.Effect<Witnessed | undefined, WitnessUnavailable> = place === undefined
        ? Effect.undefined
        : Effect.flatMap(place.read, (note) =>
          note === undefined
            ? Effect.undefined
            : Effect.map(continuityOf(note), (continuity) => ({ continuity, by: place.name })))

      const examine = Effect.map(witnessed, (found) => found && discontinuity(found.continuity, found.by))

      const resume = Effect.gen(function*() {
        const found = yield* examine
        if (found !== undefined) return yield* refuse(found)
        yield* endRestore(sql)
      })

      const begin: Restoration["Service"]["begin"] = Effect.fn("Restoration.begin")(
        function*({ after: given, least, reason }) {
          const found = yield* witnessed
          return yield* sql.withTransaction(Effect.gen(function*() {
            const [chain] = yield* lockLastSequence(sql)
            const last = Number(chain!.last_sequence)
            const after = (yield* readUnfinishedRestore(sql)) ?? given
            const starts = yield* readEpochStarts(sql)
            const dropped = yield* readDropped(sql)
            const decided = newEpoch({ witnessed: found, starts, last, dropped: dropped.sequence, after, least })
            if (Result.isFailure(decided)) return yield* refuse(decided.failure)
            if ("unneeded" in decided.success) return yield* Effect.as(endRestore(sql), decided.success)
            const { epoch, restored } = decided.success
            const [place] = yield* findPlaceHash(sql, restored)
            const begun: EpochStarted = {
              epoch,
              origin: originOf(log, epoch),
              first_sequence: last + 1,
              previous_origin: originOf(log, currentEpoch(starts)),
              restored_sequence: restored,
              restored_hash: place?.hash ?? Hex.encode(dropped.hash),
              reason,
              ...keptBy(found)
            }
            yield* endRestore(sql)
            yield* insertEpoch(sql, begun)
            yield* deleteMailsBefore(sql)
            yield* Effect.provideService(
              events.append({ type: "log.epoch_started", resourceId: begun.origin, data: begun }),
              CurrentReason,
              reason
            )
            // Waiting events were appended before the restore. They get their place after the event of the epoch.
            const [own] = yield* findLastPending(sql)
            yield* updatePendingBehind(sql, own!.ordinal)
            return { begun }
          }))
        }
      )

      return Restoration.of({ examine, resume, begin })
    })
  )
}

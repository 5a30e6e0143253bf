import { Context, Data, Effect, Layer } from "effect"
import { Hex } from "effect/encoding"
import { currentEpoch, originOf } from "../../domain/events/EpochPlace.ts"
import type { EpochStarted } from "../../domain/events/LogEpoch.ts"
import { readDropped } from "../events/DroppedEvents.ts"
import { Events } from "../events/Events.ts"
import { logName, readEpochStarts } from "../events/LogEpochs.ts"
import { CurrentReason } from "../events/Provenance.ts"
import { Database } from "../persistence/Database.ts"
import type { Continuity } from "./LogContinuity.ts"
import { discontinuity, makeLogContinuity } from "./LogContinuity.ts"
import { endRestore, readUnfinishedRestore } from "./UnfinishedRestore.ts"
import type { WitnessUnavailable } from "./Witness.ts"
import { Witness } from "./Witness.ts"

/** No new epoch begins. The message says why, and what to do. */
export class RestorationRefused extends Data.TaggedError("RestorationRefused")<{ readonly message: string }> {}

/** The outcome: a new epoch, or none because it is not needed, with the reason. */
export type Restored = { readonly begun: EpochStarted } | { readonly unneeded: string }

interface ChainRow {
  readonly last_sequence: bigint
}

const refuse = (message: string) => new RestorationRefused({ message })

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
}>()("countersign/services/transparency/Restoration") {
  static readonly layer = Layer.effect(
    Restoration,
    Effect.gen(function*() {
      const sql = yield* Database
      const events = yield* Events
      const { place } = yield* Witness
      const continuityOf = yield* makeLogContinuity
      const log = yield* logName

      const witnessed: Effect.Effect<Continuity | undefined, WitnessUnavailable> = place === undefined
        ? Effect.undefined
        : Effect.flatMap(place.read, (note) => note === undefined ? Effect.undefined : continuityOf(note))

      const examine = Effect.map(
        witnessed,
        (found) => found === undefined ? undefined : discontinuity(found, place!.name)
      )

      const resume = Effect.gen(function*() {
        const found = yield* examine
        if (found !== undefined) return yield* refuse(found)
        yield* endRestore(sql)
      })

      // Waiting events were appended before the restore. They get their place after the event of the epoch.
      const putFirst = Effect.gen(function*() {
        const [own] = yield* sql<{ readonly ordinal: bigint }>`
          -- name: event_pending.find last
          SELECT max(ordinal) AS ordinal FROM event_pending`
        yield* sql`
          -- name: event_pending.update put last
          WITH waiting AS (
            DELETE FROM event_pending WHERE ordinal < ${own!.ordinal} RETURNING ordinal
          ), moved AS (
            SELECT ordinal, nextval(pg_get_serial_sequence('event_pending', 'ordinal')) AS later
            FROM (SELECT ordinal FROM waiting ORDER BY ordinal) w
          ), records AS (
            UPDATE event_records r SET ordinal = m.later FROM moved m WHERE r.ordinal = m.ordinal
          )
          INSERT INTO event_pending (ordinal) OVERRIDING SYSTEM VALUE SELECT later FROM moved ORDER BY later`
      })

      const begin: Restoration["Service"]["begin"] = Effect.fn("Restoration.begin")(
        function*({ after: given, least, reason }) {
          const found = yield* witnessed
          if (found?.state === "other_log" || found?.state === "unreadable") {
            return yield* refuse(discontinuity(found, place!.name)!)
          }
          return yield* sql.withTransaction(Effect.gen(function*() {
            const [chain] = yield* sql<ChainRow>`
              -- name: event_chain.lock for restore
              SELECT last_sequence FROM event_chain FOR UPDATE`
            const after = (yield* readUnfinishedRestore(sql)) ?? given
            yield* endRestore(sql)
            const last = Number(chain!.last_sequence)
            const starts = yield* readEpochStarts(sql)
            const newest = starts.at(-1)
            const current = currentEpoch(starts)
            const isSame = after === undefined || after === newest?.restored_sequence
            const isFresh = newest !== undefined && newest.first_sequence >= last
            const isKnown = found === undefined || found.state === "continues"
            if (newest !== undefined && isSame && (found?.state === "superseded" || (isFresh && isKnown))) {
              return { unneeded: `Epoch ${current} has begun, with event ${newest.first_sequence}. Start the service` }
            }
            if (after === undefined && found?.state === "continues") {
              return {
                unneeded: `The log continues what the witness ${place!.name} keeps, so nothing of it is lost. ` +
                  "Start the service"
              }
            }
            if (found?.state === "forked" && after === undefined) {
              return yield* refuse(discontinuity(found, place!.name)!)
            }
            const dropped = yield* readDropped(sql)
            const earliest = Math.max(newest?.first_sequence ?? 0, dropped.sequence)
            const restored = after ?? last
            if (restored > last || restored < earliest) {
              return yield* refuse(
                `--after ${restored} is no event of epoch ${current}, which goes from ${earliest} to ${last}`
              )
            }
            const hashes = yield* sql<{ readonly hash: string }>`
              -- name: event_places.find hash
              SELECT encode(hash, 'hex') AS hash FROM event_places WHERE sequence = ${restored}`
            const witness = found?.kept
            const epoch = Math.max(current, found?.keptEpoch ?? 1, (least ?? 2) - 1) + 1
            const begun: EpochStarted = {
              epoch,
              origin: originOf(log, epoch),
              first_sequence: last + 1,
              previous_origin: originOf(log, current),
              restored_sequence: restored,
              restored_hash: hashes[0]?.hash ?? Hex.encode(dropped.hash),
              reason,
              ...(witness === undefined ? {} : {
                witness: { origin: witness.origin, tree_size: witness.size, root_hash: Hex.encode(witness.root) }
              })
            }
            yield* sql`
              -- name: log_epochs.insert
              INSERT INTO log_epochs (epoch, origin, first_sequence, previous_origin, restored_sequence, restored_hash,
                reason, witness)
              VALUES (${epoch}, ${begun.origin}, ${begun.first_sequence}, ${begun.previous_origin}, ${restored},
                ${begun.restored_hash}, ${reason},
                ${begun.witness === undefined ? null : JSON.stringify(begun.witness)}::jsonb)`
            yield* Effect.provideService(
              events.append({ type: "log.epoch_started", resourceId: begun.origin, data: begun }),
              CurrentReason,
              reason
            )
            yield* putFirst
            return { begun }
          }))
        }
      )

      return Restoration.of({ examine, resume, begin })
    })
  )
}

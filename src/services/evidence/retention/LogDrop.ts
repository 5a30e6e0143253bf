import { Context, Data, Effect, Layer } from "effect"
import { Hex } from "effect/encoding"
import { readCheckpointText } from "../../../domain/evidence/transparency/CheckpointText.ts"
import { lastTileLevel, tilesBefore } from "../../../domain/evidence/transparency/MerkleTiles.ts"
import { readNote } from "../../../domain/evidence/transparency/SignedNote.ts"
import { readOrigin } from "../../../domain/log/EpochPlace.ts"
import { Database } from "../../ground/persistence/Database.ts"
import { readDropped } from "../../log/DroppedEvents.ts"
import { Events } from "../../log/Events.ts"
import { LogBaseline } from "../audit/LogBaseline.ts"
import { Witness } from "../transparency/Witness.ts"
import type { WitnessUnavailable } from "../transparency/Witness.ts"
import {
  deleteCheckpoints,
  deletePlaces,
  deleteTiles,
  findDropBorder,
  findIsOlder,
  listHolds,
  updateDropped
} from "./LogDropSql.ts"

/** Events deleted by one transaction, small enough that the feed never waits long for it. */
const slice = 1000

/** No tile of the tree has leaves on both sides of a multiple of this. */
const aligned = 16

/** Nothing is dropped. The message says why, and what to do. */
export class DropRefused extends Data.TaggedError("DropRefused")<{ readonly message: string }> {}

/** How far the log may be dropped at most, and who still needs what comes after. */
export interface Hold {
  readonly sequence: number
  readonly by: string
}

/** The data of the event `log.dropped`. */
export interface Dropped {
  /** The last event that was dropped. */
  readonly dropped_sequence: number
  /** Its hash, which the oldest event that is kept names as the one before. */
  readonly dropped_hash: string
  /** The signed checkpoint that covers what was archived: its origin, size and root. */
  readonly checkpoint: { readonly origin: string; readonly tree_size: number; readonly root_hash: string }
}

/** Drops the part of the log that was archived. */
export class LogDrop extends Context.Service<LogDrop, {
  /** The needs for parts of the log, the first need first; `archived` is the last event of a verified archive. */
  readonly holds: (archived: number, days: number) => Effect.Effect<ReadonlyArray<Hold>, WitnessUnavailable>
  /**
   * Drops the events up to `upto`, a multiple of 16 that no hold is below. From one transaction on they are no longer
   * served, and an event says so; their rows are deleted after it, in slices, by `sweep`.
   */
  readonly begin: (
    upto: number,
    checkpoint: Dropped["checkpoint"],
    days: number
  ) => Effect.Effect<Dropped, DropRefused | WitnessUnavailable>
  /** Deletes the rows of dropped events that are left, and what only they needed; answers how many events. */
  readonly sweep: Effect.Effect<number>
  /** The last event that was dropped; 0 when none was. */
  readonly dropped: Effect.Effect<number>
}>()("countersign/services/evidence/retention/LogDrop") {
  static readonly layer = Layer.effect(
    LogDrop,
    Effect.gen(function*() {
      const sql = yield* Database
      const events = yield* Events
      const baseline = yield* LogBaseline
      const { place: witness } = yield* Witness

      const dropped = Effect.map(readDropped(sql), ({ sequence }) => sequence)

      /** The last event that is older than so many days. The feed is nearly in the order of time, which is enough. */
      const olderThan = Effect.fnUntraced(function*(days: number, archived: number) {
        let low = yield* dropped
        for (let high = archived; low < high;) {
          const middle = Math.ceil((low + high) / 2)
          const [row] = yield* findIsOlder(sql, middle, days)
          if (row?.old === true) low = middle
          else high = middle - 1
        }
        return low
      })

      const witnessed = Effect.gen(function*() {
        const note = witness === undefined ? undefined : readNote((yield* witness.read) ?? "")
        const size = note === undefined ? undefined : readCheckpointText(note.text)?.size
        return witness === undefined
          ? []
          : [{ sequence: size ?? 0, by: `the witness ${witness.name}, which keeps an older checkpoint` }]
      })

      const holds = Effect.fn("LogDrop.holds")(function*(archived: number, days: number) {
        const rows = (yield* listHolds(sql)).map(({ by, sequence }): Hold => ({ sequence: Number(sequence ?? 0), by }))
        const found: Array<Hold> = [
          { sequence: archived, by: "the archive, which ends there" },
          {
            sequence: yield* olderThan(days, archived),
            by: `COUNTERSIGN_RETAIN_EVENT_DAYS, which keeps ${days} days`
          },
          ...rows,
          ...(yield* witnessed)
        ]
        return found
          .map(({ by, sequence }) => ({ by, sequence: Math.floor(sequence / aligned) * aligned }))
          .toSorted((a, b) => a.sequence - b.sequence)
      })

      const begin: LogDrop["Service"]["begin"] = Effect.fn("LogDrop.begin")(
        function*(upto, checkpoint, days) {
          yield* baseline.prepare(upto)
          const [border] = yield* findDropBorder(sql, upto)
          const first = (yield* holds(checkpoint.tree_size, days))[0]!
          const said: Dropped = { dropped_sequence: upto, dropped_hash: Hex.encode(border!.hash), checkpoint }
          yield* sql.withTransaction(Effect.gen(function*() {
            const moved = yield* updateDropped(sql, upto, border!)
            if (moved.length === 0 || first.sequence < upto) {
              return yield* new DropRefused({
                message: `Another process dropped events meanwhile, or ${first.by} needs them. Run the command again`
              })
            }
            yield* events.append({ type: "log.dropped", resourceId: readOrigin(checkpoint.origin).log, data: said })
          }))
          return said
        }
      )

      /** Repeats a statement that deletes at most a slice until it finds no more; answers how many rows. */
      const inSlices = <E>(statement: Effect.Effect<ReadonlyArray<unknown>, E>) =>
        Effect.gen(function*() {
          let deleted = 0
          for (let step = slice; step === slice; deleted += step) step = (yield* statement).length
          return deleted
        })

      const sweep = Effect.gen(function*() {
        const sequence = yield* dropped
        const deleted = yield* inSlices(deletePlaces(sql, sequence, slice))
        yield* inSlices(deleteCheckpoints(sql, sequence, slice))
        for (let level = 0; level <= lastTileLevel(sequence); level++) {
          yield* inSlices(deleteTiles(sql, level, tilesBefore(level, sequence), slice))
        }
        yield* baseline.prune
        return deleted
      })

      return LogDrop.of({ holds, begin, sweep, dropped })
    })
  )
}

import { Context, Data, Effect, Layer } from "effect"
import { Base64, Hex } from "effect/encoding"
import type { LogStart } from "../../../domain/evidence/transparency/LogArchive.ts"
import { lastTileLevel, tilesBefore } from "../../../domain/evidence/transparency/MerkleTiles.ts"
import { nodesOf, readCheckpointText } from "../../../domain/evidence/transparency/MerkleTree.ts"
import { readNote } from "../../../domain/evidence/transparency/SignedNote.ts"
import type { EnvironmentName } from "../../../domain/ground/environments/EnvironmentName.ts"
import { readOrigin } from "../../../domain/log/EpochPlace.ts"
import { leafTextOfRow } from "../../../domain/log/LicenseChain.ts"
import { CurrentEnvironment } from "../../ground/environments/CurrentEnvironment.ts"
import { Database } from "../../ground/persistence/Database.ts"
import { readDropped } from "../../log/DroppedEvents.ts"
import { Events } from "../../log/Events.ts"
import { makeMerkleLog, readEpochStarts } from "../../log/MerkleLog.ts"
import { LogBaseline } from "../audit/LogBaseline.ts"
import { Witness } from "../transparency/WitnessKeeper.ts"
import type { WitnessUnavailable } from "../transparency/WitnessKeeper.ts"
import {
  deleteCheckpoints,
  deletePlaces,
  deleteTiles,
  findCheckpointWithin,
  findDropBorder,
  findIsOlder,
  listArchivedEvents,
  listHolds,
  listVerifierKeys,
  updateDropped
} from "./LogDropSql.ts"
import type { ArchivedEventRow, KeyRow } from "./LogDropSql.ts"

/** Events that one statement reads. */
const page = 1000

/** A key as a verifier needs it. */
interface VerifierKey {
  readonly kid: string
  readonly algorithm: string
  readonly public_key: string
}

// The canonical text of the leaf, with the hashes as further members: no value of the event is written anew.
const lineOf = (environment: EnvironmentName, { hash, previous_hash, ...row }: ArchivedEventRow): string =>
  `${leafTextOfRow(row, environment).slice(0, -1)},"hash":"${Hex.encode(hash)}","previous_hash":"${
    Hex.encode(previous_hash)
  }"}`

const keyOf = (row: KeyRow): VerifierKey => ({
  kid: row.id,
  algorithm: "Ed25519",
  public_key: Base64.encode(row.public_key)
})

/** A signed checkpoint as an archive keeps it. */
export interface ArchivedCheckpoint {
  readonly tree_size: number
  readonly note: string
}

/** The log as it is written to an archive: its events without the personal values, and what they are verified with. */
export class LogArchive extends Context.Service<LogArchive, {
  /** The end that an archive continues which begins with the oldest kept event. */
  readonly start: Effect.Effect<LogStart>
  /** The newest signed checkpoint over at most `size` events; undefined when there is none. */
  readonly checkpointWithin: (size: number) => Effect.Effect<ArchivedCheckpoint | undefined>
  /** The lines of the events `first` to `last`. Dies when one of them is missing. */
  readonly lines: (first: number, last: number) => Effect.Effect<ReadonlyArray<string>>
  /** The root over the first `size` events, 64 hex digits; `size` is not before the oldest event that is kept. */
  readonly root: (size: number) => Effect.Effect<string>
  /** The keys that checkpoints are verified with. */
  readonly keys: Effect.Effect<{
    readonly publicKeys: ReadonlyArray<VerifierKey>
    readonly revokedKeys: ReadonlyArray<VerifierKey & { readonly revoked_at: string }>
  }>
}>()("countersign/services/evidence/retention/LogArchive") {
  static readonly layer = Layer.effect(
    LogArchive,
    Effect.gen(function*() {
      const sql = yield* Database
      const environment = yield* CurrentEnvironment
      const tree = yield* makeMerkleLog

      const start = Effect.gen(function*() {
        const { hash, sequence } = yield* readDropped(sql)
        const subtrees = yield* tree.hashes(
          nodesOf([0, sequence]).map(({ index, level }) => [index * 2 ** level, (index + 1) * 2 ** level] as const)
        )
        const epochs = (yield* readEpochStarts(sql)).filter((epoch) => epoch.first_sequence <= sequence)
        return { sequence, hash: Hex.encode(hash), subtrees: subtrees.map((node) => Hex.encode(node)), epochs }
      })

      const checkpointWithin = (size: number) =>
        Effect.map(
          findCheckpointWithin(sql, size),
          ([row]) => row && { tree_size: Number(row.tree_size), note: row.note }
        )

      const lines = Effect.fnUntraced(function*(first: number, last: number) {
        const found: Array<string> = []
        for (let next = first; next <= last; next = first + found.length) {
          const rows = yield* listArchivedEvents(sql, next, Math.min(last, next + page - 1))
          for (const row of rows) {
            if (Number(row.sequence) !== first + found.length) break
            found.push(lineOf(environment, row))
          }
          if (first + found.length === next) return yield* Effect.die(new Error(`The event ${next} is not there`))
        }
        return found
      })

      const keys = Effect.map(listVerifierKeys(sql), (rows) => ({
        publicKeys: rows.filter(({ revoked_at }) => revoked_at === null).map(keyOf),
        revokedKeys: rows.flatMap((row) =>
          row.revoked_at === null ? [] : Object.assign(keyOf(row), { revoked_at: row.revoked_at.toISOString() })
        )
      }))

      return LogArchive.of({
        start,
        checkpointWithin,
        lines,
        root: (size) => Effect.map(tree.hashes([[0, size]]), ([root]) => Hex.encode(root!)),
        keys
      })
    })
  )
}

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

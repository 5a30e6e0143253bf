import { Context, Effect, Layer } from "effect"
import {
  endOf,
  entryBundle,
  fullEndOf,
  longestEntry,
  partOf,
  readTileLevel,
  readTileName,
  storedTilesOf
} from "../../../domain/evidence/witnessing/TiledLog.ts"
import type { TilePart } from "../../../domain/evidence/witnessing/TiledLog.ts"
import { failing, NotFound } from "../../../domain/ground/wire/Errors.ts"
import { readOrigin } from "../../../domain/log/EpochPlace.ts"
import { leafTextOfRow } from "../../../domain/log/LicenseChain.ts"
import { CurrentEnvironment } from "../../ground/environments/CurrentEnvironment.ts"
import { Database } from "../../ground/persistence/Database.ts"
import { readDropped } from "../../log/DroppedEvents.ts"
import { makeMerkleLog } from "../../log/MerkleLog.ts"
import { Checkpoints } from "./Checkpoints.ts"
import { findLatestCheckpoint } from "./CheckpointSql.ts"
import { listLeavesAt } from "./LicenseEvidenceSql.ts"

const notFound = (detail: string) => Effect.fail(failing(NotFound, "The log has no such part.", { detail }))

const otherName = notFound(
  "A tile is named as C2SP tlog-tiles says: a level from 0 to 63, and an index such as x001/x234/067, which .p/ and a " +
    "width from 1 to 255 may follow."
)

/**
 * The log as monitors read it by C2SP tlog-tiles: the newest checkpoint, tiles of hashes, and bundles of entries. What is answered of an
 * epoch never changes, because only what a checkpoint of that epoch covers is answered. Each answer reads a few rows by their keys.
 */
export class EventTiles extends Context.Service<EventTiles, {
  /** The note of the newest checkpoint, with the signatures of witnesses. */
  readonly checkpoint: (epoch: string) => Effect.Effect<string, NotFound>
  /** The hashes of a tile, or of a part of it. */
  readonly tile: (epoch: string, level: string, name: string) => Effect.Effect<Uint8Array, NotFound>
  /** The leaves under a tile of level 0, or under a part of it. */
  readonly entries: (epoch: string, name: string) => Effect.Effect<Uint8Array, NotFound>
}>()("countersign/services/evidence/transparency/EventTiles") {
  static readonly layer = Layer.effect(
    EventTiles,
    Effect.gen(function*() {
      const sql = yield* Database
      const checkpoints = yield* Checkpoints
      const environment = yield* CurrentEnvironment
      const tree = yield* makeMerkleLog

      /** Ends with NOT_FOUND where a checkpoint is of another epoch: what comes after it has its places a second time. */
      const inEpoch = (epoch: string, note: string) => {
        const current = readOrigin(note.slice(0, note.indexOf("\n"))).epoch
        return epoch === String(current)
          ? Effect.void
          : notFound(`The log is in epoch ${current}: GET /api/v1/events/epochs lists them.`)
      }

      /** How many leaves are in the tree of the newest checkpoint, which is of this epoch. */
      const sizeIn = Effect.fnUntraced(function*(epoch: string) {
        const [latest] = yield* findLatestCheckpoint(sql)
        if (latest === undefined) return yield* notFound("A checkpoint is made about a second after new events.")
        yield* inEpoch(epoch, latest.note)
        return Number(latest.tree_size)
      })

      /** Ends with NOT_FOUND where a part is not covered by the newest checkpoint. */
      const covered = Effect.fnUntraced(function*(epoch: string, part: TilePart) {
        const size = yield* sizeIn(epoch)
        if (endOf(part) > size) {
          return yield* notFound(`The newest checkpoint covers ${size} events, and not all of these.`)
        }
      })

      const archived = (dropped: number) =>
        notFound(
          `The events up to ${dropped} are in the archive that the operator keeps: countersign archive verify checks it.`
        )

      const checkpoint = Effect.fn("EventTiles.checkpoint")(function*(epoch: string) {
        const { note } = yield* checkpoints.latest
        yield* inEpoch(epoch, note)
        return note
      })

      const tile = Effect.fn("EventTiles.tile")(function*(epoch: string, level: string, name: string) {
        const of = readTileLevel(level)
        const named = readTileName(name)
        if (of === undefined || named === undefined) return yield* otherName
        const part = { level: of, ...named }
        yield* covered(epoch, part)
        const { sequence: dropped } = yield* readDropped(sql)
        if (fullEndOf(part) <= dropped) return yield* archived(dropped)
        const hashes = partOf(part, yield* tree.tiles(storedTilesOf(part)))
        if (hashes !== undefined) return hashes
        // A release before this one kept fewer tiles when it dropped events.
        if (dropped > 0) return yield* archived(dropped)
        return yield* Effect.die(new Error(`The hashes of tile ${level}/${name} are not there`))
      })

      const entries = Effect.fn("EventTiles.entries")(function*(epoch: string, name: string) {
        const named = readTileName(name)
        if (named === undefined) return yield* otherName
        const part = { level: 0, ...named }
        yield* covered(epoch, part)
        const { sequence: dropped } = yield* readDropped(sql)
        const last = endOf(part)
        const first = last - part.width
        if (first < dropped) return yield* archived(dropped)
        const rows = yield* listLeavesAt(sql, Array.from({ length: part.width }, (_, index) => first + 1 + index))
        if (rows.length < part.width) {
          return yield* Effect.die(new Error(`Events of ${first + 1} to ${last} are not there`))
        }
        const bundle = entryBundle(rows.map((row) => leafTextOfRow(row, environment)))
        if ("bytes" in bundle) return bundle.bytes
        return yield* notFound(
          `Event ${
            first + 1 + bundle.tooLong
          } has more than ${longestEntry} bytes, which no bundle can hold: read these events ` +
            `by GET /api/v1/events?cursor=${first}.`
        )
      })

      return EventTiles.of({ checkpoint, tile, entries })
    })
  )
}

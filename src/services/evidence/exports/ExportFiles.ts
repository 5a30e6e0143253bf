import { Cache, Context, Data, Effect, Layer, Semaphore } from "effect"
import type { Statement } from "effect/sql"
import { Database } from "../../ground/persistence/Database.ts"
import { Compression } from "../../ground/platform/Ports.ts"
import { deletePieces, findPiece, listDiscarded, lockDiscarded, removedAtOnce, updateExpired } from "./ExportSql.ts"
import type { ExportPart } from "./ExportSql.ts"

/** The claim is lost: another node took the export, or its work ended. The worker must stop writing. */
export class ClaimLost extends Data.TaggedError("ClaimLost")<{ readonly id: string }> {}

/** Removes the pieces of exports, a few at a time, and with a snapshot the list of customers that it names. */
export const makeExportPieces = (sql: Database) => {
  /** Removes pieces of the export that `held` locks; fails when it locks none. */
  const remove = (id: string, parts: ReadonlyArray<ExportPart>, held: Statement.Fragment) =>
    deletePieces(sql, parts, held).pipe(
      Effect.flatMap(([row]) => row!.held === 0 ? Effect.fail(new ClaimLost({ id })) : Effect.succeed(row!.gone)),
      Effect.repeat({ while: (gone) => gone === removedAtOnce }),
      Effect.asVoid
    )

  /** Removes all pieces of an export that can no longer be downloaded. */
  const discard = (id: string) =>
    remove(id, ["snapshot", "artifact"], lockDiscarded(sql, id)).pipe(
      Effect.catchTag("ClaimLost", () => Effect.void)
    )

  return { remove, discard }
}

/**
 * How many pieces are read at once, over all downloads (backpressure). The kernel buffers megabytes of a file before
 * its receiver has read a byte: without this limit, hundreds of downloads would be read as fast as the database can,
 * fill memory, and make everybody else wait.
 */
const piecesAtOnce = 1

/**
 * How many pieces stay decompressed between two slices of them, and for how long: so a slice costs no statement and no
 * decompression, and hundreds of slow downloads do not leave a piece to be collected for each of theirs.
 */
const piecesOpen = 8
const openFor = "1 second"

/**
 * The size of a stored piece in bytes, before it is compressed; the last one of a part is shorter. Each piece costs a
 * statement.
 */
export const pieceSize = 256 * 1024

/** How much of a piece is handed out at once, in bytes: as much is held for each download whose receiver is slow. */
const bytesAtOnce = 32 * 1024

/** The stored files of exports: read slice by slice, and removed once they are no longer to be had. */
export class ExportFiles extends Context.Service<ExportFiles, {
  /**
   * The bytes from `at` on, to the end of the piece that holds them, and {@link bytesAtOnce} at most; undefined when the
   * part is not there.
   */
  readonly piece: (id: string, part: ExportPart, at: number) => Effect.Effect<Uint8Array | undefined>
  /** Lets the exports expire whose time is over, and removes every file that is no longer to be had; answers how many. */
  readonly expire: Effect.Effect<number>
}>()("countersign/services/evidence/exports/ExportFiles") {
  static readonly layer = Layer.effect(
    ExportFiles,
    Effect.gen(function*() {
      const sql = yield* Database
      const compression = yield* Compression
      const pieces = makeExportPieces(sql)

      const reading = yield* Semaphore.make(piecesAtOnce)
      const readPiece = (id: string, part: ExportPart, at: number) =>
        Effect.map(findPiece(sql, id, part, at), ([row]) => {
          if (row === undefined) return undefined
          const { bytes, encoding, start } = row
          return { start, bytes: encoding === null ? bytes : compression.decompress(bytes, pieceSize) }
        }).pipe(reading.withPermit)
      const opened = yield* Cache.make({
        capacity: piecesOpen,
        timeToLive: openFor,
        lookup: (key: string) => {
          const [id, part, at] = key.split("/") as [string, ExportPart, string]
          return readPiece(id, part, Number(at))
        }
      })
      const piece = Effect.fnUntraced(function*(id: string, part: ExportPart, at: number) {
        const open = yield* Cache.get(opened, `${id}/${part}/${at - at % pieceSize}`)
        if (open === undefined) return undefined
        // Files of an earlier version are in pieces of another size.
        const isHeld = at < open.start + open.bytes.length
        const { bytes, start } = isHeld ? open : (yield* readPiece(id, part, at)) ?? open
        // A copy, so that the rest is not held with it; a Buffer's own `slice` would be a view.
        return Uint8Array.from(bytes.subarray(at - start, at - start + bytesAtOnce))
      })

      const expire = Effect.gen(function*() {
        const expired = yield* updateExpired(sql)
        for (const { id } of yield* listDiscarded(sql)) yield* pieces.discard(id)
        return expired.length
      })

      return ExportFiles.of({ piece, expire })
    })
  )
}

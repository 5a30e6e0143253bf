import { Effect, Fiber } from "effect"
import { Hex } from "effect/encoding"
import type { Progress } from "../../../domain/evidence/exports/ExportChange.ts"
import type { RowWriter } from "../../../domain/ground/rows/RowBytes.ts"
import type { RowCells } from "../../../domain/ground/rows/RowCells.ts"
import type { Cryptography } from "../../ground/platform/Cryptography.ts"
import type { Compression } from "../../ground/platform/Ports.ts"
import { releaseMemory } from "../../ground/records/RecordCells.ts"
import { pieceSize } from "./ExportClaims.ts"
import type { ClaimLost, ExportClaims } from "./ExportClaims.ts"
import type { ExportRow } from "./ExportRecord.ts"
import type { ExportPart } from "./ExportSql.ts"

/** The digest of a part of an export when it is whole, `sha256:` and 64 hex digits, and its size in bytes. */
export interface WrittenPart {
  readonly digest: string
  readonly size: number
}

/** Cuts a part of an export into pieces and stores them. Calls must not overlap. */
export interface PieceWriter {
  readonly add: (bytes: Uint8Array, progress: Progress) => Effect.Effect<void, ClaimLost>
  /** Adds texts as UTF-8, each after `prefix`. */
  readonly addTexts: (
    texts: ReadonlyArray<string>,
    progress: Progress,
    prefix?: "" | ","
  ) => Effect.Effect<void, ClaimLost>
  /** Adds a row. True: a piece is full, and {@link flush} comes before anything else is added. */
  readonly put: (row: RowCells, writer: RowWriter) => boolean
  /** Stores the piece that is full. */
  readonly flush: (progress: Progress) => Effect.Effect<void, ClaimLost>
  /** Stores what is left, and waits until all of it is stored. */
  readonly end: (progress: Progress) => Effect.Effect<WrittenPart, ClaimLost>
}

/** Pieces for each time that it is told how far the work is: a megabyte, which takes less than a tenth of a second. */
const piecesForProgress = 4

/** How much longer than a piece its buffer is, in bytes: a row of the usage ledger takes less, whatever it says. */
const overhang = 32 * 1024

/** The most bytes of UTF-8 that a UTF-16 code unit takes. */
const bytesOfUnit = 3

const comma = 0x2c

const utf8 = new TextEncoder()

/**
 * Writes a part of the export that is claimed. While a piece is on its way to the database the next one is filled, and
 * there is one on its way at most (backpressure).
 */
export const makePieceWriter = (
  services: {
    readonly claims: ExportClaims["Service"]
    readonly compression: Compression["Service"]
    readonly crypto: Cryptography["Service"]
  },
  claim: ExportRow,
  part: ExportPart
): PieceWriter => {
  const { claims, compression, crypto } = services
  const sum = crypto.sha256Stream()
  // One buffer for all pieces: what is stored is its compressed copy. It is longer than a piece, so that a row can be
  // written in place where a piece ends.
  let buffer = new Uint8Array(pieceSize + overhang)
  let length = 0
  let size = 0
  let pieces = 0
  let storing: Fiber.Fiber<void, ClaimLost> | undefined

  const stored = Effect.suspend(() => {
    const waiting = storing
    storing = undefined
    return waiting === undefined ? Effect.void : Fiber.join(waiting)
  })

  const storePiece = Effect.fnUntraced(function*(now: Progress) {
    if (length === 0) return
    const bytes = buffer.subarray(0, Math.min(length, pieceSize))
    const startAt = size
    size += bytes.length
    sum.update(bytes)
    const compressed = compression.compress(bytes)
    buffer.copyWithin(0, bytes.length, length)
    length -= bytes.length
    yield* stored
    const progress = pieces++ % piecesForProgress === 0 ? { progress: now } : {}
    storing = yield* Effect.forkChild(
      Effect.map(
        claims.write(claim, { part, startAt, compressed, ...progress }),
        () => releaseMemory(compressed.buffer)
      ),
      { startImmediately: true }
    )
  })

  const flush = (now: Progress): Effect.Effect<void, ClaimLost> =>
    Effect.suspend(() => length < pieceSize ? Effect.void : Effect.andThen(storePiece(now), flush(now)))

  const add = Effect.fnUntraced(function*(bytes: Uint8Array, progress: Progress) {
    for (let at = 0; at < bytes.length;) {
      const some = bytes.subarray(at, at + pieceSize - length)
      buffer.set(some, length)
      length += some.length
      at += some.length
      if (length === pieceSize) yield* flush(progress)
    }
  })

  return {
    add,
    flush,
    put: (row, writer) => {
      const most = length + writer.most(row)
      if (most > buffer.length) {
        const longer = new Uint8Array(most)
        longer.set(buffer.subarray(0, length))
        buffer = longer
      }
      length = writer.write(row, buffer, length)
      return length >= pieceSize
    },
    addTexts: Effect.fnUntraced(function*(texts: ReadonlyArray<string>, progress: Progress, prefix = "") {
      for (const text of texts) {
        // Without a copy of its own where it fits for sure; only at the end of a piece it may have to be cut.
        if (prefix.length + text.length * bytesOfUnit < pieceSize - length) {
          if (prefix !== "") buffer[length++] = comma
          length += utf8.encodeInto(text, buffer.subarray(length)).written
        } else yield* add(utf8.encode(prefix + text), progress)
      }
    }),
    end: Effect.fnUntraced(function*(progress: Progress) {
      yield* storePiece(progress)
      yield* stored
      return { digest: `sha256:${Hex.encode(sum.digest())}`, size }
    })
  }
}
